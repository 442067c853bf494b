//! Finds columns by their paths: members of structs, and elements of lists.
//!
//! ```text
//! path = name ("." name | "[" number "]" | "[*]" | "['" key "']")*
//! ```
//!
//! As in SQL, the first element of a list has the number 1; -1 is the last one. `[*]` stands for any element. A number is also a
//! key of a map, and so is a text, in which two quotation marks stand for one.

use super::test::Test;
use super::tokens::quoted;
use super::{Comparison, Value};
use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, new_empty_array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrow_select::nullif::nullif;
use arrow_select::take::take;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

/// Column, or a part of the values of one.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Names from the outermost group to the column, or to the outermost list.
    pub(super) names: Vec<String>,
    /// Steps from that list to the values.
    pub(super) steps: Vec<Step>,
    /// Field of the values.
    pub(super) field: FieldRef,
}

/// Step from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Member(String),
    /// Element of a list, counted from 1, or with -1 from the end; or the value of this key of a map.
    Element(i64),
    /// Value of this key of a map.
    Key(String),
    AnyElement,
}

impl fmt::Display for Step {
    /// Writes the step as in a path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => write!(f, ".{name}"),
            Self::Element(number) => write!(f, "[{number}]"),
            Self::Key(key) => write!(f, "['{}']", key.replace('\'', "''")),
            Self::AnyElement => f.write_str("[*]"),
        }
    }
}

impl Step {
    /// Returns the key that it is in a map.
    fn key(&self) -> Option<Value> {
        match self {
            Self::Element(number) => Some(Value::Integer((*number).into())),
            Self::Key(key) => Some(Value::Text(key.clone())),
            Self::Member(_) | Self::AnyElement => None,
        }
    }
}

impl Column {
    /// Finds a column by its path.
    pub(super) fn find(path: &str, fields: &Fields) -> Result<Self> {
        let mut names = Vec::new();
        if let Some(field) = by_names(path, fields, &mut names) {
            let field = FieldRef::clone(field);
            let steps = Vec::new();
            return Ok(Self {
                names,
                steps,
                field,
            });
        }
        let Some((list, steps)) = split(path) else {
            return Err(missing(path, fields));
        };
        let mut field = by_names(list, fields, &mut names).ok_or_else(|| missing(path, fields))?;
        for step in &steps {
            if let DataType::Map(entries, _) = field.data_type()
                && let (Some(key), Some(keys)) = (step.key(), members(entries).first())
            {
                let found = is_key(key, &new_empty_array(keys.data_type()));
                found.map_err(|error| error.in_column(path))?;
            }
            field = inner(field, step).ok_or_else(|| {
                let problem = match step {
                    Step::Member(name) => format!("{} has no member {name}", field.name()),
                    Step::Key(_) => format!("{} is no map, so it has no keys", field.name()),
                    _ => format!("{} is no list, so it has no elements", field.name()),
                };
                Error::new(Problem::Option(problem)).in_column(path)
            })?;
        }
        let field = FieldRef::clone(field);
        Ok(Self {
            names,
            steps,
            field,
        })
    }

    /// Returns the path.
    pub(super) fn path(&self) -> String {
        let mut path = self.names.join(".");
        for step in &self.steps {
            path += &step.to_string();
        }
        path
    }

    /// Returns the values for each row of a batch.
    pub(super) fn values(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        let (mut array, outer) = self.array(batch)?;
        if let Some(outer) = outer {
            array = nullif(&array, &BooleanArray::new(!outer.inner(), None))?;
        }
        for step in &self.steps {
            array = match step {
                Step::Member(name) => member(&array, name)?,
                Step::Element(number) => element(&array, *number)?,
                Step::Key(key) => entry(&array, Value::Text(key.clone()))?,
                Step::AnyElement => {
                    let problem = "`[*]` needs a comparison of the elements with a value";
                    let error = Error::new(Problem::Option(problem.to_owned()));
                    return Err(error.in_column(self.path()));
                }
            };
        }
        Ok(array)
    }

