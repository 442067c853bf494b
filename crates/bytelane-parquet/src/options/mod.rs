//! Options for writing a file.

mod content;
mod encoding;
mod encodings;
#[cfg(feature = "clap")]
pub mod flags;
mod names;
pub(crate) mod parse;
mod paths;
mod properties;

pub use content::ContentDefinedPages;
pub use encoding::Encoding;
pub use encodings::Encodings;
pub use names::{
    DataPageVersion, FormatVersion, Goal, StringType, TimestampUnit, codec_name, compression_name,
    parse_compression,
};
pub use parse::parse_size;
pub use parse::{
    Names, deserialize_by_path, deserialize_bytes, deserialize_compression,
    deserialize_compression_by_path, deserialize_compressions, deserialize_given_compression,
    deserialize_given_name, deserialize_name, deserialize_size, deserialize_sorting_columns,
    serialize_compression,
};
pub use paths::{find_leaves, roots_of};
use paths::{leaves_within, names_of};

use crate::compatibility::Readers;
use crate::statistics::Order;
use crate::{Error, Problem, Result};
use bytelane::Detected;
use derive_setters::Setters;
use parquet::basic::{Compression, Type, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{BloomFilterProperties, EnabledStatistics};
use parquet::schema::types::{ColumnDescriptor, ColumnPath};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZero;

/// Usual size limit of dictionaries in bytes. pyarrow and the crate `parquet` end a dictionary at 1 MiB, in
/// the middle of a chunk, which would be smaller than one without a dictionary.
pub const DICTIONARY_BYTES: usize = 8 << 20;

/// Options of one column that differ from the rest of the file.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct ColumnOptions {
    /// Encoding of the column.
    pub encoding: Option<Encoding>,
    /// Compression of the column.
    pub compression: Option<Compression>,
    /// Statistics of the column.
    pub statistics: Option<EnabledStatistics>,
    /// Bloom filter of the column.
    pub bloom_filter: Option<BloomFilterProperties>,
    /// Number of rows per page, regardless of its size in bytes.
    #[doc(hidden)]
    pub page_rows: Option<usize>,
    /// Set if readers turn it into an Arrow dictionary.
    #[doc(hidden)]
    pub as_dictionary: bool,
    /// Set if the column is nested, and in several row groups without dictionaries, which not all readers can
    /// join.
    #[doc(hidden)]
    pub without_dictionaries: bool,
    /// PLAIN-encoded entries with which the dictionary begins, and their number, if their order is part of the type.
    #[doc(hidden)]
    pub entries: Option<(bytes::Bytes, usize)>,
}

impl ColumnOptions {
    /// Sets a fixed encoding instead of the choice of [`Encoding::Auto`].
    #[must_use]
    pub fn with_encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    /// Sets the compression.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// Sets which bounds to write.
    #[must_use]
    pub fn with_statistics(mut self, statistics: EnabledStatistics) -> Self {
        self.statistics = Some(statistics);
        self
    }

    /// Sets the Bloom filter.
    #[must_use]
    pub fn with_bloom_filter(mut self, properties: BloomFilterProperties) -> Self {
        self.bloom_filter = Some(properties);
        self
    }
}

