//! Reads a stage: a group of columns that are read together.

use super::super::leaf::{Leaf, LeafArray, PageIndex, PageReader};
use super::super::schema::{Kind, LeafPlan, Plan};
use super::Settings;
use super::chunk::page_index;
use super::conditions::{Condition, Conditional, View};
use crate::budget::{Budget, Reservation};
use crate::file::LeafChunk;
use crate::page::{Opener, PageLevels, Test, TestDecoder, decoder_of, keys_decoder_of};
use crate::{Error, Result};
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_schema::DataType;
use parquet::schema::types::ColumnDescPtr;
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::ops::Range;
use std::sync::Arc;

/// Columns to read together, before a predicate or after all of them.
pub(crate) struct StagePlan {
    /// Numbers of the columns in the plan.
    pub(super) columns: Vec<usize>,
    /// Numbers of their leaves in the plan, and whether dictionary keys can replace their values.
    leaves: Vec<(usize, bool)>,
    pub(super) condition: Option<(Arc<dyn Condition>, View)>,
    /// Condition on the values of the only column, if nothing else needs these.
    test: Option<Test>,
}

/// Returns the stages of a plan: one for the columns of each predicate that no earlier one has, and
/// one for all other columns.
pub(crate) fn stages(
    plan: &Plan,
    conditions: Vec<(Conditional, View)>,
    output: &View,
) -> Vec<StagePlan> {
    let mut is_read = vec![false; plan.columns.len()];
    let mut users = vec![0; plan.columns.len()];
    let views = conditions.iter().map(|(_, view)| view).chain([output]);
    views.for_each(|view| view.columns.iter().for_each(|column| users[*column] += 1));
    let mut stages = Vec::new();
    for (Conditional { condition, .. }, view) in conditions {
        let columns: Vec<usize> = view
            .columns
            .iter()
            .copied()
            .filter(|it| !is_read[*it])
            .collect();
        columns.iter().for_each(|column| is_read[*column] = true);
        let leaves = columns.iter().flat_map(|column| {
            let takes_keys = condition.takes_dictionaries();
            leaves(plan, *column, takes_keys, users[*column] == 1)
        });
        let leaves: Vec<_> = leaves.collect();
        let is_alone = |column: &usize| users[*column] == 1;
        let is_testable =
            view.columns == columns && columns.iter().all(is_alone) && condition.is_total();
        let test = match leaves[..] {
            [(_, true)] if is_testable => Some(test_of(&condition, &view)),
            _ => None,
        };
        stages.push(StagePlan {
            leaves,
            columns,
            condition: Some((condition, view)),
            test,
        });
    }
    let others: Vec<usize> = (0..plan.columns.len()).filter(|it| !is_read[*it]).collect();
    if stages.is_empty() || !others.is_empty() {
        stages.push(StagePlan {
            leaves: others
                .iter()
                .flat_map(|column| leaves(plan, *column, false, false))
                .collect(),
            columns: others,
            condition: None,
            test: None,
        });
    }
    stages
}

/// Returns the test of values that a condition on a single column makes.
fn test_of(condition: &Arc<dyn Condition>, view: &View) -> Test {
    let (condition, view) = (Arc::clone(condition), view.clone());
    Arc::new(move |values| {
        let count = values.len();
        condition.evaluate(view.batch(vec![values], count, true)?)
    })
}

/// Returns the leaves of a column, and whether dictionary keys can replace their values. Keys of
/// numbers can even if the values are needed as well: they are looked up for the rows that are left.
fn leaves(plan: &Plan, column: usize, takes_keys: bool, is_alone: bool) -> Vec<(usize, bool)> {
    let node = &plan.columns[column];
    let is_key = match (&node.kind, &node.data_type) {
        _ if !takes_keys => false,
        (Kind::Leaf(_), of) if of.is_string() => is_alone,
        (Kind::Leaf(_), of) => of.is_primitive() || matches!(of, DataType::FixedSizeBinary(_)),
        _ => false,
    };
    let leaves = node.leaves().into_iter();
    leaves.map(|leaf| (leaf, is_key)).collect()
}

