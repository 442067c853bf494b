//! Decides what happens to each column chunk.

use super::index::index_of;
use super::options::RewriteOptions;
use super::outcome::RewrittenColumn;
use arrow_schema::FieldRef;
use bytelane_parquet::caller::Setting;
use bytelane_parquet::chunk::{Chunk, PageSummary};
use bytelane_parquet::compatibility::ValueType;
use bytelane_parquet::format::Encoding as Coding;
use bytelane_parquet::options::codec_name;
use bytelane_parquet::types::fields::leaves;
use bytelane_parquet::types::physical;
use bytelane_parquet::types::unite::is_ordered;
use bytelane_parquet::types::written::schema_in_parquet;
use bytelane_parquet::{ColumnOptions, Encoding, Goal, Result, WriterOptions};
use bytes::Bytes;
use parquet::basic::{
    ColumnOrder, Compression, CompressionCodec, ConvertedType, LogicalType, Type,
};
use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData};
use parquet::file::properties::EnabledStatistics;
use parquet::schema::types::{ColumnDescriptor, ColumnPath};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Maximum size of new pages relative to the old ones. Where the gain is tiny, the column is better left
/// unchanged.
const GAIN: f64 = 0.99;

/// Returns the obstacle of INT96 columns.
pub(crate) fn int96() -> String {
    format!(
        "INT96 columns can only be copied, or converted with {}",
        Setting::Int96
    )
}

/// Returns the obstacle of other columns in the same list, map or struct.
pub(crate) fn beside_int96() -> String {
    format!(
        "columns in one group with an INT96 column can only be copied, or converted with {}",
        Setting::Int96
    )
}

const UNKNOWN_PAGES: &str = "it has pages of a type or in an encoding that is not known";

const EMPTY: &str = "columns of values of 0 bytes can only be copied";

const LZO: &str = "columns compressed with LZO, or in a way that is not known, can only be copied";

const NO_INDEX: &str =
    "the statistics of its pages, in an order that is not known here, would be lost";

/// Intended treatment of a chunk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Request {
    /// Keep the pages.
    Keep,
    /// Keep the pages, because the chunk cannot be re-encoded.
    Cannot(String),
    /// Replace the pages if new ones are better.
    Better(ColumnOptions),
    /// Replace the pages, because the caller requests it.
    Other(ColumnOptions),
    /// Replace INT96 pages by pages of another type.
    Convert(ColumnOptions),
}

impl Request {
    /// Returns how new pages would be written.
    pub(crate) fn pages(&self) -> Option<&ColumnOptions> {
        match self {
            Self::Better(pages) | Self::Other(pages) | Self::Convert(pages) => Some(pages),
            Self::Keep | Self::Cannot(_) => None,
        }
    }
}

/// Column index of new pages.
#[derive(Debug)]
pub(super) enum NewIndex {
    /// Encoded index; `None` if the old pages had none.
    Of(Option<Bytes>),
    /// Reason why there cannot be one, although the old pages have one.
    Obstacle(&'static str),
}

/// Existing chunk.
#[derive(Debug)]
pub(super) struct Old {
    /// Index of its column in the whole schema.
    pub leaf: usize,
    pub described: ColumnChunkMetaData,
    pub summary: PageSummary,
    /// Position of its pages.
    pub pages: Range<u64>,
    pub chunk: Chunk,
    pub request: Request,
    /// Entries of an ordered dictionary, and their number.
    pub entries: Option<(Bytes, usize)>,
}

/// Options, and the file to which they apply.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    file: &'a FileMetaData,
    options: &'a RewriteOptions,
    /// Options for new pages.
    writer: WriterOptions,
    /// Leaves that readers turn into Arrow dictionaries.
    dictionaries: Arc<Dictionaries>,
}

/// Leaves of columns that are dictionaries in the Arrow schema of the file.
#[derive(Debug, Default)]
pub(crate) struct Dictionaries {
    all: BTreeSet<usize>,
    /// Paths of ordered dictionaries, whose entries and their order are part of the type.
    ordered: Vec<ColumnPath>,
}

impl<'a> Plan<'a> {
    /// Returns an error if the options name columns that do not exist, or encodings that these cannot have.
    pub fn new(file: &'a FileMetaData, options: &'a RewriteOptions) -> Result<Self> {
        let leaves = file.schema_descr().columns().iter();
        let leaves = leaves.map(|leaf| (leaf.path(), leaf.physical_type()));
        let plan = Self::of_known(file, options, Arc::new(Dictionaries::of(file)));
        plan.writer.check(leaves)?;
        Ok(plan)
    }

    /// Creates a plan from known facts about the file, for options that name no columns.
    pub fn of_known(
        file: &'a FileMetaData,
        options: &'a RewriteOptions,
        dictionaries: Arc<Dictionaries>,
    ) -> Self {
        Self {
            file,
            options,
            writer: options.writer(),
            dictionaries,
        }
    }

