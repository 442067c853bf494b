//! Options that change columns, and what they do to a schema.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, StringArray, StructArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use bytelane_parquet::format::{FieldRepetitionType, SchemaElement};
use bytelane_parquet::types::fields::type_in_utc;
use bytelane_parquet::types::named::type_of;
use bytelane_parquet::{Error, Problem, Result};
use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

/// New column with one value in all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct AddedColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// The value as text; `None` for null.
    pub value: Option<String>,
}

impl AddedColumn {
    /// Returns the value as an array of length 1.
    pub(crate) fn array(&self) -> Result<ArrayRef> {
        let Some(value) = &self.value else {
            return Ok(new_null_array(&self.data_type, 1));
        };
        let text = StringArray::from(vec![value.as_str()]);
        let strict = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        // The offsets of named zones are not known: a time is given in UTC, or with its offset.
        let value_in_utc = cast_with_options(&text, &type_in_utc(&self.data_type), &strict);
        let array = value_in_utc.and_then(|it| cast_with_options(&it, &self.data_type, &strict));
        array.map_err(|_| {
            let (name, data_type) = (&self.name, &self.data_type);
            option(format!(
                "the value {value:?} of the new column {name} is no {data_type}"
            ))
        })
    }
}

/// Parses `NAME TYPE [= VALUE]`; names with spaces are in double quotes, and texts may be in single ones.
impl FromStr for AddedColumn {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            option(format!(
                "give NAME TYPE [= VALUE], as in \"country string = 'DE'\", instead of {text:?}"
            ))
        };
        let text = text.trim();
        let (name, rest) = match text.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(wrong)?,
            None => text.split_once(char::is_whitespace).ok_or_else(wrong)?,
        };
        // A type may have an equals sign between brackets.
        let mut depth = 0;
        let mut characters = rest.char_indices();
        let equals = characters.find(|(_, it)| {
            depth += i32::from(matches!(it, '[' | '(')) - i32::from(matches!(it, ']' | ')'));
            *it == '=' && depth == 0
        });
        let equals = equals.map(|(at, _)| at);
        let (data_type, value) = match equals {
            None => (rest, None),
            Some(at) => (&rest[..at], Some(rest[at + 1..].trim())),
        };
        let value = value.filter(|value| !value.eq_ignore_ascii_case("null"));
        let value = value.map(|value| {
            let quoted = value
                .strip_prefix('\'')
                .and_then(|it| it.strip_suffix('\''));
            quoted.map_or_else(|| value.to_owned(), |text| text.replace("''", "'"))
        });
        let added = Self {
            name: name.to_owned(),
            data_type: type_of(data_type)?,
            value,
        };
        added.array()?;
        Ok(added)
    }
}

/// New type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Promotion {
    /// A type that holds all values of the old one.
    Type(DataType),
    /// The same type; rows may be null.
    Optional,
}

impl FromStr for Promotion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            text if text.eq_ignore_ascii_case("optional") => Ok(Self::Optional),
            text => type_of(text).map(Self::Type),
        }
    }
}

fn option(problem: String) -> Error {
    Error::new(Problem::Option(problem))
}

/// Returns the names of an option, each of which must be there once.
pub(crate) fn names<'a>(names: &'a [String], what: &str) -> Result<HashSet<&'a str>> {
    let mut all = HashSet::new();
    match names.iter().find(|name| !all.insert(name.as_str())) {
        None => Ok(all),
        Some(twice) => Err(option(format!("{what} names the column {twice} twice"))),
    }
}

/// Renames elements of a schema, by their paths. All groups on a path are structs. Adds the former names to `found`.
pub(crate) fn renamed_schema(
    schema: &[SchemaElement],
    names: &[(String, String)],
    found: &mut HashSet<String>,
) -> Vec<SchemaElement> {
    let mut renamed = schema.to_vec();
    let paths = paths(schema);
    for (old, new) in names {
        if let Some(at) = paths.iter().position(|path| path.as_deref() == Some(old)) {
            renamed[at].name = new.clone().into();
            found.insert(old.clone());
        }
    }
    renamed
}