/// Options for writing a file.
///
/// ```
/// use bytelane_parquet::{ColumnOptions, Encoding, Goal, WriterOptions, parse_compression};
///
/// let options = WriterOptions::default()
///     .with_goal(Goal::Size)
///     .with_compression(parse_compression("zstd:3")?)
///     .with_column("price", ColumnOptions::default().with_encoding(Encoding::ByteStreamSplit));
/// assert_eq!(options.encoding_of("price"), Encoding::ByteStreamSplit);
/// assert_eq!(options.encoding_of("volume"), Encoding::Auto);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Deserialize, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
pub struct WriterOptions {
    /// Encoding of all columns that have none of their own and whose type supports it. The others use [`Encoding::Auto`].
    #[serde(deserialize_with = "deserialize_name")]
    pub encoding: Encoding,
    /// Compression of all columns that have none of their own.
    #[serde(deserialize_with = "deserialize_given_compression")]
    pub compression: Compression,
    /// Goal of [`Encoding::Auto`].
    #[serde(deserialize_with = "deserialize_name")]
    pub goal: Goal,
    /// Programs that will read the file. [`Encoding::Auto`] never chooses an encoding that one of them cannot read.
    pub readers: Readers,
    /// Encodings that [`Encoding::Auto`] considers, such as `"+alp".parse()?`.
    pub encodings: Encodings,
    /// Number of rows of a row group, which the writer keeps in memory.
    pub row_group_size: usize,
    /// Maximum size of the values of a row group in memory, in bytes. A row group has fewer rows if they would take more. A single row
    /// may be larger.
    ///
    /// The writer keeps a row group in memory, plus one encoded column of it per thread.
    pub row_group_bytes: usize,
    /// Maximum number of rows of a data page.
    pub max_rows_per_page: Option<usize>,
    /// Maximum size of the values in a data page, in bytes before compression.
    pub data_page_size: Option<usize>,
    /// Version of the data pages.
    #[serde(deserialize_with = "deserialize_name")]
    pub data_page_version: DataPageVersion,
    /// Set if page headers have the CRC-32 of their page, so that readers notice damaged pages. Off by default.
    pub write_page_checksum: bool,
    /// Limits of pages that end where the content of the values determines it. A maximum number of rows still applies, but a maximum number
    /// of bytes does not.
    #[serde(deserialize_with = "content::deserialize")]
    pub content_defined_pages: Option<ContentDefinedPages>,
    /// Size limit of a dictionary in bytes, by default 8 MiB. A column that would need a larger one is written in another encoding: PLAIN, if
    /// only a dictionary is wanted.
    pub dictionary_pagesize_limit: usize,
    /// Columns by which the rows are sorted. The writer does not check this.
    #[serde(deserialize_with = "deserialize_sorting_columns")]
    pub sorting_columns: Option<Vec<SortingColumn>>,
    /// Set if bounds are written: those of each chunk, and those of each page if there is an index. On by default.
    pub write_statistics: bool,
    /// Set if the positions of pages, and with `write_statistics` the bounds of each, are written. On by default.
    pub write_page_index: bool,
    /// Length in bytes to which bounds of strings are shortened in statistics and indexes: 64 by default, `usize::MAX` for no limit. Text stays
    /// valid UTF-8, and a shortened upper bound is increased.
    pub bound_bytes: usize,
    /// Set if bounds of floats have the IEEE 754 total order, and if the footer says so. Bounds then tell -0.0 from +0.0, and pages and row
    /// groups in which all numbers are NaN have bounds, too. The format recommends this order since 2026, but readers that do not know it
    /// ignore the bounds. Off by default.
    pub total_order: bool,
    /// Version of the format whose logical types the file may have. Values of other types are stored as wider integers, or as
    /// timestamps in microseconds.
    #[serde(deserialize_with = "deserialize_name")]
    pub version: FormatVersion,
    /// Unit in which all timestamps are stored. By default, they keep theirs.
    #[serde(deserialize_with = "deserialize_given_name")]
    pub coerce_timestamps: Option<TimestampUnit>,
    /// Set if timestamps lose what their unit in the file cannot express. Off by default: such a timestamp is an error.
    pub allow_truncated_timestamps: bool,
    /// Set if timestamps are stored as INT96, which is obsolete, with their whole precision. Off by default.
    pub use_deprecated_int96_timestamps: bool,
    /// Set if times of the day are declared to be in UTC. Off by default.
    pub write_time_adjusted_to_utc: bool,
    /// Set if the items of lists are named `element`, and the entries of maps `key_value`, as the format demands. Off by default: they
    /// have the names of Arrow's fields.
    pub use_compliant_nested_type: bool,
    /// Set if the footer has the Arrow schema, from which readers restore types that Parquet does not have. On by default.
    pub store_schema: bool,
    /// Number of threads that encode the columns of a row group at the same time. The default is one, the caller's thread. The file does
    /// not depend on it.
    pub threads: Option<NonZero<usize>>,
    /// Set if the statistics of a page are repeated in its header, for readers that do not use the indexes.
    #[serde(skip)]
    pub page_header_statistics: bool,
    /// Bloom filter of every column that has none of its own. Its size is computed from the counted distinct values of a row group, and from
    /// the share of false positives. The number of values in the properties is ignored.
    #[serde(skip)]
    pub bloom_filter: Option<BloomFilterProperties>,
    /// Instruction set of the kernels.
    #[serde(skip)]
    pub backend: Detected,
    /// Name of the writer in the footer.
    #[serde(skip)]
    #[setters(into)]
    pub created_by: String,
    #[doc(hidden)]
    #[serde(skip)]
    #[setters(skip)]
    pub columns: BTreeMap<String, ColumnOptions>,
    #[doc(hidden)]
    #[serde(skip)]
    #[setters(skip)]
    pub key_values: Vec<KeyValue>,
}

