//! Recognises the directories of table formats, whose metadata says which of the files are part of the table.

use super::owner::Owner;
use super::tree::{Kind, Listed, Tree};
use std::path::{Path, PathBuf};

/// Directories with metadata, directly in the directory of a table.
const METADATA: [&str; 4] = ["_delta_log", ".hoodie", "metadata", "schema"];

/// Returns the table format whose metadata is in a file of a directory, or in the directory itself if there is no file.
fn format_of(directory: &str, name: &str) -> Option<&'static str> {
    let is_iceberg = || {
        let bare = name.strip_suffix(".gz").unwrap_or(name);
        bare.ends_with(".metadata.json") || name == "version-hint.text"
    };
    let is_paimon = || {
        let number = name.strip_prefix("schema-");
        number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match directory {
        "_delta_log" => Some("Delta Lake"),
        ".hoodie" => Some("Apache Hudi"),
        "metadata" if is_iceberg() => Some("Apache Iceberg"),
        "schema" if is_paimon() => Some("Apache Paimon"),
        _ => None,
    }
}

/// Returns whether DuckLake has given a file its name: `ducklake-`, and a UUID.
pub(super) fn is_of_ducklake(name: &str) -> bool {
    const UUID: usize = 36;
    let rest = name.strip_prefix("ducklake-").unwrap_or_default();
    let rest = rest.as_bytes();
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    rest.len() > UUID && rest[..UUID].iter().all(is_digit)
}

/// Returns the table formats that own the directory of these entries, or directories in it.
pub(super) fn inside(tree: &dyn Tree, root: &Path, listed: &[Listed]) -> Vec<Owner> {
    let mut owners: Vec<Owner> = listed.iter().filter_map(owner_of).collect();
    for owner in &mut owners {
        owner.table = tree.join(root, &owner.table);
    }
    owners.extend(in_directories(tree, closed(tree, root, listed)));
    owners
}

/// Returns the table format that owns a directory above a root, or above what a link in it leads to.
pub(super) fn above(tree: &dyn Tree, root: &Path, listed: &[Listed]) -> Option<Owner> {
    let owners = in_directories(tree, metadata_above(tree, root, listed));
    owners.into_iter().next()
}

/// Returns the table format whose metadata, or one of whose files, an entry is; its path is relative.
fn owner_of(entry: &Listed) -> Option<Owner> {
    let mut names = entry.names();
    let is_file = matches!(entry.kind, Kind::File(_));
    let name = if is_file { names.pop()? } else { String::new() };
    if is_file && is_of_ducklake(&name) {
        let table = names.iter().collect();
        let format = "DuckLake";
        return Some(Owner { format, table });
    }
    let is_metadata = |name: &String| METADATA.contains(&name.as_str());
    let place = names.iter().position(is_metadata)?;
    // The metadata may have directories of its own.
    let is_in_it = place + 1 == names.len();
    let format = format_of(&names[place], if is_in_it { &name } else { "" })?;
    let table = names[..place].iter().collect();
    Some(Owner { format, table })
}

/// Returns the directories that may have metadata but were not entered.
fn closed(tree: &dyn Tree, root: &Path, listed: &[Listed]) -> Vec<PathBuf> {
    let closed = listed
        .iter()
        .filter(|entry| matches!(entry.kind, Kind::Closed));
    let of_tables = closed.filter(|entry| {
        let name = entry.below.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| METADATA.contains(&name))
    });
    let of_tables = of_tables.map(|entry| tree.join(root, &entry.below));
    of_tables.collect()
}

/// Returns the directories that may have the metadata of such a table.
fn metadata_above(tree: &dyn Tree, root: &Path, listed: &[Listed]) -> Vec<PathBuf> {
    let links = listed.iter().filter_map(|entry| match &entry.kind {
        Kind::Linked(real) => Some(real.as_path()),
        _ => None,
    });
    let mut tables: Vec<PathBuf> = Vec::new();
    for directory in [root].into_iter().chain(links) {
        for parent in tree.parents(directory) {
            if !tables.contains(&parent) {
                tables.push(parent);
            }
        }
    }
    let metadata = |table: &PathBuf| METADATA.map(|name| tree.join(table, Path::new(name)));
    tables.iter().flat_map(metadata).collect()
}

/// Returns the table formats whose metadata is in one of these directories.
fn in_directories(tree: &dyn Tree, directories: Vec<PathBuf>) -> Vec<Owner> {
    let names = tree.names(&directories);
    let owner = |(directory, names): (&PathBuf, Option<Vec<String>>)| {
        let names = names?;
        let name = directory.file_name()?.to_str()?;
        let of_files = names.iter().find_map(|file| format_of(name, file));
        let format = of_files.or_else(|| format_of(name, ""))?;
        let table = directory.parent()?.to_owned();
        Some(Owner { format, table })
    };
    directories.iter().zip(names).filter_map(owner).collect()
}
