//! Comparing two files value by value.

use super::source::{Reopen, Source};
use super::{RewriteOptions, all_stored};
use crate::contained::contained;
use crate::{Error, Problem, Result};
use parquet::arrow::ProjectionMask;

/// That both files have the same values in the same rows of the same row groups, bit for bit.
pub(super) fn verify<R: Reopen>(
    before: &Source<R>,
    after: &Source<R>,
    options: &RewriteOptions,
) -> Result<()> {
    let total = all_stored(before.metadata());
    let groups = before.metadata().num_row_groups();
    if after.metadata().num_row_groups() != groups {
        return Err(different("row groups"));
    }
    for group in 0..groups {
        contained(|| verify_row_group(before, after, group, || options.report(total, total)))
            .map_err(|error| error.in_row_group(group))?;
    }
    Ok(())
}

fn verify_row_group<R: Reopen>(
    before: &Source<R>,
    after: &Source<R>,
    group: usize,
    report: impl Fn() -> Result<()>,
) -> Result<()> {
    let mut one = before.batches(vec![group], ProjectionMask::all())?;
    let mut other = after.batches(vec![group], ProjectionMask::all())?;
    loop {
        report()?;
        let (one, other) = match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(()),
            (Some(one), Some(other)) if one.num_rows() == other.num_rows() => (one, other),
            _ => {
                return Err(Error::corrupt(
                    "the rewritten file has a different number of rows",
                ));
            }
        };
        // Arrow compares floats as the bits they are: NaN equals itself, and -0.0 does not equal 0.0.
        let pairs = one.columns().iter().zip(other.columns());
        if let Some(at) = pairs.into_iter().position(|(one, other)| one != other) {
            let name = one.schema_ref().field(at).name().clone();
            return Err(different("values").in_column(name));
        }
    }
}

fn different(what: &str) -> Error {
    Problem::Different(format!("the rewritten file has different {what}")).into()
}
