//! Which program reads which encoding of which type, and since when.
//!
//! Every program reads PLAIN and dictionaries of every type that it knows. For the rest there is
//! [`PROGRAMS`], the one table.

use crate::{Encoding, Error, Problem, Result};
use parquet::basic::{LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;
use std::fmt;
use std::str::FromStr;

/// A version of a program: `26`, `1.2` or `12.0.1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// The first number.
    pub major: u16,
    /// The second number, 0 if there is none.
    pub minor: u16,
    /// The third number, 0 if there is none.
    pub patch: u16,
}

const fn version(major: u16, minor: u16, patch: u16) -> Version {
    Version {
        major,
        minor,
        patch,
    }
}

impl fmt::Display for Version {
    /// Without zeros at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            major,
            minor,
            patch,
        } = self;
        match (minor, patch) {
            (0, 0) => write!(f, "{major}"),
            (_, 0) => write!(f, "{major}.{minor}"),
            _ => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

impl FromStr for Version {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers: Option<Vec<u16>> = text.split('.').map(|part| part.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[major]) => Ok(version(major, 0, 0)),
            Some(&[major, minor]) => Ok(version(major, minor, 0)),
            Some(&[major, minor, patch]) => Ok(version(major, minor, patch)),
            _ => Err(
                Problem::Option(format!("{text:?} is not a version such as 12 or 1.2.3")).into(),
            ),
        }
    }
}

/// The types that readers tell apart: the physical ones, and half-precision numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ValueType {
    /// BOOLEAN.
    Boolean,
    /// INT32, whatever it stands for: dates, small decimals.
    Int32,
    /// INT64, whatever it stands for: timestamps, decimals.
    Int64,
    /// INT96, the timestamps of old.
    Int96,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// FIXED_LEN_BYTE_ARRAY(2) with the logical type FLOAT16.
    Float16,
    /// Any other FIXED_LEN_BYTE_ARRAY: wide decimals, UUIDs.
    Fixed,
    /// BYTE_ARRAY.
    Bytes,
}

impl ValueType {
    /// The type of a column's values.
    #[must_use]
    pub fn of(column: &ColumnDescriptor) -> Self {
        match column.physical_type() {
            Type::BOOLEAN => Self::Boolean,
            Type::INT32 => Self::Int32,
            Type::INT64 => Self::Int64,
            Type::INT96 => Self::Int96,
            Type::FLOAT => Self::Float,
            Type::DOUBLE => Self::Double,
            Type::BYTE_ARRAY => Self::Bytes,
            Type::FIXED_LEN_BYTE_ARRAY => match column.logical_type_ref() {
                Some(LogicalType::Float16) => Self::Float16,
                _ => Self::Fixed,
            },
        }
    }
}

/// Since when a program reads values of some types in an encoding.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    /// The encoding.
    pub encoding: Encoding,
    /// The types.
    pub types: &'static [ValueType],
    /// The first version that does; the oldest one that was tried, where older ones may.
    pub since: Version,
}

/// A program or library that reads Parquet files.
#[derive(Debug)]
pub struct Program {
    /// Its name, as [`Readers`] are given.
    pub name: &'static str,
    /// The newest version that the table knows: what a name without a version means.
    pub newest: Version,
    /// What it reads besides PLAIN and dictionaries.
    pub reads: &'static [Support],
    /// How it was found out, and what else a user of the program should know.
    pub source: &'static str,
}

impl Program {
    /// The first version that reads such a column, if any does. None of the versions is excluded where the
    /// encoding is PLAIN or a dictionary.
    #[must_use]
    pub fn reads_since(&self, encoding: Encoding, values: ValueType) -> Option<Version> {
        if matches!(encoding, Encoding::Plain | Encoding::Dictionary) {
            return Some(version(0, 0, 0));
        }
        let mut rows = self.reads.iter();
        let row = rows.find(|row| row.encoding == encoding && row.types.contains(&values))?;
        Some(row.since)
    }
}

use Encoding::{ByteStreamSplit, DeltaBinaryPacked, DeltaByteArray, DeltaLengthByteArray};
use ValueType::{Bytes, Double, Fixed, Float, Float16, Int32, Int64};

