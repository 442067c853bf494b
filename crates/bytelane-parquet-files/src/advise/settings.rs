//! Generates settings that make writers use the chosen encodings.

use super::options::AdviseOptions;
use super::outcome::{ColumnAdvice, Settings};
use super::source::Source;
use bytelane_parquet::choice::DICTIONARY_BYTES;
use bytelane_parquet::options;
use bytelane_parquet::{Encoding, Goal, compression_name, parse_compression};
use parquet::basic::Compression;
use std::collections::BTreeSet;
use std::path::Path;

/// Columns with their encodings, by their names in the format.
struct Columns<'a> {
    columns: &'a [ColumnAdvice],
    compression: Compression,
    /// Number of rows of a row group, if the file has several row groups.
    row_group_rows: Option<u64>,
    goal: Goal,
}

/// Number of rows or bytes that no page reaches.
const UNLIMITED: u64 = 1 << 30;
/// Number of rows after which pyarrow begins a new row group by default.
const PYARROW_ROWS: u64 = 1 << 20;
/// Size limit of dictionaries of pyarrow.
const PYARROW_DICTIONARY_BYTES: u64 = 1 << 20;

/// Returns the settings for every known writer, including `rewrite` if there is a file for it.
pub(super) fn of(
    source: &Source,
    columns: &[ColumnAdvice],
    options: &AdviseOptions,
) -> Vec<Settings> {
    let columns = Columns {
        columns,
        compression: compression(columns, options),
        row_group_rows: source.row_group_rows(),
        goal: options.goal,
    };
    let mut all = vec![
        columns.pyarrow(),
        columns.arrow_rs(),
        columns.duckdb(),
        columns.spark(),
        columns.polars(),
    ];
    if let Some(path) = source.rewritable() {
        all.push(columns.rewrite(path, options));
    }
    all
}

/// Returns the compression for the whole file: the requested one, or that of most bytes.
fn compression(columns: &[ColumnAdvice], options: &AdviseOptions) -> Compression {
    let largest = columns.iter().max_by_key(|column| column.bytes_then);
    let own = largest.and_then(|column| parse_compression(&column.compression).ok());
    options
        .compression
        .or(own)
        .unwrap_or(options.compression_or_default())
}

/// Returns the name of an encoding in the format.
fn in_format(encoding: Encoding) -> String {
    encoding.name().to_uppercase()
}

/// Returns the name of a codec in pyarrow and polars. Their names for "no compression" differ.
fn codec_in_python<'a>(codec: &'a str, none: &'a str) -> &'a str {
    match codec {
        "none" => none,
        "lz4_raw" => "lz4",
        other => other,
    }
}

