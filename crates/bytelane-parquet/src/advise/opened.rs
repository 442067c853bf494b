//! A Parquet file of which samples are taken.

use super::readable::{Root, readable};
use crate::budget::{Budget, MemoryLimit, extent, has_room_for, too_large};
use crate::contained::contained;
use crate::input::InputFile;
use crate::metadata::{Footer, read_footer};
use crate::rewrite::measure::Measured;
use crate::rewrite::plan::as_dictionaries;
use crate::rewrite::source::alone;
use crate::stack::with_stack;
use crate::{Error, Problem, ReaderBuilder, Result};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{FieldRef, SchemaRef};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_schema};
use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData};
use parquet::file::reader::Length;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 1 << 16;

/// Row groups that are looked at, if there are as many.
pub(super) const FEWEST: usize = 4;

pub(super) struct Opened {
    pub(super) path: PathBuf,
    /// The footer.
    pub(super) metadata: Arc<ParquetMetaData>,
    /// Its columns.
    pub(super) roots: Vec<Root>,
    /// The types that other readers see, of the columns that can be read.
    types: Vec<FieldRef>,
    /// Reads these without annotations, and views of strings.
    pub(super) file: ReaderBuilder<InputFile>,
    pub(super) as_dictionaries: Arc<BTreeSet<usize>>,
    /// The file as `rewrite` reads it, once exact sizes are asked for.
    measured: OnceLock<Measured>,
    /// How deep its columns are nested.
    pub(super) depth: usize,
    pub(super) limit: MemoryLimit,
}

impl Opened {
    pub(super) fn open(path: &Path, limit: MemoryLimit) -> Result<Self> {
        let open = || {
            let input = InputFile::open(path)?;
            let Footer {
                metadata, depth, ..
            } = read_footer(&input)?;
            let metadata = Arc::new(metadata);
            with_stack(depth, || {
                Self::of_footer(path, input, metadata, depth, limit)
            })
        };
        open().map_err(|error: Error| error.in_file(path))
    }

    fn of_footer(
        path: &Path,
        input: InputFile,
        metadata: Arc<ParquetMetaData>,
        depth: usize,
        limit: MemoryLimit,
    ) -> Result<Self> {
        for (index, row_group) in metadata.row_groups().iter().enumerate() {
            let values = row_group
                .columns()
                .iter()
                .map(ColumnChunkMetaData::num_values);
            let values = values.map(|values| u64::try_from(values).unwrap_or(0));
            let values = values.fold(0, u64::saturating_add);
            limit
                .check_row(row_group.num_rows(), values, input.len())
                .map_err(|error| error.in_row_group(index))?;
        }
        let (roots, readable) = readable(&metadata)?;
        let file = ReaderBuilder::of_footer(input, readable, Some(path.to_owned()))?;
        let types = types(metadata.file_metadata(), &roots, file.schema());
        Ok(Self {
            path: path.to_owned(),
            as_dictionaries: Arc::new(as_dictionaries(metadata.file_metadata())),
            metadata,
            roots,
            types,
            depth,
            file: file.with_views()?.with_memory(limit),
            limit,
            measured: OnceLock::new(),
        })
    }

    /// The file as `rewrite` reads it.
    pub(super) fn measured(&self) -> Result<&Measured> {
        if let Some(measured) = self.measured.get() {
            return Ok(measured);
        }
        let measured = Measured::open(self.file.input().clone())?;
        Ok(self.measured.get_or_init(|| measured))
    }

    pub(super) fn rows(&self) -> u64 {
        self.metadata.file_metadata().num_rows().max(0) as u64
    }

    /// A column in Arrow.
    pub(super) fn field(&self, column: usize) -> Result<&FieldRef> {
        let number = self.roots[column].number()?;
        Ok(&self.file.schema().fields()[number])
    }

    /// The same as other readers see it.
    pub(super) fn field_elsewhere(&self, column: usize) -> Result<&FieldRef> {
        let number = self.roots[column].number()?;
        Ok(&self.types[number])
    }

