//! Compares rows regardless of their order.
//!
//! The hash of a row determines its bucket. The first pass sums the hashes of each bucket; buckets
//! with the same sum on both sides have the same rows. The second pass keeps the rows of a few
//! buckets that differ, and pairs them.

use super::files::{Files, Rows};
use super::hash::{Hash, of_rows};
use super::options::DiffOptions;
use super::outcome::{Difference, DifferentRow};
use bytelane_parquet::Result;
use std::collections::BTreeMap;

/// Number of buckets, a power of two.
const BUCKETS: usize = 1 << 16;

/// Maximum number of rows whose hashes the second pass keeps.
const KEPT: u64 = 1 << 20;

/// Reports the number of rows that a pass has read.
type Report<'a> = dyn Fn(u64) -> Result<()> + 'a;

/// Number and hash sum of a bucket's rows.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    rows: u64,
    hashes: Hash,
}

fn bucket(hash: Hash) -> usize {
    hash.0 as usize % BUCKETS
}

/// Compares both sides.
pub(super) fn compare(
    [left, right]: [&Files<'_>; 2],
    totals: [u64; 2],
    options: &DiffOptions,
    difference: &mut Difference,
) -> Result<()> {
    let total = totals[0].saturating_add(totals[1]);
    // Each pass begins after the rows of those before it.
    let report = |pass: usize, rows: u64| {
        let before = [0, totals[0], total, total.saturating_add(totals[0])][pass];
        let all = if pass < 2 {
            total
        } else {
            total.saturating_mul(2)
        };
        options.report(before.saturating_add(rows), all)
    };
    let before = sums(left, &|rows| report(0, rows), &mut difference.left_rows)?;
    let after = sums(right, &|rows| report(1, rows), &mut difference.right_rows)?;
    let other: Vec<usize> = (0..BUCKETS).filter(|&it| before[it] != after[it]).collect();
    if other.is_empty() {
        return Ok(());
    }
    let looked_up = looked_up(&other, &before, &after, options.named());
    difference.more = other.iter().any(|&bucket| !looked_up[bucket]);
    let mut found = BTreeMap::new();
    let starts = [
        collect(left, &looked_up, &|rows| report(2, rows), &mut found, 0)?,
        collect(right, &looked_up, &|rows| report(3, rows), &mut found, 1)?,
    ];
    name([left, right], &starts, options, found, difference)
}

/// Selects the differing buckets to look up: as many as rows to name, because a row that only one
/// side has may be in any of them, but no more rows than memory allows.
fn looked_up(other: &[usize], before: &[Sum], after: &[Sum], named: usize) -> Vec<bool> {
    let mut looked_up = vec![false; BUCKETS];
    let mut left = KEPT;
    for &bucket in other.iter().take(named.max(1)) {
        let rows = before[bucket].rows + after[bucket].rows;
        if left < rows && looked_up.contains(&true) {
            break;
        }
        left = left.saturating_sub(rows);
        looked_up[bucket] = true;
    }
    looked_up
}

/// Returns the sums of all buckets. Counts the rows.
fn sums(files: &Files<'_>, report: &Report<'_>, count: &mut u64) -> Result<Vec<Sum>> {
    let mut sums = vec![Sum::default(); BUCKETS];
    let mut rows = files.rows();
    while let Some(batch) = rows.next()? {
        for hash in of_rows(&batch)? {
            let sum = &mut sums[bucket(hash)];
            sum.rows += 1;
            sum.hashes.0 = sum.hashes.0.wrapping_add(hash.0);
            sum.hashes.1 = sum.hashes.1.wrapping_add(hash.1);
        }
        *count = rows.count();
        report(*count)?;
    }
    Ok(sums)
}

/// Rows with the same hash, on both sides.
type Pair = [Vec<u64>; 2];

/// Collects the rows of some buckets. Returns the reader, which can locate the rows.
fn collect<'a>(
    files: &'a Files<'_>,
    buckets: &[bool],
    report: &Report<'_>,
    to: &mut BTreeMap<Hash, Pair>,
    side: usize,
) -> Result<Rows<'a>> {
    let mut rows = files.rows();
    let mut first = 0;
    while let Some(batch) = rows.next()? {
        for (row, hash) in (first..).zip(of_rows(&batch)?) {
            if buckets[bucket(hash)] {
                to.entry(hash).or_default()[side].push(row);
            }
        }
        first = rows.count();
        report(first)?;
    }
    Ok(rows)
}

/// Names the first rows that occur more often on one side than on the other.
fn name(
    sides: [&Files<'_>; 2],
    read: &[Rows<'_>; 2],
    options: &DiffOptions,
    found: BTreeMap<Hash, Pair>,
    difference: &mut Difference,
) -> Result<()> {
    let mut only: Vec<(u64, usize)> = Vec::new();
    for [before, after] in found.into_values() {
        let more = before.len().abs_diff(after.len());
        let (side, rows) = if before.len() > after.len() {
            (0, before)
        } else {
            (1, after)
        };
        only.extend(rows[rows.len() - more..].iter().map(|row| (*row, side)));
    }
    only.sort_unstable();
    difference.more |= only.len() > options.named();
    only.truncate(options.named());
    for (row, side) in only {
        let mut places = [None, None];
        places[side] = Some(read[side].place(row));
        let row = DifferentRow::new(sides, places, |_| true)?;
        difference.rows.push(row);
    }
    Ok(())
}
