//! Options for writing a file.

mod content;
mod encodings;
#[cfg(feature = "clap")]
pub mod flags;
mod names;
mod parse;
mod paths;
mod properties;

pub use content::ContentDefinedPages;
pub use encodings::Encodings;
pub use names::codec_name;
pub use names::{DataPageVersion, Encoding, Goal, StringType, compression_name, parse_compression};
pub use parse::parse_size;
pub use parse::{
    Names, deserialize_by_path, deserialize_bytes, deserialize_compression,
    deserialize_compressions, deserialize_given_name, deserialize_name, deserialize_size,
    serialize_compression,
};
pub use paths::{find_leaves, roots_of};
use paths::{leaves_within, names_of};

use crate::compatibility::Readers;
use crate::statistics::Order;
use crate::{Error, Problem, Result};
use bytelane::Detected;
use parquet::basic::{Compression, Type, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{BloomFilterProperties, EnabledStatistics};
use parquet::schema::types::{ColumnDescriptor, ColumnPath};
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
#[derive(Clone, PartialEq, Debug)]
pub struct WriterOptions {
    #[doc(hidden)]
    pub encoding: Encoding,
    #[doc(hidden)]
    pub encodings: Encodings,
    #[doc(hidden)]
    pub compression: Compression,
    #[doc(hidden)]
    pub statistics: EnabledStatistics,
    #[doc(hidden)]
    pub bloom_filter: Option<BloomFilterProperties>,
    #[doc(hidden)]
    pub columns: BTreeMap<String, ColumnOptions>,
    #[doc(hidden)]
    pub goal: Goal,
    #[doc(hidden)]
    pub readers: Readers,
    #[doc(hidden)]
    pub version: DataPageVersion,
    #[doc(hidden)]
    pub page_rows: Option<usize>,
    #[doc(hidden)]
    pub page_bytes: Option<usize>,
    #[doc(hidden)]
    pub content_defined_pages: Option<ContentDefinedPages>,
    #[doc(hidden)]
    pub row_group_rows: usize,
    #[doc(hidden)]
    pub row_group_bytes: usize,
    #[doc(hidden)]
    pub dictionary_page_bytes: usize,
    #[doc(hidden)]
    pub page_header_statistics: bool,
    #[doc(hidden)]
    pub page_checksums: bool,
    #[doc(hidden)]
    pub bound_bytes: usize,
    #[doc(hidden)]
    pub total_order: bool,
    #[doc(hidden)]
    pub key_values: Vec<KeyValue>,
    #[doc(hidden)]
    pub sorting_columns: Option<Vec<SortingColumn>>,
    #[doc(hidden)]
    pub backend: Detected,
    #[doc(hidden)]
    pub created_by: String,
    #[doc(hidden)]
    pub threads: NonZero<usize>,
}

impl Default for WriterOptions {
    /// Returns [`Encoding::Auto`] with zstd at level 1, statistics and indexes of every page, pages of up to
    /// 131,072 rows and 1 MiB (if only the size counts, of the best size up to 4 MiB), row groups of
    /// 1,048,576 rows or 512 MiB in memory, and no Bloom filters.
    fn default() -> Self {
        Self {
            encoding: Encoding::Auto,
            encodings: Encodings::default(),
            compression: Compression::ZSTD(ZstdLevel::default()),
            statistics: EnabledStatistics::Page,
            bloom_filter: None,
            columns: BTreeMap::new(),
            goal: Goal::default(),
            readers: Readers::default(),
            version: DataPageVersion::default(),
            page_rows: None,
            page_bytes: None,
            content_defined_pages: None,
            row_group_rows: 1 << 20,
            row_group_bytes: 512 << 20,
            dictionary_page_bytes: DICTIONARY_BYTES,
            page_header_statistics: false,
            page_checksums: false,
            bound_bytes: 64,
            total_order: false,
            key_values: Vec::new(),
            sorting_columns: None,
            backend: Detected::active(),
            created_by: concat!("bytelane-parquet version ", env!("CARGO_PKG_VERSION")).to_owned(),
            threads: NonZero::<usize>::MIN,
        }
    }
}

impl WriterOptions {
    /// Sets the encoding of all columns that have none of their own and whose type supports it. The others
    /// use [`Encoding::Auto`].
    #[must_use]
    pub fn with_encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Sets the encodings that [`Encoding::Auto`] considers.
    ///
    /// ```
    /// use bytelane_parquet::WriterOptions;
    ///
    /// let options = WriterOptions::default()
    ///     .with_encodings("+alp".parse()?)
    ///     .with_readers("arrow-rs".parse()?);
    /// # drop(options);
    /// # Ok::<(), bytelane_parquet::Error>(())
    /// ```
    #[must_use]
    pub fn with_encodings(mut self, encodings: Encodings) -> Self {
        self.encodings = encodings;
        self
    }

    /// Sets the compression of all columns that have none of their own.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets which bounds to write: none, those of each chunk, or those of each page as well.
    #[must_use]
    pub fn with_statistics(mut self, statistics: EnabledStatistics) -> Self {
        self.statistics = statistics;
        self
    }

    /// Sets the Bloom filter of every column that has none of its own. Its size is computed from the counted
    /// distinct values of a row group, and from the share of false positives. The number of values in the
    /// properties is ignored.
    #[must_use]
    pub fn with_bloom_filter(mut self, properties: BloomFilterProperties) -> Self {
        self.bloom_filter = Some(properties);
        self
    }

    /// Sets the options of a column. `path` is the path of a leaf, separated by dots, or of a group, for all
    /// leaves below it. The longest path wins.
    #[must_use]
    pub fn with_column(mut self, path: impl Into<String>, column: ColumnOptions) -> Self {
        self.columns.insert(path.into(), column);
        self
    }

    /// Sets what [`Encoding::Auto`] optimises for.
    #[must_use]
    pub fn with_goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets the programs that will read the file. [`Encoding::Auto`] never chooses an encoding that one of
    /// them cannot read.
    #[must_use]
    pub fn with_readers(mut self, readers: Readers) -> Self {
        self.readers = readers;
        self
    }

    /// Sets the version of the data pages.
    #[must_use]
    pub fn with_data_page_version(mut self, version: DataPageVersion) -> Self {
        self.version = version;
        self
    }

    /// Sets the maximum number of rows of a data page.
    #[must_use]
    pub fn with_page_rows(mut self, rows: usize) -> Self {
        self.page_rows = Some(rows);
        self
    }

    /// Sets the maximum size of the values in a data page, in bytes before compression.
    #[must_use]
    pub fn with_page_bytes(mut self, bytes: usize) -> Self {
        self.page_bytes = Some(bytes);
        self
    }

    /// Lets pages end where the content of the values determines it. A maximum number of rows still applies,
    /// but a maximum number of bytes does not.
    #[must_use]
    pub fn with_content_defined_pages(mut self, pages: ContentDefinedPages) -> Self {
        self.content_defined_pages = Some(pages);
        self
    }

    /// Sets the number of rows of a row group, which the writer keeps in memory.
    #[must_use]
    pub fn with_row_group_rows(mut self, rows: usize) -> Self {
        self.row_group_rows = rows;
        self
    }

    /// Sets the maximum size of the values of a row group in memory, in bytes. A row group has fewer rows if
    /// they would take more. A single row may be larger.
    ///
    /// The writer keeps a row group in memory, plus one encoded column of it per thread.
    #[must_use]
    pub fn with_row_group_bytes(mut self, bytes: usize) -> Self {
        self.row_group_bytes = bytes;
        self
    }

    /// Sets the size limit of a dictionary in bytes, by default 8 MiB. A column that would need a larger one
    /// is written in another encoding: PLAIN, if only a dictionary is wanted.
    #[must_use]
    pub fn with_dictionary_page_bytes(mut self, bytes: usize) -> Self {
        self.dictionary_page_bytes = bytes;
        self
    }

    /// Returns the maximum number of rows, and the maximum size of the values in bytes, of a data page.
    pub(crate) fn page_limits(&self) -> (usize, usize) {
        (
            self.page_rows.unwrap_or(131_072),
            self.page_bytes.unwrap_or(1 << 20),
        )
    }

    /// Returns the maximum rows and bytes of a page, if they were set.
    #[doc(hidden)]
    pub fn given_page_limits(&self) -> (Option<usize>, Option<usize>) {
        (self.page_rows, self.page_bytes)
    }

    /// Returns whether page sizes can be chosen freely.
    #[doc(hidden)]
    pub fn leaves_pages_open(&self) -> bool {
        let is_given = self.page_rows.is_some() || self.page_bytes.is_some();
        !is_given && self.content_defined_pages.is_none()
    }

    /// Sets whether the statistics of a page are repeated in its header, for readers that do not use the
    /// indexes.
    #[must_use]
    pub fn with_page_header_statistics(mut self, write: bool) -> Self {
        self.page_header_statistics = write;
        self
    }

    /// Sets whether page headers have the CRC-32 of their page, so that readers notice damaged pages. Off by
    /// default.
    #[must_use]
    pub fn with_page_checksums(mut self, write: bool) -> Self {
        self.page_checksums = write;
        self
    }

    /// Sets the length in bytes to which bounds of strings are shortened in statistics and indexes: 64 by
    /// default, `usize::MAX` for no limit. Text stays valid UTF-8, and a shortened upper bound is increased.
    #[must_use]
    pub fn with_bound_bytes(mut self, bytes: usize) -> Self {
        self.bound_bytes = bytes;
        self
    }

    /// Sets whether bounds of floats have the IEEE 754 total order, and whether the footer says so. Bounds
    /// then tell -0.0 from +0.0, and pages and row groups in which all numbers are NaN have bounds, too. The
    /// format recommends this order since 2026, but readers that do not know it ignore the bounds. Off by
    /// default.
    #[must_use]
    pub fn with_total_order(mut self, total: bool) -> Self {
        self.total_order = total;
        self
    }

    /// Adds a key-value pair to the footer, in addition to the Arrow schema.
    #[must_use]
    pub fn with_key_value(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.key_values
            .push(KeyValue::new(key.into(), Some(value.into())));
        self
    }

    /// Declares the columns by which the rows are sorted. The writer does not check this.
    #[must_use]
    pub fn with_sorting_columns(mut self, columns: Vec<SortingColumn>) -> Self {
        self.sorting_columns = Some(columns);
        self
    }

    /// Sets the instruction set of the kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Detected) -> Self {
        self.backend = backend;
        self
    }

    /// Sets the name of the writer in the footer.
    #[must_use]
    pub fn with_created_by(mut self, name: impl Into<String>) -> Self {
        self.created_by = name.into();
        self
    }

    /// Sets the number of threads that encode the columns of a row group at the same time. The default is
    /// one, the caller's thread. The file does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = threads;
        self
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
        self.own(&path.into(), |column| column.statistics)
            .unwrap_or(self.statistics)
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
            ("rows of a row group", self.row_group_rows),
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