impl Default for WriterOptions {
    /// Returns [`Encoding::Auto`] with zstd at level 1, statistics and indexes of every page, pages of up to
    /// 131,072 rows and 1 MiB (if only the size counts, of the best size up to 4 MiB), row groups of
    /// 1,048,576 rows or 512 MiB in memory, and no Bloom filters.
    fn default() -> Self {
        Self {
            encoding: Encoding::Auto,
            compression: Compression::ZSTD(ZstdLevel::default()),
            goal: Goal::default(),
            readers: Readers::default(),
            encodings: Encodings::default(),
            row_group_size: 1 << 20,
            row_group_bytes: 512 << 20,
            max_rows_per_page: None,
            data_page_size: None,
            data_page_version: DataPageVersion::default(),
            write_page_checksum: false,
            content_defined_pages: None,
            dictionary_pagesize_limit: DICTIONARY_BYTES,
            sorting_columns: None,
            write_statistics: true,
            write_page_index: true,
            bound_bytes: 64,
            total_order: false,
            version: FormatVersion::default(),
            coerce_timestamps: None,
            allow_truncated_timestamps: false,
            use_deprecated_int96_timestamps: false,
            write_time_adjusted_to_utc: false,
            use_compliant_nested_type: false,
            store_schema: true,
            threads: None,
            page_header_statistics: false,
            bloom_filter: None,
            backend: Detected::active(),
            created_by: concat!("bytelane-parquet version ", env!("CARGO_PKG_VERSION")).to_owned(),
            columns: BTreeMap::new(),
            key_values: Vec::new(),
        }
    }
}

impl WriterOptions {
    /// Sets the options of a column. `path` is the path of a leaf, separated by dots, or of a group, for all
    /// leaves below it. The longest path wins.
    #[must_use]
    pub fn with_column(mut self, path: impl Into<String>, column: ColumnOptions) -> Self {
        self.columns.insert(path.into(), column);
        self
    }

    /// Adds a key-value pair to the footer, in addition to the Arrow schema.
    #[must_use]
    pub fn with_key_value(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.key_values
            .push(KeyValue::new(key.into(), Some(value.into())));
        self
    }

    /// Returns the maximum number of rows, and the maximum size of the values in bytes, of a data page.
    pub(crate) fn page_limits(&self) -> (usize, usize) {
        (
            self.max_rows_per_page.unwrap_or(131_072),
            self.data_page_size.unwrap_or(1 << 20),
        )
    }

    /// Returns the maximum rows and bytes of a page, if they were set.
    #[doc(hidden)]
    pub fn given_page_limits(&self) -> (Option<usize>, Option<usize>) {
        (self.max_rows_per_page, self.data_page_size)
    }

    /// Returns whether page sizes can be chosen freely.
    #[doc(hidden)]
    pub fn leaves_pages_open(&self) -> bool {
        let is_given = self.max_rows_per_page.is_some() || self.data_page_size.is_some();
        !is_given && self.content_defined_pages.is_none()
    }

    /// Returns the encoding requested for a leaf, which may be [`Encoding::Auto`]. A string is the name of a
    /// column outside of any group.
    #[must_use]
    pub fn encoding_of(&self, path: impl Into<ColumnPath>) -> Encoding {
        self.own_encoding_of(&path.into()).unwrap_or(self.encoding)
    }