/// Quotes a string for Rust.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// Quotes a string for Python, which escapes control characters differently from Rust.
fn python(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\x{:02x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Quotes a word for a shell. Control characters, which a terminal would interpret, are escaped in the syntax
/// of bash and zsh.
fn word(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/=:,+".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    if !text.contains(char::is_control) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let escaped = text.chars().map(|c| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("$'{}'", escaped.collect::<String>())
}

impl Columns<'_> {
    /// Describes the columns whose preview encodings the writer does not support.
    fn previews(&self, writer: &str) -> Option<String> {
        let columns: Vec<&str> = self
            .with(Encoding::is_preview)
            .map(|column| column.path.as_str())
            .collect();
        (!columns.is_empty()).then(|| {
            format!(
                "{writer} has no setting for ALP, so these columns become PLAIN: {}. Write with {writer}, then use `bytelane \
                 rewrite`.",
                columns.join(", ")
            )
        })
    }

    fn with(&self, wanted: impl Fn(Encoding) -> bool) -> impl Iterator<Item = &ColumnAdvice> {
        self.columns
            .iter()
            .filter(move |column| wanted(column.encoding))
    }

    fn any(&self, wanted: impl Fn(Encoding) -> bool) -> bool {
        self.with(wanted).next().is_some()
    }

    /// Splits the compression into codec and level.
    fn compression(&self) -> (String, Option<String>) {
        let name = compression_name(self.compression);
        match name.split_once(':') {
            Some((codec, level)) => (codec.to_owned(), Some(level.to_owned())),
            None => (name, None),
        }
    }

    /// Returns the compression arguments for Python. Every writer counts these levels the same way.
    fn python_compression(&self, none: &str) -> String {
        let (codec, level) = self.compression();
        let codec = codec_in_python(&codec, none);
        let level = level.map_or(String::new(), |level| {
            format!(", compression_level={level}")
        });
        format!("compression={}{level}", python(codec))
    }

    fn pyarrow(&self) -> Settings {
        let dictionary: Vec<String> = self
            .with(|encoding| encoding == Encoding::Dictionary)
            .map(|column| python(&column.path))
            .collect();
        let dictionary = match dictionary.len() {
            0 => "False".to_owned(),
            all if all == self.columns.len() => "True".to_owned(),
            _ => format!("[{}]", dictionary.join(", ")),
        };
        let named = self.with(|encoding| {
            !matches!(encoding, Encoding::Plain | Encoding::Dictionary) && !encoding.is_preview()
        });
        let encodings: Vec<String> = named
            .map(|column| {
                format!(
                    "{}: {}",
                    python(&column.path),
                    python(&in_format(column.encoding))
                )
            })
            .collect();
        let encodings = if encodings.is_empty() {
            String::new()
        } else {
            format!(",\n    column_encoding={{{}}}", encodings.join(", "))
        };
        let compression = self.pyarrow_compression();
        let mut sizes = String::new();
        if let Some(rows) = self.row_group_rows.filter(|rows| *rows != PYARROW_ROWS) {
            sizes += &format!(",\n    row_group_size={rows}");
        }
        if let Some(bytes) = self.dictionary_limit() {
            sizes += &format!(",\n    dictionary_pagesize_limit={bytes}");
        }
        let pages = self.largest_gain().filter(|_| self.goal == Goal::Size);
        if let Some((rows, bytes)) = pages {
            sizes += &format!(",\n    data_page_size={bytes}, max_rows_per_page={rows}");
        }
        let old_versions = pages
            .map(|_| "Leave out max_rows_per_page where pyarrow is too old to have it.".to_owned());
        let shortcomings: Vec<String> = self
            .previews("pyarrow")
            .into_iter()
            .chain(self.int96())
            .chain(old_versions)
            .collect();
        Settings {
            writer: "pyarrow".into(),
            text: format!(
                "pq.write_table(table, \"out.parquet\", {compression},\n    use_dictionary={dictionary}{encodings}{sizes})"
            ),
            shortcoming: (!shortcomings.is_empty()).then(|| shortcomings.join(" ")),
        }
    }

    /// Returns the compression arguments for pyarrow: one for the whole file, or one per column where they
    /// differ.
    fn pyarrow_compression(&self) -> String {
        let names: BTreeSet<&str> = self.names().collect();
        if names.len() < 2 {
            return self.python_compression("none");
        }
        let (mut codecs, mut levels) = (Vec::new(), Vec::new());
        for column in self.columns {
            let (codec, level) = match column.compression.split_once(':') {
                Some((codec, level)) => (codec, Some(level)),
                None => (column.compression.as_str(), None),
            };
            let path = python(&column.path);
            codecs.push(format!(
                "{path}: {}",
                python(codec_in_python(codec, "none"))
            ));
            levels.extend(level.map(|level| format!("{path}: {level}")));
        }
        let levels = if levels.is_empty() {
            String::new()
        } else {
            format!(",\n    compression_level={{{}}}", levels.join(", "))
        };
        format!("compression={{{}}}{levels}", codecs.join(", "))
    }

    /// Returns the rows and bytes of the new pages of the column that shrinks by most bytes. pyarrow has one
    /// page size for all columns.
    fn largest_gain(&self) -> Option<(u64, u64)> {
        let changed = self.columns.iter().filter(|column| !column.keep);
        let gain = |column: &&ColumnAdvice| column.bytes_now.saturating_sub(column.bytes_then);
        let column = changed.max_by_key(gain)?;
        let (rows, bytes) = column.page_rows.zip(column.page_bytes)?;
        Some((rows.min(UNLIMITED), bytes.min(UNLIMITED)))
    }

    /// Returns the size limit of dictionaries, if a new one may exceed that of pyarrow.
    fn dictionary_limit(&self) -> Option<usize> {
        let (limit, usual) = match self.goal {
            Goal::Size => (DICTIONARY_BYTES, 0),
            _ => (options::DICTIONARY_BYTES, PYARROW_DICTIONARY_BYTES),
        };
        let is_new = |column: &&ColumnAdvice| {
            column.encoding == Encoding::Dictionary && !column.keep && column.bytes_then > usual
        };
        self.columns.iter().any(|it| is_new(&it)).then_some(limit)
    }

    /// Returns the compressions of the columns.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .map(|column| column.compression.as_str())
    }

    /// Describes INT96 columns, which writers turn into INT64 timestamps.
    fn int96(&self) -> Option<String> {
        let columns = self.columns.iter();
        let columns = columns.filter(|column| column.column_type.starts_with("INT96"));
        let columns: Vec<&str> = columns.map(|column| column.path.as_str()).collect();
        (!columns.is_empty()).then(|| {
            format!(
                "pyarrow writes INT64 timestamps in place of INT96, as `bytelane rewrite --convert-int96` does: {}.",
                columns.join(", ")
            )
        })
    }

    fn arrow_rs(&self) -> Settings {
        let compression = match (self.compression(), self.compression) {
            ((_, Some(level)), Compression::ZSTD(_)) => {
                format!("ZSTD(ZstdLevel::try_new({level})?)")
            }
            ((_, Some(level)), Compression::GZIP(_)) => {
                format!("GZIP(GzipLevel::try_new({level})?)")
            }
            ((_, Some(level)), Compression::BROTLI(_)) => {
                format!("BROTLI(BrotliLevel::try_new({level})?)")
            }
            ((codec, _), _) if codec == "none" => "UNCOMPRESSED".to_owned(),
            ((codec, _), _) => codec.to_uppercase(),
        };
        let mut text = format!(
            "WriterProperties::builder()\n    .set_compression(Compression::{compression})\n    .set_dictionary_enabled(false)"
        );
        for column in self.columns {
            let parts: Vec<String> = column
                .path
                .split('.')
                .map(|part| format!("{}.into()", quoted(part)))
                .collect();
            let path = format!("ColumnPath::new(vec![{}])", parts.join(", "));
            text += &match column.encoding {
                Encoding::Plain => continue,
                Encoding::Dictionary => {
                    format!("\n    .set_column_dictionary_enabled({path}, true)")
                }
                other => format!(
                    "\n    .set_column_encoding({path}, Encoding::{})",
                    in_format(other)
                ),
            };
        }
        Settings {
            writer: "arrow-rs".into(),
            text: text + "\n    .build()",
            shortcoming: None,
        }
    }

    /// Returns whether any column uses an encoding that was introduced with version 2 of the format.
    fn wants_version_2(&self) -> bool {
        self.any(|encoding| {
            !matches!(
                encoding,
                Encoding::Plain | Encoding::Dictionary | Encoding::Rle
            )
        })
    }

    fn duckdb(&self) -> Settings {
        let (codec, level) = self.compression();
        let codec = if codec == "none" {
            "uncompressed"
        } else {
            &codec
        };
        let level = match self.compression {
            Compression::ZSTD(_) => level.map_or(String::new(), |level| {
                format!(", COMPRESSION_LEVEL {level}")
            }),
            _ => String::new(),
        };
        let version = if self.wants_version_2() { "V2" } else { "V1" };
        let only_dictionaries =
            !self.wants_version_2() && !self.any(|encoding| encoding == Encoding::Plain);
        Settings {
            writer: "DuckDB".into(),
            text: format!(
                "COPY t TO 'out.parquet' (FORMAT parquet, PARQUET_VERSION {version}, COMPRESSION {codec}{level});"
            ),
            shortcoming: (!only_dictionaries).then(|| {
                "DuckDB has no setting for the encoding of a column. Where a dictionary does not pay off, V1 writes PLAIN, \
                 and V2 writes BYTE_STREAM_SPLIT for floats and DELTA_BINARY_PACKED for integers."
                    .into()
            }),
        }
    }

    fn spark(&self) -> Settings {
        let (codec, level) = self.compression();
        let mut text = format!("df.write.option(\"compression\", {})", python(&codec));
        if let (Compression::ZSTD(_), Some(level)) = (self.compression, level) {
            text +=
                &format!("\n    .option(\"parquet.compression.codec.zstd.level\", \"{level}\")");
        }
        let deltas = self.any(|encoding| {
            !matches!(
                encoding,
                Encoding::Plain | Encoding::Dictionary | Encoding::ByteStreamSplit | Encoding::Alp
            )
        });
        if deltas {
            text += "\n    .option(\"parquet.writer.version\", \"PARQUET_2_0\")";
        }
        for column in self.with(|encoding| encoding != Encoding::Dictionary) {
            let name = python(&format!("parquet.enable.dictionary#{}", column.path));
            text += &format!("\n    .option({name}, \"false\")");
        }
        let split: Vec<&str> = self
            .with(|encoding| encoding == Encoding::ByteStreamSplit)
            .map(|column| column.path.as_str())
            .collect();
        let split = (!split.is_empty()).then(|| {
            format!(
                "Spark has no setting for BYTE_STREAM_SPLIT, so these columns become PLAIN: {}. Write with Spark, then \
                 use `bytelane rewrite`. Spark before 4.3, and every version for unsigned integers, reads the result \
                 only with spark.sql.parquet.enableVectorizedReader=false.",
                split.join(", ")
            )
        });
        let shortcomings: Vec<String> = split.into_iter().chain(self.previews("Spark")).collect();
        Settings {
            writer: "Spark".into(),
            text: text + "\n    .parquet(\"out\")",
            shortcoming: (!shortcomings.is_empty()).then(|| shortcomings.join(" ")),
        }
    }

    fn polars(&self) -> Settings {
        let compression = self.python_compression("uncompressed");
        let native = self.any(|encoding| encoding != Encoding::Dictionary);
        Settings {
            writer: "polars".into(),
            text: format!("df.write_parquet(\"out.parquet\", {compression})"),
            shortcoming: native.then(|| {
                "Polars has no setting for encodings: it writes dictionaries, and PLAIN where they do not pay off. To \
                 choose encodings, write df.to_arrow() with pyarrow as above, or use `bytelane rewrite`."
                    .into()
            }),
        }
    }

    fn rewrite(&self, path: &Path, options: &AdviseOptions) -> Settings {
        let input = word(&path.display().to_string());
        let mut text = format!("bytelane rewrite {input} out.parquet");
        if options.goal != Goal::default() {
            text += &format!(" --goal {}", options.goal);
        }
        if let Some(compression) = options.compression {
            text += &format!(" --compression {}", word(&compression_name(compression)));
        }
        let encodings = options.encodings.as_ref();
        if let Some(encodings) =
            encodings.filter(|it| **it != bytelane_parquet::Encodings::default())
        {
            text += &format!(" --encodings {}", word(&encodings.to_string()));
        }
        if options.readers != bytelane_parquet::compatibility::Readers::default() {
            text += &format!(" --readers {}", word(&options.readers.to_string()));
        }
        Settings {
            writer: "bytelane rewrite".into(),
            text,
            shortcoming: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_python() {
        assert_eq!(python("größe\u{301}"), "\"größe\u{301}\"");
        assert_eq!(python("a\"\\\n\u{9b}"), r#""a\"\\\x0a\x9b""#);
    }

    #[test]
    fn shell_words() {
        assert_eq!(word("a.b=plain"), "a.b=plain");
        assert_eq!(word("it's a file"), r"'it'\''s a file'");
        assert_eq!(word("pyarrow>=14"), "'pyarrow>=14'");
        assert_eq!(word(""), "''");
        assert_eq!(word("it's\n\\a\u{1b}[31m"), r"$'it\'s\u000a\\a\u001b[31m'");
    }
}
