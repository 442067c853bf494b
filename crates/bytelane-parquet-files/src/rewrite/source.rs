//! Reads the file to rewrite.
//!
//! The footer stays as bytes. In a file with thousands of columns or row groups, only the part in use is
//! decoded.

use super::int96::{Int96Unit, arrow_schema};
use crate::opened::{OpenedFile, Reopen};
use arrow_array::ArrayRef;
use arrow_schema::{Schema, SchemaRef};
use bytelane_parquet::budget::{MemoryLimit, batch_rows, check_widths, with_views};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::file::{LeafChunk, chunk_in_parquet};
use bytelane_parquet::format::{self, ColumnChunk, ColumnMetaData, Encoded};
use bytelane_parquet::read::ColumnReader;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::types::bare::bare;
use bytelane_parquet::types::physical::roots;
use bytelane_parquet::{Error, Problem, Result};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataOptions,
    ParquetMetaDataReader,
};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr, SchemaDescriptor, Type, TypePtr};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Number of rows decoded per batch. The arrays are large enough that freeing them returns the memory to the
/// system.
const BATCH_ROWS: usize = 1 << 18;

/// Size of a number in memory, in bytes; a lower limit for strings.
const VALUE: u64 = 8;

/// File whose columns are read.
pub(crate) struct Source<R> {
    pub file: OpenedFile<R>,
    /// Row groups that have been used. They are shared: copying one for each of its columns would take time that
    /// grows with the square of the columns.
    used: Vec<OnceLock<Arc<format::RowGroup>>>,
    /// Footer for the crate `parquet`, without row groups.
    metadata: ParquetMetaData,
    pub roots: Vec<Root>,
}

impl<R> Source<R> {
    /// Returns the number of columns of all row groups.
    pub(super) fn units(&self) -> usize {
        self.roots
            .len()
            .saturating_mul(self.file.footer.row_groups.len())
    }
}

/// Column at the top level of the schema.
#[derive(Debug)]
pub(crate) struct Root {
    /// Range of its leaves in the whole schema.
    pub leaves: Range<usize>,
    /// Schema with only this column.
    pub schema: SchemaDescPtr,
    /// Form in which it is read, or the reason why it cannot be read. Computed on demand.
    read: OnceLock<std::result::Result<Read, String>>,
}

/// Column without annotations, so that no value changes on its way through Arrow.
#[derive(Debug)]
pub(crate) struct Read {
    schema: SchemaDescPtr,
    /// Arrow schema of the column.
    pub arrow: SchemaRef,
}

/// Row group of the file.
#[derive(Debug)]
pub(crate) struct RowGroup {
    pub index: usize,
    pub rows: i64,
    pub described: Arc<format::RowGroup>,
}

/// Chunks of a root in a row group.
#[derive(Debug)]
pub(crate) struct Part {
    /// Chunk of each leaf.
    pub chunks: Vec<ColumnChunk>,
    /// Chunks for the crate `parquet`.
    pub described: Vec<ColumnChunkMetaData>,
}

/// Root in a row group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    pub row_group: &'a RowGroup,
    pub root: &'a Root,
    pub part: &'a Part,
    /// Ranges of the pages of its chunks.
    pub ranges: &'a [Range<u64>],
}

/// Size of a chunk according to the footer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Size in the file, in bytes.
    pub stored: u64,
    /// Number of values, and their approximate size in memory, in bytes.
    values: u64,
    pub raw: u64,
}

/// Size of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// Size of all chunks in the file, in bytes.
    pub stored: u64,
    /// Approximate size in memory of the values of the largest row group, in bytes.
    pub largest_raw: u64,
    /// Memory limit for reading the file, in bytes.
    pub limit: u64,
}

