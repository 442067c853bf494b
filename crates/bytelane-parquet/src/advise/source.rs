//! Files of all kinds as columns of which samples are taken.

use super::array_file::{ArrayFile, is_array};
use crate::allowance::{Allowance, TOO_LARGE};
use crate::{Error, Problem, ReaderBuilder, Result};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::{ArrowSchemaConverter, ProjectionMask};
use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::fmt::Display;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// What a column without a name is called.
const UNNAMED: &str = "values";

/// A file.
pub(super) enum Source {
    /// A Parquet file.
    Parquet(ReaderBuilder<File>),
    /// Numbers.
    Array(Box<ArrayFile>),
}

impl Source {
    /// Opens a file; its extension says what it is.
    pub(super) fn open(path: &Path) -> Result<Self> {
        if is_array(path) {
            return Ok(Self::Array(Box::new(ArrayFile::open(path)?)));
        }
        Ok(Self::Parquet(ReaderBuilder::open(path)?.with_views()?))
    }

    /// How it is called.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Parquet(_) => "parquet",
            Self::Array(_) => "array",
        }
    }

    pub(super) fn rows(&self) -> u64 {
        match self {
            Self::Parquet(file) => file.metadata().file_metadata().num_rows().max(0) as u64,
            Self::Array(array) => array.values,
        }
    }

    /// The columns at the schema's outermost level.
    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Parquet(file) => file.schema().fields().len(),
            Self::Array(_) => 1,
        }
    }

    /// Bytes that a row of a column takes in PLAIN, on average; of texts, in the file.
    pub(super) fn bytes_of_row(&self, column: usize) -> f64 {
        match self {
            Self::Parquet(file) => {
                let metadata = file.metadata();
                let schema = metadata.file_metadata().schema_descr();
                let leaves = schema.columns().iter().enumerate();
                leaves
                    .filter(|(index, _)| schema.get_column_root_idx(*index) == column)
                    .map(|(index, leaf)| bytes_of_row(metadata, index, leaf))
                    .sum()
            }
            Self::Array(array) if column == 0 => array.width() as f64,
            Self::Array(_) => 0.0,
        }
    }

    /// Up to about `most` rows of a column, from all over the file.
    pub(super) fn sample(&mut self, column: usize, most: usize) -> Result<Sampled> {
        match self {
            Self::Array(array) => {
                let array = array.sample(most as u64)?;
                let field = Field::new(UNNAMED, array.data_type().clone(), false);
                Sampled::new(Arc::new(field), vec![array])
            }
            Self::Parquet(file) => {
                let metadata = file.metadata();
                let row_groups = spread(metadata, most);
                let field = Arc::clone(&file.schema().fields()[column]);
                let schema = metadata.file_metadata().schema_descr();
                let projection = ProjectionMask::roots(schema, [column]);
                let each = most.div_ceil(row_groups.len().max(1));
                let mut arrays = Vec::new();
                for row_group in row_groups {
                    let mut allowance = allowance(metadata, row_group, column)?;
                    let reader = file
                        .clone()
                        .with_projection(projection.clone())
                        .with_row_groups(vec![row_group])
                        .build()?;
                    let mut left = each;
                    for batch in reader {
                        let array = Arc::clone(batch.map_err(Error::from)?.column(0));
                        let taken = left.min(array.len());
                        let array = array.slice(0, taken);
                        if !allowance.take(&array) {
                            return Err(too_large(row_group, field.name()));
                        }
                        arrays.push(array);
                        left -= taken;
                        if left == 0 {
                            break;
                        }
                    }
                }
                Sampled::new(field, arrays)
            }
        }
    }
}

