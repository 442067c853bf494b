//! Reads row groups of the inputs into memory, unchanged or converted as the output requires.

mod complete;
mod judge;
mod part;
mod salvage;
mod trial;
mod values;
mod widen;

use super::join::entry;
use super::leaf::Leaf;
use super::part::Part;
use super::plan::Plan;
use super::schema::{Layout, Place};
use super::window::Window;
use crate::opened::OpenedFile;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{Error, Problem, Result};
use complete::complete;
pub(in crate::merge) use complete::{bloom_filter, geospatial_statistics};
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescriptor;
use part::Whole;
pub(crate) use salvage::Lost;
use salvage::salvaged;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
pub(crate) use trial::Trial;
use widen::widen;

/// Row group of an input, or some of its rows, in memory.
#[derive(Clone)]
pub(super) struct RowGroup {
    pub path: PathBuf,
    pub index: usize,
    pub layout: Arc<Layout>,
    pub file: OpenedFile<Window>,
    /// Number of rows.
    pub rows: u64,
    /// Selected rows of the row group in the file; `None` for all of them.
    pub part: Option<Arc<[Range<u64>]>>,
    /// Set if the other rows are deleted: bounds become those of the selected rows.
    pub is_rest: bool,
    /// Leaves of which parts were read. All parts share them, so that each leaf is read once.
    wholes: Arc<Mutex<HashMap<usize, Arc<Whole>>>>,
}

impl RowGroup {
    /// Reads a row group of a file.
    pub(super) fn read(
        path: &Path,
        mut file: OpenedFile<Window>,
        index: usize,
        layout: Arc<Layout>,
    ) -> Result<Self> {
        let described = &file.footer.row_groups[index];
        let rows = u64::try_from(described.num_rows)
            .map_err(|_| Error::corrupt("a row group with a negative number of rows"))?;
        file.load(index)?;
        Ok(Self {
            path: path.to_owned(),
            index,
            layout,
            file,
            rows,
            part: None,
            is_rest: false,
            wholes: Arc::default(),
        })
    }

    /// Returns the rows of a part; `None` if the row group has fewer rows.
    pub(super) fn part(&self, part: &Part) -> Option<Self> {
        let ranges = part.ranges();
        if ranges == std::slice::from_ref(&(0..self.rows)) {
            return Some(self.clone());
        }
        let is_within = ranges.last().is_some_and(|last| last.end <= self.rows);
        is_within.then(|| Self {
            rows: part.len(),
            part: Some(ranges.into()),
            is_rest: part.is_rest(),
            ..self.clone()
        })
    }

    /// Reads the chunk of a leaf of an output column that this input has, given its number in the column and among
    /// all leaves of the output. Its pages may be in FSST.
    pub(super) fn leaf(
        &self,
        plan: &Plan<'_>,
        place: Place,
        root: usize,
        (number, in_output): (usize, usize),
    ) -> Result<Leaf> {
        let (column, compare) = (&plan.schema.columns()[in_output], plan.compare(in_output));
        let (columns, schema) = (&plan.columns, &self.file.footer.schema);
        let Some(levels) = columns.widened(place, root, number, schema) else {
            return self.leaf_of(place.leaf + number, column, compare, plan);
        };
        let own = self.file.schema()?.column(place.leaf + number);
        let mut leaf = self.leaf_of(place.leaf + number, &own, compare, plan)?;
        leaf.replace_codes(&own)?;
        widen(leaf, &own, &levels)
    }

    /// Reads a chunk of a column, or the selected rows of it.
    fn leaf_of(
        &self,
        leaf: usize,
        column: &ColumnDescriptor,
        compare: Option<Compare>,
        plan: &Plan<'_>,
    ) -> Result<Leaf> {
        let Some(rows) = &self.part else {
            return self.whole_leaf(leaf, column, compare, plan);
        };
        let wholes = || self.wholes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = wholes().get(&leaf).cloned();
        let whole = match known {
            Some(whole) => whole,
            None => {
                let mut read = self.whole_leaf(leaf, column, compare, plan)?;
                read.replace_codes(column)?;
                let whole = Arc::new(Whole::new(read, column)?);
                wholes().insert(leaf, Arc::clone(&whole));
                whole
            }
        };
        if !plan.is_salvage {
            whole.check_cuts(self.rows, plan.row_limit, self.file.reader.len())?;
        }
        let are_deleted = self.is_rest && !plan.is_salvage;
        whole.part(column, rows, (compare, are_deleted))
    }

    /// Reads all rows of a chunk of a column.
    fn whole_leaf(
        &self,
        leaf: usize,
        column: &ColumnDescriptor,
        compare: Option<Compare>,
        plan: &Plan<'_>,
    ) -> Result<Leaf> {
        let described = &self.file.footer.row_groups[self.index];
        let Some(chunk) = described.columns.get(leaf) else {
            return Err(Error::corrupt(
                "the footer describes columns that differ from its schema",
            ));
        };
        let rows = u64::try_from(described.num_rows).unwrap_or(0);
        let (window, chunk) = (&self.file.reader, chunk.decode()?);
        if plan.is_salvage {
            let orders = self.file.footer.column_orders.as_ref();
            let order = orders.and_then(|orders| orders.get(leaf));
            return Ok(salvaged(window, &chunk, rows, column, order)?.0);
        }
        let mut leaf = Leaf::read(window, chunk, rows, plan.memory)?;
        leaf.reconcile(window, column, compare, plan.repair.is_some())?;
        leaf.entries = entry::of_leaf(&leaf, column)?;
        if let Some(repair) = &plan.repair {
            leaf.replace_codes(column)?;
            complete(&mut leaf, column, repair)?;
        }
        Ok(leaf)
    }

    /// Returns the number of rows of the row group in the file.
    pub(super) fn all_rows(&self) -> u64 {
        let described = &self.file.footer.row_groups[self.index];
        u64::try_from(described.num_rows).unwrap_or(0)
    }

    /// Adds the location to an error.
    pub(super) fn located(&self, error: Error) -> Error {
        error.in_row_group(self.index).in_file(&self.path)
    }
}

/// Returns the rows of a chunk that are lost because pages are damaged, each range with a reason.
pub(in crate::merge) fn lost_rows(
    file: &OpenedFile<Window>,
    row_group: usize,
    leaf: usize,
    column: &ColumnDescriptor,
) -> Result<Vec<Lost>> {
    let described = &file.footer.row_groups[row_group];
    let rows = u64::try_from(described.num_rows).unwrap_or(0);
    let lost = catch_panic(|| {
        let chunk = described.columns.get(leaf);
        let chunk =
            chunk.ok_or_else(|| Error::corrupt("the footer does not describe its chunk"))?;
        let orders = file.footer.column_orders.as_ref();
        let order = orders.and_then(|orders| orders.get(leaf));
        Ok(salvaged(&file.reader, &chunk.decode()?, rows, column, order)?.1)
    });
    match lost {
        Err(error) if matches!(error.problem(), Problem::Io(_)) => Err(error),
        Err(error) => Ok(vec![Lost {
            rows: 0..rows,
            why: error.problem().to_string(),
        }]),
        lost => lost,
    }
}
