//! Unites the meanings of two columns, so that one column can hold the values of both.
//!
//! A column means more than its bytes: its Arrow type with keys, order, units, zones, sizes and extensions.
//! [`unite`] is the one place that knows which meanings have a common one; whatever joins files asks it.
//!
//! | column | other column | united | stored values |
//! |---|---|---|---|
//! | any type | the same type | that type | kept |
//! | null | any type | the other type, nullable | nulls are added |
//! | required | optional | optional | kept |
//! | int8, int16, int32 | one of them | the wider one | kept |
//! | uint8, uint16, uint32 | one of them | the wider one | kept |
//! | uint8, uint16 | a wider signed integer of up to 32 bits | the signed one | kept |
//! | any other integers, except uint64 and a signed one | | the narrowest signed type for both, or uint64 | converted |
//! | halffloat, float, double | one of them | the wider one | converted |
//! | decimal | decimal of the same scale | the larger precision | kept if Parquet stores both alike |
//! | date32 | date64 | date64 | kept |
//! | time | time | the finer unit | kept for s and ms, converted otherwise |
//! | timestamp | timestamp of the same zone | the finer unit | kept for s and ms, converted otherwise |
//! | duration | duration | the finer unit | converted |
//! | string, large_string, string_view | one of them | large_string if one is, else string_view | kept |
//! | binary, large_binary, binary_view | one of them | large_binary if one is, else binary_view | kept |
//! | list, large_list, and their views | one of them | the larger one; its values are united | that of the values |
//! | fixed_size_list | fixed_size_list of the same size | its values are united | that of the values |
//! | map | map | keys and values are united | that of keys and values |
//! | struct | struct | members of both, by name; missing ones are null | that of the members |
//! | dictionary | dictionary, both ordered or neither | keys for the indices of both; values are united | that of the values |
//! | dictionary that is not ordered | its value type | the value type | that of the values |
//! | Enum of Polars | Enum of Polars | categories of both, in an order that agrees with both | kept |
//! | extension type | the same name, parameters and storage | that type | kept |
//!
//! Everything else is refused: durations beside integers, zones that differ, decimals of another scale, lists of
//! another size, ordered dictionaries beside others, extension types beside their storage. The entries of ordered
//! dictionaries are not part of the Arrow type; code that joins their values must keep the order: see
//! [`united_order`].

mod convert;
mod order;
mod scalars;
mod words;

pub use convert::convert;
pub use order::united_order;
pub use scalars::wide_enough;
pub use words::words;

use crate::types::extension::usual_metadata;
use crate::types::fields::children;
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef, Fields, Metadata};
pub use order::{ENUM, categories, is_enum};
use order::{keys_for, metadata_of};
use scalars::{is_text, keys, scalar};
use std::fmt;
use std::sync::Arc;

/// Reason why two columns have no common meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Path of the member where they differ, with names separated by dots; empty for the column itself.
    pub member: String,
    /// Type of the column or member, in pyarrow's words.
    pub one: String,
    /// Type of the other one.
    pub other: String,
}

impl fmt::Display for Difference {
    /// Writes both types: `member x: duration[s] and int64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.member.is_empty() {
            write!(f, "member {}: ", self.member)?;
        }
        write!(f, "{} and {}", self.one, self.other)
    }
}

impl std::error::Error for Difference {}

type Result<T> = std::result::Result<T, Difference>;

/// Returns a field that can hold the values of both, with the name of the first one. See the
/// [table of rules](self).
///
/// Metadata that both have with other values, and that is not part of the type, is taken from the first one.
///
/// # Errors
///
/// The difference, if there is no such field.
///
/// ```
/// use bytelane_parquet::arrow_schema::{DataType, Field, TimeUnit};
/// use bytelane_parquet::unite::unite;
///
/// let field = |data_type| Field::new("d", data_type, true);
/// let seconds = field(DataType::Duration(TimeUnit::Second));
/// let millis = field(DataType::Duration(TimeUnit::Millisecond));
/// assert_eq!(unite(&seconds, &millis)?, millis);
/// let difference = unite(&seconds, &field(DataType::Int64)).unwrap_err();
/// assert_eq!(difference.to_string(), "duration[s] and int64");
/// # Ok::<(), bytelane_parquet::unite::Difference>(())
/// ```
pub fn unite(one: &Field, other: &Field) -> Result<Field> {
    let nullable = one.is_nullable() || other.is_nullable();
    let metadata = metadata_of_both(one, other);
    let field = |data_type: DataType, like: &Field| {
        like.clone()
            .with_name(one.name())
            .with_data_type(data_type)
            .with_nullable(nullable)
            .with_metadata(metadata.clone())
    };
    match (one.data_type(), other.data_type()) {
        (DataType::Null, same) => return Ok(field(same.clone(), other).with_nullable(true)),
        (same, DataType::Null) => return Ok(field(same.clone(), one).with_nullable(true)),
        _ => {}
    }
    if extension(one) != extension(other) {
        return Err(difference(one, other));
    }
    if is_enum(one) || is_enum(other) {
        return united_enum(one, other, field);
    }
    let data_type = if extension(one).is_some() {
        storage(one, other)
    } else {
        data_type(one, other)
    };
    data_type.map(|data_type| field(data_type, one))
}

