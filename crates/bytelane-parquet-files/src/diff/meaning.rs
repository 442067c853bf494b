//! Compares what columns mean: their Arrow types, as readers see them.
//!
//! The width of offsets and keys is no meaning, and neither is a dictionary that is not ordered, or a name of the
//! items of lists. Units, zones, sizes, orders and extension types are.

use super::files::{Column, Columns, by_name};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef};
use bytelane_parquet::caller::Setting;
use bytelane_parquet::read::ReaderBuilder;
use bytelane_parquet::types::fields::{children, leaves, with_children};
use bytelane_parquet::unite::{self, is_enum, is_ordered, unite, words};
use bytelane_parquet::{InputFile, Result};
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
    meaning(one) == meaning(other) && are_ordered(one) == are_ordered(other)
}

/// Returns which dictionaries in a field are ordered, without Enums, whose categories are compared.
fn are_ordered(field: &FieldRef) -> Vec<bool> {
    let ordered = |leaf: &&FieldRef| is_ordered(leaf) && !is_enum(leaf);
    leaves(field).iter().map(ordered).collect()
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
        is_same &= self::is_same(&first.field, &other.field)
            && first.data_type == other.data_type
            && first.stored == other.stored;
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
    let twins = by_name(other.1);
    let columns = first.1.iter();
    let types = columns.filter_map(|own| {
        let twin = twins.get(&*own.name)?;
        other_type((first.0, own), (other.0, twin))
    });
    types.collect()
}

/// Returns a sentence if the types of a column in two files differ in meaning.
pub(super) fn other_type(own: (&Path, &Column), twin: (&Path, &Column)) -> Option<String> {
    let ((one, own), (other, twin)) = (own, twin);
    let hint = if own.is_constant || twin.is_constant {
        let option = Setting::PartitionTypes;
        format!("; {option} sets the type of a column in the names of directories")
    } else {
        String::new()
    };
    (!is_same(&own.field, &twin.field)).then(|| {
        format!(
            "types differ: column {} is {} in {} and {} in {}{hint}",
            own.name,
            words(&own.field),
            one.display(),
            words(&twin.field),
            other.display()
        )
    })
}

/// Path of an ordered dictionary, and its entries in their order.
pub(super) type Order = (String, Vec<String>);

/// Returns the entries of all ordered dictionaries of a file that has rows with values of them. Those of several row groups
/// are united. The categories of Enums are in their type.
pub(super) fn orders(path: &Path, columns: &Columns) -> Result<Vec<Order>> {
    let mut all = Vec::new();
    for column in columns.iter().filter(|it| has_order(&it.field)) {
        let builder = ReaderBuilder::try_new(InputFile::open(path)?)?;
        for batch in builder.with_columns([column.name.as_str()])?.build()? {
            add_orders(&column.name, &column.field, batch?.column(0), &mut all)?;
        }
    }
    Ok(all)
}

fn has_order(field: &FieldRef) -> bool {
    let is_wanted = |leaf: &&FieldRef| is_ordered(leaf) && !is_enum(leaf);
    leaves(field).iter().any(is_wanted)
}

/// Adds the entries of the ordered dictionaries in an array.
fn add_orders(path: &str, field: &FieldRef, array: &ArrayRef, all: &mut Vec<Order>) -> Result<()> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        // Rows without values need no dictionary.
        if has_order(field) && !dictionary.values().is_empty() {
            let texts = ArrayFormatter::try_new(&**dictionary.values(), &FormatOptions::default())?;
            let entries = 0..dictionary.values().len();
            let entries = entries.map(|entry| Ok(texts.value(entry).try_to_string()?));
            add_entries(path, entries.collect::<Result<_>>()?, all);
        }
        return Ok(());
    }
    let data = array.to_data();
    let is_group = matches!(field.data_type(), DataType::Struct(_));
    for (child, data) in children(field.data_type())
        .into_iter()
        .zip(data.child_data())
    {
        // The names of items and entries have no meaning.
        let name = if is_group { child.name() } else { "*" };
        add_orders(
            &format!("{path}.{name}"),
            child,
            &make_array(data.clone()),
            all,
        )?;
    }
    Ok(())
}

pub(super) fn add_entries(path: &str, entries: Vec<String>, all: &mut Vec<Order>) {
    match all.iter_mut().find(|(own, _)| own == path) {
        None => all.push((path.to_owned(), entries)),
        Some((_, own)) if *own == entries => {}
        Some((_, own)) => match unite::united_order(own, &entries) {
            Some(united) => *own = united,
            None => own.extend(entries),
        },
    }
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
