//! Compares what columns mean: their Arrow types, as readers see them.
//!
//! The width of offsets and keys is no meaning, and neither is a dictionary that is not ordered, or a name of the
//! items of lists. Units, zones, sizes, orders and extension types are.

use super::files::{Column, Columns};
use crate::read::ReaderBuilder;
use crate::types::fields::with_children;
use crate::unite::{self, is_enum, is_ordered, unite, words};
use crate::{InputFile, Result};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef};
use std::path::Path;
use std::sync::Arc;

/// Number of entries of an ordered dictionary that a sentence names.
const NAMED: usize = 5;

/// Returns a field with the meaning of another one, and nothing else. Its values have no dictionaries.
pub(super) fn meaning(field: &FieldRef) -> FieldRef {
    let kept = |key: &str| {
        [EXTENSION_TYPE_NAME_KEY, EXTENSION_TYPE_METADATA_KEY].contains(&key)
            || key.starts_with(unite::ENUM)
    };
    let metadata = field.metadata().iter().filter(|(key, _)| kept(key));
    let metadata: Vec<(String, String)> = metadata
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let item = |item: &FieldRef| {
        let item = meaning(item);
        Arc::new(Field::clone(&item).with_name("item"))
    };
    let data_type = match field.data_type() {
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        DataType::List(of)
        | DataType::LargeList(of)
        | DataType::ListView(of)
        | DataType::LargeListView(of) => DataType::List(item(of)),
        DataType::FixedSizeList(of, size) => DataType::FixedSizeList(item(of), *size),
        DataType::Map(of, _) => DataType::Map(entries(of), false),
        DataType::Dictionary(_, values) => {
            let values = Arc::new(Field::new("", DataType::clone(values), true));
            meaning(&values).data_type().clone()
        }
        _ => with_children(field, &mut meaning).data_type().clone(),
    };
    let field = Field::new(field.name(), data_type, true);
    Arc::new(field.with_metadata(std::collections::HashMap::from_iter(metadata)))
}

/// Returns the entries of a map, whose names vary.
fn entries(of: &FieldRef) -> FieldRef {
    let DataType::Struct(members) = of.data_type() else {
        return meaning(of);
    };
    let names = ["key", "value"].into_iter().zip(members);
    let members = names.map(|(name, member)| {
        let member = Field::clone(&meaning(member)).with_name(name);
        Arc::new(member.with_nullable(name == "value"))
    });
    let entries = Field::new("entries", DataType::Struct(members.collect()), false);
    Arc::new(entries)
}

/// Returns whether two fields of one name mean the same.
pub(super) fn is_same(one: &FieldRef, other: &FieldRef) -> bool {
    meaning(one) == meaning(other) && orders(one) == orders(other)
}

/// Returns which dictionaries in a field are ordered, without Enums, whose categories are compared.
fn orders(field: &FieldRef) -> Vec<bool> {
    let leaves = crate::types::fields::leaves(field);
    let ordered = |leaf: &&FieldRef| is_ordered(leaf) && !is_enum(leaf);
    leaves.iter().map(ordered).collect()
}

/// Types for the values of a column in all files.
pub(super) enum Common {
    /// All files have the same type.
    Same,
    /// Types differ, but this one can hold the values of all.
    Converted(FieldRef),
    /// No type can hold the values of all.
    None,
}

/// Returns the common type of a column in several files.
pub(super) fn common<'a>(first: &'a Column, others: impl Iterator<Item = &'a Column>) -> Common {
    let mut united = Field::clone(&first.field);
    let mut is_same = true;
    for other in others.filter(|other| other.data_type != DataType::Null) {
        is_same &= self::is_same(&first.field, &other.field) && first.data_type == other.data_type;
        match unite(&united, &other.field) {
            Ok(both) => united = both,
            Err(_) if is_same => {}
            Err(_) => return Common::None,
        }
    }
    if is_same {
        Common::Same
    } else {
        Common::Converted(meaning(&Arc::new(united)))
    }
}

/// Returns whether a type unites another one with others: it can hold its values without loss.
pub(super) fn holds(united: &FieldRef, of: &FieldRef) -> bool {
    unite(united, of).is_ok_and(|both| is_same(&Arc::new(both), united))
}

/// Returns one sentence for each column whose type is another one than that in the first file.
pub(super) fn other_types(first: (&Path, &Columns), other: (&Path, &Columns)) -> Vec<String> {
    let differs = |own: &&Column| {
        let twin = other.1.iter().find(|it| it.name == own.name);
        twin.filter(|twin| !is_same(&own.field, &twin.field))
            .map(|twin| {
                format!(
                    "types differ: column {} is {} in {} and {} in {}",
                    own.name,
                    words(&own.field),
                    first.0.display(),
                    words(&twin.field),
                    other.0.display()
                )
            })
    };
    first.1.iter().filter_map(|own| differs(&own)).collect()
}

/// Returns the entries of a column that is an ordered dictionary, in their order; `None` if it is none, or has no rows.
pub(super) fn order(path: &Path, column: &Column) -> Result<Option<Vec<String>>> {
    let is_text = |values: &DataType| values.is_string() || values.is_binary();
    match column.field.data_type() {
        DataType::Dictionary(_, values) if is_ordered(&column.field) && is_text(values) => {}
        _ => return Ok(None),
    }
    let builder = ReaderBuilder::try_new(InputFile::open(path)?)?;
    let batch = builder
        .with_columns([column.name.as_str()])?
        .build()?
        .next();
    let Some(batch) = batch.transpose()? else {
        return Ok(None);
    };
    let Some(dictionary) = batch.column(0).as_any_dictionary_opt() else {
        return Ok(None);
    };
    let formatter = ArrayFormatter::try_new(&**dictionary.values(), &FormatOptions::default())?;
    let entries = 0..dictionary.values().len();
    let entries = entries.map(|entry| Ok(formatter.value(entry).try_to_string()?));
    entries.collect::<Result<_>>().map(Some)
}

/// Returns a sentence if the entries of ordered dictionaries differ; if `may_grow`, the second may have more.
pub(super) fn other_order(
    column: &str,
    one: (&Path, &[String]),
    other: (&Path, &[String]),
    may_grow: bool,
) -> Option<String> {
    let mut rest = other.1.iter();
    let is_same = if may_grow {
        one.1.iter().all(|entry| rest.any(|it| it == entry))
    } else {
        one.1 == other.1
    };
    let shown = |entries: &[String]| {
        let more = if entries.len() > NAMED { ", .." } else { "" };
        let shown = &entries[..entries.len().min(NAMED)];
        format!("[{}{more}]", shown.join(", "))
    };
    (!is_same).then(|| {
        format!(
            "types differ: the categories of column {column} are {} in {} and {} in {}",
            shown(one.1),
            one.0.display(),
            shown(other.1),
            other.0.display()
        )
    })
}