    /// Returns the compression of a leaf.
    #[must_use]
    pub fn compression_of(&self, path: impl Into<ColumnPath>) -> Compression {
        self.own(&path.into(), |column| column.compression)
            .unwrap_or(self.compression)
    }

    /// Returns the statistics of a leaf.
    #[must_use]
    pub fn statistics_of(&self, path: impl Into<ColumnPath>) -> EnabledStatistics {
        let own = self.own(&path.into(), |column| column.statistics);
        own.unwrap_or(match (self.write_statistics, self.write_page_index) {
            (false, _) => EnabledStatistics::None,
            (true, false) => EnabledStatistics::Chunk,
            (true, true) => EnabledStatistics::Page,
        })
    }

    /// Returns the Bloom filter of a leaf.
    #[must_use]
    pub fn bloom_filter_of(&self, path: impl Into<ColumnPath>) -> Option<BloomFilterProperties> {
        self.own(&path.into(), |column| column.bloom_filter.clone())
            .or_else(|| self.bloom_filter.clone())
    }

    /// Returns the order of a column's bounds.
    pub(crate) fn order_of(&self, column: &ColumnDescriptor) -> Order {
        let order = Order::of(column);
        if self.total_order {
            order.total()
        } else {
            order
        }
    }

    /// Returns the encoding that was requested for this column in particular, and must therefore exist for
    /// its type.
    pub(crate) fn own_encoding_of(&self, path: &ColumnPath) -> Option<Encoding> {
        self.own(path, |column| column.encoding)
    }

    /// Returns the setting of the column itself, or of the closest group around it.
    #[doc(hidden)]
    pub fn own<T>(
        &self,
        path: &ColumnPath,
        want: impl Fn(&ColumnOptions) -> Option<T>,
    ) -> Option<T> {
        if self.columns.is_empty() {
            return None;
        }
        names_of(path)
            .filter_map(|name| self.columns.get(&name))
            .find_map(want)
    }

    /// Checks that the options make sense for these leaves.
    #[doc(hidden)]
    pub fn check<'a>(&self, leaves: impl Iterator<Item = (&'a ColumnPath, Type)>) -> Result<()> {
        let sizes = [
            ("rows of a page", self.page_limits().0),
            ("bytes of a page", self.page_limits().1),
            ("rows of a row group", self.row_group_size),
            ("bytes of a row group", self.row_group_bytes),
            ("bytes of a bound", self.bound_bytes),
        ];
        if let Some((what, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(Problem::Option(format!("the {what} cannot be 0")).into());
        }
        let leaves: Vec<(&ColumnPath, Type)> = leaves.collect();
        let named = self.columns.keys().map(String::as_str);
        if let Err(name) = leaves_within(leaves.iter().map(|(leaf, _)| *leaf), named) {
            let names: Vec<String> = leaves.iter().map(|(leaf, _)| leaf.string()).collect();
            return Err(Error::no_such_column(
                name,
                names.iter().map(String::as_str),
            ));
        }
        let sorted = self.sorting_columns.iter().flatten();
        let count = leaves.len();
        let is_leaf = |index: i32| usize::try_from(index).is_ok_and(|index| index < count);
        if let Some(wrong) = sorted.map(|it| it.column_idx).find(|it| !is_leaf(*it)) {
            let problem = format!("rows sorted by column {wrong}, of {count} columns from 0");
            return Err(Problem::Option(problem).into());
        }
        for (path, physical) in leaves {
            let compression = self.compression_of(path.clone());
            if matches!(compression, Compression::LZO | Compression::LZ4) {
                let problem = format!(
                    "the compression {} is deprecated and cannot be written",
                    compression_name(compression)
                );
                return Err(Error::new(Problem::Unsupported(problem)).in_column(path.string()));
            }
            if let Some(encoding) = self.own_encoding_of(path)
                && !encoding.exists_for(physical)
            {
                let problem = Problem::Encoding { encoding, physical };
                return Err(Error::new(problem).in_column(path.string()));
            }
        }
        Ok(())
    }
}