/// Columns of a row group that are read together.
pub(super) struct Stage {
    /// `None` until rows are requested.
    leaves: Option<Vec<Leaf>>,
    /// Set if the column is read as results of the condition.
    pub(super) is_tested: bool,
    /// Number of rows that all leaves have read or skipped.
    at: usize,
    has_gaps: bool,
    /// Set while leaves have advanced within an incomplete batch.
    pub(super) is_moved: bool,
}

impl StagePlan {
    /// Returns the ranges of the leaves' offset indexes.
    fn indexes(&self, chunks: &[LeafChunk]) -> Vec<Range<u64>> {
        let leaves = self.leaves.iter();
        leaves
            .filter_map(|(leaf, _)| chunks[*leaf].offset_index.clone())
            .collect()
    }
}

impl Stage {
    /// Returns the stages of a row group, none of which is open.
    pub(super) fn all(settings: &Settings, has_gaps: bool) -> Vec<Self> {
        let stages = settings.stages.iter().enumerate();
        let stages = stages.map(|(number, _)| Self {
            leaves: None,
            is_tested: false,
            at: 0,
            has_gaps: has_gaps || number > 0 || settings.input.is_pushed(),
            is_moved: false,
        });
        stages.collect()
    }

    /// Returns the ranges of the offset indexes that are read when the leaves are opened.
    pub(super) fn indexes(&self, plan: &StagePlan, chunks: &[LeafChunk]) -> Vec<Range<u64>> {
        if self.is_open() || !self.has_gaps {
            return Vec::new();
        }
        plan.indexes(chunks)
    }

    /// Opens the leaves, without reading dictionaries or pages.
    pub(super) fn open(
        &mut self,
        settings: &Settings,
        plan: &StagePlan,
        chunks: &[LeafChunk],
        rows: usize,
        budget: &Budget,
    ) -> Result<()> {
        if self.leaves.is_some() {
            return Ok(());
        }
        let leaves = plan.leaves.iter().map(|(number, is_key)| {
            let (leaf, chunk) = (&settings.plan.leaves[*number], &chunks[*number]);
            // Without gaps, each page is read anyway.
            let index = if self.has_gaps {
                page_index(&settings.input, chunk, rows)
            } else {
                None
            };
            let read_as = match &plan.test {
                _ if !*is_key || !chunk.has_indices_only => ReadAs::Values,
                None => ReadAs::Keys,
                Some(test) => {
                    self.is_tested = true;
                    ReadAs::Results(test)
                }
            };
            let opened = open_leaf(settings, leaf, read_as, chunk, index, budget);
            opened.map_err(|error| error.in_column(chunk.column.path().string()))
        });
        self.leaves = Some(leaves.collect::<Result<_>>()?);
        Ok(())
    }

    /// Returns whether the leaves are open.
    pub(super) fn is_open(&self) -> bool {
        self.leaves.is_some()
    }

    /// Returns the byte ranges of the pages that contain rows.
    pub(super) fn ranges(&self, rows: &[Range<usize>]) -> Vec<Range<u64>> {
        let leaves = self.leaves.iter().flatten();
        leaves.flat_map(|leaf| leaf.ranges(rows)).collect()
    }

    /// Returns the byte ranges of the longest prefix of the rows found that fits in `most` bytes.
    pub(super) fn ranges_ahead(&self, rows: &[Range<usize>], most: u64) -> Vec<Range<u64>> {
        let mut rows = rows.to_vec();
        while !rows.is_empty() {
            let ranges = self.ranges(&rows);
            if ranges.iter().map(|it| it.end - it.start).sum::<u64>() <= most {
                return ranges;
            }
            // Try half of them.
            match rows.len() {
                1 if rows[0].len() > 1 => rows[0].end = rows[0].start + rows[0].len() / 2,
                count => rows.truncate(count / 2),
            }
        }
        Vec::new()
    }

    /// Returns the ranges of the file that the leaves have not read.
    pub(super) fn ranges_left(&self) -> Vec<Range<u64>> {
        let leaves = self.leaves.iter().flatten();
        leaves.map(Leaf::range_left).collect()
    }

