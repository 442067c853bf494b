//! Takes samples from one Parquet file.

use crate::opened::OpenedFile;
use crate::rewrite::plan::Dictionaries;
use crate::rewrite::source::{Column, Part, Read, Source, alone};
use arrow_array::{Array, ArrayRef};
use arrow_schema::FieldRef;
use bytelane_parquet::budget::{Budget, MemoryLimit, extent, has_room_for, too_large};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::chunk::chunk_range;
use bytelane_parquet::input::InputFile;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::{Error, Problem, Result};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData};
use parquet::file::reader::Length;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of rows decoded per batch.
const BATCH_ROWS: usize = 1 << 16;

/// Minimum number of row groups to sample, if there are that many.
pub(super) const FEWEST: usize = 4;

/// Parquet file to take samples from.
pub(super) struct ParquetFile {
    pub(super) path: PathBuf,
    /// Footer as the crate `parquet` decodes it.
    pub(super) metadata: ParquetMetaData,
    /// File in the form in which `rewrite` reads it.
    pub(super) source: Source<InputFile>,
    /// Column types that other readers see; `None` for a column that Arrow cannot represent.
    types: Vec<Option<FieldRef>>,
    pub(super) dictionaries: Arc<Dictionaries>,
    pub(super) limit: MemoryLimit,
}

impl ParquetFile {
    pub(super) fn open(path: &Path, limit: MemoryLimit) -> Result<Self> {
        let file = OpenedFile::open(path)?;
        let opened = with_stack(file.depth, || Self::new(path, file, limit));
        opened.map_err(|error| error.in_file(path))
    }

    fn new(path: &Path, file: OpenedFile, limit: MemoryLimit) -> Result<Self> {
        let metadata = file.metadata()?;
        for (index, row_group) in metadata.row_groups().iter().enumerate() {
            let values = row_group
                .columns()
                .iter()
                .map(ColumnChunkMetaData::num_values);
            let values = values.map(|values| u64::try_from(values).unwrap_or(0));
            let values = values.fold(0, u64::saturating_add);
            limit
                .check_row(row_group.num_rows(), values, file.reader.len())
                .map_err(|error| error.in_row_group(index))?;
        }
        let source = Source::new(file)?;
        Ok(Self {
            path: path.to_owned(),
            types: types(metadata.file_metadata(), &source),
            dictionaries: Arc::new(Dictionaries::of(metadata.file_metadata())),
            metadata,
            source,
            limit,
        })
    }

    pub(super) fn rows(&self) -> u64 {
        self.metadata.file_metadata().num_rows().max(0) as u64
    }

    /// Returns a column the way it is read: without annotations, and with strings as views.
    fn column(&self, column: usize) -> Result<&Read> {
        let read = self.source.roots[column].read();
        read.as_ref()
            .map_err(|why| Problem::Unsupported(why.clone()).into())
    }

    /// Returns the Arrow field of a column.
    pub(super) fn field(&self, column: usize) -> Result<&FieldRef> {
        Ok(&self.column(column)?.arrow.fields()[0])
    }

    /// Returns the Arrow field of a column that other readers see.
    pub(super) fn field_elsewhere(&self, column: usize) -> Result<&FieldRef> {
        match &self.types[column] {
            Some(field) => Ok(field),
            None => self.field(column),
        }
    }

    /// Checks that another file has the same columns with the same types.
    pub(super) fn check_columns(&self, other: &Self) -> Result<()> {
        let of = |file: &Self| -> Vec<FieldRef> { file.types.iter().flatten().cloned().collect() };
        let (ours, theirs) = (of(self), of(other));
        let same = |ours: &FieldRef, theirs: &FieldRef| {
            ours.name() == theirs.name() && ours.data_type() == theirs.data_type()
        };
        let pairs = ours.iter().zip(&theirs);
        let differs = pairs.clone().find(|(ours, theirs)| !same(ours, theirs));
        let problem = match differs {
            Some((ours, theirs)) => format!(
                "its column {} ({}) is {} ({}) in {}",
                theirs.name(),
                theirs.data_type(),
                ours.name(),
                ours.data_type(),
                self.path.display()
            ),
            None if ours.len() != theirs.len() => format!(
                "it has {} columns, but {} has {}",
                theirs.len(),
                self.path.display(),
                ours.len()
            ),
            None => return Ok(()),
        };
        Err(Error::new(Problem::Input(problem)).in_file(&other.path))
    }

    pub(super) fn bytes_of_row(&self, column: usize) -> f64 {
        let schema = self.metadata.file_metadata().schema_descr();
        let leaves = self.source.roots[column].leaves.clone();
        leaves
            .map(|leaf| bytes_of_row(&self.metadata, leaf, &schema.columns()[leaf]))
            .sum()
    }

