//! Comparing two files value by value.

use super::RewriteOptions;
use super::chunk::bytes_at;
use super::kinds::PageKinds;
use super::source::{Column, Part, Reopen, RowGroup, Source};
use super::work::units;
use crate::budget::MemoryLimit;
use crate::contained::contained;
use crate::parallel::in_order;
use crate::{Error, Problem, Result};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use std::ops::Range;

/// Bytes that are compared at a time.
const PIECE: u64 = 1 << 20;

/// That both files have the same values in the same rows of the same row groups, bit for bit. Where a column has the
/// same pages, these are compared as they are.
pub(super) fn verify<R: Reopen>(
    before: &Source<R>,
    after: &Source<R>,
    options: &RewriteOptions,
) -> Result<()> {
    if after.row_groups() != before.row_groups() {
        return Err(different("row groups"));
    }
    let sizes = before.sizes(options.memory)?;
    let report = || options.report(sizes.stored, sizes.stored);
    let files = Files {
        before,
        after,
        options,
    };
    in_order(
        options.limits(&sizes, before.depth),
        units(before),
        |unit| {
            let unit = unit?;
            let one = &unit.row_group;
            let in_group = |error: Error| error.in_row_group(one.index);
            let other = after.row_group(one.index).map_err(in_group)?;
            for root in unit.roots {
                let name = before.roots[root].in_file().name();
                contained(|| files.compare(one, &other, root))
                    .map_err(|error| in_group(error.in_column(name)))?;
            }
            Ok(())
        },
        |()| report(),
        report,
    )
}

/// Both files.
struct Files<'a, R> {
    before: &'a Source<R>,
    after: &'a Source<R>,
    options: &'a RewriteOptions,
}

impl<R: Reopen> Files<'_, R> {
    /// Compares a column in a row group.
    fn compare(&self, one: &RowGroup, other: &RowGroup, root: usize) -> Result<()> {
        let (old, new) = (&self.before.roots[root], &self.after.roots[root]);
        let (before, after) = (self.before.part(one, old)?, self.after.part(other, new)?);
        let ranges = |reader: &R, part: &Part| {
            let ranges = part.described.iter();
            let ranges = ranges.map(|chunk| Ok(PageKinds::of(reader, chunk, MemoryLimit::NONE)?.1));
            ranges.collect::<Result<Vec<Range<u64>>>>()
        };
        let old_ranges = ranges(&self.before.reader, &before)?;
        let new_ranges = ranges(&self.after.reader, &after)?;
        let mut pairs = old_ranges.iter().zip(&new_ranges);
        if pairs.try_fold(true, |same, (old, new)| {
            Ok::<_, Error>(same && self.same_bytes(old.clone(), new.clone())?)
        })? {
            return Ok(());
        }
        let convert = self.options.int96.filter(|_| old.has_int96());
        let old = Column {
            row_group: one,
            root: old,
            part: &before,
            ranges: &old_ranges,
        };
        let new = Column {
            row_group: other,
            root: new,
            part: &after,
            ranges: &new_ranges,
        };
        let old = self.before.batches(old, convert)?;
        let new = self.after.batches(new, None)?;
        match (old, new) {
            (Ok(old), Ok(new)) => self.same_values(old, new),
            (Err(why), _) | (_, Err(why)) => Err(Problem::Unsupported(why).into()),
        }
    }

    fn same_bytes(&self, mut old: Range<u64>, mut new: Range<u64>) -> Result<bool> {
        if old.end - old.start != new.end - new.start {
            return Ok(false);
        }
        while !old.is_empty() {
            let piece = PIECE.min(old.end - old.start);
            let bytes = |reader: &R, range: &mut Range<u64>| {
                let start = range.start;
                range.start += piece;
                bytes_at(reader, start..start + piece)
            };
            if bytes(&self.before.reader, &mut old)? != bytes(&self.after.reader, &mut new)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn same_values(
        &self,
        mut before: ParquetRecordBatchReader,
        mut after: ParquetRecordBatchReader,
    ) -> Result<()> {
        loop {
            let (one, other) = match (before.next().transpose()?, after.next().transpose()?) {
                (None, None) => return Ok(()),
                (Some(one), Some(other)) if one.num_rows() == other.num_rows() => (one, other),
                _ => {
                    return Err(Error::corrupt(
                        "the rewritten file has a different number of rows",
                    ));
                }
            };
            // Arrow compares floats as the bits they are: NaN equals itself, and -0.0 does not equal 0.0.
            if one.columns() != other.columns() {
                return Err(different("values"));
            }
        }
    }
}

fn different(what: &str) -> Error {
    Problem::Different(format!("the rewritten file has different {what}")).into()
}
