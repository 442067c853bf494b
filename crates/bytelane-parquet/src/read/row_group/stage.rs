//! Reads a stage: a group of columns that are read together.

use super::super::input::Input;
use super::super::leaf::{Leaf, LeafArray, PageReader};
use super::super::schema::{Kind, LeafPlan, Plan};
use super::super::threads::Threads;
use super::chunk::row_counts;
use super::conditions::{Condition, Conditional, View};
use super::wanted::{Part, Wanted, least_gap};
use crate::budget::{Budget, MemoryLimit, Reservation};
use crate::file::LeafChunk;
use crate::page::{Opener, PageLevels, Test, TestDecoder, decoder_of, keys_decoder_of};
use crate::{Error, Result};
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, SchemaRef};
use bytelane::Detected;
use parquet::schema::types::ColumnDescPtr;
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::ops::Range;
use std::sync::Arc;

/// Columns to read together, before a predicate or after all of them.
pub(crate) struct StagePlan {
    /// Numbers of the columns in the plan.
    pub(super) columns: Vec<usize>,
    leaves: Vec<StageLeaf>,
    pub(super) condition: Option<(Arc<dyn Condition>, View)>,
    /// Condition on the values of the only column, if nothing else needs these.
    test: Option<Test>,
}

/// Leaf of a stage.
struct StageLeaf {
    /// Number in the plan.
    number: usize,
    /// Set if dictionary keys can replace its values.
    is_key: bool,
    /// Set if it is a whole column.
    is_column: bool,
}

/// Returns the stages of a plan: one for the columns of each predicate that no earlier one has, and
/// one for all other columns. Strings that are needed as well are read twice if a leaf has indices only: the first time as results of the condition.
/// Comparing all of them takes several times as long as reading the indices again.
pub(crate) fn stages(
    plan: &Plan,
    conditions: Vec<(Conditional, View)>,
    output: &View,
    has_indices: impl Fn(usize) -> bool,
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
        let takes_keys = condition.takes_dictionaries();
        let is_only = view.columns == columns && condition.is_total();
        let is_read_again = match columns[..] {
            [column] if users[column] > 1 && takes_keys && is_only => {
                is_string_with_indices(plan, column, &has_indices)
            }
            _ => false,
        };
        let is_alone = |column: &usize| users[*column] == 1 || is_read_again;
        let leaves = columns
            .iter()
            .flat_map(|column| leaves(plan, *column, takes_keys, is_alone(column)));
        let leaves: Vec<_> = leaves.collect();
        let is_testable = is_only && columns.iter().all(is_alone);
        columns.iter().for_each(|it| is_read[*it] = !is_read_again);
        let test = match leaves[..] {
            [StageLeaf { is_key: true, .. }] if is_testable => Some(test_of(&condition, &view)),
            _ => None,
        };
        stages.push(StagePlan {
            leaves,
            columns,
            condition: Some((condition, view)),
            test,
        });
    }
    let is_other = |column: &usize| !is_read[*column] && output.columns.contains(column);
    let others: Vec<usize> = (0..plan.columns.len()).filter(is_other).collect();
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

/// Returns whether a column has strings, which are indices.
fn is_string_with_indices(plan: &Plan, column: usize, has_indices: impl Fn(usize) -> bool) -> bool {
    let node = &plan.columns[column];
    matches!(node.kind, Kind::Leaf(leaf) if node.data_type.is_string() && has_indices(leaf))
}

/// Returns the test of values that a condition on a single column makes.
fn test_of(condition: &Arc<dyn Condition>, view: &View) -> Test {
    let (condition, view) = (Arc::clone(condition), view.clone());
    Arc::new(move |values| {
        let count = values.len();
        condition.evaluate(view.batch(vec![values], count, true)?)
    })
}

/// Returns the leaves of a column. Keys of numbers can replace values even if the values are needed as well: they
/// are looked up for the rows that are left.
fn leaves(plan: &Plan, column: usize, takes_keys: bool, is_alone: bool) -> Vec<StageLeaf> {
    let node = &plan.columns[column];
    let is_key = match (&node.kind, &node.data_type) {
        _ if !takes_keys => false,
        (Kind::Leaf(_), of) if of.is_string() => is_alone,
        (Kind::Leaf(_), of) => of.is_primitive() || matches!(of, DataType::FixedSizeBinary(_)),
        _ => false,
    };
    let leaves = node.leaves().into_iter();
    let leaves = leaves.map(|number| StageLeaf {
        number,
        is_key,
        is_column: matches!(node.kind, Kind::Leaf(_)),
    });
    leaves.collect()
}