    /// Returns the columns with empty outcomes.
    pub fn columns(&self) -> Vec<RewrittenColumn> {
        let leaves = self.file.schema_descr().columns().iter();
        let columns = leaves.map(|leaf| RewrittenColumn {
            path: leaf.path().string(),
            ..RewrittenColumn::default()
        });
        columns.collect()
    }

    /// Returns the compression of new pages: the one that was asked for, or that of the old pages, at about their level.
    pub fn compression(&self, chunk: &ColumnChunkMetaData, summary: &PageSummary) -> Compression {
        let asked = self.options.compression;
        asked.or(summary.compression).unwrap_or(chunk.compression())
    }

    /// Returns whether a chunk belongs to an ordered dictionary, and has values in a dictionary: others follow its entries.
    pub fn has_order(&self, chunk: &ColumnChunkMetaData, summary: &PageSummary) -> bool {
        self.dictionaries.ordered.contains(chunk.column_path()) && summary.have_dictionary()
    }

    /// Returns the requested encoding, if the type has it.
    fn encoding(&self, chunk: &ColumnChunkMetaData) -> Encoding {
        let path = chunk.column_path().clone();
        match self.writer.encoding_of(path) {
            encoding if encoding.exists_for(chunk.column_type()) => encoding,
            _ => Encoding::Auto,
        }
    }

    /// Returns the reason to replace pages in a preview encoding regardless of their size: the preview was
    /// not requested, or some reader does not know it. An encoding set for the column counts as a request.
    pub fn unwanted_preview(
        &self,
        chunk: &ColumnChunkMetaData,
        summary: &PageSummary,
    ) -> Option<String> {
        if self.encoding(chunk) != Encoding::Auto {
            return None;
        }
        let writer = &self.writer;
        let mut previews = Encoding::ALL
            .iter()
            .filter(|encoding| encoding.is_preview());
        let found = *previews.find(|encoding| summary.have(**encoding))?;
        if !writer.encodings.contains(found) {
            return Some(format!(
                "it is in {found}, a preview, which is kept only with {} +{found}",
                Setting::Encodings
            ));
        }
        let values = ValueType::of(chunk.column_descr());
        let reader = writer.readers.obstacle(found, values)?;
        Some(format!("it is in {found}, which {reader} cannot read"))
    }

    /// Returns the intended treatment of a chunk whose pages have this summary.
    pub fn request(&self, chunk: &ColumnChunkMetaData, summary: &PageSummary) -> Request {
        let physical = chunk.column_type();
        let writer = &self.writer;
        let compression = self.compression(chunk, summary);
        let has_order = self.has_order(chunk, summary);
        let encoding = if has_order {
            // Readers take the order of the entries from the dictionary.
            Encoding::Dictionary
        } else {
            self.encoding(chunk)
        };
        let is_there = has_order || summary.are(encoding);
        let version = self.options.data_page_version.unwrap_or(summary.version);
        let asked = self.options.compression.is_some()
            || (encoding != Encoding::Auto && !is_there)
            || self.unwanted_preview(chunk, summary).is_some()
            || version != summary.version
            || summary.exceed(writer.given_page_limits());
        let pages = ColumnOptions::default()
            .with_encoding(encoding)
            .with_compression(compression);
        let is_supported = !matches!(compression, Compression::LZO | Compression::LZ4);
        match physical {
            _ if chunk.num_values() == 0 => Request::Keep,
            _ if summary.unknown => Request::Cannot(UNKNOWN_PAGES.to_owned()),
            _ if chunk.compression_codec() == CompressionCodec::LZO => {
                Request::Cannot(LZO.to_owned())
            }
            Type::FIXED_LEN_BYTE_ARRAY if physical::width(chunk.column_descr()).is_none() => {
                Request::Cannot(EMPTY.to_owned())
            }
            Type::INT96 if self.options.convert_int96.is_some() && is_supported => {
                Request::Convert(pages)
            }
            Type::INT96 => Request::Cannot(int96()),
            _ if !is_supported => {
                let name = codec_name(CompressionCodec::from(compression));
                Request::Cannot(format!(
                    "columns compressed with {name}, which is deprecated, can only be copied"
                ))
            }
            _ if asked => Request::Other(pages),
            Type::BOOLEAN => Request::Keep,
            _ if encoding != Encoding::Auto => Request::Keep,
            _ => Request::Better(pages),
        }
    }

    /// Returns how to write the chunks of a column if at least one of them is to be re-encoded.
    pub(super) fn writer(&self, olds: &[Old], rows: usize) -> Option<WriterOptions> {
        olds.iter().find_map(|old| old.request.pages())?;
        let mut columns = BTreeMap::new();
        for old in olds {
            let pages = self.pages(&old.request, &old.summary, old.leaf, rows);
            let mut pages = pages.with_statistics(self.statistics(old));
            pages.entries.clone_from(&old.entries);
            columns.insert(old.described.column_path().string(), pages);
        }
        let highest = || olds.iter().map(|old| old.summary.version).max();
        let version = self.options.data_page_version.or_else(highest);
        Some(WriterOptions {
            columns,
            bloom_filter: None,
            data_page_version: version.unwrap_or_default(),
            ..self.writer.clone()
        })
    }