impl RowGroup {
    /// Returns the sizes of its chunks.
    pub fn sizes(&self) -> Result<Vec<Size>> {
        let chunks = self.described.columns.iter();
        let sizes = chunks.map(|chunk| {
            let chunk = chunk.decode()?.meta_data;
            let size = |size| u64::try_from(size).unwrap_or(0);
            let values = size(chunk.num_values);
            Ok(Size {
                stored: size(chunk.total_compressed_size),
                values,
                raw: size(chunk.total_uncompressed_size).max(values.saturating_mul(VALUE)),
            })
        });
        sizes.collect()
    }
}

impl<R: Reopen> Source<R> {
    pub fn open(reader: R) -> Result<Self> {
        OpenedFile::read(reader).and_then(Self::new)
    }

    pub fn new(file: OpenedFile<R>) -> Result<Self> {
        with_stack(file.depth, || {
            let metadata = file.bare()?;
            let schema = metadata.file_metadata().schema_descr();
            check_widths(schema.columns().iter(), file.reader.len())?;
            let row_groups = file.footer.row_groups.iter();
            Ok(Self {
                roots: roots(schema)
                    .into_iter()
                    .map(|(in_file, leaves)| Root::new(schema, &in_file, leaves))
                    .collect::<Result<_>>()?,
                used: row_groups.map(|_| OnceLock::new()).collect(),
                metadata,
                file,
            })
        })
    }

    pub fn file_metadata(&self) -> &FileMetaData {
        self.metadata.file_metadata()
    }

    pub fn row_groups(&self) -> usize {
        self.file.footer.row_groups.len()
    }

    /// Returns the sizes of all row groups according to the footer. Returns an error if a row takes more
    /// memory than the limit allows, or all chunks together do, because they share pages.
    pub fn sizes(&self, limit: MemoryLimit) -> Result<Sizes> {
        let bytes = self.file.reader.len();
        let mut sizes = Sizes {
            limit: limit.of_read(bytes),
            ..Sizes::default()
        };
        for index in 0..self.row_groups() {
            let row_group = self.row_group(index).and_then(|row_group| {
                let sizes = row_group.sizes()?;
                let values = sizes.iter().map(|size| size.values);
                let values = values.fold(0, u64::saturating_add);
                limit.check_row(row_group.rows, values, bytes)?;
                Ok(sizes)
            });
            let row_group = row_group.map_err(|error| error.in_row_group(index))?;
            let sum = |of: fn(&Size) -> u64| row_group.iter().map(of).fold(0, u64::saturating_add);
            sizes.stored = sizes.stored.saturating_add(sum(|size| size.stored));
            sizes.largest_raw = sizes.largest_raw.max(sum(|size| size.raw));
        }
        if sizes.stored > sizes.limit.max(bytes) {
            Err(Problem::MemoryLimit { limit: sizes.limit }.into())
        } else {
            Ok(sizes)
        }
    }

    pub fn row_group(&self, index: usize) -> Result<RowGroup> {
        let described = &self.file.footer.row_groups[index];
        if described.columns.len() != self.file_metadata().schema_descr().num_columns() {
            return Err(Error::corrupt(
                "the footer describes columns that differ from its schema",
            ));
        }
        Ok(RowGroup {
            index,
            rows: described.num_rows,
            described: Arc::clone(self.used[index].get_or_init(|| Arc::new(described.clone()))),
        })
    }

    /// Returns the chunks of a root.
    pub fn part(&self, row_group: &RowGroup, root: &Root) -> Result<Part> {
        let chunks = row_group.described.columns[root.leaves.clone()].iter();
        let chunks = chunks.map(Encoded::decode).collect::<Result<Vec<_>>>()?;
        let columns = root.schema.columns().iter();
        let repaired = chunks
            .iter()
            .zip(columns)
            .map(|(chunk, column)| chunk_in_parquet(chunk, column));
        let metadata = decoded(&root.schema, row_group.rows, repaired)?;
        Ok(Part {
            described: metadata.row_group(0).columns().to_vec(),
            chunks,
        })
    }

