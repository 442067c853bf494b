//! Presents files of all kinds, and tables, as columns to sample from.

use super::array_file::{ArrayFile, is_array};
use super::files::Files;
use super::table::{Table, with_names_of_format};
use super::values::Sampled;
use arrow_array::ArrayRef;
use arrow_schema::{Field, Schema};
use bytelane_parquet::Result;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::chunk::Column;
use bytelane_parquet::stack::depth_of;
use bytelane_parquet::types::physical::in_parquet;
use parquet::file::metadata::ParquetMetaData;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Name of a column that has none.
const UNNAMED: &str = "values";

/// File or table to advise on.
pub(super) enum Source {
    /// Parquet files with the same columns.
    Parquet(Files),
    /// Array of numbers.
    Array(Box<ArrayFile>),
    /// Rows in memory.
    Table(Table),
}

impl Source {
    /// Opens a file according to its extension.
    pub(super) fn open(path: &Path, limit: MemoryLimit) -> Result<Self> {
        if is_array(path) {
            return Ok(Self::Array(Box::new(ArrayFile::open(path)?)));
        }
        Files::open(&[path], limit).map(Self::Parquet)
    }

    /// Returns the name of the kind of source.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Parquet(_) => "parquet",
            Self::Array(_) => "array",
            Self::Table(_) => "table",
        }
    }

    /// Returns the row group size of Parquet files with several row groups, which other writers would not
    /// choose on their own.
    pub(super) fn row_group_rows(&self) -> Option<u64> {
        let Self::Parquet(files) = self else {
            return None;
        };
        let of_file = |metadata: &ParquetMetaData| metadata.row_groups().len() > 1;
        let several = files.metadata().filter(|metadata| of_file(metadata));
        let rows = several.flat_map(|metadata| metadata.row_groups());
        let most = rows.map(|group| group.num_rows()).max()?;
        u64::try_from(most).ok().filter(|rows| *rows > 0)
    }

    /// Returns the path of the only file, if `rewrite` can read it.
    pub(super) fn rewritable(&self) -> Option<&Path> {
        match self {
            Self::Parquet(files) => files.only(),
            Self::Array(_) | Self::Table(_) => None,
        }
    }

    pub(super) fn rows(&self) -> u64 {
        match self {
            Self::Parquet(files) => files.rows(),
            Self::Array(array) => array.values,
            Self::Table(table) => table.rows(),
        }
    }

    /// Returns the nesting depth of the columns.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Parquet(files) => files.depth(),
            Self::Array(_) => 1,
            Self::Table(table) => depth_of(table.schema.fields().iter().map(AsRef::as_ref)),
        }
    }

    /// Returns the number of columns at the top level of the schema.
    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Parquet(files) => files.columns(),
            Self::Array(_) => 1,
            Self::Table(table) => table.schema.fields().len(),
        }
    }

    /// Returns the average size of a row of a column in PLAIN, in bytes; for strings, their size in the file.
    pub(super) fn bytes_of_row(&self, column: usize) -> f64 {
        match self {
            Self::Parquet(files) => files.bytes_of_row(column),
            Self::Array(array) if column == 0 => array.width() as f64,
            Self::Array(_) => 0.0,
            Self::Table(table) => table.bytes_of_row(column),
        }
    }

    /// Reads rows of a column that is not in a Parquet file. Also returns the column that a Parquet file
    /// would have.
    pub(super) fn rows_of(
        &self,
        column: usize,
        rows: Range<u64>,
    ) -> Result<(Column, Vec<ArrayRef>)> {
        let (field, arrays) = match self {
            Self::Array(array) => {
                let array = array.read(rows)?;
                let field = Field::new(UNNAMED, array.data_type().clone(), false);
                (Arc::new(field), vec![array])
            }
            Self::Table(table) => {
                let field = Arc::clone(&table.schema.fields()[column]);
                (field, table.rows_of(column, rows))
            }
            Self::Parquet(_) => unreachable!("Parquet files have row groups of their own"),
        };
        let in_file = in_parquet(&Schema::new(vec![with_names_of_format(&field)]))?;
        let in_file = Arc::clone(&in_file.root_schema().get_fields()[0]);
        Ok((Column::new(field, in_file)?, arrays))
    }

    /// Samples up to about `most` rows of a column from the whole file or table.
    pub(super) fn sample(&self, column: usize, most: usize) -> Result<Sampled> {
        match self {
            Self::Array(array) => {
                let array = array.sample(most as u64)?;
                let field = Field::new(UNNAMED, array.data_type().clone(), false);
                Sampled::new(Arc::new(field), vec![array])
            }
            Self::Table(table) => {
                let field = &table.schema.fields()[column];
                let sampled = Sampled::new(Arc::clone(field), table.sample(column, most))?;
                let schema = Schema::new(vec![with_names_of_format(field)]);
                Ok(Sampled {
                    leaves: in_parquet(&schema)?.columns().to_vec(),
                    ..sampled
                })
            }
            Self::Parquet(files) => files.sample(column, most),
        }
    }
}