    /// Returns how the chunk of a leaf with `rows` rows is written. Its pages have as many rows as the old
    /// ones, unless the options say otherwise or only the size counts.
    pub fn pages(
        &self,
        request: &Request,
        summary: &PageSummary,
        leaf: usize,
        rows: usize,
    ) -> ColumnOptions {
        let writer = &self.writer;
        let keeps = writer.goal != Goal::Size && writer.leaves_pages_open();
        let unwanted = || ColumnOptions::default().with_encoding(Encoding::Plain);
        let is_nested = self.file.schema_descr().column(leaf).path().parts().len() > 1;
        let has_others = i64::try_from(rows) != Ok(self.file.num_rows());
        let mut options = request.pages().cloned().unwrap_or_else(unwanted);
        options.without_dictionaries = is_nested && has_others && !summary.have_dictionary();
        options.page_rows = keeps.then(|| summary.page_rows(rows));
        options.as_dictionary = self.dictionaries.all.contains(&leaf);
        options
    }

    /// Returns the statistics that new pages need: those for an index, if the old pages have one and its
    /// order is known. Bounds that this crate makes hold in both orders of floats. A file that names no order
    /// comes from a writer that knew only one.
    fn statistics(&self, old: &Old) -> EnabledStatistics {
        let column = old.described.column_descr();
        let is_known = !matches!(
            self.order(old),
            ColumnOrder::UNKNOWN | ColumnOrder::INT96_TIMESTAMP_ORDER
        ) && !has_decimals_as_bytes(column);
        match (&old.request, old.chunk.column_index()) {
            (Request::Convert(_), None) => EnabledStatistics::Chunk,
            (Request::Convert(_), Some(_)) => EnabledStatistics::Page,
            (_, Some(_)) if is_known => EnabledStatistics::Page,
            _ => EnabledStatistics::None,
        }
    }

    fn order(&self, old: &Old) -> ColumnOrder {
        self.file.column_order(old.leaf)
    }

    /// Returns the index of the new pages, which replaces that of the old pages.
    pub(super) fn column_index(&self, old: &Old, new: &Chunk) -> Result<NewIndex> {
        let column = old.described.column_descr();
        let index = index_of(&old.chunk, new, column, self.order(old))?;
        Ok(match (index, old.chunk.column_index()) {
            (None, Some(_)) => NewIndex::Obstacle(NO_INDEX),
            (index, _) => NewIndex::Of(index),
        })
    }

    /// Returns whether new pages replace the old ones.
    pub(super) fn takes(&self, old: &Old, new: &Chunk, encodings: &[Coding]) -> bool {
        let differ = !old.summary.has_encodings(encodings);
        let (before, after) = (old.chunk.bytes() as f64, new.bytes() as f64);
        self.is_better(&old.request, before, after, differ)
    }

    /// Returns whether new pages of this size are better than the old ones. `differ` says whether their
    /// encodings differ.
    pub fn is_better(&self, request: &Request, before: f64, after: f64, differ: bool) -> bool {
        match (request, self.writer.goal) {
            (Request::Keep | Request::Cannot(_), _) => false,
            (Request::Other(_) | Request::Convert(_), _) => true,
            (Request::Better(_), Goal::Write | Goal::Read) => differ,
            (Request::Better(_), _) => after < GAIN * before,
        }
    }
}

/// Returns whether a column has decimals in BYTE_ARRAY. They are moved as bytes, whose order differs from
/// that of numbers.
fn has_decimals_as_bytes(column: &ColumnDescriptor) -> bool {
    let is_decimal = column.converted_type() == ConvertedType::DECIMAL
        || matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)));
    is_decimal && column.physical_type() == Type::BYTE_ARRAY
}

impl Dictionaries {
    /// Returns those of the Arrow schema of a file; none if it has no such schema.
    pub(crate) fn of(file: &FileMetaData) -> Self {
        let schema = file.schema_descr();
        let Ok(in_arrow) = schema_in_parquet(file) else {
            return Self::default();
        };
        let root_of = |leaf: &usize| in_arrow.fields().get(schema.get_column_root_idx(*leaf));
        let has_dictionary = |leaf: &usize| {
            root_of(leaf).is_some_and(|field| physical::has_dictionary(field.data_type()))
        };
        let all = (0..schema.num_columns()).filter(has_dictionary).collect();
        let fields: Vec<&FieldRef> = in_arrow.fields().iter().flat_map(leaves).collect();
        let ordered = fields.iter().zip(schema.columns());
        let ordered = ordered.filter(|(field, _)| is_ordered(field));
        let ordered = ordered.map(|(_, column)| column.path().clone()).collect();
        let is_known = fields.len() == schema.num_columns();
        Self {
            all,
            ordered: if is_known { ordered } else { Vec::new() },
        }
    }
}
