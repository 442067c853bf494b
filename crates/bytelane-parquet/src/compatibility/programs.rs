//! Table of which program reads which encoding of which type, and since when.

use super::version::{Version, version};
use crate::Encoding;
use parquet::basic::{LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;

/// Types that readers distinguish: the physical types, and half-precision numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ValueType {
    /// BOOLEAN.
    Boolean,
    /// INT32 with any logical type: dates, small decimals.
    Int32,
    /// INT64 with any logical type: timestamps, decimals.
    Int64,
    /// INT96, the obsolete type for timestamps.
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
    /// All types, in the order of their declaration.
    pub const ALL: &'static [ValueType] = &[
        Self::Boolean,
        Self::Int32,
        Self::Int64,
        Self::Int96,
        Self::Float,
        Self::Double,
        Self::Float16,
        Self::Fixed,
        Self::Bytes,
    ];

    /// Returns the name in lower case.
    ///
    /// ```
    /// assert_eq!(bytelane_parquet::compatibility::ValueType::Float16.name(), "float16");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Int96 => "int96",
            Self::Float => "float",
            Self::Double => "double",
            Self::Float16 => "float16",
            Self::Fixed => "fixed",
            Self::Bytes => "bytes",
        }
    }

    /// Returns the physical type; the format has none for half-precision numbers.
    #[must_use]
    pub const fn physical(self) -> Type {
        match self {
            Self::Boolean => Type::BOOLEAN,
            Self::Int32 => Type::INT32,
            Self::Int64 => Type::INT64,
            Self::Int96 => Type::INT96,
            Self::Float => Type::FLOAT,
            Self::Double => Type::DOUBLE,
            Self::Float16 | Self::Fixed => Type::FIXED_LEN_BYTE_ARRAY,
            Self::Bytes => Type::BYTE_ARRAY,
        }
    }

    /// Returns the type of a column's values.
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

/// First version of a program that reads values of some types in an encoding.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    /// Encoding of the values.
    pub encoding: Encoding,
    /// Types of the values.
    pub types: &'static [ValueType],
    /// First version from which on all versions do, or the oldest one that was tried; older ones may work
    /// too.
    pub since: Version,
}

/// Program or library that reads Parquet files.
#[derive(Debug)]
pub struct Program {
    /// Name, in the syntax of [`Readers`](super::Readers).
    pub name: &'static str,
    /// Newest version that the table knows, which a name without a version means.
    pub newest: Version,
    /// Encodings that it reads, apart from PLAIN and dictionaries.
    pub reads: &'static [Support],
    /// Source of this information, and what else a user of the program should know.
    pub source: &'static str,
}