    pub(super) fn sample(&self, column: usize, most: usize) -> Result<Vec<ArrayRef>> {
        let row_groups = spread(&self.metadata, most);
        let each = most.div_ceil(row_groups.len().max(1));
        let mut arrays = Vec::new();
        for row_group in row_groups {
            arrays.extend(self.read(row_group, column, each)?);
        }
        Ok(arrays)
    }

    /// Reads the first rows of a column in a row group.
    pub(super) fn read(
        &self,
        row_group: usize,
        column: usize,
        most: usize,
    ) -> Result<Vec<ArrayRef>> {
        let read = self.column(column)?;
        let name = read.arrow.field(0).name();
        let in_group = |error: Error| error.in_row_group(row_group);
        let group = self.source.row_group(row_group).map_err(in_group)?;
        let root = &self.source.roots[column];
        let part = self.source.part(&group, root).map_err(in_group)?;
        let bytes = self.source.file.reader.len();
        let ranges = part.described.iter().map(|chunk| chunk_range(chunk, bytes));
        let ranges = ranges.collect::<Result<Vec<_>>>().map_err(in_group)?;
        let at = Column {
            row_group: &group,
            root,
            part: &part,
            ranges: &ranges,
        };
        let mut left = most.min(at.row_count());
        let limit = self.limit_of(&part, left == at.row_count());
        let not_sampled = |limit| not_sampled(limit, row_group, name);
        let limit = limit.map_err(not_sampled)?;
        let memory = Budget::new(limit).reservation();
        let batch_rows = left.clamp(1, BATCH_ROWS.min(at.batch_rows()));
        let mut arrays = Vec::new();
        for array in self.source.rows(at, read, None, self.limit, batch_rows)? {
            let array = array.map_err(in_group)?;
            let taken = left.min(array.len());
            let array = array.slice(0, taken);
            if memory.add(extent(&array)).is_err() {
                return Err(not_sampled(limit));
            }
            arrays.push(array);
            left -= taken;
            if left == 0 {
                break;
            }
        }
        Ok(arrays)
    }

    /// Returns the memory limit for the values of a column of a row group, as an error if its rows could take
    /// an unlimited amount.
    fn limit_of(&self, part: &Part, is_whole: bool) -> std::result::Result<u64, u64> {
        let chunks = || part.described.iter();
        let bytes = chunks().map(|chunk| chunk.compressed_size().max(0) as u64);
        let limit = self.limit.of_column(bytes.fold(0, u64::saturating_add));
        // Flat columns are read only as far as they are sampled.
        let is_read =
            |chunk: &&ColumnChunkMetaData| is_whole || chunk.column_descr().max_rep_level() > 0;
        if chunks()
            .filter(is_read)
            .all(|chunk| has_room_for(limit, chunk))
        {
            Ok(limit)
        } else {
            Err(limit)
        }
    }
}

/// Returns the types that other readers see. They come from the Arrow schema in the file, if there is one.
/// Without an Arrow type, the types that are read are used.
fn types(file: &FileMetaData, source: &Source<InputFile>) -> Vec<Option<FieldRef>> {
    fn in_arrow(
        schema: &SchemaDescriptor,
        entries: Option<&Vec<KeyValue>>,
    ) -> Result<Vec<FieldRef>> {
        let schema = catch_panic(|| Ok(parquet_to_arrow_schema(schema, entries)?))?;
        Ok(schema.fields().to_vec())
    }
    let all = in_arrow(file.schema_descr(), file.key_value_metadata());
    if let Ok(all) = all
        && all.len() == source.roots.len()
    {
        return all.into_iter().map(Some).collect();
    }
    let types = source.roots.iter().map(|root| {
        let read = root.read().as_ref().ok()?;
        let own = alone(file.schema_descr(), root.in_file());
        let own = own.and_then(|own| in_arrow(&own, None));
        let read = || Arc::clone(&read.arrow.fields()[0]);
        Some(own.map_or_else(|_| read(), |own| Arc::clone(&own[0])))
    });
    types.collect()
}

/// Returns the average size of a row of a leaf in PLAIN, in bytes; for strings, their size in the file.
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

fn not_sampled(limit: u64, row_group: usize, column: impl Display) -> Error {
    let problem = format!("it cannot be sampled: {}", too_large(limit));
    Error::new(Problem::Unsupported(problem))
        .in_column(column)
        .in_row_group(row_group)
}

/// Selects evenly spread row groups that have enough rows.
fn spread(metadata: &ParquetMetaData, most: usize) -> Vec<usize> {
    let groups = metadata.num_row_groups();
    let rows = metadata.file_metadata().num_rows().max(1) as f64;
    let wanted = (groups as f64 * most as f64 / rows).ceil() as usize;
    // Sample several row groups even where one has enough rows, because they differ.
    let wanted = wanted.max(FEWEST).min(groups);
    (0..wanted).map(|index| index * groups / wanted).collect()
}
