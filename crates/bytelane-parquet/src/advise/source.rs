//! Files of all kinds, and tables, as columns of which samples are taken.

use super::array_file::{ArrayFile, is_array};
use super::files::Files;
use super::table::{Table, with_names_of_format};
use crate::Result;
use crate::budget::MemoryLimit;
use crate::chunk::Column;
use crate::stack::depth_of;
use crate::types::physical::{has_dictionary, in_parquet};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// What a column without a name is called.
const UNNAMED: &str = "values";

/// A file or a table.
pub(super) enum Source {
    /// Parquet files with the same columns.
    Parquet(Files),
    /// Numbers.
    Array(Box<ArrayFile>),
    /// Rows in memory.
    Table(Table),
}

impl Source {
    /// Opens a file; its extension says what it is.
    pub(super) fn open(path: &Path, limit: MemoryLimit) -> Result<Self> {
        if is_array(path) {
            return Ok(Self::Array(Box::new(ArrayFile::open(path)?)));
        }
        Files::open(&[path], limit).map(Self::Parquet)
    }

    /// How it is called.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Parquet(_) => "parquet",
            Self::Array(_) => "array",
            Self::Table(_) => "table",
        }
    }

    /// The rows of the row groups of Parquet files that have several, which other writers would not make by themselves.
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

    /// The one file that `rewrite` can read.
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

    /// How deep its columns are nested.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Parquet(files) => files.depth(),
            Self::Array(_) => 1,
            Self::Table(table) => depth_of(table.schema.fields().iter().map(AsRef::as_ref)),
        }
    }

    /// The columns at the schema's outermost level.
    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Parquet(files) => files.columns(),
            Self::Array(_) => 1,
            Self::Table(table) => table.schema.fields().len(),
        }
    }

    /// Bytes that a row of a column takes in PLAIN, on average; of texts, in the file.
    pub(super) fn bytes_of_row(&self, column: usize) -> f64 {
        match self {
            Self::Parquet(files) => files.bytes_of_row(column),
            Self::Array(array) if column == 0 => array.width() as f64,
            Self::Array(_) => 0.0,
            Self::Table(table) => table.bytes_of_row(column),
        }
    }

    /// Rows of a column that is in no Parquet file, and how it would be in one.
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

    /// Up to about `most` rows of a column, from all over the file.
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

/// Rows of a column.
pub(super) struct Sampled {
    pub(super) batches: Vec<RecordBatch>,
    pub(super) schema: SchemaRef,
    /// Its leaves in Parquet.
    pub(super) leaves: Vec<ColumnDescPtr>,
    pub(super) rows: usize,
    /// Whether readers make a dictionary of Arrow of the column, or of a part of it.
    pub(super) has_dictionary: bool,
}

impl Sampled {
    pub(super) fn new(field: FieldRef, arrays: Vec<ArrayRef>) -> Result<Self> {
        let has_dictionary = has_dictionary(field.data_type());
        let schema: SchemaRef = Arc::new(Schema::new(vec![field]));
        let leaves = in_parquet(&schema)?.columns().to_vec();
        let rows = arrays.iter().map(|array| array.len()).sum();
        let batches = arrays
            .into_iter()
            .map(|array| RecordBatch::try_new(Arc::clone(&schema), vec![array]));
        Ok(Self {
            batches: batches.collect::<std::result::Result<_, _>>()?,
            schema,
            leaves,
            rows,
            has_dictionary,
        })
    }

    /// The same with fewer rows: about so many, but at least one.
    pub(super) fn front(&self, rows: usize) -> Self {
        let share = (rows.max(1) as f64 / self.rows.max(1) as f64).min(1.0);
        let front = |batch: &RecordBatch| {
            let rows = (batch.num_rows() as f64 * share).ceil() as usize;
            batch.slice(0, rows)
        };
        let batches: Vec<RecordBatch> = self.batches.iter().map(front).collect();
        Self {
            rows: batches.iter().map(RecordBatch::num_rows).sum(),
            batches,
            schema: SchemaRef::clone(&self.schema),
            leaves: self.leaves.clone(),
            has_dictionary: self.has_dictionary,
        }
    }

    /// The arrays.
    pub(super) fn arrays(&self) -> Vec<ArrayRef> {
        self.batches
            .iter()
            .map(|batch| Arc::clone(batch.column(0)))
            .collect()
    }
}