    /// Returns the column of a batch without the steps, and the combined validity of the groups around it.
    pub(super) fn array(&self, batch: &RecordBatch) -> Result<(ArrayRef, Option<NullBuffer>)> {
        let missing = || Error::new(Problem::NoSuchColumn(self.names.join(".")));
        let (first, inner) = self.names.split_first().ok_or_else(missing)?;
        let mut array = batch.column_by_name(first).ok_or_else(missing)?;
        let mut nulls = None;
        for name in inner {
            nulls = NullBuffer::union(nulls.as_ref(), array.nulls());
            let group = array.as_struct_opt().ok_or_else(missing)?;
            array = group.column_by_name(name).ok_or_else(missing)?;
        }
        Ok((ArrayRef::clone(array), nulls))
    }
}

/// Tests the parts of values that steps lead to. A value that is null, or has no such element, is null; with `[*]`, the
/// result is true if it is true for any element, and otherwise false.
pub(super) fn test_parts(
    array: &ArrayRef,
    steps: &[Step],
    test: &dyn Fn(&ArrayRef) -> Result<BooleanArray>,
) -> Result<BooleanArray> {
    match steps.split_first() {
        None => test(array),
        Some((Step::Member(name), rest)) => test_parts(&member(array, name)?, rest, test),
        Some((Step::Element(number), rest)) => test_parts(&element(array, *number)?, rest, test),
        Some((Step::Key(key), rest)) => {
            test_parts(&entry(array, Value::Text(key.clone()))?, rest, test)
        }
        Some((Step::AnyElement, rest)) => {
            let (values, ranges) = elements(array)?;
            let (results, nulls) = test_parts(&values, rest, test)?.into_parts();
            let results = match nulls {
                Some(nulls) => &results & nulls.inner(),
                None => results,
            };
            let any = ranges.map(|range| results.slice(range.start, range.len()).has_true());
            let any: BooleanBuffer = any.collect();
            Ok(BooleanArray::new(any, array.logical_nulls()))
        }
    }
}

/// Returns a member of structs; null where the struct is.
fn member(array: &ArrayRef, name: &str) -> Result<ArrayRef> {
    let group = array.as_struct_opt();
    let values = group.and_then(|group| group.column_by_name(name));
    let values = values.ok_or_else(|| Error::new(Problem::NoSuchColumn(name.to_owned())))?;
    Ok(match array.nulls() {
        Some(nulls) => nullif(values, &BooleanArray::new(!nulls.inner(), None))?,
        None => ArrayRef::clone(values),
    })
}

/// Returns the value of a key of each map; null where there is none.
fn entry(array: &ArrayRef, key: Value) -> Result<ArrayRef> {
    let map = array.as_map();
    let is_key = is_key(key, map.keys())?;
    let offsets = map.value_offsets().windows(2).enumerate();
    let indices = offsets.map(|(row, pair)| {
        let mut keys = pair[0]..pair[1];
        let found = keys.find(|at| usize::try_from(*at).is_ok_and(|at| is_key.value(at)));
        found.filter(|_| array.is_valid(row)).map(i64::from)
    });
    Ok(take(map.values(), &Int64Array::from_iter(indices), None)?)
}

/// Compares the keys of maps, which are not null.
fn is_key(key: Value, keys: &ArrayRef) -> Result<BooleanArray> {
    let keys = match keys.data_type() {
        DataType::Dictionary(_, values) => &cast(keys, values)?,
        _ => keys,
    };
    Test::Compare(Comparison::Equal, key).evaluate(keys)
}

/// Returns an element of each list; null where there is none.
fn element(array: &ArrayRef, number: i64) -> Result<ArrayRef> {
    if matches!(array.data_type(), DataType::Map(..)) {
        return entry(array, Value::Integer(number.into()));
    }
    let (values, ranges) = elements(array)?;
    let indices = ranges.enumerate().map(|(row, range)| {
        if array.is_null(row) {
            return None;
        }
        let (start, end) = (range.start as i64, range.end as i64);
        let index = if number > 0 {
            start.checked_add(number - 1)?
        } else {
            end.checked_add(number)?
        };
        (number != 0 && (start..end).contains(&index)).then_some(index)
    });
    Ok(take(&values, &Int64Array::from_iter(indices), None)?)
}

/// Ranges of the elements of each list.
type Ranges<'a> = Box<dyn Iterator<Item = Range<usize>> + 'a>;