/// Returns whether values of one type are stored in Parquet like those of a type that unites it with others, if the
/// physical types are the same: pages can then be copied. Values are converted otherwise.
///
/// ```
/// use bytelane_parquet::arrow_schema::{DataType, TimeUnit};
/// use bytelane_parquet::unite::is_stored_alike;
///
/// assert!(is_stored_alike(&DataType::Int8, &DataType::Int32));
/// let duration = DataType::Duration;
/// assert!(!is_stored_alike(&duration(TimeUnit::Second), &duration(TimeUnit::Millisecond)));
/// ```
#[must_use]
pub fn is_stored_alike(of: &DataType, united: &DataType) -> bool {
    use DataType::{
        Dictionary, FixedSizeList, LargeList, LargeListView, List, ListView, Map, Null, Struct,
    };
    match (of, united) {
        (same, united) if same == united => true,
        (Null, _) => true,
        (Dictionary(_, values), Dictionary(_, united)) => is_stored_alike(values, united),
        (Dictionary(_, values), united) => is_stored_alike(values, united),
        (
            List(of) | LargeList(of) | ListView(of) | LargeListView(of),
            List(united) | LargeList(united) | ListView(united) | LargeListView(united),
        )
        | (FixedSizeList(of, _), FixedSizeList(united, _)) => {
            is_stored_alike(of.data_type(), united.data_type())
        }
        (Map(of, _), Map(united, _)) => {
            // The names of keys and values have no meaning.
            let (of, united) = (children(of.data_type()), children(united.data_type()));
            let mut pairs = of.iter().zip(&united);
            of.len() == united.len()
                && pairs.all(|(of, united)| is_stored_alike(of.data_type(), united.data_type()))
        }
        (Struct(of), Struct(united)) => {
            // Members that are missing, or in another order, are other columns.
            let mut pairs = of.iter().zip(united);
            of.len() == united.len()
                && pairs.all(|(of, united)| {
                    of.name() == united.name()
                        && is_stored_alike(of.data_type(), united.data_type())
                })
        }
        (of, united) => scalars::is_stored_alike(of, united),
    }
}

/// Returns whether a field is an ordered dictionary.
pub fn is_ordered(field: &Field) -> bool {
    field.dict_is_ordered() == Some(true)
}

fn difference(one: &Field, other: &Field) -> Difference {
    Difference {
        member: String::new(),
        one: words(one),
        other: words(other),
    }
}

impl Difference {
    fn within(mut self, member: &str) -> Self {
        self.member = match &self.member[..] {
            "" => member.to_owned(),
            inner => format!("{member}.{inner}"),
        };
        self
    }
}

/// Returns the extension type of a field, and its parameters.
fn extension(field: &Field) -> Option<(&str, Option<serde_json::Value>, &str)> {
    let name = field.metadata().get(EXTENSION_TYPE_NAME_KEY)?;
    let parameters = field.metadata().get(EXTENSION_TYPE_METADATA_KEY);
    let parameters = parameters.map_or("", String::as_str);
    let usual = usual_metadata(field);
    // The order of keys in JSON has no meaning.
    match serde_json::from_str(usual.as_deref().unwrap_or(parameters)) {
        Ok(parsed) => Some((name, Some(parsed), "")),
        Err(_) => Some((name, None, parameters)),
    }
}

/// Unites the storage of an extension type. What other numbers mean, only the extension type knows.
fn storage(one: &Field, other: &Field) -> Result<DataType> {
    let (storage, other_storage) = (one.data_type(), other.data_type());
    if storage.equals_datatype(other_storage) {
        return Ok(storage.clone());
    }
    match scalar(storage, other_storage) {
        Some(united) if is_text(&united) => Ok(united),
        _ => Err(difference(one, other)),
    }
}

fn metadata_of_both(one: &Field, other: &Field) -> Metadata {
    let mut metadata = other.metadata().clone();
    for (key, value) in one.metadata() {
        metadata.insert(key.clone(), value.clone());
    }
    metadata
}