    /// Reads rows, and returns the columns of the stage. If there is a pool, its threads share the columns.
    pub(super) fn read(
        &mut self,
        settings: &Settings,
        plan: &StagePlan,
        rows: &[Range<usize>],
        pool: Option<&ThreadPool>,
        memory: &Reservation,
    ) -> Result<Vec<ArrayRef>> {
        let (at, count) = (self.at, rows.iter().map(Range::len).sum());
        let read = |leaf: &mut Leaf| read_leaf(leaf, at, rows, count);
        let leaves = self.leaves.iter_mut().flatten();
        let read: Result<Vec<LeafArray>> = match pool {
            None => leaves.map(read).collect(),
            Some(pool) => pool.install(|| {
                let leaves = self.leaves.as_deref_mut().unwrap_or_default();
                let leaves = leaves.par_iter_mut().with_max_len(1);
                let read: Vec<Result<_>> = leaves.map(read).collect();
                // Returns the first of the errors.
                read.into_iter().collect()
            }),
        };
        self.at = rows.last().map_or(at, |last| last.end);
        let mut arrays: Vec<_> = settings.plan.leaves.iter().map(|_| None).collect();
        for ((number, _), array) in plan.leaves.iter().zip(read?) {
            arrays[*number] = Some(array);
        }
        let columns = plan.columns.iter().map(|column| {
            let node = &settings.plan.columns[*column];
            let array = node.assemble(settings.backend, &mut arrays, memory);
            let array = array.and_then(|array| checked(array, count));
            array.map_err(|error| error.in_column(settings.plan.names[*column].as_str()))
        });
        columns.collect()
    }

    /// Returns an error if chunks have more rows than those that were read.
    pub(super) fn check_end(&mut self) -> Result<()> {
        self.leaves
            .iter_mut()
            .flatten()
            .try_for_each(Leaf::check_end)
    }

    /// Returns the memory of the last arrays to the budget.
    pub(super) fn release(&mut self) {
        self.leaves.iter_mut().flatten().for_each(Leaf::release);
    }
}

/// Reads rows of a leaf that has advanced to row `at`.
fn read_leaf(
    leaf: &mut Leaf,
    mut at: usize,
    rows: &[Range<usize>],
    count: usize,
) -> Result<LeafArray> {
    leaf.reserve(count);
    for range in rows {
        if range.start > at {
            leaf.skip(range.start - at)?;
        }
        leaf.read(range.len())?;
        at = range.end;
    }
    leaf.finish()
}

fn checked(array: ArrayRef, rows: usize) -> Result<ArrayRef> {
    if array.len() == rows {
        Ok(array)
    } else {
        Err(Error::corrupt(format!(
            "levels of {} rows instead of {rows}",
            array.len()
        )))
    }
}

/// Content of a leaf's arrays.
enum ReadAs<'a> {
    Values,
    Keys,
    Results(&'a Test),
}

fn open_leaf(
    settings: &Settings,
    plan: &LeafPlan,
    read_as: ReadAs<'_>,
    chunk: &LeafChunk,
    index: Option<PageIndex>,
    budget: &Budget,
) -> Result<Leaf> {
    let LeafChunk {
        column,
        codec,
        values,
        range,
        ..
    } = chunk;
    let most = settings.limit.of_page(range.end - range.start, *values);
    let opener = Opener::new(*codec, column, most, budget)?;
    let levels = PageLevels::new(settings.backend, plan.levels, budget);
    let (backend, data_type) = (settings.backend, &plan.data_type);
    let decoder = match read_as {
        ReadAs::Values => decoder_of(backend, data_type, column, budget)?,
        ReadAs::Keys => keys_decoder_of(backend, data_type, column, budget)?,
        ReadAs::Results(test) => {
            let values = decoder_of(backend, data_type, column, budget)?;
            let null = (plan.levels.max_definition > 0).then(|| new_null_array(data_type, 1));
            let test = Arc::clone(test);
            Box::new(TestDecoder::new(backend, test, null, values, budget)?)
        }
    };
    let pages = PageReader::new(settings.input.clone(), range.clone(), index);
    let column = ColumnDescPtr::clone(column);
    Ok(Leaf::new(column, pages, opener, levels, decoder, budget))
}
