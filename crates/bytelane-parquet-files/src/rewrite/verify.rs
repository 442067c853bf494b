//! Compares two files value by value, and what they mean.

use super::int96::Int96Unit;
use super::meaning::{different, ordered, same_entries, same_types};
use super::options::RewriteOptions;
use super::source::{Column, Part, RowGroup, Rows, Source};
use super::work::units;
use crate::opened::Reopen;
use arrow_array::ArrayRef;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::chunk::PageSummary;
use bytelane_parquet::input::bytes_at;
use bytelane_parquet::parallel::in_order;
use bytelane_parquet::{Encoding, Error, Problem, Result};
use std::collections::BTreeSet;
use std::ops::Range;

/// Number of bytes compared at a time.
const PIECE: u64 = 1 << 20;

/// Checks that both files have the same values in the same rows of the same row groups, bit for bit, and that readers see the
/// same types and the same order of categories. Where a column has the same pages, their bytes are compared.
pub(super) fn verify<R: Reopen>(
    before: &Source<R>,
    after: &Source<R>,
    options: &RewriteOptions,
) -> Result<()> {
    if after.row_groups() != before.row_groups() {
        return Err(different("row groups"));
    }
    same_types(before, after, options.convert_int96)?;
    let sizes = before.sizes(options.memory())?;
    let report = || options.report(sizes.stored, sizes.stored);
    let files = Files {
        before,
        after,
        options,
        ordered: ordered(before.file_metadata()),
    };
    in_order(
        options.limits(&sizes, before),
        units(before),
        |unit| {
            let unit = unit?;
            let one = &unit.row_group;
            let in_group = |error: Error| error.in_row_group(one.index);
            let other = after.row_group(one.index).map_err(in_group)?;
            for root in unit.roots {
                let name = before.roots[root].in_file().name();
                catch_panic(|| files.compare(one, &other, root))
                    .map_err(|error| in_group(error.in_column(name)))?;
            }
            Ok(())
        },
        |()| report(),
        report,
    )
}

/// Both files, and the options.
struct Files<'a, R> {
    before: &'a Source<R>,
    after: &'a Source<R>,
    options: &'a RewriteOptions,
    /// Leaves that are ordered dictionaries.
    ordered: BTreeSet<usize>,
}

impl<R: Reopen> Files<'_, R> {
    /// Compares a column in a row group.
    fn compare(&self, one: &RowGroup, other: &RowGroup, root: usize) -> Result<()> {
        let (old, new) = (&self.before.roots[root], &self.after.roots[root]);
        let (before, after) = (self.before.part(one, old)?, self.after.part(other, new)?);
        let pages = |reader: &R, part: &Part| {
            let chunks = part.described.iter();
            let pages = chunks.map(|chunk| PageSummary::of(reader, chunk, MemoryLimit::NONE));
            pages.collect::<Result<(Vec<PageSummary>, Vec<Range<u64>>)>>()
        };
        let (summaries, old_ranges) = pages(&self.before.file.reader, &before)?;
        let (new_summaries, new_ranges) = pages(&self.after.file.reader, &after)?;
        let mut pairs = old_ranges.iter().zip(&new_ranges);
        if pairs.try_fold(true, |same, (old, new)| {
            Ok::<_, Error>(same && self.same_bytes(old.clone(), new.clone())?)
        })? {
            return Ok(());
        }
        let convert = self.options.convert_int96.filter(|_| old.has_int96());
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
        let has_codes = new_summaries.iter().any(|it| it.have(Encoding::Fsst));
        self.compare_values(old, new, convert, has_codes)?;
        let leaves = old.root.leaves.clone().zip(&summaries).enumerate();
        for (number, (leaf, summary)) in leaves {
            if self.ordered.contains(&leaf) {
                same_entries((self.before, old), (self.after, new), summary, number)?;
            }
        }
        Ok(())
    }

    /// Compares the values of a column, decoded by the crate `parquet`. If it cannot read the old pages, the
    /// reader decodes them; it can read all new ones but those in FSST, whose strings are codes.
    fn compare_values(
        &self,
        old: Column<'_>,
        new: Column<'_>,
        convert: Option<Int96Unit>,
        has_codes: bool,
    ) -> Result<()> {
        let unsupported = |why: &String| Error::new(Problem::Unsupported(why.clone()));
        let read_old = old.root.read().as_ref().map_err(unsupported)?;
        let read_new = new.root.read().as_ref().map_err(unsupported)?;
        let limit = self.options.memory();
        let new_rows = || {
            if has_codes {
                let rows = self
                    .after
                    .rows(new, read_new, None, limit, new.batch_rows());
                rows.map(|rows| Box::new(rows) as Rows)
            } else {
                Ok(self.after.witnessed(new, read_new, None))
            }
        };
        let witnessed = self.before.witnessed(old, read_old, convert);
        let compared = match compare(witnessed, new_rows()?) {
            Err(Failure::Old(_)) => {
                let rows = self
                    .before
                    .rows(old, read_old, convert, limit, old.batch_rows())?;
                compare(Box::new(rows), new_rows()?)
            }
            compared => compared,
        };
        compared.map_err(|failure| match failure {
            Failure::Old(error) | Failure::New(error) => error,
        })
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
            if bytes(&self.before.file.reader, &mut old)?
                != bytes(&self.after.file.reader, &mut new)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Reason why rows are not the same.
enum Failure {
    /// Old rows cannot be decoded.
    Old(Error),
    /// New rows cannot be decoded, or differ.
    New(Error),
}

/// Compares rows, whose batches may differ in size.
fn compare(mut old: Rows, mut new: Rows) -> std::result::Result<(), Failure> {
    let (mut one, mut other): (Option<ArrayRef>, Option<ArrayRef>) = (None, None);
    loop {
        if one.is_none() {
            one = old.next().transpose().map_err(Failure::Old)?;
        }
        if other.is_none() {
            other = new.next().transpose().map_err(Failure::New)?;
        }
        let (before, after) = match (one.take(), other.take()) {
            (None, None) => return Ok(()),
            (Some(before), Some(after)) => (before, after),
            _ => return Err(Failure::New(different("numbers of rows"))),
        };
        let rows = before.len().min(after.len());
        // Arrow compares the bits of floats: NaN equals itself, and -0.0 does not equal 0.0.
        if before.slice(0, rows) != after.slice(0, rows) {
            return Err(Failure::New(different("values")));
        }
        let rest = |array: &ArrayRef| {
            let left = array.len() - rows;
            (left > 0).then(|| array.slice(rows, left))
        };
        (one, other) = (rest(&before), rest(&after));
    }
}
