//! The file that is rewritten.
//!
//! Its footer stays as bytes: of a file with thousands of columns or row groups, only the part is decoded that is
//! worked at.

use super::chunk::{COMPRESSED_SIZE, DICTIONARY_PAGE_OFFSET, UNCOMPRESSED_SIZE, damaged};
use super::int96::{Int96Unit, arrow_schema};
use crate::bare::bare;
use crate::budget::{MemoryLimit, batch_rows, check_widths, with_views};
use crate::contained::contained;
use crate::input::InputFile;
use crate::metadata::{
    COLUMN_METADATA, COLUMNS, Fields, ROW_GROUPS, is_standard, read_footer_bytes, without_misfits,
};
use crate::physical::roots;
use crate::stack::with_stack;
use crate::{Error, Problem, Result};
use arrow_schema::{Schema, SchemaRef};
use bytelane_thrift::Type as FieldType;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataOptions,
    ParquetMetaDataReader,
};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type, TypePtr};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Rows that are decoded at a time: arrays large enough that the system gets their memory back when they are freed.
const BATCH_ROWS: usize = 1 << 18;

/// Fields of `FileMetaData` in parquet.thrift, besides its row groups.
const VERSION: i16 = 1;
const FILE_ROWS: i16 = 3;

/// Fields of `RowGroup`, besides its columns.
const TOTAL_BYTE_SIZE: i16 = 2;
const ROWS: i16 = 3;

/// The field of `ColumnMetaData` with the number of values.
const VALUES: i16 = 5;

/// The fields of `ColumnMetaData` without which no value can be read.
const NEEDED: [i16; 9] = [1, 2, 3, 4, 5, 6, 7, 9, 11];

/// Bytes of a number in memory, or less than a string has.
const VALUE: u64 = 8;

/// A file whose columns are read.
pub(super) struct Source<R> {
    pub reader: R,
    /// The footer.
    pub fields: Fields,
    /// Its row groups.
    row_groups: Vec<Bytes>,
    /// What else it says.
    metadata: ParquetMetaData,
    pub roots: Vec<Root>,
    /// How deep its columns are nested.
    pub depth: usize,
}

/// A column of the schema's outermost level.
#[derive(Debug)]
pub(super) struct Root {
    /// Its leaves, counted over the whole schema.
    pub leaves: Range<usize>,
    /// A schema of it alone.
    pub schema: SchemaDescPtr,
    /// The same as it is read, or why it cannot be. Found when it is asked for.
    read: OnceLock<std::result::Result<Read, String>>,
}

/// A column without annotations, so that no value changes on its way through Arrow.
#[derive(Debug)]
struct Read {
    schema: SchemaDescPtr,
    /// What Arrow makes of that.
    arrow: SchemaRef,
}

/// A reader of which there can be another one, for another thread.
pub(super) trait Reopen: ChunkReader + Clone + Sync + 'static {}

impl Reopen for InputFile {}
impl Reopen for Bytes {}

/// A row group.
#[derive(Debug)]
pub(super) struct RowGroup {
    pub index: usize,
    /// `RowGroup`.
    pub fields: Fields,
    pub rows: i64,
    /// `ColumnChunk` of each leaf.
    chunks: Vec<Bytes>,
}

/// The chunks of a root in a row group.
#[derive(Debug)]
pub(super) struct Part {
    /// `ColumnChunk` of each leaf.
    pub fields: Vec<Fields>,
    /// What they say.
    pub chunks: Vec<ColumnChunkMetaData>,
}

/// A root in a row group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    pub row_group: &'a RowGroup,
    pub root: &'a Root,
    pub part: &'a Part,
    /// Where the pages of its chunks are.
    pub ranges: &'a [Range<u64>],
}

/// How large a chunk is, as the footer tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Bytes in the file.
    pub stored: u64,
    /// Its values, and their bytes in memory, roughly.
    values: u64,
    pub raw: u64,
}

/// How large a file is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    /// Bytes of all chunks in the file.
    pub stored: u64,
    /// Bytes of the values of a row group in memory, the largest one, roughly.
    pub largest_raw: u64,
    /// Memory that a read of the file may take.
    pub limit: u64,
}

impl RowGroup {
    /// The sizes of its chunks.
    pub fn sizes(&self) -> Result<Vec<Size>> {
        let sizes = self.chunks.iter().map(size_of);
        let sizes = sizes.collect::<std::result::Result<Vec<_>, _>>();
        sizes.map_err(damaged)
    }
}

