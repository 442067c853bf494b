//! Row groups of the output.

use super::encode;
use super::input::RowGroup;
use super::join::{Input, Join};
use super::outcome::{MergedColumn, MergedPages, Notes};
use super::plan::Plan;
use super::sorting;
use crate::catch_panic::catch_panic;
use crate::chunk::Chunk;
use crate::file::FileWriter;
use crate::format;
use crate::stack::with_stack;
use crate::{Error, Result};
use bytes::Bytes;
use std::io::Write;
use std::ops::Range;

/// Writes row groups.
pub(super) struct Writer<'a> {
    plan: &'a Plan<'a>,
    columns: Vec<MergedColumn>,
    notes: Notes,
    /// Bytes of chunks read and written.
    before: u64,
    after: u64,
}

impl<'a> Writer<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, notes: Notes) -> Self {
        let columns = plan.schema.columns().iter().map(|column| MergedColumn {
            path: column.path().string(),
            ..MergedColumn::default()
        });
        Self {
            plan,
            columns: columns.collect(),
            notes,
            before: 0,
            after: 0,
        }
    }

    /// Size of what was written in proportion to what was read.
    pub(super) fn ratio(&self) -> f64 {
        match self.before {
            0 => 1.0,
            before => self.after as f64 / before as f64,
        }
    }

    /// Returns the outcome.
    pub(super) fn finish(self) -> (Vec<MergedColumn>, Vec<String>) {
        (self.columns, self.notes.finish())
    }

    /// Writes row groups as one.
    pub(super) fn write(
        &mut self,
        groups: &[RowGroup],
        to: &mut FileWriter<impl Write>,
        report: impl Fn() -> Result<()>,
    ) -> Result<()> {
        let mut first = 0;
        for (root, column) in self.plan.columns.roots.iter().enumerate() {
            report()?;
            let leaves = first..first + column.leaves;
            let located = |error: Error| error.in_column(column.name());
            let (plan, notes) = (self.plan, &mut self.notes);
            let join = || joined(plan, groups, root, leaves.clone(), notes);
            let chunks = with_stack(plan.depth, join).map_err(located)?;
            for (leaf, (chunk, pages, before)) in leaves.zip(chunks) {
                let column = &mut self.columns[leaf];
                column.bytes_before += before;
                column.bytes_after += chunk.bytes();
                column.pages.add(pages);
                self.before += before;
                self.after += chunk.bytes();
                to.add_chunk(chunk, &Bytes::new())?;
            }
            first += column.leaves;
        }
        let rows: u64 = groups.iter().map(|group| group.rows).sum();
        let compare = |leaf: usize| self.plan.compare.get(leaf).copied().flatten();
        let sorted = sorting::joined(groups, &self.plan.columns, compare)?;
        let was_sorted = |group: &RowGroup| {
            let described = &group.file.footer.row_groups[group.index];
            described
                .sorting_columns
                .as_ref()
                .is_some_and(|it| !it.is_empty())
        };
        if sorted.is_none() && groups.iter().any(was_sorted) {
            self.notes.add(
                "sorting columns of a row group were left out: the ranges of its inputs do not follow each other",
            );
        }
        let described = format::RowGroup {
            num_rows: rows as i64,
            sorting_columns: sorted,
            file_offset: Some(0),
            total_compressed_size: Some(0),
            ordinal: i16::try_from(to.row_groups()).ok(),
            ..Default::default()
        };
        to.end_row_group(described, &Bytes::new())
    }
}

/// Chunk of a leaf, what was done with its pages, and their bytes before.
type Leaf = (Chunk, MergedPages, u64);

/// Joins the chunks of a column page by page; none if the dictionaries of a leaf are too large together.
fn join_all(
    plan: &Plan<'_>,
    leaves: Range<usize>,
    inputs: &[Vec<Input>],
    any_dictionary: bool,
    notes: &mut Notes,
) -> Result<Option<Vec<Leaf>>> {
    let mut chunks = Vec::new();
    for (leaf, inputs) in leaves.zip(inputs) {
        let joined = join(plan, leaf, inputs, any_dictionary, notes)?;
        let Some((chunk, pages)) = joined else {
            return Ok(None);
        };
        chunks.push((chunk, pages, bytes_of(inputs)));
    }
    Ok(Some(chunks))
}

