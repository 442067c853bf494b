//! One column of one row group, encoded and compressed.

use super::Chunk;
use super::by_parquet::chunks;
use super::encode::OwnChunk;
use super::layout::Layout;
use super::rows::Rows;
use crate::page::{PageEncoder, ValueEncoding};
use crate::statistics::{TRUNCATED, to_type_defined_order};
use crate::types::physical;
use crate::{DataPageVersion, Encoding, Error, Result, WriterOptions};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{FieldRef, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

/// A child of the schema's root: in Arrow, and in the file.
pub(crate) struct Column {
    schema: SchemaRef,
    root: TypePtr,
    leaves: Vec<ColumnDescPtr>,
}

impl Column {
    /// A field of the Arrow schema and its type in the file.
    pub(crate) fn new(field: FieldRef, in_file: TypePtr) -> Result<Self> {
        let root = Type::group_type_builder("schema")
            .with_fields(vec![in_file])
            .build()?;
        let root = Arc::new(root);
        Ok(Self {
            schema: Arc::new(Schema::new(vec![field])),
            leaves: SchemaDescriptor::new(Arc::clone(&root)).columns().to_vec(),
            root,
        })
    }

    /// The field in Arrow.
    pub(crate) fn field(&self) -> &FieldRef {
        &self.schema.fields()[0]
    }

    /// Its leaves, one chunk each.
    pub(crate) fn leaves(&self) -> &[ColumnDescPtr] {
        &self.leaves
    }

    /// The schema of a file of this column alone.
    pub(super) fn root(&self) -> TypePtr {
        Arc::clone(&self.root)
    }

    /// Its one leaf, if it is flat and of a fixed width: what this crate's own pages take.
    pub(crate) fn flat(&self) -> Option<&ColumnDescPtr> {
        let leaf = &self.leaves[0];
        physical::is_flat(self.field().data_type(), leaf).then_some(leaf)
    }
}

/// The chunk of a leaf in one row group, not yet in a file.
pub(crate) enum EncodedColumn {
    /// Pages of this crate, or those of another file as they are.
    Pages(Bytes, Box<ColumnCloseResult>),
    /// What the column writers of the crate `parquet` made.
    Arrow(Box<ArrowColumnChunk>),
}

impl EncodedColumn {
    /// What is to be known of the chunk.
    pub(crate) fn metadata(&self) -> &ColumnChunkMetaData {
        match self {
            EncodedColumn::Pages(_, close) => &close.metadata,
            EncodedColumn::Arrow(chunk) => &chunk.close().metadata,
        }
    }

    /// Writes the chunk as the next of a row group.
    pub(super) fn append_to<W: Write + Send>(
        self,
        row_group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<()> {
        match self {
            EncodedColumn::Pages(bytes, close) => row_group.append_column(&bytes, *close)?,
            EncodedColumn::Arrow(chunk) => chunk.append_to_row_group(row_group)?,
        }
        Ok(())
    }
}

/// Encodes columns; contexts and buffers are kept from one to the next.
pub(crate) struct ColumnEncoder {
    options: WriterOptions,
    pages: Vec<(Compression, PageEncoder)>,
    scratch: Vec<u8>,
}

impl ColumnEncoder {
    pub(crate) fn new(options: WriterOptions) -> Self {
        Self {
            options,
            pages: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn options(&self) -> &WriterOptions {
        &self.options
    }

    /// The chunks of a column's leaves, as [`encode`](Self::encode) makes them.
    pub(crate) fn chunks(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        layouts: &[Layout],
    ) -> Result<Vec<Chunk>> {
        let encoded = self.encode(column, arrays, layouts)?;
        chunks(column, encoded).map_err(|error| error.in_column(column.field().name()))
    }

    /// Encodes the leaves of a column: the rows of all `arrays`, each leaf in its layout. Each array is dropped when its
    /// rows are written.
    ///
    /// BYTE_STREAM_SPLIT and ALP of flat columns go through this crate's pages, everything else through those of the
    /// crate `parquet`.
    pub(crate) fn encode(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        layouts: &[Layout],
    ) -> Result<Vec<EncodedColumn>> {
        let rows = Rows::new(arrays);
        let own = match layouts[0].encoding {
            Encoding::ByteStreamSplit => Some(ValueEncoding::ByteStreamSplit),
            Encoding::Alp => Some(ValueEncoding::Alp),
            _ => None,
        };
        let result = match column.flat().zip(own) {
            Some((leaf, encoding)) => self
                .encode_own(leaf, rows, &layouts[0], encoding)
                .map(|encoded| vec![encoded]),
            None => self.encode_arrow(column, rows, layouts),
        };
        result.map_err(|error| error.in_column(column.field().name()))
    }

    /// Where the encoder of pages with the compression of a leaf is.
    fn pages_for(&mut self, leaf: &ColumnDescPtr) -> Result<usize> {
        let compression = self.options.compression_of(leaf.path().clone());
        let found = self.pages.iter().position(|(own, _)| *own == compression);
        if let Some(at) = found {
            return Ok(at);
        }
        let pages = PageEncoder::new(self.options.backend, self.options.version, compression)?;
        self.pages.push((compression, pages));
        Ok(self.pages.len() - 1)
    }

    fn encode_own(
        &mut self,
        leaf: &ColumnDescPtr,
        rows: Rows,
        layout: &Layout,
        encoding: ValueEncoding,
    ) -> Result<EncodedColumn> {
        let at = self.pages_for(leaf)?;
        let (_, pages) = &mut self.pages[at];
        let (bytes, close) = OwnChunk::encode(
            leaf,
            rows,
            &self.options,
            layout,
            encoding,
            pages,
            &mut self.scratch,
        )?;
        Ok(EncodedColumn::Pages(bytes, Box::new(close)))
    }

    fn encode_arrow(
        &self,
        column: &Column,
        mut rows: Rows,
        layouts: &[Layout],
    ) -> Result<Vec<EncodedColumn>> {
        let properties = self.properties(column.leaves(), layouts);
        // The factory of column writers asks a file writer for the schema.
        let root = Arc::clone(&column.root);
        let file = SerializedFileWriter::new(std::io::sink(), root, Arc::new(properties))?;
        let factory = ArrowRowGroupWriterFactory::new(&file, Arc::clone(&column.schema));
        let mut writers = factory.create_column_writers(0)?;
        let page_rows: Vec<usize> = layouts.iter().map(|layout| layout.pages.rows).collect();
        let mut done = 0;
        while let Some(array) = next_part(&mut rows, done, &page_rows)? {
            done += array.len();
            let leaves = compute_leaves(column.field(), &array)?;
            for (writer, leaf) in writers.iter_mut().zip(&leaves) {
                writer.write(leaf)?;
            }
        }
        let chunks = writers.into_iter().map(|writer| {
            let mut chunk = writer.close()?;
            to_type_defined_order(chunk.close_mut())?;
            Ok(EncodedColumn::Arrow(Box::new(chunk)))
        });
        chunks.collect::<Result<_>>()
    }

    /// The options as the crate `parquet` has them.
    fn properties(&self, leaves: &[ColumnDescPtr], layouts: &[Layout]) -> WriterProperties {
        let options = &self.options;
        let mut builder = WriterProperties::builder()
            .set_writer_version(match options.version {
                DataPageVersion::V1 => WriterVersion::PARQUET_1_0,
                DataPageVersion::V2 => WriterVersion::PARQUET_2_0,
            })
            .set_statistics_truncate_length(Some(bounds_length(leaves)))
            .set_write_page_header_statistics(options.page_header_statistics);
        if layouts.iter().any(Layout::has_exact_pages) {
            // A page may end wherever an array does, and nowhere else.
            builder = builder.set_write_batch_size(usize::MAX);
        }
        for (leaf, layout) in leaves.iter().zip(layouts) {
            let path = leaf.path().clone();
            let dictionary = layout.encoding == Encoding::Dictionary;
            let pages = layout.pages;
            builder = builder
                .set_column_encoding(path.clone(), layout.encoding.of_values())
                .set_column_dictionary_enabled(path.clone(), dictionary)
                .set_column_dictionary_page_size_limit(path.clone(), layout.dictionary_bytes)
                .set_column_data_page_row_count_limit(path.clone(), pages.rows)
                .set_column_data_page_size_limit(path.clone(), pages.bytes)
                .set_column_compression(path.clone(), options.compression_of(path.clone()))
                .set_column_statistics_enabled(path.clone(), options.statistics_of(path.clone()));
            if let Some(properties) = options.bloom_filter_of(path.clone()) {
                builder = builder.set_column_bloom_filter_properties(path, properties);
            }
        }
        builder.build()
    }
}

/// Bytes to which bounds of values are cut in the statistics of a chunk. Those of a fixed length are never cut, which readers do
/// not expect: pyarrow 26 ends the process.
fn bounds_length(leaves: &[ColumnDescPtr]) -> usize {
    let fixed = leaves.iter().filter_map(|leaf| physical::width(leaf));
    fixed.fold(TRUNCATED, usize::max)
}

/// The next rows of one array, of which `done` have been written: up to where the next page of a leaf must end at the
/// latest, because a page ends only where the writer of the crate `parquet` looks at it.
fn next_part(rows: &mut Rows, done: usize, page_rows: &[usize]) -> Result<Option<ArrayRef>> {
    let ends = page_rows.iter().map(|rows| rows - done % rows);
    rows.take(ends.fold(rows.together(), usize::min))
}

/// That a required column has no nulls: there is no level to say so.
pub(super) fn check_required(leaf: &ColumnDescPtr, array: &dyn Array) -> Result<()> {
    let nulls = array.logical_null_count();
    match leaf.max_def_level() == 0 && nulls > 0 {
        false => Ok(()),
        true => Err(Error::new(crate::Problem::Input(format!(
            "{nulls} nulls in a column that is not nullable"
        )))),
    }
}
