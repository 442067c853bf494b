//! What is looked at of a column: stretches of neighbours, and longer windows around them.

use crate::page::dense;
use crate::{Result, physical};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::Buffer;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Stretches and windows, evenly spread over the rows.
const PARTS: usize = 4;
/// Of as many rows one lies in a stretch.
const SHARE: usize = 128;
/// The fewest and the most bytes of a stretch.
const STRETCH_BYTES: (usize, usize) = (3 << 9, 16 << 10);

/// Values of a fixed width, without nulls, as they lie in a page.
pub(super) struct Sample {
    /// Bytes of a value.
    pub(super) width: usize,
    /// Values in the column, without nulls.
    pub(super) values: usize,
    /// The stretches, one after the other.
    pub(super) stretches: Buffer,
    /// The windows.
    pub(super) windows: Vec<Buffer>,
}

impl Sample {
    /// A sample of the rows of all `arrays`, which are a flat column of values of `width` bytes; with windows
    /// of up to `window` rows.
    pub(super) fn of(
        arrays: &[ArrayRef],
        leaf: &ColumnDescriptor,
        width: usize,
        window: usize,
    ) -> Result<Self> {
        let rows: usize = arrays.iter().map(|array| array.len()).sum();
        let nulls: usize = arrays.iter().map(|array| array.null_count()).sum();
        let (fewest, most) = STRETCH_BYTES;
        let stretch = (rows / (PARTS * SHARE))
            .max(fewest / width)
            .min((most / width).max(1))
            .min(rows.div_ceil(PARTS));
        let mut stretches = Vec::with_capacity(PARTS * stretch * width);
        let mut windows = Vec::new();
        for part in 0..PARTS {
            let quarter = rows * part / PARTS..rows * (part + 1) / PARTS;
            for piece in pieces(arrays, leaf, width, middle(&quarter, stretch))? {
                stretches.extend_from_slice(&piece);
            }
            windows.extend(pieces(arrays, leaf, width, middle(&quarter, window))?);
        }
        Ok(Self {
            width,
            values: rows - nulls,
            stretches: Buffer::from_vec(stretches),
            windows,
        })
    }

    /// Values in all stretches together.
    pub(super) fn len(&self) -> usize {
        self.stretches.len() / self.width
    }
}

/// As many rows in the middle of others, if there are as many.
fn middle(rows: &Range<usize>, count: usize) -> Range<usize> {
    let count = count.min(rows.len());
    let start = rows.start + (rows.len() - count) / 2;
    start..start + count
}

/// The values of some rows, in the arrays' own memory where they lie there without nulls.
fn pieces(
    arrays: &[ArrayRef],
    leaf: &ColumnDescriptor,
    width: usize,
    rows: Range<usize>,
) -> Result<Vec<Buffer>> {
    let mut pieces = Vec::new();
    let mut first = 0;
    for array in arrays {
        let (start, end) = (rows.start.max(first), rows.end.min(first + array.len()));
        if start < end {
            let part = array.slice(start - first, end - start);
            let values = physical::to_physical(&part, leaf)?;
            pieces.push(match part.null_count() {
                0 => values,
                _ => Buffer::from(dense(&values, width, part.nulls(), &mut Vec::new())),
            });
        }
        first += array.len();
    }
    Ok(pieces)
}
