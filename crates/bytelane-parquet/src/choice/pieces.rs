//! Selects parts of the rows of a row group.

use arrow_array::ArrayRef;
use std::ops::Range;

/// Part of the screened pieces that is compared with another row group, and minimum number of pieces.
const GLANCED: usize = 4;
const FEWEST_PIECES: usize = 4;

/// Returns the rows of a range as slices of the arrays that contain them.
pub fn rows_of(arrays: &[ArrayRef], rows: &Range<usize>) -> Vec<ArrayRef> {
    let mut first = 0;
    let mut parts = Vec::new();
    for array in arrays {
        let end = first + array.len();
        let (from, to) = (rows.start.max(first), rows.end.min(end));
        if from < to {
            parts.push(array.slice(from - first, to - from));
        }
        first = end;
    }
    parts
}

/// Returns evenly spread ranges of `each` rows, with at least `wanted` rows in total. If that is
/// most of the rows, returns all of them as one range.
pub(super) fn spread(rows: usize, each: usize, wanted: usize) -> Vec<Range<usize>> {
    let each = each.clamp(1, rows.max(1));
    let count = wanted.div_ceil(each).max(1);
    if count * each * 4 > rows * 3 {
        return std::iter::once(0..rows).collect();
    }
    let part = |index: usize| rows * index / count;
    (0..count)
        .map(|index| {
            // Center the range in its part, at a multiple of its length, where pages begin.
            let middle = part(index) + (part(index + 1) - part(index) - each) / 2;
            let start = middle / each * each;
            start..start + each
        })
        .collect()
}

/// Returns whether a piece is one of the few that are compared with another row group.
pub(super) fn is_glanced(number: usize, pieces: usize) -> bool {
    let each = (pieces / FEWEST_PIECES).clamp(1, GLANCED);
    number % each == each / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::{Array, Int32Array};
    use std::sync::Arc;

    #[test]
    fn pieces_are_spread() {
        assert_eq!(spread(1000, 10, 30), [160..170, 490..500, 820..830]);
        for (pieces, only) in [
            (spread(1000, 400, 800), 0..1000),
            (spread(1000, 5000, 1), 0..1000),
            (spread(7, 1, 1), 3..4),
        ] {
            assert_eq!((pieces.len(), pieces[0].clone()), (1, only));
        }
        for (rows, each, wanted) in [(1_000_003, 4096, 65_000), (131_072, 20_000, 40_000)] {
            let pieces = spread(rows, each, wanted);
            assert!(pieces.windows(2).all(|pair| pair[0].end <= pair[1].start));
            assert!(
                pieces
                    .iter()
                    .all(|piece| piece.len() == each && piece.end <= rows)
            );
            assert!(pieces.len() * each >= wanted);
        }
    }

    #[test]
    fn rows_across_arrays() {
        let arrays: Vec<ArrayRef> = [0..3, 3..3, 3..10]
            .map(|range| Arc::new(Int32Array::from_iter_values(range)) as ArrayRef)
            .into();
        let parts = rows_of(&arrays, &(2..5));
        let values = parts.iter().map(|part| part.as_primitive::<Int32Type>());
        let values: Vec<i32> = values.flat_map(|part| part.values().to_vec()).collect();
        assert_eq!(values, [2, 3, 4]);
        assert!(rows_of(&arrays, &(4..4)).is_empty());
        assert_eq!(
            rows_of(&arrays, &(0..10))
                .iter()
                .map(|part| part.len())
                .sum::<usize>(),
            10
        );
    }
}
