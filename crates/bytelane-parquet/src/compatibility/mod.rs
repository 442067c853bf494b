//! Knows which program reads which encoding of which type, and since when.
//!
//! Every program reads PLAIN and dictionaries of every type that it supports. [`PROGRAMS`] is the one table
//! for all other encodings.

mod programs;
mod version;

pub use programs::{PROGRAMS, Program, Support, ValueType};
pub use version::Version;

use crate::options::parse::Names;
use crate::{Encoding, Error, Problem, Result};
use std::fmt;
use std::str::FromStr;

/// Program, with its oldest version in use.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// Program that must be able to read the file.
    pub program: &'static Program,
    /// Oldest version that must be able to read the file.
    pub oldest: Version,
}

impl Requirement {
    /// Returns whether all versions in use read such a column.
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
        if self.oldest == self.program.newest {
            Ok(())
        } else {
            write!(f, ">={}", self.oldest)
        }
    }
}

/// Programs that will read a file. [`Encoding::Auto`] never chooses an encoding that one of them cannot read.
///
/// ```
/// use bytelane_parquet::compatibility::{Readers, ValueType};
/// use bytelane_parquet::Encoding;
///
/// let readers: Readers = "pyarrow,duckdb>=1.2".parse()?;
/// assert!(readers.read(Encoding::ByteStreamSplit, ValueType::Double));
/// let obstacle = readers.obstacle(Encoding::ByteStreamSplit, ValueType::Int32);
/// assert_eq!(obstacle.unwrap().to_string(), "duckdb>=1.2");
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Names", into = "String")]
pub struct Readers(Vec<Requirement>);

/// Name for no requirement at all.
const ANY: &str = "any";

impl Readers {
    /// Requires nothing: everything that the format defines is allowed.
    #[must_use]
    pub const fn any() -> Self {
        Self(Vec::new())
    }

    /// Returns the first of the programs that cannot read such a column, if there is one.
    #[must_use]
    pub fn obstacle(&self, encoding: Encoding, values: ValueType) -> Option<&Requirement> {
        let mut requirements = self.0.iter();
        requirements.find(|requirement| !requirement.reads(encoding, values))
    }

    /// Returns the first of the programs that cannot read strings that are dictionaries in Arrow (pandas'
    /// categories). For these, pyarrow, up to at least 26.0.1, and Polars, up to at least 2.1.0, only read PLAIN and
    /// dictionaries.
    #[must_use]
    pub fn obstacle_to_dictionary(&self, encoding: Encoding) -> Option<&Requirement> {
        match encoding {
            Encoding::Plain | Encoding::Dictionary => self.obstacle(encoding, ValueType::Bytes),
            _ => self.obstacle_to_nested_dictionaries(encoding),
        }
    }

    /// Returns the first of the programs that cannot read such strings in lists, maps and structs of several
    /// row groups. pyarrow, up to at least 26.0.1, cannot join dictionaries there.
    #[must_use]
    pub fn obstacle_to_nested_dictionaries(&self, encoding: Encoding) -> Option<&Requirement> {
        let fails: &[&str] = match encoding {
            Encoding::Plain => &[],
            Encoding::Dictionary => &["pyarrow"],
            _ => &["pyarrow", "polars"],
        };
        let mut requirements = self.0.iter();
        let found = requirements.find(|requirement| fails.contains(&requirement.program.name));
        found.or_else(|| self.obstacle(encoding, ValueType::Bytes))
    }

    /// Returns whether a page of dictionary indices may follow a page of values in a column chunk. Spark's vectorised reader, from 4.0.1, if not
    /// before, to at least 4.3.0, then returns wrong values without an error: its batch gets the dictionary for all of its rows. As any
    /// file may be read by Spark one day, this is only allowed if nothing is required.
    #[must_use]
    pub fn allow_late_indices(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether Spark is one of the programs.
    #[must_use]
    pub fn include_spark(&self) -> bool {
        self.0.iter().any(|it| it.program.name == "spark")
    }

    /// Returns whether all of them read such a column.
    #[must_use]
    pub fn read(&self, encoding: Encoding, values: ValueType) -> bool {
        self.obstacle(encoding, values).is_none()
    }

    /// Returns the programs, in the order in which they were given.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.0
    }
}

impl Default for Readers {
    /// Returns the newest pyarrow, duckdb and polars.
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
    /// Writes the syntax that [`FromStr`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.pad(ANY);
        }
        let texts: Vec<String> = self.0.iter().map(Requirement::to_string).collect();
        f.pad(&texts.join(","))
    }
}

impl From<Readers> for String {
    fn from(readers: Readers) -> Self {
        readers.to_string()
    }
}

impl TryFrom<Names> for Readers {
    type Error = Error;

    fn try_from(names: Names) -> Result<Self> {
        names.text().parse()
    }
}

impl FromStr for Readers {
    type Err = Error;

    /// Parses `pyarrow>=14,duckdb,spark`. A name alone means the newest version that the table knows; `any`
    /// means no requirement.
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
            "unknown reader {name:?}; known: {names}, each optionally with a version (pyarrow>=14), or \
             {ANY} alone"
        ))
        .into());
    };
    let oldest = oldest.unwrap_or(program.newest);
    Ok(Requirement { program, oldest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Encoding::ByteStreamSplit;
    use ValueType::{Double, Int64};

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
    fn pyarrow_and_polars_read_few_encodings_into_dictionaries() {
        let all = Readers::default();
        let obstacle = all.obstacle_to_dictionary(Encoding::DeltaByteArray);
        assert_eq!(obstacle.unwrap().program.name, "pyarrow");
        assert_eq!(all.obstacle_to_dictionary(Encoding::Plain), None);
        assert_eq!(all.obstacle_to_dictionary(Encoding::Dictionary), None);
        assert_eq!(all.obstacle_to_nested_dictionaries(Encoding::Plain), None);
        let obstacle = all.obstacle_to_nested_dictionaries(Encoding::Dictionary);
        assert_eq!(obstacle.unwrap().program.name, "pyarrow");
        let others: Readers = "duckdb,polars".parse().unwrap();
        assert_eq!(
            others.obstacle_to_nested_dictionaries(Encoding::Dictionary),
            None
        );
        let obstacle = others.obstacle_to_dictionary(Encoding::DeltaByteArray);
        assert_eq!(obstacle.unwrap().program.name, "polars");
    }

    #[test]
    fn spark_misreads_indices_after_values() {
        assert!(!Readers::default().allow_late_indices());
        assert!(Readers::any().allow_late_indices());
        assert!(!Readers::default().include_spark());
        let readers: Readers = "pyarrow,spark".parse().unwrap();
        assert!(readers.include_spark() && !readers.allow_late_indices());
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
}
