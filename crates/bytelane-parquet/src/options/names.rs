//! Values of options, and their names in the command.

use super::encoding::Encoding;
use crate::{Error, Problem, Result};
use arrow_schema::DataType;
use parquet::basic::{BrotliLevel, Compression, CompressionCodec, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use std::fmt;
use std::str::FromStr;

/// Returns the value with a name, or an error with the known names.
fn named<T: Copy>(kind: &str, given: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T> {
    let found = all.iter().copied().find(|value| name(*value) == given);
    found.ok_or_else(|| unknown(kind, given, all.iter().copied().map(name)))
}

/// Creates the error for an unknown name, with the known ones.
fn unknown(kind: &str, given: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let names: Vec<&str> = names.collect();
    Error::new(Problem::Option(format!(
        "unknown {kind} {given:?}; known: {}",
        names.join(", ")
    )))
}

impl FromStr for Encoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named("encoding", name, Self::ALL, Self::name)
    }
}

/// Goal of [`Encoding::Auto`].
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Goal {
    /// Smallest file.
    Size,
    /// Shortest time to write, with no column more than 6% larger than it could be.
    Write,
    /// Shortest time to read, with no column more than 6% larger than it could be.
    Read,
    /// Shortest time to write and read, with no column more than 1% larger than it could be.
    #[default]
    Balanced,
}

impl Goal {
    /// All goals, in the order of their declaration.
    pub const ALL: &'static [Goal] = &[Goal::Size, Goal::Write, Goal::Read, Goal::Balanced];

    /// Returns the name that [`FromStr`] reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Goal::Size => "size",
            Goal::Write => "write",
            Goal::Read => "read",
            Goal::Balanced => "balanced",
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Goal {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named("goal", name, Self::ALL, Self::name)
    }
}

/// Version of the data pages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum DataPageVersion {
    /// Levels and values are compressed together; every reader supports it.
    #[default]
    V1,
    /// Only the values are compressed.
    V2,
}

impl DataPageVersion {
    /// Both versions.
    pub const ALL: [Self; 2] = [Self::V1, Self::V2];

    /// Returns the version number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "1",
            Self::V2 => "2",
        }
    }
}

impl FromStr for DataPageVersion {
    type Err = Error;

    /// Parses `1` or, as in pyarrow, `1.0`.
    fn from_str(name: &str) -> Result<Self> {
        let name = name.strip_suffix(".0").unwrap_or(name);
        named("page version", name, &Self::ALL, Self::name)
    }
}

/// Version of the format, which says what logical types there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum FormatVersion {
    /// No unsigned integers of 32 bits, which become signed ones of 64 bits, and no timestamps in nanoseconds.
    V1_0,
    /// No timestamps in nanoseconds, which become microseconds.
    V2_4,
    /// All types.
    #[default]
    V2_6,
}

impl FormatVersion {
    /// All versions, the oldest first.
    pub const ALL: [Self; 3] = [Self::V1_0, Self::V2_4, Self::V2_6];

    /// Returns the version number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V2_4 => "2.4",
            Self::V2_6 => "2.6",
        }
    }
}

impl FromStr for FormatVersion {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named("format version", name, &Self::ALL, Self::name)
    }
}

/// Unit of timestamps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TimestampUnit {
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
}

impl TimestampUnit {
    /// All units.
    pub const ALL: [Self; 2] = [Self::Milliseconds, Self::Microseconds];

    /// Returns the name of the unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
        }
    }
}

impl FromStr for TimestampUnit {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named("unit of timestamps", name, &Self::ALL, Self::name)
    }
}

/// Arrow type of text and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StringType {
    /// `Utf8` and `Binary`: offsets of 32 bits into the bytes of all values.
    String,
    /// `LargeUtf8` and `LargeBinary`: offsets of 64 bits.
    LargeString,
    /// `Utf8View` and `BinaryView`: short values, and references to longer ones.
    StringView,
}

impl StringType {
    /// All types.
    pub const ALL: [Self; 3] = [Self::String, Self::LargeString, Self::StringView];

    /// Returns the name that [`FromStr`] reads. It is pyarrow's name for the type of text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::LargeString => "large_string",
            Self::StringView => "string_view",
        }
    }

    /// Returns the type of text.
    #[must_use]
    pub const fn of_text(self) -> DataType {
        match self {
            Self::String => DataType::Utf8,
            Self::LargeString => DataType::LargeUtf8,
            Self::StringView => DataType::Utf8View,
        }
    }

    /// Returns the type of bytes.
    #[must_use]
    pub const fn of_bytes(self) -> DataType {
        match self {
            Self::String => DataType::Binary,
            Self::LargeString => DataType::LargeBinary,
            Self::StringView => DataType::BinaryView,
        }
    }
}