fn size_of(chunk: &Bytes) -> std::result::Result<Size, bytelane_thrift::Error> {
    let (chunk, _) = Fields::read(chunk)?;
    let metadata = chunk.structure(COLUMN_METADATA, "meta_data")?;
    let number = |id| {
        let number = metadata.typed::<i64>(id)?.unwrap_or(0);
        Ok(u64::try_from(number).unwrap_or(0))
    };
    let values = number(VALUES)?;
    Ok(Size {
        stored: number(COMPRESSED_SIZE)?,
        values,
        raw: number(UNCOMPRESSED_SIZE)?.max(values.saturating_mul(VALUE)),
    })
}

impl<R: Reopen> Source<R> {
    pub fn open(reader: R) -> Result<Self> {
        let (footer, depth) = read_footer_bytes(&reader)?;
        with_stack(depth, || Self::of_footer(reader, &footer, depth))
    }

    fn of_footer(reader: R, footer: &Bytes, depth: usize) -> Result<Self> {
        let (fields, _) = Fields::read(footer).map_err(damaged)?;
        let row_groups = fields.items(ROW_GROUPS).map_err(damaged)?;
        let mut bare = fields.clone();
        bare.set_structures(ROW_GROUPS, &[]).map_err(damaged)?;
        let decoded = |bare: &Fields| {
            let bare = bare.write().map_err(damaged)?;
            contained(|| Ok(ParquetMetaDataReader::decode_metadata(&bare)?))
        };
        let metadata = decoded(&bare)
            .or_else(|error| {
                without_misfits(&mut bare).map_err(damaged)?;
                decoded(&bare).map_err(|_| error)
            })
            .map_err(|error| Error::corrupt(format!("the footer is damaged: {error}")))?;
        let schema = metadata.file_metadata().schema_descr();
        check_widths(schema.columns().iter(), reader.len())?;
        Ok(Self {
            roots: roots(schema)
                .into_iter()
                .map(|(in_file, leaves)| Root::new(schema, &in_file, leaves))
                .collect::<Result<_>>()?,
            reader,
            fields,
            row_groups,
            metadata,
            depth,
        })
    }

    pub fn file_metadata(&self) -> &FileMetaData {
        self.metadata.file_metadata()
    }

    pub fn row_groups(&self) -> usize {
        self.row_groups.len()
    }

    /// What the footer tells of all row groups; an error if a row, or what chunks share of the file, takes more memory than
    /// the limit allows.
    pub fn sizes(&self, limit: MemoryLimit) -> Result<Sizes> {
        let bytes = self.reader.len();
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
        match sizes.stored > sizes.limit.max(bytes) {
            true => Err(Problem::MemoryLimit { limit: sizes.limit }.into()),
            false => Ok(sizes),
        }
    }

    pub fn row_group(&self, index: usize) -> Result<RowGroup> {
        let (fields, _) = Fields::read(&self.row_groups[index]).map_err(damaged)?;
        let chunks = fields.items(COLUMNS).map_err(damaged)?;
        if chunks.len() != self.file_metadata().schema_descr().num_columns() {
            return Err(Error::corrupt(
                "the footer describes columns that differ from its schema",
            ));
        }
        Ok(RowGroup {
            index,
            rows: fields.require(ROWS, "num_rows").map_err(damaged)?,
            fields,
            chunks,
        })
    }

    /// The chunks of a root.
    pub fn part(&self, row_group: &RowGroup, root: &Root) -> Result<Part> {
        let fields = row_group.chunks[root.leaves.clone()].iter();
        let fields = fields.map(|chunk| Ok(Fields::read(chunk)?.0));
        let fields = fields.collect::<std::result::Result<Vec<_>, _>>();
        let fields = fields.map_err(damaged)?;
        let metadata = metadata_of(&root.schema, row_group.rows, &fields, is_standard)?;
        Ok(Part {
            chunks: metadata.row_group(0).columns().to_vec(),
            fields,
        })
    }

