//! Changes of rows and columns that are made while files are copied.

mod columns;
mod kept;
mod rows;
mod scrub;

pub use columns::{AddedColumn, Promotion};
pub(crate) use columns::{names, renamed_array, renamed_fields, renamed_schema};
pub(crate) use kept::KeptRows;
pub(crate) use rows::Deletes;
pub use rows::{DeletedRows, RowNumbers};
pub(crate) use scrub::pairs_with_deleted;

use bytelane_parquet::filter::Predicate;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags;
use derive_setters::Setters;
use rows::deserialize_deleted;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// Changes of the rows and columns of files.
///
/// Rows are deleted first; conditions and other changes name columns as the files have them, except that the order of columns has their
/// new names.
///
/// ```
/// use bytelane_parquet_files::edits::Edits;
///
/// let edits = Edits::default()
///     .with_delete_where("user_id = 17".parse()?)
///     .with_rename([("amount", "price")])
///     .with_drop(["comment"]);
/// assert!(!edits.is_empty());
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Edits {
    /// Delete the rows that satisfy a condition, as in "user_id = 17 and day < date '2026-01-01'"; other rows stay, also where it is null
    #[serde(deserialize_with = "deserialize_text")]
    #[setters(strip_option)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CONDITION"))]
    pub delete_where: Option<Predicate>,
    /// Delete the rows whose numbers in the file, from 0, are in a Roaring bitmap (of 32 or 64 bits, or a deletion vector of Delta or Iceberg), or on the lines of a text; of several files, name the one that it is for
    #[serde(deserialize_with = "deserialize_deleted")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "[INPUT=]FILE"))]
    pub delete_rows: Vec<DeletedRows>,
    /// Rename a column, or a member of a struct, as in price=amount or place.city=town; its values are copied
    #[serde(deserialize_with = "deserialize_pairs")]
    #[setters(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME=NEW", value_delimiter = ',', value_parser = flags::pair::<String>))]
    pub rename: Vec<(String, String)>,
    /// Leave out columns
    #[setters(skip)]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME,..", value_delimiter = ',')
    )]
    pub drop: Vec<String>,
    /// Order of the columns, by their new names; columns that are not named follow
    #[setters(skip)]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME,..", value_delimiter = ',')
    )]
    pub order: Vec<String>,
    /// Add a column with one value in all rows, or null, as in "country string = 'DE'" or "discount decimal128(10, 2)"
    #[serde(deserialize_with = "deserialize_texts")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME TYPE [= VALUE]"))]
    pub add: Vec<AddedColumn>,
    /// Give a column a type that holds all of its values, as in id=int64 or day=timestamp, or make it optional: id=optional
    #[serde(deserialize_with = "deserialize_pairs")]
    #[setters(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME=TYPE", value_parser = flags::pair::<Promotion>))]
    pub promote: Vec<(String, Promotion)>,
    /// Leave no trace of deleted values: encode row groups that lose rows again, with new dictionaries, bounds and Bloom filters; without rows to delete, encode all, for the traces of earlier deletions
    #[cfg_attr(feature = "clap", arg(long))]
    pub scrub: bool,
}

impl Edits {
    /// Sets the new names of columns and members.
    #[must_use]
    pub fn with_rename<S: Into<String>>(mut self, names: impl IntoIterator<Item = (S, S)>) -> Self {
        let names = names.into_iter();
        self.rename = names.map(|(old, new)| (old.into(), new.into())).collect();
        self
    }

    /// Sets the columns to leave out.
    #[must_use]
    pub fn with_drop<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.drop = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the order of the columns.
    #[must_use]
    pub fn with_order<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.order = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the new types of columns.
    #[must_use]
    pub fn with_promote<S: Into<String>>(
        mut self,
        types: impl IntoIterator<Item = (S, Promotion)>,
    ) -> Self {
        let types = types.into_iter();
        self.promote = types.map(|(name, to)| (name.into(), to)).collect();
        self
    }

    /// Returns whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the new name of a column.
    pub(crate) fn new_name<'a>(&'a self, name: &'a str) -> &'a str {
        let renamed = self.rename.iter().find(|(old, _)| old == name);
        renamed.map_or(name, |(_, new)| new)
    }

    /// Returns whether rows are deleted.
    #[must_use]
    pub fn deletes_rows(&self) -> bool {
        self.delete_where.is_some() || !self.delete_rows.is_empty()
    }
}

/// Deserializes a text that is parsed.
fn deserialize_text<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let text = Option::<String>::deserialize(from)?;
    let value = text.map(|text| text.parse());
    value.transpose().map_err(de::Error::custom)
}

/// Deserializes texts that are parsed.
fn deserialize_texts<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let texts = Vec::<String>::deserialize(from)?;
    let values = texts.iter().map(|text| text.parse());
    values.collect::<Result<_, _>>().map_err(de::Error::custom)
}

/// Deserializes values that are parsed from texts, by names.
fn deserialize_pairs<'de, D, T>(from: D) -> Result<Vec<(String, T)>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let texts = BTreeMap::<String, String>::deserialize(from)?.into_iter();
    let values = texts.map(|(name, text)| Ok((name, text.parse()?)));
    let values = values.collect::<Result<_, T::Err>>();
    values.map_err(de::Error::custom)
}