/// Columns of a row group that are read together.
pub(super) struct Stage {
    /// `None` until rows are requested.
    leaves: Option<Vec<Leaf>>,
    /// For each leaf, the least number of rows to skip rather than to decode.
    least_gaps: Vec<usize>,
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
            .filter_map(|leaf| chunks[leaf.number].offset_index.clone())
            .collect()
    }
}

impl Stage {
    /// Returns the stages of a row group, none of which is open.
    pub(super) fn all(settings: &Settings, has_gaps: bool) -> Vec<Self> {
        let stages = settings.stages.iter().enumerate();
        let stages = stages.map(|(number, _)| Self {
            leaves: None,
            least_gaps: Vec::new(),
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
        let leaves = plan.leaves.iter().map(|StageLeaf { number, is_key, .. }| {
            let (leaf, chunk) = (&settings.plan.leaves[*number], &chunks[*number]);
            let (input, range) = (settings.input.clone(), chunk.range.clone());
            let pages = if self.has_gaps {
                PageReader::new(input, range, row_counts(&settings.input, chunk, rows)?)
            } else {
                PageReader::of_all(input, range)
            };
            let read_as = match &plan.test {
                _ if !*is_key || !chunk.has_indices_only => ReadAs::Values,
                None => ReadAs::Keys,
                Some(test) => {
                    self.is_tested = true;
                    ReadAs::Results(test)
                }
            };
            let opened = open_leaf(settings, leaf, read_as, chunk, pages, budget);
            opened.map_err(|error| error.in_column(chunk.column.path().string()))
        });
        self.leaves = Some(leaves.collect::<Result<_>>()?);
        let least_gaps = plan.leaves.iter().map(|leaf| {
            let data_type = &settings.plan.leaves[leaf.number].data_type;
            let has_indices = chunks[leaf.number].has_indices_only;
            let measured = || least_gap(data_type, has_indices);
            settings.least_gap.unwrap_or_else(measured)
        });
        self.least_gaps = least_gaps.collect();
        Ok(())
    }

    /// Returns whether the leaves are open.
    pub(super) fn is_open(&self) -> bool {
        self.leaves.is_some()
    }

    /// Returns the byte ranges of the pages that contain rows, or gaps between them that are decoded.
    pub(super) fn ranges(&self, wanted: &Wanted) -> Vec<Range<u64>> {
        let leaves = self.leaves.iter().flatten().zip(&self.least_gaps);
        let ranges = leaves.flat_map(|(leaf, least_gap)| {
            let least_gap = wanted.left.as_ref().map_or(0, |_| *least_gap);
            let rows = wanted.joined(least_gap).map(|part| part.rows);
            leaf.ranges(&rows.collect::<Vec<_>>())
        });
        ranges.collect()
    }

    fn ranges_of_rows(&self, rows: &[Range<usize>]) -> Vec<Range<u64>> {
        let leaves = self.leaves.iter().flatten();
        leaves.flat_map(|leaf| leaf.ranges(rows)).collect()
    }

    /// Returns the byte ranges of the longest prefix of the rows found that fits in `most` bytes.
    pub(super) fn ranges_ahead(&self, rows: &[Range<usize>], most: u64) -> Vec<Range<u64>> {
        let mut rows = rows.to_vec();
        while !rows.is_empty() {
            let ranges = self.ranges_of_rows(&rows);
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

    /// Reads rows, and returns the columns of the stage, and whether rows that are not to be kept have been
    /// dropped from them. If there is a pool, its threads share the columns.
    pub(super) fn read(
        &mut self,
        settings: &Settings,
        plan: &StagePlan,
        rows: &Wanted,
        pool: Option<&ThreadPool>,
        memory: &Reservation,
    ) -> Result<Vec<(ArrayRef, bool)>> {
        let at = self.at;
        let read = |((leaf, of), least_gap): ((&mut Leaf, &StageLeaf), &usize)| {
            if rows.left.is_some() && of.is_column && leaf.can_retain() {
                Ok((read_kept(leaf, at, rows, *least_gap)?, true))
            } else {
                Ok((read_leaf(leaf, at, rows)?, false))
            }
        };
        let leaves = self.leaves.iter_mut().flatten();
        let read: Result<Vec<(LeafArray, bool)>> = match pool {
            None => leaves
                .zip(&plan.leaves)
                .zip(&self.least_gaps)
                .map(read)
                .collect(),
            Some(pool) => pool.install(|| {
                let leaves = self.leaves.as_deref_mut().unwrap_or_default();
                let leaves = leaves.par_iter_mut().zip(&plan.leaves);
                let leaves = leaves.zip(&self.least_gaps).with_max_len(1);
                let read: Vec<Result<_>> = leaves.map(read).collect();
                // Returns the first of the errors.
                read.into_iter().collect()
            }),
        };
        self.at = rows.end().unwrap_or(at);
        let mut arrays: Vec<_> = settings.plan.leaves.iter().map(|_| None).collect();
        let mut is_exact = vec![false; arrays.len()];
        for (leaf, (array, is_kept)) in plan.leaves.iter().zip(read?) {
            arrays[leaf.number] = Some(array);
            is_exact[leaf.number] = is_kept;
        }
        let (count, kept) = (rows.count(), rows.kept());
        let columns = plan.columns.iter().map(|column| {
            let node = &settings.plan.columns[*column];
            let is_exact = matches!(node.kind, Kind::Leaf(leaf) if is_exact[leaf]);
            let array = node.assemble(settings.backend, &mut arrays, memory);
            let count = if is_exact { kept } else { count };
            let array = array.and_then(|array| Ok((checked(array, count)?, is_exact)));
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

    /// Returns an error if chunks have more rows than these, all of which were read or skipped; does nothing if some
    /// were not.
    pub(super) fn check_rows(&mut self, rows: usize) -> Result<()> {
        let leaves = self.leaves.iter_mut().flatten();
        let mut leaves = leaves.filter(|_| self.at == rows);
        leaves.try_for_each(Leaf::check_rows)
    }

    /// Returns the memory of the last arrays to the budget.
    pub(super) fn release(&mut self) {
        self.leaves.iter_mut().flatten().for_each(Leaf::release);
    }
}

/// Reads rows of a leaf that has advanced to row `at`.
fn read_leaf(leaf: &mut Leaf, mut at: usize, wanted: &Wanted) -> Result<LeafArray> {
    leaf.reserve(wanted.count());
    for Part { rows, .. } in wanted.joined(0) {
        if rows.start > at {
            leaf.skip(rows.start - at)?;
        }
        leaf.read(rows.len())?;
        at = rows.end;
    }
    leaf.finish()
}

/// Number of rows after which those that are not to be kept are dropped, while they are in the cache.
const PIECE: usize = 2048;

/// Reads rows of a leaf that has advanced to row `at`, and keeps only those that are left.
fn read_kept(
    leaf: &mut Leaf,
    mut at: usize,
    wanted: &Wanted,
    least_gap: usize,
) -> Result<LeafArray> {
    let Some(left) = &wanted.left else {
        return read_leaf(leaf, at, wanted);
    };
    leaf.reserve(wanted.kept() + 2 * PIECE);
    // Mask of rows that have been read, but not dropped yet.
    let mut bits = BooleanBufferBuilder::new(2 * PIECE);
    for Part { rows, first } in wanted.joined(least_gap) {
        if rows.start > at {
            leaf.skip(rows.start - at)?;
        }
        at = rows.start;
        while at < rows.end {
            let count = (rows.end - at).min(PIECE);
            let kept = left.slice(first + at - rows.start, count);
            at += count;
            if bits.is_empty() && count == PIECE {
                leaf.read_kept(&kept)?;
                continue;
            }
            leaf.read(count)?;
            bits.append_buffer(&kept);
            if bits.len() >= PIECE {
                leaf.retain(&bits.finish());
            }
        }
    }
    leaf.retain(&bits.finish());
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
    pages: PageReader,
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
    let levels = PageLevels::new(settings.backend, plan.levels, budget).with_starts();
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
    let column = ColumnDescPtr::clone(column);
    Ok(Leaf::new(column, pages, opener, levels, decoder, budget))
}

/// Settings for reading the row groups of a file.
pub(crate) struct Settings {
    pub(crate) input: Input,
    /// Columns of batches: those of the file, followed by row numbers if they are requested.
    pub(crate) schema: SchemaRef,
    /// Columns of batches that are in the file.
    pub(crate) output: View,
    /// Columns to read.
    pub(crate) plan: Plan,
    pub(crate) stages: Vec<StagePlan>,
    pub(crate) batch_size: usize,
    /// Least number of dropped rows that are skipped, in place of the measured ones.
    pub(crate) least_gap: Option<usize>,
    /// Callback for the number of rows considered since its last call.
    pub(crate) progress: Option<Arc<dyn Fn(u64) + Send + Sync>>,
    pub(crate) backend: Detected,
    pub(crate) limit: MemoryLimit,
    /// Memory budget, in bytes, of a row group, and of the batches that wait for earlier ones.
    pub(crate) memory: u64,
    pub(crate) ahead: u64,
    /// Nesting depth of the columns.
    pub(crate) depth: usize,
    /// `None` for one thread.
    pub(crate) pool: Option<Threads>,
}

impl Settings {
    pub(super) fn report(&self, rows: usize) {
        if let Some(progress) = &self.progress {
            progress(rows as u64);
        }
    }
}