/// Returns the elements of all lists, and the range of those of each.
fn elements(array: &ArrayRef) -> Result<(ArrayRef, Ranges<'_>)> {
    fn ranges<O: Copy + TryInto<usize>>(offsets: &[O]) -> Ranges<'_> {
        let at = |offset: O| offset.try_into().unwrap_or(0);
        Box::new(offsets.windows(2).map(move |pair| at(pair[0])..at(pair[1])))
    }
    Ok(match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (ArrayRef::clone(list.values()), ranges(list.value_offsets()))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (ArrayRef::clone(list.values()), ranges(list.value_offsets()))
        }
        DataType::FixedSizeList(_, length) => {
            let list = array.as_fixed_size_list();
            let length = usize::try_from(*length).unwrap_or(0);
            let ranges = (0..list.len()).map(move |row| row * length..(row + 1) * length);
            (ArrayRef::clone(list.values()), Box::new(ranges))
        }
        other => {
            let problem = format!("elements of the type {other} cannot be compared");
            return Err(Problem::Option(problem).into());
        }
    })
}

/// Splits a path at the first element of a list.
fn split(path: &str) -> Option<(&str, Vec<Step>)> {
    path.match_indices('[')
        .find_map(|(at, _)| Some((&path[..at], steps(&path[at..])?)))
}

/// Returns the part of a path before the first element of a list.
#[must_use]
pub fn list_of(path: &str) -> &str {
    split(path).map_or(path, |(list, _)| list)
}

fn steps(mut rest: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            steps.push(Step::Member(name[..end].to_owned()));
            rest = &name[end..];
        } else if let Some(key) = rest.strip_prefix("[")
            && key.starts_with('\'')
        {
            let (key, length) = quoted(key, '\'')?;
            steps.push(Step::Key(key));
            rest = rest[1 + length..].strip_prefix(']')?;
        } else {
            let (number, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(match number {
                "*" => Step::AnyElement,
                number => Step::Element(number.parse().ok()?),
            });
            rest = after;
        }
    }
    Some(steps)
}

/// Finds a column or a group by its path, and collects the names on the way.
fn by_names<'a>(path: &str, fields: &'a Fields, names: &mut Vec<String>) -> Option<&'a FieldRef> {
    for field in fields {
        let name = field.name().as_str();
        let Some(rest) = path.strip_prefix(name) else {
            continue;
        };
        names.push(name.to_owned());
        if rest.is_empty() {
            return Some(field);
        }
        if let Some(rest) = rest.strip_prefix('.')
            && let Some(found) = by_names(rest, members(field), names)
        {
            return Some(found);
        }
        names.pop();
    }
    None
}

/// Returns the field that a step leads to.
fn inner<'a>(field: &'a FieldRef, step: &Step) -> Option<&'a FieldRef> {
    match (step, field.data_type()) {
        (Step::Member(name), _) => members(field).iter().find(|it| it.name() == name),
        (Step::Element(_) | Step::Key(_), DataType::Map(entries, _)) => members(entries).get(1),
        (Step::Key(_), _) => None,
        (
            _,
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _),
        ) => Some(item),
        _ => None,
    }
}

fn members(field: &Field) -> &Fields {
    static NONE: LazyLock<Fields> = LazyLock::new(Fields::empty);
    match field.data_type() {
        DataType::Struct(fields) => fields,
        _ => &NONE,
    }
}

/// Returns an error for a path that leads to nothing, with a hint if it leads into a list.
fn missing(path: &str, fields: &Fields) -> Error {
    let is_list = |field: &&FieldRef| inner(field, &Step::AnyElement).is_some();
    let mut lists = fields.iter().filter(is_list).map(|field| field.name());
    let within =
        lists.find_map(|list| Some((list, path.strip_prefix(list.as_str())?.strip_prefix('.')?)));
    match within {
        Some((list, _)) => {
            let problem = format!(
                "{list} is a list; {list}[1] is its first element, and {list}[*] stands for any"
            );
            Error::new(Problem::Option(problem)).in_column(path)
        }
        None => Error::no_such_column(path, fields.iter().map(|it| it.name().as_str())),
    }
}