const FLOATS: &[ValueType] = &[Float, Double];
const INTEGERS: &[ValueType] = &[Int32, Int64];

const fn since(
    encoding: Encoding,
    types: &'static [ValueType],
    major: u16,
    minor: u16,
    patch: u16,
) -> Support {
    Support {
        encoding,
        types,
        since: version(major, minor, patch),
    }
}

/// All that are known. A new one is one row here.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "pyarrow",
        newest: version(26, 0, 1),
        reads: &[
            // Up to 12.0.0 it rejects pages with nulls.
            since(ByteStreamSplit, FLOATS, 12, 0, 1),
            since(ByteStreamSplit, &[Int32, Int64, Float16, Fixed], 16, 0, 0),
            since(DeltaBinaryPacked, INTEGERS, 10, 0, 0),
            since(DeltaLengthByteArray, &[Bytes], 12, 0, 0),
            since(DeltaByteArray, &[Bytes], 10, 0, 0),
            since(DeltaByteArray, &[Fixed, Float16], 14, 0, 0),
        ],
        source: "tried: 10.0, 12.0, 14.0, 15.0, 16.1, 17.0, 26.0",
    },
    Program {
        name: "duckdb",
        newest: version(2, 0, 0),
        reads: &[
            since(ByteStreamSplit, FLOATS, 0, 9, 2),
            since(ByteStreamSplit, INTEGERS, 2, 0, 0),
            since(DeltaBinaryPacked, INTEGERS, 0, 9, 2),
            since(DeltaLengthByteArray, &[Bytes], 0, 9, 2),
            since(DeltaByteArray, &[Bytes], 0, 9, 2),
            // Earlier not those that are decimals.
            since(DeltaByteArray, &[Fixed], 2, 0, 0),
        ],
        source: "tried: 0.9.2, 0.10, 1.0, 1.2, 1.5, 2.0",
    },
    Program {
        name: "polars",
        newest: version(2, 1, 0),
        reads: &[
            since(ByteStreamSplit, &[Float, Double, Int32, Int64], 1, 0, 0),
            since(ByteStreamSplit, &[Float16], 2, 1, 0),
            since(DeltaBinaryPacked, INTEGERS, 0, 20, 31),
            since(DeltaLengthByteArray, &[Bytes], 0, 20, 31),
            since(DeltaByteArray, &[Bytes], 0, 20, 31),
        ],
        source: "tried: 0.20.31, 1.0, 1.5, 1.10, 1.20, 1.31, 2.1",
    },
    Program {
        name: "arrow-rs",
        newest: version(60, 1, 0),
        reads: &[
            since(ByteStreamSplit, FLOATS, 51, 0, 0),
            since(ByteStreamSplit, &[Int32, Int64, Float16, Fixed], 53, 0, 0),
            since(DeltaBinaryPacked, INTEGERS, 4, 0, 0),
            since(DeltaLengthByteArray, &[Bytes], 4, 0, 0),
            since(DeltaByteArray, &[Bytes, Fixed, Float16], 4, 0, 0),
        ],
        source: "arrow-rs pull requests 5293 and 6159; DataFusion reads through it; 60.1 tried",
    },
    Program {
        name: "parquet-java",
        newest: version(1, 17, 0),
        reads: &[
            since(ByteStreamSplit, FLOATS, 1, 12, 0),
            since(ByteStreamSplit, &[Int32, Int64, Float16, Fixed], 1, 14, 0),
            since(DeltaBinaryPacked, INTEGERS, 1, 8, 0),
            since(DeltaLengthByteArray, &[Bytes], 1, 8, 0),
            since(DeltaByteArray, &[Bytes, Fixed], 1, 8, 0),
        ],
        source: "parquet-java pull request 1291 and PARQUET-1622; not tried",
    },
    Program {
        name: "spark",
        newest: version(4, 1, 0),
        reads: &[
            since(DeltaBinaryPacked, INTEGERS, 3, 3, 0),
            since(DeltaByteArray, &[Bytes], 3, 3, 0),
            since(DeltaLengthByteArray, &[Bytes], 3, 4, 0),
        ],
        source: "its vectorised reader: SPARK-36879, SPARK-37974, SPARK-40128, and SPARK-56894 for \
                 BYTE_STREAM_SPLIT, which no release has; with spark.sql.parquet.enableVectorizedReader=false \
                 it reads what parquet-java reads; not tried",
    },
    Program {
        name: "trino",
        newest: version(479, 0, 0),
        reads: &[
            since(ByteStreamSplit, FLOATS, 405, 0, 0),
            since(DeltaBinaryPacked, INTEGERS, 405, 0, 0),
            since(DeltaLengthByteArray, &[Bytes], 405, 0, 0),
            since(DeltaByteArray, &[Bytes, Fixed], 405, 0, 0),
        ],
        source: "trino pull request 12809 of June 2022; 405 is half a year younger; not tried",
    },
    Program {
        name: "cudf",
        newest: version(25, 12, 0),
        reads: &[
            since(
                ByteStreamSplit,
                &[Int32, Int64, Float, Double, Fixed],
                24,
                6,
                0,
            ),
            since(DeltaBinaryPacked, INTEGERS, 24, 2, 0),
            since(DeltaLengthByteArray, &[Bytes], 24, 4, 0),
            since(DeltaByteArray, &[Bytes], 24, 4, 0),
        ],
        source: "cudf pull request 15311 and the issue 13501; not tried",
    },
];