/// The same of a leaf.
fn bytes_of_row(metadata: &ParquetMetaData, index: usize, leaf: &ColumnDescriptor) -> f64 {
    let chunks = || {
        metadata
            .row_groups()
            .iter()
            .map(|group| group.column(index))
    };
    let values: f64 = chunks().map(|chunk| chunk.num_values() as f64).sum();
    let rows = metadata.file_metadata().num_rows().max(1) as f64;
    let width = match leaf.physical_type() {
        Type::BOOLEAN => 1.0 / 8.0,
        Type::INT32 | Type::FLOAT => 4.0,
        Type::INT64 | Type::DOUBLE => 8.0,
        Type::INT96 => 12.0,
        Type::FIXED_LEN_BYTE_ARRAY => f64::from(leaf.type_length()),
        Type::BYTE_ARRAY => {
            let bytes = chunks().map(|chunk| chunk.uncompressed_size() as f64);
            return bytes.sum::<f64>() / rows;
        }
    };
    width * values / rows
}

/// The memory that a column of a row group may take; an error if rows of it could take any amount.
fn allowance(metadata: &ParquetMetaData, row_group: usize, column: usize) -> Result<Allowance> {
    let schema = metadata.file_metadata().schema_descr();
    let chunks = metadata.row_group(row_group).columns().iter().enumerate();
    let chunks = chunks.filter(|(leaf, _)| schema.get_column_root_idx(*leaf) == column);
    let chunks: Vec<&ColumnChunkMetaData> = chunks.map(|(_, chunk)| chunk).collect();
    let bytes = chunks
        .iter()
        .map(|chunk| chunk.compressed_size().max(0) as u64);
    let allowance = Allowance::of(bytes.fold(0, u64::saturating_add));
    // Of flat columns only as many rows are read as are sampled.
    let nested = |chunk: &&&ColumnChunkMetaData| chunk.column_descr().max_rep_level() > 0;
    match chunks
        .iter()
        .filter(nested)
        .find(|chunk| !allowance.has_room_for(chunk))
    {
        Some(chunk) => Err(too_large(row_group, chunk.column_path())),
        None => Ok(allowance),
    }
}

fn too_large(row_group: usize, column: impl Display) -> Error {
    let problem = format!("it cannot be sampled: {TOO_LARGE}");
    Error::new(Problem::Unsupported(problem))
        .in_column(column)
        .in_row_group(row_group)
}

/// Row groups with rows enough, evenly spread.
fn spread(metadata: &ParquetMetaData, most: usize) -> Vec<usize> {
    let groups = metadata.num_row_groups();
    let rows = metadata.file_metadata().num_rows().max(1) as f64;
    let wanted = (groups as f64 * most as f64 / rows).ceil() as usize;
    // Several, even where one would be enough: they differ.
    let wanted = wanted.max(4).min(groups);
    (0..wanted).map(|index| index * groups / wanted).collect()
}

/// Rows of a column.
pub(super) struct Sampled {
    pub(super) batches: Vec<RecordBatch>,
    pub(super) schema: SchemaRef,
    /// Its leaves in Parquet.
    pub(super) leaves: SchemaDescriptor,
    pub(super) rows: usize,
}

impl Sampled {
    fn new(field: FieldRef, arrays: Vec<ArrayRef>) -> Result<Self> {
        let schema: SchemaRef = Arc::new(Schema::new(vec![field]));
        let leaves = ArrowSchemaConverter::new().convert(&schema)?;
        let rows = arrays.iter().map(|array| array.len()).sum();
        let batches = arrays
            .into_iter()
            .map(|array| RecordBatch::try_new(Arc::clone(&schema), vec![array]));
        Ok(Self {
            batches: batches.collect::<std::result::Result<_, _>>()?,
            schema,
            leaves,
            rows,
        })
    }

    /// The arrays.
    pub(super) fn arrays(&self) -> Vec<ArrayRef> {
        self.batches
            .iter()
            .map(|batch| Arc::clone(batch.column(0)))
            .collect()
    }

    /// Its type in Arrow.
    pub(super) fn data_type(&self) -> &DataType {
        self.schema.field(0).data_type()
    }
}
