//! Encodes and compresses the columns of one row group.

use super::encode::{EncodedLeaf, Helpers, LeafEncoder, SharedChunk};
use super::layout::Layout;
use super::leaf::LeafPath;
use super::rows::Rows;
use crate::page::PageEncoder;
use crate::types::fields::with_children;
use crate::types::physical::not_convertible;
use crate::{Result, WriterOptions};
use arrow_array::ArrayRef;
use arrow_cast::cast;
use arrow_schema::{DataType, Field, FieldRef};
use parquet::basic::Compression;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

/// Child of the schema's root, in Arrow and in the file.
pub struct Column {
    field: FieldRef,
    leaves: Vec<ColumnDescPtr>,
    paths: Vec<LeafPath>,
}

impl Column {
    /// Pairs a field of the Arrow schema with its type in the file. Returns an error if their
    /// levels differ.
    pub fn new(field: FieldRef, in_file: TypePtr) -> Result<Self> {
        let root = Type::group_type_builder("schema")
            .with_fields(vec![in_file])
            .build()?;
        let leaves = SchemaDescriptor::new(Arc::new(root)).columns().to_vec();
        let paths = LeafPath::all(&field);
        let levels = |leaf: &ColumnDescPtr| (leaf.max_def_level(), leaf.max_rep_level());
        let mut pairs = leaves.iter().zip(&paths);
        let differs = pairs.find(|(leaf, path)| {
            let (definition, repetition) = path.levels();
            levels(leaf) != (definition.cast_signed(), repetition.cast_signed())
        });
        match differs.map(|(leaf, _)| leaf).or(leaves.get(paths.len())) {
            Some(leaf) => Err(not_convertible(field.data_type(), leaf)),
            None => Ok(Self {
                field,
                leaves,
                paths,
            }),
        }
    }

    /// Returns the field in Arrow.
    pub(crate) fn field(&self) -> &FieldRef {
        &self.field
    }

    /// Returns whether a leaf is an ordered dictionary, whose entries and their order are part of its type.
    pub(crate) fn is_ordered(&self, leaf: &ColumnDescriptor) -> bool {
        let mut pairs = self.leaves.iter().zip(&self.paths);
        pairs.any(|(own, path)| path.is_ordered() && own.path() == leaf.path())
    }

    /// Returns its leaves, which have one chunk each.
    pub fn leaves(&self) -> &[ColumnDescPtr] {
        &self.leaves
    }
}

/// Encodes columns. Reuses contexts and buffers from one column to the next.
pub struct ColumnEncoder {
    options: Arc<WriterOptions>,
    pages: Vec<(Compression, PageEncoder)>,
    scratch: Vec<u8>,
}

impl ColumnEncoder {
    pub(crate) fn new(options: WriterOptions) -> Self {
        Self {
            options: Arc::new(options),
            pages: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Uses other options, which must have the same compression and version of pages.
    pub(crate) fn set_options(&mut self, options: &Arc<WriterOptions>) {
        self.options = Arc::clone(options);
    }

    /// Encodes the leaves of a column, each in its layout, for the rows of all `arrays`. If the
    /// column has one leaf and no dictionary, each array is dropped as soon as its rows are
    /// written.
    pub(crate) fn encode(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        layouts: &[Layout],
    ) -> Result<Vec<EncodedLeaf>> {
        self.encode_others(column, arrays, layouts, Vec::new(), None)
    }

    /// Encodes the leaves of a column, except those that are already encoded. Helpers may encode some
    /// of the pages.
    pub(crate) fn encode_others(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        layouts: &[Layout],
        encoded: Vec<Option<EncodedLeaf>>,
        helpers: Option<&Helpers>,
    ) -> Result<Vec<EncodedLeaf>> {
        let encoded = self.encode_leaves(column, arrays, layouts, encoded, helpers);
        encoded.map_err(|error| error.in_column(column.field().name()))
    }

    /// Encodes pages of columns that other threads encode, until all of these are complete.
    pub(crate) fn help(&mut self, helpers: &Helpers) -> Result<()> {
        while let Some(chunk) = helpers.next() {
            let at = self.pages_for(chunk.column())?;
            SharedChunk::help(&chunk, &mut self.pages[at].1, &mut self.scratch);
        }
        Ok(())
    }

    fn encode_leaves(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        layouts: &[Layout],
        encoded: Vec<Option<EncodedLeaf>>,
        helpers: Option<&Helpers>,
    ) -> Result<Vec<EncodedLeaf>> {
        let mut before = encoded.into_iter();
        let lists = with_lists(column.field());
        let arrays = if lists.data_type() == column.field().data_type() {
            arrays
        } else {
            let arrays = arrays.iter().map(|array| cast(array, lists.data_type()));
            arrays.collect::<std::result::Result<_, _>>()?
        };
        let mut rows = Some(Rows::new(arrays));
        let leaves = column.leaves.iter().zip(&column.paths).zip(layouts);
        let mut encoded = Vec::with_capacity(column.leaves.len());
        for ((leaf, path), layout) in leaves {
            if let Some(before) = before.next().flatten() {
                encoded.push(before);
                continue;
            }
            let is_last = encoded.len() + 1 == column.leaves.len();
            let rows = if is_last { rows.take() } else { rows.clone() };
            let at = self.pages_for(leaf)?;
            let (_, pages) = &mut self.pages[at];
            let encoder = LeafEncoder::new(leaf, path, &self.options, pages, &mut self.scratch);
            let mut encoder = encoder.helped_by(helpers);
            if let Some(rows) = rows {
                encoded.push(encoder.encode(rows, layout)?);
            }
        }
        Ok(encoded)
    }

    /// Returns the index of the page encoder for a leaf's compression, which it creates if
    /// necessary.
    fn pages_for(&mut self, leaf: &ColumnDescPtr) -> Result<usize> {
        let compression = self.options.compression_of(leaf.path().clone());
        let found = self.pages.iter().position(|(own, _)| *own == compression);
        if let Some(at) = found {
            return Ok(at);
        }
        let pages = PageEncoder::new(
            self.options.backend,
            self.options.data_page_version,
            compression,
        )?
        .with_checksums(self.options.write_page_checksum);
        self.pages.push((compression, pages));
        Ok(self.pages.len() - 1)
    }
}

/// Replaces list views with lists in a field's type, because the entries of a view may be in any
/// order.
fn with_lists(field: &FieldRef) -> FieldRef {
    let list = match field.data_type() {
        DataType::ListView(item) => DataType::List(with_lists(item)),
        DataType::LargeListView(item) => DataType::LargeList(with_lists(item)),
        _ => return with_children(field, &mut with_lists),
    };
    Arc::new(Field::clone(field).with_data_type(list))
}