    /// That another file has the same columns of the same types.
    pub(super) fn check_columns(&self, other: &Self) -> Result<()> {
        let (ours, theirs) = (&self.types, &other.types);
        let same = |ours: &FieldRef, theirs: &FieldRef| {
            ours.name() == theirs.name() && ours.data_type() == theirs.data_type()
        };
        let pairs = ours.iter().zip(theirs);
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
        let leaves = self.roots[column].leaves.clone();
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

    /// The first rows of a column in a row group.
    pub(super) fn read(
        &self,
        row_group: usize,
        column: usize,
        most: usize,
    ) -> Result<Vec<ArrayRef>> {
        let metadata = self.file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let rows = usize::try_from(metadata.row_group(row_group).num_rows()).unwrap_or(0);
        let mut left = most.min(rows);
        let column = self.roots[column].number()?;
        let limit = self.limit_of(row_group, column, most >= rows)?;
        let memory = Budget::new(limit).reservation();
        let reader = self
            .file
            .clone()
            .with_projection(ProjectionMask::roots(schema, [column]))
            .with_row_groups(vec![row_group])
            .with_batch_size(left.clamp(1, BATCH_ROWS))
            .build()?;
        let mut arrays = Vec::new();
        for batch in reader {
            let array = Arc::clone(batch.map_err(Error::from)?.column(0));
            let taken = left.min(array.len());
            let array = array.slice(0, taken);
            if memory.add(extent(&array)).is_err() {
                return Err(not_sampled(limit, row_group, self.types[column].name()));
            }
            arrays.push(array);
            left -= taken;
            if left == 0 {
                break;
            }
        }
        Ok(arrays)
    }

    /// The memory that a column of a row group may take; an error if rows of it could take any amount.
    fn limit_of(&self, row_group: usize, column: usize, is_whole: bool) -> Result<u64> {
        let metadata = self.file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let chunks = metadata.row_group(row_group).columns().iter().enumerate();
        let chunks = chunks.filter(|(leaf, _)| schema.get_column_root_idx(*leaf) == column);
        let chunks: Vec<&ColumnChunkMetaData> = chunks.map(|(_, chunk)| chunk).collect();
        let bytes = chunks
            .iter()
            .map(|chunk| chunk.compressed_size().max(0) as u64);
        let limit = self.limit.of_column(bytes.fold(0, u64::saturating_add));
        // Flat columns are read only as far as they are sampled.
        let is_read =
            |chunk: &&&ColumnChunkMetaData| is_whole || chunk.column_descr().max_rep_level() > 0;
        let mut read = chunks.iter().filter(is_read);
        match read.find(|chunk| !has_room_for(limit, chunk)) {
            Some(chunk) => Err(not_sampled(limit, row_group, chunk.column_path())),
            None => Ok(limit),
        }
    }
}

/// The types that other readers see: those of the Arrow schema in the file, if there is one. Where Arrow has none, they
/// are those that are `read`.
fn types(file: &FileMetaData, roots: &[Root], read: &SchemaRef) -> Vec<FieldRef> {
    fn in_arrow(
        schema: &SchemaDescriptor,
        entries: Option<&Vec<KeyValue>>,
    ) -> Result<Vec<FieldRef>> {
        let schema = contained(|| Ok(parquet_to_arrow_schema(schema, entries)?))?;
        Ok(schema.fields().to_vec())
    }
    let all = in_arrow(file.schema_descr(), file.key_value_metadata());
    match all {
        Ok(all) if all.len() == read.fields().len() => all,
        _ => {
            let roots = roots.iter().filter(|root| root.readable.is_ok());
            let own = roots.zip(read.fields()).map(|(root, read)| {
                let own = alone(file.schema_descr(), &root.in_file);
                let own = own.and_then(|own| in_arrow(&own, None));
                own.map_or_else(|_| Arc::clone(read), |own| Arc::clone(&own[0]))
            });
            own.collect()
        }
    }
}

/// Bytes that a row of a leaf takes in PLAIN, on average; of texts, in the file.
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

/// Row groups with rows enough, evenly spread.
fn spread(metadata: &ParquetMetaData, most: usize) -> Vec<usize> {
    let groups = metadata.num_row_groups();
    let rows = metadata.file_metadata().num_rows().max(1) as f64;
    let wanted = (groups as f64 * most as f64 / rows).ceil() as usize;
    // Several, even where one would be enough: they differ.
    let wanted = wanted.max(FEWEST).min(groups);
    (0..wanted).map(|index| index * groups / wanted).collect()
}