impl FromStr for StringType {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named("string type", name, &Self::ALL, Self::name)
    }
}

/// Parses a compression in the syntax of the command: `zstd`, `zstd:3`, `gzip:6`, `brotli:5`, `lz4_raw`,
/// `snappy` or `none`. As in pyarrow and Polars, `lz4` is another name of `lz4_raw`, and not the deprecated codec
/// LZ4; `uncompressed` is another name of `none`.
///
/// # Errors
///
/// Returns [`Problem::Option`] for another name, or a level that the codec does not have.
///
/// ```
/// use bytelane_parquet::{compression_name, parse_compression};
///
/// let compression = parse_compression("zstd:3")?;
/// assert_eq!(compression_name(compression), "zstd:3");
/// assert_eq!(compression_name(parse_compression("lz4")?), "lz4_raw");
/// assert!(parse_compression("zstd:99").is_err());
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn parse_compression(text: &str) -> Result<Compression> {
    let (codec, level) = match text.split_once(':') {
        Some((codec, level)) => (codec, Some(level)),
        None => (text, None),
    };
    let level = level
        .map(|level| level.parse::<i32>())
        .transpose()
        .map_err(|_| Problem::Option(format!("the level in {text:?} is not a number")))?;
    let unsigned = |level: i32| {
        u32::try_from(level)
            .map_err(|_| Problem::Option(format!("the level in {text:?} is negative")))
    };
    let beyond = |error: ParquetError| Problem::Option(format!("{text:?}: {error}"));
    Ok(match (codec, level) {
        ("none" | "uncompressed", None) => Compression::UNCOMPRESSED,
        ("snappy", None) => Compression::SNAPPY,
        ("lz4_raw" | "lz4", None) => Compression::LZ4_RAW,
        ("zstd", None) => Compression::ZSTD(ZstdLevel::try_new(1)?),
        ("zstd", Some(level)) => Compression::ZSTD(ZstdLevel::try_new(level).map_err(beyond)?),
        ("gzip", None) => Compression::GZIP(GzipLevel::default()),
        ("gzip", Some(level)) => {
            Compression::GZIP(GzipLevel::try_new(unsigned(level)?).map_err(beyond)?)
        }
        ("brotli", None) => Compression::BROTLI(BrotliLevel::default()),
        ("brotli", Some(level)) => {
            Compression::BROTLI(BrotliLevel::try_new(unsigned(level)?).map_err(beyond)?)
        }
        ("none" | "uncompressed" | "snappy" | "lz4_raw" | "lz4", Some(_)) => {
            return Err(Problem::Option(format!("{codec} does not take a level")).into());
        }
        _ => {
            let names = ["none", "snappy", "lz4_raw", "zstd", "gzip", "brotli"];
            return Err(unknown("compression", codec, names.into_iter()));
        }
    })
}

/// Returns the name that [`parse_compression`] reads as this compression. The deprecated codecs LZ4 and LZO,
/// which it never returns, become `lz4` and `lzo`.
#[must_use]
pub fn compression_name(compression: Compression) -> String {
    match compression {
        Compression::UNCOMPRESSED => "none".to_owned(),
        Compression::SNAPPY => "snappy".to_owned(),
        Compression::GZIP(level) => format!("gzip:{}", level.compression_level()),
        Compression::LZO => "lzo".to_owned(),
        Compression::BROTLI(level) => format!("brotli:{}", level.compression_level()),
        Compression::LZ4 => "lz4".to_owned(),
        Compression::ZSTD(level) => format!("zstd:{}", level.compression_level()),
        Compression::LZ4_RAW => "lz4_raw".to_owned(),
    }
}

/// Returns the name of a codec without its level, which files do not store.
pub fn codec_name(codec: CompressionCodec) -> &'static str {
    match codec {
        CompressionCodec::UNCOMPRESSED => "none",
        CompressionCodec::SNAPPY => "snappy",
        CompressionCodec::GZIP => "gzip",
        CompressionCodec::LZO => "lzo",
        CompressionCodec::BROTLI => "brotli",
        CompressionCodec::LZ4 => "lz4",
        CompressionCodec::ZSTD => "zstd",
        CompressionCodec::LZ4_RAW => "lz4_raw",
    }
}
