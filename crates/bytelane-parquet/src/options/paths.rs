//! Paths of columns: names of groups and of a leaf, separated by dots. Names may contain dots themselves.

use crate::{Error, Result};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use std::collections::HashMap;

/// Returns the names of a column, longest first: its own, and those of the groups around it. A column named `a.b` is in
/// no group `a`.
pub(crate) fn names_of(path: &ColumnPath) -> impl Iterator<Item = String> {
    let parts = path.parts();
    (1..=parts.len())
        .rev()
        .map(|length| parts[..length].join("."))
}

/// Returns the numbers of the leaves that these paths of leaves or groups name, in order. The work is proportional to the
/// number of leaves and paths, not to their product.
///
/// # Errors
///
/// The first path that names no leaf.
pub(crate) fn leaves_within<'a, 'b>(
    leaves: impl IntoIterator<Item = &'b ColumnPath>,
    paths: impl IntoIterator<Item = &'a str>,
) -> std::result::Result<Vec<usize>, &'a str> {
    let paths: Vec<&str> = paths.into_iter().collect();
    let mut is_found: HashMap<&str, bool> = paths.iter().map(|path| (*path, false)).collect();
    let mut within = Vec::new();
    for (index, leaf) in leaves.into_iter().enumerate() {
        let mut is_within = false;
        for name in names_of(leaf) {
            if let Some(found) = is_found.get_mut(name.as_str()) {
                *found = true;
                is_within = true;
            }
        }
        within.extend(is_within.then_some(index));
    }
    match paths.into_iter().find(|path| !is_found[path]) {
        None => Ok(within),
        Some(path) => Err(path),
    }
}

/// Returns the numbers of the leaves of a schema that these paths name, or [`Problem::NoSuchColumn`](crate::Problem).
pub fn find_leaves<'a>(
    schema: &SchemaDescriptor,
    paths: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<usize>> {
    let leaves = schema.columns().iter().map(|leaf| leaf.path());
    leaves_within(leaves, paths).map_err(|path| {
        let fields = schema.root_schema().get_fields().iter();
        Error::no_such_column(path, fields.map(|it| it.name()))
    })
}

/// Returns the names that a top-level column which contains this path can have, longest first.
pub fn roots_of(path: &str) -> impl Iterator<Item = &str> {
    let dots = path.rmatch_indices('.').map(|(dot, _)| &path[..dot]);
    [path].into_iter().chain(dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_found_by_their_names_and_those_of_groups() {
        let leaf = |parts: &[&str]| ColumnPath::new(parts.iter().map(|it| (*it).into()).collect());
        let leaves = [
            leaf(&["a", "b"]),
            leaf(&["a.b"]),
            leaf(&["c"]),
            leaf(&["a", "d"]),
        ];
        let found = |paths: &[&'static str]| leaves_within(&leaves, paths.iter().copied());
        assert_eq!(found(&["a"]), Ok(vec![0, 3]));
        assert_eq!(found(&["a.b"]), Ok(vec![0, 1]));
        assert_eq!(found(&["c", "a.d", "a"]), Ok(vec![0, 2, 3]));
        assert_eq!(found(&["c", "x", "y"]), Err("x"));
        assert_eq!(found(&[]), Ok(Vec::new()));
    }

    #[test]
    fn a_top_level_column_may_have_dots_in_its_name() {
        assert_eq!(roots_of("a.b.c").collect::<Vec<_>>(), ["a.b.c", "a.b", "a"]);
    }
}
