//! Checks that the walks of the developer's guide name existing code, that every lab note is in the index, and that
//! the first pages stay short.

use std::path::Path;

use super::{between, files, read};
use crate::process::root;

/// Directories of the paths in the walks.
const SOURCES: [&str; 2] = [
    "crates/bytelane-parquet/src",
    "crates/bytelane-parquet-files/src",
];

/// Returns the files and names of the guide's tables, in order: code in backticks.
fn steps(guide: &str) -> Vec<&str> {
    let rows = guide.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit_once(" | "));
    cells
        .flat_map(|(_, place)| place.split('`').skip(1).step_by(2))
        .collect()
}

/// Returns whether a source file defines a function or a type of this name.
fn defines(source: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type"]
        .iter()
        .any(|kind| {
            let definition = format!("{kind} {name}");
            source.match_indices(&definition).any(|(at, _)| {
                let after = source[at + definition.len()..].chars().next();
                after.is_none_or(|next| !next.is_alphanumeric() && next != '_')
            })
        })
}

#[test]
fn the_walks_name_existing_code() {
    let guide = read(Path::new("docs/developers.md"));
    let mut source = None;
    let mut names = 0;
    for step in steps(&guide) {
        if step.ends_with(".rs") {
            let mut places = SOURCES.iter().map(|sources| Path::new(sources).join(step));
            let place = places.find(|place| root().join(place).exists());
            let place = place.unwrap_or_else(|| panic!("{step} does not exist"));
            source = Some((step, read(&place)));
            continue;
        }
        let (path, source) = source.as_ref().expect("a file comes before its names");
        assert!(defines(source, step), "{path} does not define `{step}`");
        names += 1;
    }
    assert!(names >= 40, "{names} names");
}

#[test]
fn definitions_are_whole_names() {
    assert!(defines("pub(crate) fn read<T>(", "read"));
    assert!(!defines("fn read_next(", "read") && !defines("let read = 1;", "read"));
}

#[test]
fn every_lab_note_is_in_the_index() {
    let index = read(Path::new("docs/lab-notes/README.md"));
    let linked: Vec<_> = between(&index, "](", ")").collect();
    for note in files("docs/lab-notes/*.md") {
        let name = note.file_name().and_then(|name| name.to_str()).unwrap();
        assert!(
            name == "README.md" || linked.contains(&name),
            "{name} is not in the index"
        );
    }
}

#[test]
fn the_first_pages_are_short() {
    let words = |text: &str| text.split_whitespace().count();
    let readme = read(Path::new("README.md"));
    let (start, _) = readme.split_once("\n## Results").unwrap();
    assert!(start.contains("```rust") && start.contains("\n## Installation"));
    assert!(
        words(start) <= 250,
        "{} words before the results",
        words(start)
    );
    let architecture = words(&read(Path::new("ARCHITECTURE.md")));
    assert!(architecture <= 1500, "{architecture} words");
}
