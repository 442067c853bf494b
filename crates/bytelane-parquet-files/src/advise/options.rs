//! Defines the options of advice.

use bytelane::Detected;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::compatibility::Readers;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags;
use bytelane_parquet::options::{
    deserialize_compression, deserialize_compressions, deserialize_name, deserialize_size,
};
use bytelane_parquet::{Encodings, Goal};
use derive_setters::Setters;
use parquet::basic::Compression;
use serde::Deserialize;
use std::num::NonZero;

/// Default number of rows of a column to look at.
const ROWS: usize = 1 << 20;

/// Options for [`advise`](super::advise): goal and sampling.
///
/// All stable encodings are tried, and [previews](bytelane_parquet::Encoding::is_preview) only if they are among the encodings to choose from. The rows of
/// a column come from row groups spread over the file, at least four if there are that many. Only the measured speeds depend on the number of
/// threads.
///
/// By default, the rows of a row group may take 128 MiB and 1024 times the size of the column chunk; a column that takes more is not judged.
/// Pages and rows are limited as in [`RewriteOptions`](crate::rewrite::RewriteOptions).
///
/// ```
/// use bytelane_parquet::Goal;
/// use bytelane_parquet_files::advise::AdviseOptions;
///
/// let options = AdviseOptions::default().with_goal(Goal::Size).with_exact(true);
/// ```
#[derive(Clone, PartialEq, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct AdviseOptions {
    /// Goal to optimise for
    #[serde(deserialize_with = "deserialize_name")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "GOAL", default_value_t, value_parser = flags::names(Goal::ALL, Goal::name)))]
    pub goal: Goal,
    /// Programs that must be able to read the files, optionally with the oldest version in use; any: no restriction
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME[>=VERSION],..", default_value_t)
    )]
    pub readers: Readers,
    /// Encodings to choose from: names, or +alp to add a preview to the usual ones, which --readers must all know
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME,.."))]
    pub encodings: Option<Encodings>,
    /// The compression to assume: none, snappy, lz4_raw, zstd:LEVEL, gzip:LEVEL, brotli:LEVEL. By default, columns of
    /// Parquet files keep theirs, and other files get zstd:1
    #[serde(deserialize_with = "deserialize_compression")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODEC[:LEVEL]", value_parser = bytelane_parquet::parse_compression))]
    pub compression: Option<Compression>,
    /// Further compressions to try, for comparison
    #[serde(deserialize_with = "deserialize_compressions")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODEC[:LEVEL],..", value_delimiter = ',', value_parser = bytelane_parquet::parse_compression))]
    pub compare: Vec<Compression>,
    /// Rows of each column to look at, in row groups spread over the file, of which parts are encoded
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = ROWS, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..)))]
    pub rows: usize,
    /// Threads that work at the same time [default: all cores]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub threads: Option<NonZero<usize>>,
    /// Maximum memory for a column of a row group, or for a page, as in 4GiB [default: 128MiB and 1024 times its size in the file]
    #[serde(deserialize_with = "deserialize_size")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size))]
    pub memory_limit: Option<u64>,
    /// Encode all rows with the choice, so that the new sizes are exact
    #[cfg_attr(feature = "clap", arg(long))]
    pub exact: bool,
    /// Instruction set of the kernels.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip = Detected::active()))]
    pub backend: Detected,
}

impl Default for AdviseOptions {
    /// Returns a balanced choice for pyarrow, duckdb and polars. Parquet files keep their compression, others
    /// are assumed to use zstd at level 1. Row groups with a total of one million rows are sampled for each
    /// column.
    fn default() -> Self {
        Self {
            goal: Goal::default(),
            readers: Readers::default(),
            encodings: None,
            compression: None,
            compare: Vec::new(),
            rows: ROWS,
            threads: None,
            memory_limit: None,
            exact: false,
            backend: Detected::active(),
        }
    }
}

impl AdviseOptions {
    /// Returns all compressions to try if `assumed` is the assumed one, without duplicates.
    pub(super) fn all_compressions(&self, assumed: Compression) -> Vec<Compression> {
        let others = self.compare.iter().filter(|other| **other != assumed);
        std::iter::once(assumed).chain(others.copied()).collect()
    }

    /// Returns the number of rows of a column to look at.
    pub(super) fn rows(&self) -> usize {
        self.rows.max(1)
    }

    pub(super) fn memory(&self) -> MemoryLimit {
        MemoryLimit(self.memory_limit)
    }
}
