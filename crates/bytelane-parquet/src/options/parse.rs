//! Parses the texts of options.

use super::names::{compression_name, parse_compression};
use parquet::basic::Compression;
use parquet::file::metadata::SortingColumn;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// Parses a number of bytes, which may have a unit: `4GiB`.
///
/// # Errors
///
/// Returns what is wrong with the text.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        "t" | "tib" => 40,
        unit => {
            return Err(format!(
                "{unit:?} is none of the units B, KiB, MiB, GiB and TiB"
            ));
        }
    };
    let number: u64 = digits
        .trim_end()
        .parse()
        .map_err(|_| "give a number of bytes, as in 500MiB or 4GiB".to_owned())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "it is larger than any memory".to_owned())
}

/// Deserializes a number of bytes, or a text such as `512MiB`.
pub fn deserialize_size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "invalid type: expected a number of bytes, or a text such as \"512MiB\""
    )]
    enum Size {
        Bytes(u64),
        Text(String),
    }
    match Option::deserialize(from)? {
        None => Ok(None),
        Some(Size::Bytes(bytes)) => Ok(Some(bytes)),
        Some(Size::Text(text)) => parse_size(&text).map(Some).map_err(de::Error::custom),
    }
}

/// Does the same for an option with a default value.
pub fn deserialize_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let size = deserialize_size(from)?;
    size.ok_or_else(|| de::Error::custom("give a number of bytes, as in 500MiB or 4GiB"))
}

/// Deserializes the name of a value, in lower or upper case, as in pyarrow.
pub fn deserialize_name<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let name = String::deserialize(from)?;
    name.to_ascii_lowercase().parse().map_err(de::Error::custom)
}

/// Does the same for an option without a default value.
pub fn deserialize_given_name<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    deserialize_name(from).map(Some)
}

/// Deserializes the name of a compression, in lower or upper case, as in pyarrow.
pub fn deserialize_compression<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Compression>, D::Error> {
    let name = Option::<String>::deserialize(from)?;
    let compression = name.map(|name| parse_compression(&name.to_ascii_lowercase()));
    compression.transpose().map_err(de::Error::custom)
}

/// Serializes a compression as the name that [`deserialize_compression`] reads.
pub fn serialize_compression<S: Serializer>(
    compression: &Option<Compression>,
    to: S,
) -> Result<S::Ok, S::Error> {
    compression.map(compression_name).serialize(to)
}

/// Does the same for an option with a default value.
pub fn deserialize_given_compression<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Compression, D::Error> {
    let name = String::deserialize(from)?;
    parse_compression(&name.to_ascii_lowercase()).map_err(de::Error::custom)
}

/// Deserializes columns by which rows are sorted: indexes of leaves, whether they are descending, and whether nulls come first.
pub fn deserialize_sorting_columns<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Vec<SortingColumn>>, D::Error> {
    let columns = Vec::<(i32, bool, bool)>::deserialize(from)?;
    let columns = columns
        .into_iter()
        .map(|(column_idx, descending, nulls_first)| SortingColumn {
            column_idx,
            descending,
            nulls_first,
        });
    let columns: Vec<SortingColumn> = columns.collect();
    Ok((!columns.is_empty()).then_some(columns))
}

/// Deserializes the names of compressions, separated by commas or in a list.
pub fn deserialize_compressions<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<Compression>, D::Error> {
    let names = Names::deserialize(from)?.text().to_ascii_lowercase();
    let compressions = names.split(',').map(|name| parse_compression(name.trim()));
    compressions
        .collect::<Result<_, _>>()
        .map_err(de::Error::custom)
}

/// Deserializes the names of an option's values, in lower or upper case, by the paths of columns.
pub fn deserialize_by_path<'de, D, T>(from: D) -> Result<Vec<(String, T)>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let names = BTreeMap::<String, String>::deserialize(from)?;
    let values = names.into_iter().map(|(path, name)| {
        let value = name.to_ascii_lowercase().parse();
        value.map(|value| (path, value)).map_err(de::Error::custom)
    });
    values.collect()
}

/// Deserializes the names of compressions, by the paths of columns.
pub fn deserialize_compression_by_path<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<(String, Compression)>, D::Error> {
    let names = BTreeMap::<String, String>::deserialize(from)?;
    let values = names.into_iter().map(|(path, name)| {
        let compression = parse_compression(&name.to_ascii_lowercase());
        compression.map(|it| (path, it)).map_err(de::Error::custom)
    });
    values.collect()
}

/// Names separated by commas, or a list of them.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "invalid type: expected a text with names, separated by commas, or a list of names"
)]
pub enum Names {
    Text(String),
    List(Vec<String>),
}

impl Names {
    pub fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::List(names) => names.join(","),
        }
    }
}