impl Program {
    /// Returns the first version that reads such a column, if any does. For PLAIN and dictionaries, no
    /// version is excluded.
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

use Encoding::{
    Alp, ByteStreamSplit, DeltaBinaryPacked, DeltaByteArray, DeltaLengthByteArray, Rle,
};
use ValueType::{Boolean, Bytes, Double, Fixed, Float, Float16, Int32, Int64};

const FLOATS: &[ValueType] = &[Float, Double];
const INTEGERS: &[ValueType] = &[Int32, Int64];
const FIXED_WIDTH: &[ValueType] = &[Int32, Int64, Float, Double, Float16, Fixed];

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

/// All known programs. To add one, add a row here.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "pyarrow",
        newest: version(26, 0, 1),
        reads: &[
            // 12.0.1 to 15 read floats, but 16.0.0 rejects pages with nulls, as earlier versions did.
            since(ByteStreamSplit, FIXED_WIDTH, 16, 1, 0),
            since(DeltaBinaryPacked, INTEGERS, 10, 0, 0),
            since(DeltaLengthByteArray, &[Bytes], 12, 0, 0),
            since(DeltaByteArray, &[Bytes], 10, 0, 0),
            since(DeltaByteArray, &[Fixed], 14, 0, 0),
            since(DeltaByteArray, &[Float16], 15, 0, 0),
            since(Rle, &[Boolean], 10, 0, 0),
        ],
        source: "tried: 10.0.1, 12.0, 13.0, 14.0.2, 15.0.2, 16.0, 16.1, 17.0, 20.0, 26.0; ALP: 26.0.1 rejects it",
    },
    Program {
        name: "duckdb",
        newest: version(2, 0, 0),
        reads: &[
            since(ByteStreamSplit, FLOATS, 0, 9, 2),
            since(ByteStreamSplit, INTEGERS, 2, 0, 0),
            since(DeltaBinaryPacked, &[Int32], 0, 9, 2),
            // Earlier versions return wrong values where the differences need all 64 bits.
            since(DeltaBinaryPacked, &[Int64], 0, 10, 0),
            since(DeltaLengthByteArray, &[Bytes], 0, 9, 2),
            since(DeltaByteArray, &[Bytes], 0, 9, 2),
            // Earlier versions do not read decimals.
            since(DeltaByteArray, &[Fixed, Float16], 1, 5, 0),
            since(Rle, &[Boolean], 0, 9, 2),
        ],
        source: "tried: 0.9.2, 0.10, 1.0 to 1.5, 2.0; ALP: 2.0.0 rejects it",
    },
    Program {
        name: "polars",
        newest: version(2, 1, 0),
        reads: &[
            since(ByteStreamSplit, &[Int32, Int64, Float, Double], 1, 0, 0),
            since(ByteStreamSplit, &[Float16], 2, 1, 0),
            since(DeltaBinaryPacked, &[Int32], 0, 20, 31),
            // Earlier versions panic where the differences need all 64 bits.
            since(DeltaBinaryPacked, &[Int64], 1, 0, 0),
            since(DeltaLengthByteArray, &[Bytes], 0, 20, 31),
            since(DeltaByteArray, &[Bytes], 0, 20, 31),
            since(Rle, &[Boolean], 0, 20, 31),
        ],
        source: "tried: 0.20.31, 1.0, 1.10, 1.20, 1.31, 1.44, 2.0, 2.1; ALP: 2.1.0 panics",
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
            since(Rle, &[Boolean], 4, 0, 0),
            since(Alp, FLOATS, 60, 1, 0),
        ],
        source: "arrow-rs pull requests 5293 and 6159; DataFusion reads through it; 60.1 tried",
    },
    Program {
        name: "parquet-java",
        newest: version(1, 17, 0),
        reads: &[
            // Earlier versions reject pages with nulls.
            since(ByteStreamSplit, FLOATS, 1, 13, 0),
            since(ByteStreamSplit, &[Int32, Int64, Float16, Fixed], 1, 14, 0),
            since(DeltaBinaryPacked, INTEGERS, 1, 8, 0),
            since(DeltaLengthByteArray, &[Bytes], 1, 8, 0),
            since(DeltaByteArray, &[Bytes, Fixed], 1, 8, 0),
            since(Rle, &[Boolean], 1, 8, 0),
        ],
        source: "tried through Spark, which has no FLOAT16: 1.12, 1.13, 1.15, 1.17; its pull requests 1025 and 1291",
    },
    Program {
        name: "spark",
        newest: version(4, 3, 0),
        reads: &[
            // Integers are not listed because unsigned ones are rejected.
            since(ByteStreamSplit, &[Float, Double, Fixed], 4, 3, 0),
            since(DeltaBinaryPacked, INTEGERS, 3, 3, 0),
            since(DeltaByteArray, &[Bytes, Fixed], 3, 3, 0),
            // See SPARK-37864.
            since(Rle, &[Boolean], 3, 3, 0),
            // 3.5.9 reads it too, but 3.4 and 4.0.0 return wrong values where there are nulls: SPARK-52240.
            since(DeltaLengthByteArray, &[Bytes], 4, 0, 1),
        ],
        source: "tried, its vectorised reader: 3.3.4, 3.4.4, 3.5.9, 4.0.0, 4.0.1, 4.0.5, 4.2.1, 4.3.0; with \
                 spark.sql.parquet.enableVectorizedReader=false it reads what parquet-java reads",
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
    Program {
        name: "arrow-go",
        newest: version(18, 8, 0),
        reads: &[
            since(ByteStreamSplit, &[Int32, Int64, Float, Double], 18, 1, 0),
            // Earlier versions return wrong values where there are nulls and several pages: its issue 1255.
            since(ByteStreamSplit, &[Float16, Fixed], 18, 8, 0),
            since(DeltaBinaryPacked, INTEGERS, 18, 1, 0),
            since(DeltaLengthByteArray, &[Bytes], 18, 1, 0),
            // Earlier versions panic where there are nulls.
            since(DeltaByteArray, &[Bytes], 18, 4, 0),
        ],
        source: "tried: 18.1, 18.2, 18.4, 18.7, 18.8; ALP: 18.8 rejects it",
    },
    Program {
        name: "parquet-go",
        newest: version(0, 32, 0),
        reads: &[
            since(ByteStreamSplit, FLOATS, 0, 23, 0),
            since(ByteStreamSplit, &[Int32, Int64, Float16, Fixed], 0, 30, 0),
            since(DeltaBinaryPacked, INTEGERS, 0, 23, 0),
            since(DeltaLengthByteArray, &[Bytes], 0, 23, 0),
            since(DeltaByteArray, &[Bytes, Fixed, Float16], 0, 23, 0),
        ],
        source: "tried: 0.23, 0.25, 0.27, 0.29 to 0.32; ALP: 0.32 rejects it",
    },
    Program {
        name: "fastparquet",
        newest: version(2026, 9, 0),
        // It reads DELTA_BINARY_PACKED neither with nulls in version 2 pages nor over the whole range of
        // values.
        reads: &[],
        source: "tried: 2026.9; ALP: it rejects it",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_reads_plain_and_dictionaries() {
        for program in PROGRAMS {
            for encoding in [Encoding::Plain, Encoding::Dictionary] {
                assert_eq!(program.reads_since(encoding, Fixed), Some(version(0, 0, 0)));
            }
        }
    }

    #[test]
    fn the_documentation_names_them_all() {
        let page = include_str!("../../../../docs/getting-started/parquet.md");
        for program in PROGRAMS {
            let name = format!("`{}`", program.name);
            assert!(page.contains(&name), "{name} is not there");
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
                let exists = |values: &ValueType| row.encoding.exists_for(values.physical());
                assert!(row.types.iter().all(exists), "{}: {row:?}", program.name);
            }
        }
    }
}