    /// Returns the rows of a column, decoded by the reader. INT96 becomes timestamps in `unit`.
    pub fn rows(
        &self,
        column: Column<'_>,
        read: &Read,
        unit: Option<Int96Unit>,
        limit: MemoryLimit,
        batch_rows: usize,
    ) -> Result<ColumnReader> {
        let chunks = column.part.described.iter().zip(column.ranges);
        let chunks = chunks.zip(read.schema.columns());
        let chunks = chunks.map(|((chunk, range), leaf)| LeafChunk {
            column: ColumnDescPtr::clone(leaf),
            codec: chunk.compression_codec(),
            values: u64::try_from(chunk.num_values()).unwrap_or(0),
            range: range.clone(),
            offset_index: None,
            column_index: None,
            has_indices_only: false,
        });
        ColumnReader::new(
            self.file.reader.clone(),
            &read.schema,
            read.in_unit(unit),
            chunks.collect(),
            column.row_count(),
            batch_rows,
            limit,
        )
    }

    /// Decodes the rows of a column independently with the crate `parquet`, which shares no code with what
    /// wrote them.
    pub fn witnessed(&self, column: Column<'_>, read: &Read, unit: Option<Int96Unit>) -> Rows {
        let mut reader = match catch_panic(|| self.witness(column, read, unit)) {
            Ok(reader) => reader,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        Box::new(std::iter::from_fn(move || {
            let batch = catch_panic(|| Ok(reader.next().transpose()?)).transpose()?;
            Some(batch.map(|batch| Arc::clone(batch.column(0))))
        }))
    }

    /// Returns the PLAIN-encoded entries of the dictionary of a leaf of the column, and their number, read by the crate
    /// `parquet`; `None` if it has none.
    pub fn witnessed_dictionary(
        &self,
        column: Column<'_>,
        read: &Read,
        leaf: usize,
    ) -> Result<Option<(Bytes, u32)>> {
        catch_panic(|| {
            let metadata = self.witnessed_metadata(column, read)?;
            let chunk = metadata.row_group(0).column(leaf);
            let reader = Arc::new(self.file.reader.clone());
            let mut pages = SerializedPageReader::new(reader, chunk, column.row_count(), None)?;
            Ok(match pages.get_next_page()? {
                Some(Page::DictionaryPage {
                    buf, num_values, ..
                }) => Some((buf, num_values)),
                _ => None,
            })
        })
    }

    fn witness(
        &self,
        column: Column<'_>,
        read: &Read,
        unit: Option<Int96Unit>,
    ) -> Result<ParquetRecordBatchReader> {
        let metadata = self.witnessed_metadata(column, read)?;
        let options = ArrowReaderOptions::new().with_schema(read.in_unit(unit));
        let arrow = ArrowReaderMetadata::try_new(Arc::new(metadata), options)?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.reader.clone(), arrow);
        Ok(builder.with_batch_size(column.batch_rows()).build()?)
    }

    fn witnessed_metadata(&self, column: Column<'_>, read: &Read) -> Result<ParquetMetaData> {
        let chunks = column.part.chunks.iter().zip(column.ranges);
        let chunks = chunks
            .zip(read.schema.columns())
            .map(|((chunk, range), column)| Ok(needed(&chunk_in_parquet(chunk, column)?, range)));
        decoded(&read.schema, column.row_group.rows, chunks)
    }
}

/// Iterator over the rows of a column.
pub(super) type Rows = Box<dyn Iterator<Item = Result<ArrayRef>>>;

impl Column<'_> {
    pub fn row_count(&self) -> usize {
        usize::try_from(self.row_group.rows).unwrap_or(0)
    }

    /// Returns the number of rows decoded per batch. It does not exceed the number of rows, because the
    /// memory of a batch is reserved before its rows are read.
    pub fn batch_rows(&self) -> usize {
        let most = batch_rows(BATCH_ROWS, self.root.schema.columns().iter(), u64::MAX);
        self.row_count().min(most).max(1)
    }
}

