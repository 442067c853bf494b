//! Joins and writes row groups of the output.

use super::input::RowGroup;
use super::outcome::{MergedColumn, Notes};
use super::plan::Plan;
use super::row_group::{Joining, Leaf};
use super::sorting;
use bytelane_parquet::Result;
use bytelane_parquet::choice::Learned;
use bytelane_parquet::file::FileWriter;
use bytelane_parquet::format;
use bytes::Bytes;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;

/// Joins and writes row groups.
pub(super) struct Writer<'a> {
    joiner: Joiner<'a>,
    written: Written,
}

struct Joiner<'a> {
    plan: &'a Plan<'a>,
    /// Set if all pages are re-encoded.
    fresh: bool,
    /// Encodings chosen for earlier row groups, for each column.
    learned: Vec<Learned>,
}

/// Outcome of the row groups that have been written.
struct Written {
    columns: Vec<MergedColumn>,
    notes: Notes,
    /// Size of chunks read and written, in bytes.
    before: u64,
    after: u64,
}

/// Row group that has not been written yet.
pub(super) struct Joined {
    leaves: Vec<Leaf>,
    rest: Rest,
}

/// Everything about a row group but its chunks.
struct Rest {
    described: format::RowGroup,
    notes: Notes,
}

impl Joined {
    /// Returns the number of bytes that it takes in a file, indexes and footer included.
    pub(super) fn bytes(&self) -> Result<u64> {
        let chunks = self.leaves.iter();
        let bytes = chunks.map(|leaf| Ok(leaf.chunk.bytes() + leaf.chunk.tail_bytes()?));
        bytes.sum()
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, fresh: bool, notes: Notes) -> Self {
        let columns = plan.schema.columns().iter().map(|column| MergedColumn {
            path: column.path().string(),
            ..MergedColumn::default()
        });
        let roots = plan.columns.roots.iter();
        Self {
            joiner: Joiner {
                plan,
                fresh,
                learned: roots.map(|_| Learned::default()).collect(),
            },
            written: Written {
                columns: columns.collect(),
                notes,
                before: 0,
                after: 0,
            },
        }
    }

    /// Returns the ratio of the bytes written to the bytes read.
    pub(super) fn ratio(&self) -> f64 {
        match self.written.before {
            0 => 1.0,
            before => self.written.after as f64 / before as f64,
        }
    }

    pub(super) fn note(&mut self, note: String) {
        self.written.notes.add(note);
    }

    /// Returns the outcome.
    pub(super) fn finish(self) -> (Vec<MergedColumn>, Vec<String>) {
        (self.written.columns, self.written.notes.finish())
    }

    /// Joins row groups into one.
    pub(super) fn join(
        &mut self,
        groups: &[RowGroup],
        report: impl Fn() -> Result<()>,
    ) -> Result<Joined> {
        let mut leaves = Vec::new();
        let take = |leaf| {
            leaves.push(leaf);
            Ok(())
        };
        let rest = self.joiner.join(groups, take, report)?;
        Ok(Joined { leaves, rest })
    }

    /// Writes a joined row group.
    pub(super) fn write(&mut self, joined: Joined, to: &mut FileWriter<impl Write>) -> Result<()> {
        for (number, leaf) in joined.leaves.into_iter().enumerate() {
            self.written.add(number, leaf, to)?;
        }
        self.written.end(joined.rest, to)
    }

    /// Joins row groups into one, and writes columns while others are joined.
    pub(super) fn join_and_write(
        &mut self,
        groups: &[RowGroup],
        to: &mut FileWriter<impl Write>,
        report: impl Fn() -> Result<()>,
    ) -> Result<()> {
        let mut number = 0;
        let take = |leaf| {
            number += 1;
            self.written.add(number - 1, leaf, to)
        };
        let rest = self.joiner.join(groups, take, report)?;
        self.written.end(rest, to)
    }
}

impl Written {
    /// Writes the chunk of a leaf.
    fn add(&mut self, number: usize, leaf: Leaf, to: &mut FileWriter<impl Write>) -> Result<()> {
        let column = &mut self.columns[number];
        column.bytes_before += leaf.before;
        column.bytes_after += leaf.chunk.bytes();
        column.pages.add(leaf.pages);
        if let Some(compression) = leaf.compression {
            column.add_compression(compression);
        }
        self.before += leaf.before;
        self.after += leaf.chunk.bytes();
        to.add_chunk(leaf.chunk, &Bytes::new())
    }

    /// Ends a row group whose chunks have been written.
    fn end(&mut self, rest: Rest, to: &mut FileWriter<impl Write>) -> Result<()> {
        self.notes.append(rest.notes);
        let described = format::RowGroup {
            ordinal: i16::try_from(to.row_groups()).ok(),
            ..rest.described
        };
        to.end_row_group(described, &Bytes::new())
    }
}

impl Joiner<'_> {
    /// Joins row groups into one. `take` gets its leaves in order.
    fn join(
        &mut self,
        groups: &[RowGroup],
        mut take: impl FnMut(Leaf) -> Result<()>,
        report: impl Fn() -> Result<()>,
    ) -> Result<Rest> {
        let (plan, fresh) = (self.plan, self.fresh);
        let mut first = 0;
        let units = plan.columns.roots.iter().zip(&mut self.learned).enumerate();
        let units = units.map(|(root, (column, learned))| {
            let leaves = first..first + column.leaves;
            first = leaves.end;
            let joining = Joining {
                plan,
                groups,
                root,
                leaves,
                fresh,
            };
            (joining, learned)
        });
        let mut units: Vec<(Joining<'_>, &mut Learned)> = units.collect();
        if plan.workers.are_several() {
            // No thread should be left with one of the largest columns at the end.
            units.sort_by_cached_key(|(joining, _)| Reverse(joining.typical_bytes()));
        }
        let join = |(joining, learned): (Joining<'_>, &mut Learned)| {
            let mut notes = Notes::default();
            let chunks = joining.chunks(&mut notes, learned);
            let chunks = chunks.map_err(|error| joining.located(error))?;
            Ok((joining.root, (chunks, notes)))
        };
        let (mut waiting, mut next, mut notes) = (BTreeMap::new(), 0, Notes::default());
        let take = |(root, column): (usize, (Vec<Leaf>, Notes))| {
            waiting.insert(root, column);
            while let Some((leaves, own)) = waiting.remove(&next) {
                leaves.into_iter().try_for_each(&mut take)?;
                notes.append(own);
                next += 1;
            }
            report()
        };
        report()?;
        let units = units.into_iter().map(|unit| (0, unit));
        let limits = (u64::MAX, plan.depth);
        plan.workers.in_order(limits, units, join, take, &report)?;
        let rows: u64 = groups.iter().map(|group| group.rows).sum();
        let sorted = sorting::joined(groups, plan)?;
        let was_sorted = |group: &RowGroup| {
            let described = &group.file.footer.row_groups[group.index];
            let sorting = described.sorting_columns.as_ref();
            sorting.is_some_and(|it| !it.is_empty())
        };
        if sorted.is_none() && groups.iter().any(was_sorted) {
            notes.add(
            "sorting columns of a row group were left out: the ranges of its inputs do not follow each other",
        );
        }
        let described = format::RowGroup {
            num_rows: rows as i64,
            sorting_columns: sorted,
            file_offset: Some(0),
            total_compressed_size: Some(0),
            ..Default::default()
        };
        Ok(Rest { described, notes })
    }
}
