//! Prunes rows that cannot satisfy a predicate, by statistics, Bloom filters, column indexes and page headers.
//!
//! For each leaf of the predicate, there are rows for which it may be true, and rows for which it
//! may be false; rows in neither set are null. Inner nodes combine these sets in the same way as
//! results.

mod bloom;
mod bounds;
mod headers;
mod pages;

#[doc(hidden)]
pub use bounds::exact_bounds;

use super::bind::{Filter, Leaf, Node};
use super::boxes::Boxed;
use super::test::Test;
use crate::Result;
use crate::read::{Input, Ranges};
use bounds::{Bounds, are_bounds_of};
use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, RowGroupMetaData};

/// Row group of a file.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) input: &'a Input,
    pub(super) file: &'a FileMetaData,
    pub(super) row_group: &'a RowGroupMetaData,
}

impl Filter {
    /// Returns the rows of a row group for which the predicate may be true. Bloom filters and
    /// indexes are read only if statistics do not exclude all rows.
    ///
    /// Statistics and indexes that are missing, damaged, contradictory or in an unknown order
    /// exclude nothing.
    pub(super) fn candidates(&self, of: Candidate<'_>) -> Result<Ranges> {
        let by_statistics = rows_of(&self.root, true, &mut |leaf, wanted| {
            of.by_statistics(leaf, wanted)
        })?;
        if by_statistics.is_empty() {
            return Ok(by_statistics);
        }
        rows_of(&self.root, true, &mut |leaf, wanted| {
            of.by_everything(leaf, wanted)
        })
    }
}

/// Function that returns the rows for which a leaf may have a result.
type OfLeaf<'a> = dyn FnMut(&Leaf, bool) -> Result<Ranges> + 'a;

/// Returns the rows for which a node may have the wanted result.
fn rows_of(node: &Node, wanted: bool, of_leaf: &mut OfLeaf<'_>) -> Result<Ranges> {
    let (Node::And(all) | Node::Or(all)) = node else {
        return match node {
            Node::Not(inner) => rows_of(inner, !wanted, of_leaf),
            Node::Leaf(leaf) => of_leaf(leaf, wanted),
            Node::Constant(result) if *result != Some(wanted) => Ok(Ranges::default()),
            _ => Ok(Ranges::all(usize::MAX)),
        };
    };
    let needs_all = matches!(node, Node::And(_)) == wanted;
    let start = if needs_all {
        Ranges::all(usize::MAX)
    } else {
        Ranges::default()
    };
    all.iter().try_fold(start, |rows, node| {
        if needs_all && rows.is_empty() {
            return Ok(rows);
        }
        let others = rows_of(node, wanted, of_leaf)?;
        Ok(if needs_all {
            rows.intersect(&others)
        } else {
            rows.union(&others)
        })
    })
}

impl<'a> Candidate<'a> {
    fn rows(&self) -> usize {
        usize::try_from(self.row_group.num_rows()).unwrap_or(0)
    }

    /// Returns the chunk that a leaf tests, if each row has exactly one of its values.
    fn chunk(&self, leaf: &Leaf) -> Option<(usize, &'a ColumnChunkMetaData)> {
        if !leaf.column.steps.is_empty() {
            return None;
        }
        let columns = self.file.schema_descr().columns().iter().enumerate();
        let mut columns = columns.filter(|(_, column)| column.max_rep_level() == 0);
        let (index, _) = columns.find(|(_, column)| column.path().parts() == leaf.column.names)?;
        Some((index, self.row_group.column(index)))
    }

    /// Returns all rows, or none if the statistics of the chunk exclude the wanted result.
    fn by_statistics(&self, leaf: &Leaf, wanted: bool) -> Result<Ranges> {
        let may_be = match self.chunk(leaf) {
            Some((index, chunk)) => self.may_be(leaf, wanted, index, chunk)?,
            None => true,
        };
        Ok(if may_be {
            Ranges::all(self.rows())
        } else {
            Ranges::default()
        })
    }

    fn may_be(
        &self,
        leaf: &Leaf,
        wanted: bool,
        index: usize,
        chunk: &ColumnChunkMetaData,
    ) -> Result<bool> {
        if let Test::IntersectsBox(of_test) = &leaf.test {
            return Ok(!wanted || extent(chunk).is_none_or(|it| of_test.meets(&it)));
        }
        let Some(statistics) = chunk.statistics() else {
            return Ok(true);
        };
        if matches!(leaf.test, Test::IsNull) {
            let none = if wanted { 0 } else { self.rows() as u64 };
            return Ok(statistics.null_count_opt() != Some(none));
        }
        let data_type = leaf.column.field.data_type();
        if !are_bounds_of(chunk.column_descr(), data_type) {
            return Ok(true);
        }
        let order = self.file.column_order(index);
        let bounds = Bounds::of_statistics(data_type, chunk.column_descr(), order, statistics)?;
        Ok(bounds.may_be(leaf, wanted)?[0])
    }

    /// Returns the rows that neither statistics, Bloom filter, column index nor page headers exclude.
    fn by_everything(&self, leaf: &Leaf, wanted: bool) -> Result<Ranges> {
        let rows = self.by_statistics(leaf, wanted)?;
        let Some((index, chunk)) = self.chunk(leaf).filter(|_| !rows.is_empty()) else {
            return Ok(rows);
        };
        if wanted && bloom::excludes(self.input, chunk, leaf) {
            return Ok(Ranges::default());
        }
        let order = self.file.column_order(index);
        let rows_of_pages = if chunk.column_index_offset().is_some() {
            pages::rows
        } else {
            headers::rows
        };
        let of_pages = rows_of_pages(self.input, chunk, order, leaf, wanted, self.rows())?;
        Ok(of_pages.unwrap_or(rows))
    }
}

/// Returns the box of all geometries in a chunk, if it is known.
fn extent(chunk: &ColumnChunkMetaData) -> Option<Boxed> {
    let known = chunk.geo_statistics()?.bounding_box()?;
    let x = (known.get_xmin(), known.get_xmax());
    let y = (known.get_ymin(), known.get_ymax());
    let is_range = |(low, high): (f64, f64)| low <= high;
    // Only a range of x may cross the antimeridian. NaN says nothing.
    (is_range(y) && !x.0.is_nan() && !x.1.is_nan()).then_some(Boxed { x, y })
}