/// A program and the oldest version of it that is in use.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// The program.
    pub program: &'static Program,
    /// The oldest version that has to read the file.
    pub oldest: Version,
}

impl Requirement {
    /// Whether all versions in use read such a column.
    #[must_use]
    pub fn reads(&self, encoding: Encoding, values: ValueType) -> bool {
        let since = self.program.reads_since(encoding, values);
        since.is_some_and(|since| since <= self.oldest)
    }
}

impl PartialEq for Requirement {
    fn eq(&self, other: &Self) -> bool {
        (self.program.name, self.oldest) == (other.program.name, other.oldest)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program.name)?;
        match self.oldest == self.program.newest {
            true => Ok(()),
            false => write!(f, ">={}", self.oldest),
        }
    }
}

/// The programs that will read a file: [`Encoding::Auto`] takes nothing that one of them cannot read.
///
/// ```
/// use bytelane_parquet::readers::{Readers, ValueType};
/// use bytelane_parquet::Encoding;
///
/// let readers: Readers = "pyarrow>=14,duckdb".parse()?;
/// assert!(readers.read(Encoding::ByteStreamSplit, ValueType::Double));
/// let obstacle = readers.obstacle(Encoding::ByteStreamSplit, ValueType::Int32);
/// assert_eq!(obstacle.unwrap().to_string(), "pyarrow>=14");
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Readers(Vec<Requirement>);

/// The name for no requirement at all.
const ANY: &str = "any";

impl Readers {
    /// No requirement: everything that the format has.
    #[must_use]
    pub const fn any() -> Self {
        Self(Vec::new())
    }

    /// The first of the programs that does not read such a column, if there is one.
    #[must_use]
    pub fn obstacle(&self, encoding: Encoding, values: ValueType) -> Option<&Requirement> {
        let mut requirements = self.0.iter();
        requirements.find(|requirement| !requirement.reads(encoding, values))
    }

    /// Whether all of them read such a column.
    #[must_use]
    pub fn read(&self, encoding: Encoding, values: ValueType) -> bool {
        self.obstacle(encoding, values).is_none()
    }

    /// The programs, in the order in which they were given.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.0
    }
}

impl Default for Readers {
    /// The newest pyarrow, duckdb and polars.
    fn default() -> Self {
        let wanted = PROGRAMS
            .iter()
            .filter(|program| matches!(program.name, "pyarrow" | "duckdb" | "polars"));
        Self(
            wanted
                .map(|program| Requirement {
                    program,
                    oldest: program.newest,
                })
                .collect(),
        )
    }
}

impl fmt::Display for Readers {
    /// As [`FromStr`] reads them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.pad(ANY);
        }
        let texts: Vec<String> = self.0.iter().map(Requirement::to_string).collect();
        f.pad(&texts.join(","))
    }
}

impl FromStr for Readers {
    type Err = Error;