impl Read {
    /// Returns the Arrow schema with INT96 as timestamps in a unit.
    pub fn in_unit(&self, unit: Option<Int96Unit>) -> SchemaRef {
        match unit {
            Some(unit) => Arc::new(arrow_schema(&self.arrow, self.schema.columns(), unit)),
            None => Arc::clone(&self.arrow),
        }
    }
}

impl Root {
    fn new(schema: &SchemaDescriptor, in_file: &TypePtr, leaves: Range<usize>) -> Result<Self> {
        Ok(Self {
            leaves,
            schema: alone(schema, in_file)?,
            read: OnceLock::new(),
        })
    }

    /// Returns the type of the column.
    pub fn in_file(&self) -> &TypePtr {
        &self.schema.root_schema().get_fields()[0]
    }

    /// Returns whether a leaf has the type INT96.
    pub fn has_int96(&self) -> bool {
        let mut leaves = self.schema.columns().iter();
        leaves.any(|leaf| leaf.physical_type() == PhysicalType::INT96)
    }

    /// Returns how the column is read. An Arrow schema in the file's metadata could request other types and
    /// is ignored.
    pub fn read(&self) -> &std::result::Result<Read, String> {
        self.read.get_or_init(|| {
            let read = catch_panic(|| {
                let schema = alone(&self.schema, &bare(self.in_file())?)?;
                let file = FileMetaData::new(1, 0, None, None, Arc::clone(&schema), None);
                let metadata = ParquetMetaData::new(file, Vec::new());
                let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
                let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata), options)?;
                let fields = metadata.schema().fields().iter().map(with_views);
                let arrow = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
                Ok(Read { schema, arrow })
            });
            read.map_err(|error| format!("Arrow has no type for it: {error}"))
        })
    }
}

/// Returns a schema with one column.
pub(crate) fn alone(schema: &SchemaDescriptor, column: &TypePtr) -> Result<SchemaDescPtr> {
    let root = Type::group_type_builder(schema.name()).with_fields(vec![Arc::clone(column)]);
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(root.build()?))))
}

/// Returns the metadata that the crate `parquet` would have for a file with one row group of these chunks.
fn decoded(
    schema: &SchemaDescPtr,
    rows: i64,
    chunks: impl Iterator<Item = Result<ColumnChunk>>,
) -> Result<ParquetMetaData> {
    let row_group = format::RowGroup {
        columns: chunks
            .map(|chunk| Encoded::new(&chunk?))
            .collect::<Result<_>>()?,
        num_rows: rows,
        ..Default::default()
    };
    let footer = format::encode(&format::FileMetaData {
        version: 1,
        num_rows: rows,
        row_groups: vec![row_group],
        ..Default::default()
    })?;
    let options = ParquetMetaDataOptions::new().with_schema(Arc::clone(schema));
    catch_panic(|| {
        let read = ParquetMetaDataReader::decode_metadata_with_options(&footer, Some(&options));
        Ok(read?)
    })
    .map_err(|error| Error::corrupt(format!("the footer is damaged: {error}")))
}

/// Returns the fields of a chunk that are needed to decode the pages in `range`. Writers have been wrong
/// about the other fields.
fn needed(chunk: &ColumnChunk, range: &Range<u64>) -> ColumnChunk {
    let described = &chunk.meta_data;
    let dictionary = described.dictionary_page_offset;
    ColumnChunk {
        file_path: chunk.file_path.clone(),
        file_offset: chunk.file_offset,
        meta_data: ColumnMetaData {
            physical_type: described.physical_type,
            encodings: described.encodings.clone(),
            codec: described.codec,
            num_values: described.num_values,
            total_uncompressed_size: described.total_uncompressed_size,
            total_compressed_size: (range.end - range.start) as i64,
            data_page_offset: described.data_page_offset,
            dictionary_page_offset: dictionary.filter(|&offset| offset != 0),
            ..Default::default()
        },
        ..Default::default()
    }
}