    /// The rows of a column, or why Arrow cannot have them. INT96 is read as timestamps in `unit`.
    pub fn batches(
        &self,
        column: Column<'_>,
        unit: Option<Int96Unit>,
    ) -> Result<std::result::Result<ParquetRecordBatchReader, String>> {
        let Column {
            row_group,
            root,
            part,
            ranges,
        } = column;
        let read = match root.read() {
            Ok(read) => read,
            Err(why) => return Ok(Err(why.clone())),
        };
        let schema = match unit {
            Some(unit) => Arc::new(arrow_schema(&read.arrow, read.schema.columns(), unit)),
            None => Arc::clone(&read.arrow),
        };
        let fields = part.fields.iter().zip(ranges);
        let fields = fields.map(|(fields, range)| with_range(fields, range));
        let fields = fields.collect::<std::result::Result<Vec<_>, _>>();
        let fields = fields.map_err(damaged)?;
        let is_needed = |id, kind| is_standard(id, kind) && NEEDED.contains(&id);
        let metadata = metadata_of(&read.schema, row_group.rows, &fields, is_needed)?;
        let options = ArrowReaderOptions::new().with_schema(schema);
        let arrow = ArrowReaderMetadata::try_new(Arc::new(metadata), options)?;
        // No more than there are: a batch's memory is reserved before its rows are read.
        let rows = usize::try_from(row_group.rows).unwrap_or(0);
        let most = batch_rows(BATCH_ROWS, root.schema.columns().iter(), u64::MAX);
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.reader.clone(), arrow);
        Ok(Ok(builder
            .with_batch_size(rows.min(most).max(1))
            .build()?))
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

    /// Its type.
    pub fn in_file(&self) -> &TypePtr {
        &self.schema.root_schema().get_fields()[0]
    }

    /// Whether a leaf is of the type INT96.
    pub fn has_int96(&self) -> bool {
        let mut leaves = self.schema.columns().iter();
        leaves.any(|leaf| leaf.physical_type() == PhysicalType::INT96)
    }

    /// How it is read. An Arrow schema in the file's metadata, which could ask for other types, does not count.
    fn read(&self) -> &std::result::Result<Read, String> {
        self.read.get_or_init(|| {
            let read = contained(|| {
                let schema = alone(&self.schema, &bare(self.in_file())?)?;
                let metadata = decoded(&schema, 0, &[])?;
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

/// A schema of one column.
pub(crate) fn alone(schema: &SchemaDescriptor, column: &TypePtr) -> Result<SchemaDescPtr> {
    let root = Type::group_type_builder(schema.name()).with_fields(vec![Arc::clone(column)]);
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(root.build()?))))
}

/// What the crate `parquet` makes of a row group with these chunks, of whose metadata it is told the fields that
/// `keeps` wants.
fn metadata_of(
    schema: &SchemaDescPtr,
    rows: i64,
    chunks: &[Fields],
    keeps: impl Fn(i16, FieldType) -> bool,
) -> Result<ParquetMetaData> {
    let columns = chunks.iter().map(|chunk| {
        let mut column = chunk.clone();
        column.retain(|id, _| id <= COLUMN_METADATA);
        let mut metadata = column.structure(COLUMN_METADATA, "meta_data")?;
        metadata.retain(&keeps);
        column.set_structure(COLUMN_METADATA, &metadata)?;
        Ok(column)
    });
    let row_group = || -> std::result::Result<Fields, bytelane_thrift::Error> {
        let mut row_group = Fields::default();
        row_group.set_structures(
            COLUMNS,
            &columns.collect::<std::result::Result<Vec<_>, _>>()?,
        )?;
        row_group.set(TOTAL_BYTE_SIZE, &0_i64)?;
        row_group.set(ROWS, &rows)?;
        Ok(row_group)
    };
    decoded(schema, rows, &[row_group().map_err(damaged)?])
}

/// What the crate `parquet` makes of a file with these row groups.
fn decoded(schema: &SchemaDescPtr, rows: i64, row_groups: &[Fields]) -> Result<ParquetMetaData> {
    let footer = || {
        let mut file = Fields::default();
        file.set(VERSION, &1_i32)?;
        file.set(FILE_ROWS, &rows)?;
        file.set_structures(ROW_GROUPS, row_groups)?;
        file.write()
    };
    let footer = footer().map_err(damaged)?;
    let options = ParquetMetaDataOptions::new().with_schema(Arc::clone(schema));
    contained(|| {
        let read = ParquetMetaDataReader::decode_metadata_with_options(&footer, Some(&options));
        Ok(read?)
    })
    .map_err(|error| Error::corrupt(format!("the footer is damaged: {error}")))
}

/// What a footer says of a chunk whose pages are here: writers have been wrong about it.
fn with_range(
    chunk: &Fields,
    range: &Range<u64>,
) -> std::result::Result<Fields, bytelane_thrift::Error> {
    let mut chunk = chunk.clone();
    let mut metadata = chunk.structure(COLUMN_METADATA, "meta_data")?;
    metadata.set(COMPRESSED_SIZE, &((range.end - range.start) as i64))?;
    if metadata.typed::<i64>(DICTIONARY_PAGE_OFFSET)? == Some(0) {
        metadata.remove(DICTIONARY_PAGE_OFFSET);
    }
    chunk.set_structure(COLUMN_METADATA, &metadata)?;
    Ok(chunk)
}
