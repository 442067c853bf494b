//! Sets of encodings to choose from.

use super::encoding::Encoding;
use super::parse::Names;
use crate::compatibility::{Readers, Requirement, ValueType};
use crate::{Error, Problem, Result};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Encodings that [`Encoding::Auto`] considers: by default, all but [previews](Encoding::is_preview).
///
/// A column is written in PLAIN if its type supports none of them, or if the readers can read none of them.
///
/// ```
/// use bytelane_parquet::{Encoding, Encodings};
///
/// let more: Encodings = "+alp".parse()?;
/// assert!(more.contains(Encoding::Alp) && more.contains(Encoding::Dictionary));
/// let few: Encodings = "plain,byte_stream_split".parse()?;
/// assert!(!few.contains(Encoding::Dictionary));
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Names", into = "String")]
pub struct Encodings(BTreeSet<Encoding>);

impl Encodings {
    /// Returns a set of these encodings alone. [`Encoding::Auto`] is left out.
    #[must_use]
    pub fn only(encodings: impl IntoIterator<Item = Encoding>) -> Self {
        let encodings = encodings.into_iter();
        Self(encodings.filter(|it| *it != Encoding::Auto).collect())
    }

    /// Adds an encoding.
    #[must_use]
    pub fn with(self, encoding: Encoding) -> Self {
        Self::only(self.0.into_iter().chain([encoding]))
    }

    /// Returns whether the set contains an encoding.
    #[must_use]
    pub fn contains(&self, encoding: Encoding) -> bool {
        self.0.contains(&encoding)
    }

    /// Returns the [previews](Encoding::is_preview) in the set that are never chosen, because for no column
    /// type can all readers read them. Each comes with the first reader that cannot.
    #[must_use]
    pub fn obstacles<'a>(&self, readers: &'a Readers) -> Vec<(Encoding, &'a Requirement)> {
        let obstacle = |encoding: Encoding| {
            let types = ValueType::ALL.iter();
            let mut types = types.filter(|values| encoding.exists_for(values.physical()));
            let first = readers.obstacle(encoding, *types.next()?)?;
            types
                .all(|values| !readers.read(encoding, *values))
                .then_some((encoding, first))
        };
        let previews = self.iter().filter(|encoding| encoding.is_preview());
        previews.filter_map(obstacle).collect()
    }

    /// Iterates over the encodings, in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = Encoding> {
        self.0.iter().copied()
    }
}

impl Default for Encodings {
    fn default() -> Self {
        let all = Encoding::ALL.iter().copied();
        Self::only(all.filter(|encoding| !encoding.is_preview()))
    }
}

/// Prefix of an encoding to add to the default ones.
const MORE: char = '+';

impl fmt::Display for Encodings {
    /// Writes the syntax that [`FromStr`] reads; nothing for the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::default();
        let adds = usual.0.is_subset(&self.0);
        let named = self.iter().filter(|it| !adds || !usual.contains(*it));
        let names = named.map(|encoding| {
            if adds {
                format!("{MORE}{encoding}")
            } else {
                encoding.to_string()
            }
        });
        f.pad(&names.collect::<Vec<_>>().join(","))
    }
}

impl From<Encodings> for String {
    /// Returns a text that [`FromStr`] reads. That of the default has all names.
    fn from(encodings: Encodings) -> Self {
        let names: Vec<&str> = encodings.iter().map(Encoding::name).collect();
        match encodings.to_string() {
            text if text.is_empty() => names.join(","),
            text => text,
        }
    }
}

impl TryFrom<Names> for Encodings {
    type Error = Error;

    fn try_from(names: Names) -> Result<Self> {
        names.text().parse()
    }
}

impl FromStr for Encodings {
    type Err = Error;

    /// Parses `+alp`, which adds to the default encodings, or `plain,dictionary`, for these alone.
    fn from_str(text: &str) -> Result<Self> {
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        let more: Vec<&str> = names
            .iter()
            .filter_map(|it| it.strip_prefix(MORE))
            .collect();
        let parsed = |names: &[&str]| -> Result<Vec<Encoding>> {
            names.iter().map(|name| single(name)).collect()
        };
        if more.is_empty() {
            return Ok(Self::only(parsed(&names)?));
        }
        if more.len() < names.len() {
            let problem = format!(
                "{text:?} mixes encodings with and without {MORE}; give +alp to add to the usual ones, or a list of \
                 names to replace them"
            );
            return Err(Problem::Option(problem).into());
        }
        let usual = Self::default();
        Ok(parsed(&more)?.into_iter().fold(usual, Self::with))
    }
}

/// Parses the name of one encoding.
fn single(name: &str) -> Result<Encoding> {
    match name.parse()? {
        Encoding::Auto => {
            let problem = "auto is the choice between encodings, and cannot be one of them";
            Err(Problem::Option(problem.to_owned()).into())
        }
        encoding => Ok(encoding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_shown_again() {
        for text in ["+alp", "plain,dictionary", "dictionary,alp"] {
            assert_eq!(text.parse::<Encodings>().unwrap().to_string(), text);
        }
        assert_eq!(Encodings::default().to_string(), "");
        let spaced: Encodings = " +alp , +plain".parse().unwrap();
        assert_eq!(spaced, Encodings::default().with(Encoding::Alp));
    }

    #[test]
    fn previews_are_not_usual() {
        let usual = Encodings::default();
        for other in [Encoding::Alp, Encoding::Fsst, Encoding::Auto] {
            assert!(!usual.contains(other), "{other}");
        }
        assert_eq!(usual.iter().count(), Encoding::ALL.len() - 3);
        assert!(usual.with(Encoding::Alp).contains(Encoding::Alp));
    }

    #[test]
    fn previews_need_readers() {
        let encodings = Encodings::default().with(Encoding::Alp);
        let readers = Readers::default();
        let [(Encoding::Alp, reader)] = encodings.obstacles(&readers)[..] else {
            panic!("pyarrow is a usual reader");
        };
        assert_eq!(reader.program.name, "pyarrow");
        assert!(Encodings::default().obstacles(&readers).is_empty());
        for able in ["arrow-rs", "any"] {
            let readers = able.parse().unwrap();
            assert!(encodings.obstacles(&readers).is_empty(), "{able}");
        }
        let old = "arrow-rs>=60".parse().unwrap();
        assert_eq!(encodings.obstacles(&old).len(), 1);
    }

    #[test]
    fn a_wrong_text_says_what_there_is() {
        for wrong in ["", "+", "alp,+plain", "+alp,", "bytes", "+auto", "auto"] {
            let error = wrong.parse::<Encodings>().unwrap_err().to_string();
            assert!(
                error.contains("alp") || error.contains("between"),
                "{error}"
            );
        }
    }
}