    /// Reads `pyarrow>=14,duckdb,spark`; a name alone means the newest version that the table knows, `any` that
    /// there is no requirement.
    fn from_str(text: &str) -> Result<Self> {
        if text.trim() == ANY {
            return Ok(Self::any());
        }
        let parts = text.split(',').map(str::trim);
        parts.map(requirement).collect::<Result<_>>().map(Self)
    }
}

fn requirement(text: &str) -> Result<Requirement> {
    let (name, oldest) = match text.split_once(">=") {
        Some((name, oldest)) => (name.trim(), Some(oldest.trim().parse()?)),
        None => (text, None),
    };
    let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else {
        let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        let names = names.join(", ");
        return Err(Problem::Option(format!(
            "there is no reader {name:?}; there are {names}, each with or without a version \
             (pyarrow>=14), or {ANY} alone"
        ))
        .into());
    };
    let oldest = oldest.unwrap_or(program.newest);
    Ok(Requirement { program, oldest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_shown_again() {
        for text in [
            "pyarrow>=14,duckdb",
            "any",
            "polars>=0.20.31",
            "spark,trino",
        ] {
            assert_eq!(text.parse::<Readers>().unwrap().to_string(), text);
        }
        assert_eq!(Readers::default().to_string(), "pyarrow,duckdb,polars");
        let spaced: Readers = " pyarrow >= 14 , duckdb ".parse().unwrap();
        assert_eq!(spaced.to_string(), "pyarrow>=14,duckdb");
    }

    #[test]
    fn a_wrong_text_says_what_there_is() {
        let message = "pandas".parse::<Readers>().unwrap_err().to_string();
        assert!(message.contains("\"pandas\"") && message.contains("pyarrow, duckdb"));
        let message = "pyarrow>=new".parse::<Readers>().unwrap_err().to_string();
        assert!(message.contains("\"new\""), "{message}");
        for wrong in [
            "",
            ",",
            "pyarrow>14",
            "pyarrow>=1.2.3.4",
            "pyarrow>=-1",
            "any,duckdb",
        ] {
            assert!(wrong.parse::<Readers>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let old: Readers = "duckdb>=0.10".parse().unwrap();
        assert!(old.read(ByteStreamSplit, Double));
        assert!(!old.read(ByteStreamSplit, Int64));
        assert!(
            !"duckdb>=0.9.1"
                .parse::<Readers>()
                .unwrap()
                .read(ByteStreamSplit, Double)
        );
        assert!(
            "duckdb>=2"
                .parse::<Readers>()
                .unwrap()
                .read(ByteStreamSplit, Int64)
        );
    }

    #[test]
    fn everyone_reads_plain_and_dictionaries() {
        for program in PROGRAMS {
            for encoding in [Encoding::Plain, Encoding::Dictionary] {
                assert_eq!(program.reads_since(encoding, Fixed), Some(version(0, 0, 0)));
            }
        }
    }

    #[test]
    fn the_table_is_consistent() {
        for (index, program) in PROGRAMS.iter().enumerate() {
            let twin = PROGRAMS[..index]
                .iter()
                .find(|other| other.name == program.name);
            assert!(twin.is_none(), "{} stands there twice", program.name);
            assert!(!program.source.is_empty());
            for (at, row) in program.reads.iter().enumerate() {
                assert!(row.since <= program.newest, "{}: {row:?}", program.name);
                for other in &program.reads[..at] {
                    let both = |one: &ValueType| other.types.contains(one);
                    let double = row.encoding == other.encoding && row.types.iter().any(both);
                    assert!(!double, "{}: {row:?} and {other:?}", program.name);
                }
                let physical = |values: &ValueType| match values {
                    ValueType::Boolean => Type::BOOLEAN,
                    Int32 => Type::INT32,
                    Int64 => Type::INT64,
                    ValueType::Int96 => Type::INT96,
                    Float => Type::FLOAT,
                    Double => Type::DOUBLE,
                    Float16 | Fixed => Type::FIXED_LEN_BYTE_ARRAY,
                    Bytes => Type::BYTE_ARRAY,
                };
                let exists = |values| row.encoding.exists_for(physical(values));
                assert!(row.types.iter().all(exists), "{}: {row:?}", program.name);
            }
        }
    }
}
