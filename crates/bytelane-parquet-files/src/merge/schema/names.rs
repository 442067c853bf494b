//! Finds the names in a schema that have no meaning: those of the members of lists and maps.
//!
//! Programs name the elements of lists `element`, `item` or `array_element`, and the entries of maps `key_value`, `map`
//! or `entries`. Readers find them by position.

use bytelane_parquet::format::{ConvertedType, FieldRepetitionType, LogicalType, SchemaElement};

/// Kind of a group whose members are found by position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Map,
}

/// Returns, for each element of a column, whether its name has no meaning.
pub(super) fn free(elements: &[SchemaElement]) -> Vec<bool> {
    let mut free = vec![false; elements.len()];
    for (at, element) in elements.iter().enumerate() {
        let Some(kind) = kind(element) else {
            continue;
        };
        // Groups precede their members.
        let Some(repeated) = elements.get(at + 1) else {
            continue;
        };
        if children(element) != 1
            || repeated.repetition_type != Some(FieldRepetitionType::Repeated)
            || kind == Kind::List && is_element(repeated)
        {
            continue;
        }
        let members = [at + 2, after(elements, at + 2)];
        let count = if kind == Kind::List { 1 } else { 2 };
        if children(repeated) == count {
            for member in members.iter().take(count).chain([&(at + 1)]) {
                if let Some(free) = free.get_mut(*member) {
                    *free = true;
                }
            }
        }
    }
    free
}

fn kind(element: &SchemaElement) -> Option<Kind> {
    let logical = element.logical_type.as_ref().map(|it| it.decode());
    match (logical, element.converted_type) {
        (Some(Ok(LogicalType::List(_))), _) | (None, Some(ConvertedType::List)) => Some(Kind::List),
        (Some(Ok(LogicalType::Map(_))), _)
        | (None, Some(ConvertedType::Map | ConvertedType::MapKeyValue)) => Some(Kind::Map),
        _ => None,
    }
}

fn children(element: &SchemaElement) -> usize {
    usize::try_from(element.num_children.unwrap_or(0)).unwrap_or(0)
}

/// Returns whether a repeated group of a list is its element, according to the compatibility rules of the format:
/// its name then has a meaning.
fn is_element(repeated: &SchemaElement) -> bool {
    &repeated.name[..] == b"array" || repeated.name.ends_with(b"_tuple")
}

/// Returns the number of the element after a group or leaf and everything within it.
fn after(elements: &[SchemaElement], mut at: usize) -> usize {
    let mut open = 1;
    while open > 0 {
        let Some(element) = elements.get(at) else {
            return at;
        };
        open = open - 1 + children(element);
        at += 1;
    }
    at
}