/// Joins the chunks of a column.
fn joined(
    plan: &Plan<'_>,
    groups: &[RowGroup],
    root: usize,
    leaves: Range<usize>,
    notes: &mut Notes,
) -> Result<Vec<Leaf>> {
    let inputs = (0..leaves.len()).map(|number| inputs_of(plan, groups, root, number));
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    let mut notes_of_joined = Notes::default();
    let joined = join_all(plan, leaves.clone(), &inputs, false, &mut notes_of_joined)?;
    let bytes = |chunks: &[Leaf]| chunks.iter().map(|(chunk, ..)| chunk.bytes()).sum::<u64>();
    let before: u64 = inputs.iter().map(|inputs| bytes_of(inputs)).sum();
    let is_small = |chunks: &Vec<Leaf>| {
        // Pages that are copied are never larger.
        let has_new = chunks
            .iter()
            .any(|(_, pages, _)| pages.mapped + pages.recompressed > 0);
        !has_new || bytes(chunks) <= before
    };
    let joined = match joined {
        Some(joined) if is_small(&joined) => {
            notes.append(notes_of_joined);
            return Ok(joined);
        }
        other => other,
    };
    let encoded = catch_panic(|| encode::chunks(groups, &plan.columns, root))?;
    match (joined, encoded) {
        (Some(joined), Some(encoded)) if bytes(&joined) <= bytes_of_chunks(&encoded) => {
            notes.append(notes_of_joined);
            Ok(joined)
        }
        (Some(joined), None) => {
            notes.append(notes_of_joined);
            Ok(joined)
        }
        (_, Some(encoded)) => encoded_leaves(plan, leaves, &inputs, encoded, notes),
        // Values that take too much memory keep their dictionaries, however large these are.
        (None, None) => join_all(plan, leaves, &inputs, true, notes)?
            .ok_or_else(|| Error::corrupt("the dictionaries cannot be joined")),
    }
}

fn bytes_of_chunks(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(Chunk::bytes).sum()
}

/// Adds what inputs say of the values of a column to its chunks, in which they are encoded again.
fn encoded_leaves(
    plan: &Plan<'_>,
    leaves: Range<usize>,
    inputs: &[Vec<Input>],
    chunks: Vec<Chunk>,
    notes: &mut Notes,
) -> Result<Vec<Leaf>> {
    let chunks = leaves.zip(inputs).zip(chunks);
    let chunks = chunks.map(|((leaf, inputs), mut chunk)| {
        join_of(plan, leaf, inputs, false).describe_encoded(&mut chunk, notes)?;
        let encoded = chunk.page_starts().map_or(1, |pages| pages.len() as u64);
        let pages = MergedPages {
            encoded,
            ..MergedPages::default()
        };
        Ok((chunk, pages, bytes_of(inputs)))
    });
    chunks.collect()
}

fn join_of<'a>(
    plan: &'a Plan<'_>,
    leaf: usize,
    inputs: &'a [Input],
    any_dictionary: bool,
) -> Join<'a> {
    Join {
        column: &plan.schema.columns()[leaf],
        inputs,
        compare: plan.compare.get(leaf).copied().flatten(),
        any_dictionary,
    }
}

fn join(
    plan: &Plan<'_>,
    leaf: usize,
    inputs: &[Input],
    any_dictionary: bool,
    notes: &mut Notes,
) -> Result<Option<(Chunk, MergedPages)>> {
    let joined = join_of(plan, leaf, inputs, any_dictionary).chunk(notes);
    joined.map_err(|error| error.in_column(plan.schema.columns()[leaf].path().string()))
}

/// Reads the chunks of a leaf of a column.
fn inputs_of(
    plan: &Plan<'_>,
    groups: &[RowGroup],
    root: usize,
    number: usize,
) -> Result<Vec<Input>> {
    let inputs = groups
        .iter()
        .map(|group| match plan.columns.place(&group.layout, root) {
            None => Ok(Input::Missing(group.rows)),
            Some(place) => {
                let leaf = group.leaf(place.leaf + number);
                let leaf = leaf.map_err(|error| group.located(error))?;
                Ok(Input::Leaf(Box::new(leaf)))
            }
        });
    inputs.collect()
}

fn bytes_of(inputs: &[Input]) -> u64 {
    let bytes = inputs.iter().map(|input| match input {
        Input::Leaf(leaf) => leaf.chunk.bytes(),
        Input::Missing(_) => 0,
    });
    bytes.sum()
}