/// Returns the path of each element of a schema, if all groups on it are structs.
fn paths(schema: &[SchemaElement]) -> Vec<Option<String>> {
    /// Group with the number of its children that are still to come.
    struct Open {
        path: Option<String>,
        left: i32,
    }
    let mut open: Vec<Open> = Vec::new();
    let mut paths = Vec::new();
    for element in schema {
        while open.last().is_some_and(|group| group.left <= 0) {
            open.pop();
        }
        let name = String::from_utf8_lossy(&element.name);
        let path = match open.last_mut() {
            None => None,
            Some(group) => {
                group.left -= 1;
                group.path.as_ref().map(|parent| match &parent[..] {
                    "" => name.clone().into_owned(),
                    parent => format!("{parent}.{name}"),
                })
            }
        };
        let is_root = paths.is_empty();
        let is_struct = element.repetition_type != Some(FieldRepetitionType::Repeated)
            && element.logical_type.is_none()
            && element.converted_type.is_none();
        open.push(Open {
            path: match &path {
                _ if is_root => Some(String::new()),
                Some(path) if is_struct => Some(path.clone()),
                _ => None,
            },
            left: element.num_children.unwrap_or(0),
        });
        paths.push(path);
    }
    paths
}

/// Renames fields, by the same paths.
pub(crate) fn renamed_fields(fields: &[FieldRef], names: &[(String, String)]) -> Vec<FieldRef> {
    let renamed = fields.iter().map(|field| renamed_field(field, "", names));
    renamed.collect()
}

fn renamed_field(field: &FieldRef, parent: &str, names: &[(String, String)]) -> FieldRef {
    let path = match parent {
        "" => field.name().clone(),
        parent => format!("{parent}.{}", field.name()),
    };
    let new = names.iter().find(|(old, _)| *old == path);
    let new = new.map_or(field.name(), |(_, new)| new);
    let data_type = match field.data_type() {
        DataType::Struct(members) => {
            let members = members.iter().map(|it| renamed_field(it, &path, names));
            DataType::Struct(members.collect::<Fields>())
        }
        other => other.clone(),
    };
    Arc::new(Field::clone(field).with_name(new).with_data_type(data_type))
}

/// Renames the members of the structs of a column, whose former name is given.
pub(crate) fn renamed_array(
    array: &ArrayRef,
    path: &str,
    names: &[(String, String)],
) -> Result<ArrayRef> {
    let (Some(array), false) = (array.as_struct_opt(), names.is_empty()) else {
        return Ok(Arc::clone(array));
    };
    let (fields, columns, nulls) = array.clone().into_parts();
    let members = fields.iter().zip(&columns);
    let members = members.map(|(field, column)| {
        let member = format!("{path}.{}", field.name());
        let column = renamed_array(column, &member, names)?;
        let field = renamed_field(field, path, names);
        Ok((field, column))
    });
    let (fields, columns) = members.collect::<Result<(Vec<FieldRef>, Vec<ArrayRef>)>>()?;
    let renamed = StructArray::try_new(fields.into(), columns, nulls)?;
    Ok(Arc::new(renamed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::TimeUnit;

    #[test]
    fn columns_are_added_by_their_words() {
        let added: AddedColumn = "\"my day\" timestamp[us, tz=UTC] = '2026-01-02T03:04:05Z'"
            .parse()
            .unwrap();
        assert_eq!(added.name, "my day");
        let zoned = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        assert_eq!(added.data_type, zoned);
        assert_eq!(added.array().unwrap().null_count(), 0);
        let text: AddedColumn = "c string='it''s = 1'".parse().unwrap();
        assert_eq!(text.value.as_deref(), Some("it's = 1"));
        let null: AddedColumn = "d decimal128(10, 2)".parse().unwrap();
        assert_eq!(null.array().unwrap().null_count(), 1);
        let null: AddedColumn = "d INT64 = NULL".parse().unwrap();
        assert_eq!(null.value, None);
        for wrong in ["d", "d int64 = x", "d strung", "\"d int64", ""] {
            assert!(wrong.parse::<AddedColumn>().is_err(), "{wrong}");
        }
    }
}