/// Returns the type of two fields that are not null and have the same extension type.
fn data_type(one: &Field, other: &Field) -> Result<DataType> {
    use DataType::{
        Dictionary, FixedSizeList, LargeList, LargeListView, List, ListView, Map, Struct,
    };
    let refused = || difference(one, other);
    let item = |one: &FieldRef, other: &FieldRef| {
        let united = unite(one, other).map_err(|it| it.within(one.name()))?;
        Ok(Arc::new(united))
    };
    Ok(match (one.data_type(), other.data_type()) {
        (Dictionary(key, values), Dictionary(other_key, other_values)) => {
            let is_same_kind = is_ordered(one) == is_ordered(other);
            let values = scalar(values, other_values).filter(|_| is_same_kind);
            let keys = keys(key, other_key);
            let (keys, values) = keys.zip(values).ok_or_else(refused)?;
            Dictionary(Box::new(keys), Box::new(values))
        }
        (Dictionary(_, values), stored) | (stored, Dictionary(_, values)) => {
            let is_ordered = is_ordered(one) || is_ordered(other);
            let united = scalar(values, stored).filter(|_| !is_ordered);
            united.ok_or_else(refused)?
        }
        (List(own), List(other)) => List(item(own, other)?),
        (ListView(own), ListView(other)) => ListView(item(own, other)?),
        (LargeListView(own), LargeListView(other) | ListView(other))
        | (ListView(own), LargeListView(other)) => LargeListView(item(own, other)?),
        (List(own), ListView(other)) | (ListView(own), List(other)) => List(item(own, other)?),
        (
            LargeList(own),
            LargeList(other) | List(other) | ListView(other) | LargeListView(other),
        )
        | (List(own) | ListView(own) | LargeListView(own), LargeList(other))
        | (List(own), LargeListView(other))
        | (LargeListView(own), List(other)) => LargeList(item(own, other)?),
        (FixedSizeList(own, size), FixedSizeList(other, other_size)) if size == other_size => {
            FixedSizeList(item(own, other)?, *size)
        }
        (Map(own, sorted), Map(other, other_sorted)) => {
            Map(united_entries(own, other)?, *sorted && *other_sorted)
        }
        (Struct(own), Struct(other)) => Struct(members(own, other).ok_or_else(refused)??),
        (one, other) => scalar(one, other).ok_or_else(refused)?,
    })
}

/// Unites the entries of maps. Their names have no meaning.
fn united_entries(one: &FieldRef, other: &FieldRef) -> Result<FieldRef> {
    let (DataType::Struct(own), DataType::Struct(others)) = (one.data_type(), other.data_type())
    else {
        return Err(difference(one, other));
    };
    if own.len() != others.len() {
        return Err(difference(one, other));
    }
    let pairs = own.iter().zip(others);
    let members = pairs.map(|(own, other)| {
        let united = unite(own, other).map_err(|it| it.within(own.name()))?;
        Ok(Arc::new(united))
    });
    let members: Fields = members.collect::<Result<_>>()?;
    let entries = Field::clone(one).with_data_type(DataType::Struct(members));
    Ok(Arc::new(entries))
}

/// Unites the members of structs; `None` if names are ambiguous.
fn members(one: &Fields, other: &Fields) -> Option<Result<Fields>> {
    let is_twice = |fields: &Fields| {
        let mut names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    };
    if one != other && (is_twice(one) || is_twice(other)) {
        return None;
    }
    let optional = |field: &FieldRef| Arc::new(Field::clone(field).with_nullable(true));
    let own = one.iter().enumerate().map(|(at, field)| {
        let twin = match other.get(at).filter(|twin| twin.name() == field.name()) {
            Some(twin) => Some(twin),
            None => other.iter().find(|twin| twin.name() == field.name()),
        };
        match twin {
            Some(twin) => {
                let united = unite(field, twin).map_err(|it| it.within(field.name()))?;
                Ok(Arc::new(united))
            }
            None => Ok(optional(field)),
        }
    });
    let is_new = |field: &&FieldRef| one.iter().all(|own| own.name() != field.name());
    let others = other.iter().filter(is_new);
    let others = others.map(|field| Ok(optional(field)));
    Some(own.chain(others).collect())
}

/// Unites columns of which one is an Enum of Polars.
fn united_enum(
    one: &Field,
    other: &Field,
    field: impl Fn(DataType, &Field) -> Field,
) -> Result<Field> {
    let refused = || difference(one, other);
    let (DataType::Dictionary(_, values), DataType::Dictionary(_, other_values)) =
        (one.data_type(), other.data_type())
    else {
        return Err(refused());
    };
    let both = categories(one).zip(categories(other));
    let both = both.filter(|_| is_ordered(one) == is_ordered(other));
    let (own, others) = both.ok_or_else(refused)?;
    let united = united_order(&own, &others).ok_or_else(refused)?;
    let values = scalar(values, other_values).ok_or_else(refused)?;
    let keys = keys_for(united.len(), one, other);
    let united_field = field(DataType::Dictionary(Box::new(keys), Box::new(values)), one);
    let mut metadata = united_field.metadata().clone();
    for key in united_field
        .metadata()
        .keys()
        .filter(|key| key.starts_with(ENUM))
    {
        metadata.insert(key.clone(), metadata_of(&united));
    }
    Ok(united_field.with_metadata(metadata))
}

#[cfg(test)]
mod tests;
