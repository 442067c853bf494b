//! Unites ordered entries: those of ordered dictionaries, and the categories of Polars' Enums.

use arrow_schema::{DataType, Field};
use std::collections::HashMap;
use std::hash::Hash;

/// Start of the metadata key under which Polars stores the categories of an Enum.
pub const ENUM: &str = "_PL_ENUM_VALUES";

/// Returns the entries of both sequences, in an order that agrees with both; `None` if there is none, because two
/// entries have opposite orders, or an entry is repeated.
///
/// ```
/// use bytelane_parquet::unite::united_order;
///
/// let united = united_order(&["low", "high"], &["low", "mid", "high"]);
/// assert_eq!(united, Some(vec!["low", "mid", "high"]));
/// assert_eq!(united_order(&["low", "high"], &["high", "low"]), None);
/// ```
pub fn united_order<T: Clone + Eq + Hash>(one: &[T], other: &[T]) -> Option<Vec<T>> {
    let places = |of: &[T]| {
        let pairs = of.iter().cloned().zip(0..);
        let places: HashMap<T, usize> = pairs.collect();
        (places.len() == of.len()).then_some(places)
    };
    let in_one = places(one)?;
    places(other)?;
    let mut united = Vec::with_capacity(one.len().max(other.len()));
    // Number of entries of `one` that have been taken, and new entries that follow them.
    let (mut taken, mut new) = (0, Vec::new());
    for entry in other {
        match in_one.get(entry) {
            Some(place) if *place < taken => return None,
            Some(place) => {
                united.extend_from_slice(&one[taken..*place]);
                united.append(&mut new);
                united.push(entry.clone());
                taken = place + 1;
            }
            None => new.push(entry.clone()),
        }
    }
    united.extend_from_slice(&one[taken..]);
    united.append(&mut new);
    Some(united)
}

/// Returns whether a field is an Enum of Polars.
pub fn is_enum(field: &Field) -> bool {
    field.metadata().keys().any(|key| key.starts_with(ENUM))
}

/// Returns the categories of an Enum of Polars; `None` if its metadata cannot be understood.
pub fn categories(field: &Field) -> Option<Vec<String>> {
    let mut keys = field.metadata().keys();
    let text = field
        .metadata()
        .get(keys.find(|key| key.starts_with(ENUM))?)?;
    let (mut rest, mut all) = (&text[..], Vec::new());
    while !rest.is_empty() {
        let (length, others) = rest.split_once(';')?;
        let (category, others) = others.split_at_checked(length.parse().ok()?)?;
        all.push(category.to_owned());
        rest = others;
    }
    Some(all)
}

/// Returns the metadata of an Enum with these categories.
pub(super) fn metadata_of(categories: &[String]) -> String {
    let categories = categories.iter();
    let texts = categories.map(|it| format!("{};{it}", it.len()));
    texts.collect()
}

/// Returns keys for this many categories: those of one of the fields, if they suffice.
pub(super) fn keys_for(categories: usize, one: &Field, other: &Field) -> DataType {
    let keys = |field: &Field| match field.data_type() {
        DataType::Dictionary(keys, _) => Some(DataType::clone(keys)),
        _ => None,
    };
    let all = [keys(one), keys(other)].into_iter().flatten();
    let wider = all.max_by_key(|keys| keys.primitive_width());
    super::scalars::wide_enough(&wider.unwrap_or(DataType::UInt32), categories)
}
