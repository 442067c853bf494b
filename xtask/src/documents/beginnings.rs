//! Counts the comments that begin with a pronoun or a conjunction instead of a verb or a noun, such
//! as `Returns whether ..` or `Number of ..`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{files, read};

/// Rejected beginnings, which must end at a word boundary.
const BEGINNINGS: [&str; 7] = [
    "What", "Of", "That", "Whether", "As many", "So many", "Is told",
];

/// Maximum number of such comments in each part of the repository; 0 for unlisted parts. Numbers may
/// only decrease: lower them when you have rewritten comments.
const CEILINGS: &[(&str, usize)] = &[("bytelane-cli", 5)];

/// Returns the part of the repository that a file belongs to: its crate, or its top-level folder.
fn part(path: &Path) -> String {
    let mut names = path.iter().map(|name| name.to_string_lossy().into_owned());
    let first = names.next().unwrap_or_default();
    match names.next() {
        Some(second) if first == "crates" => second,
        _ => first,
    }
}

/// Returns the numbers of the lines on which such a comment starts.
fn faults(text: &str) -> Vec<usize> {
    let mut faults = Vec::new();
    let mut marker_before = "";
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let marker = ["///", "//!", "//"]
            .into_iter()
            .find(|marker| line.starts_with(marker))
            .unwrap_or_default();
        let comment = line[marker.len()..].trim_start();
        let begins = |beginning: &str| {
            let rest = comment.strip_prefix(beginning);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let is_first = !marker.is_empty() && marker != marker_before;
        if is_first && BEGINNINGS.into_iter().any(begins) {
            faults.push(number);
        }
        marker_before = marker;
    }
    faults
}

#[test]
fn comments_begin_with_a_verb_or_a_noun() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files("*.rs") {
        let lines = faults(&read(&path));
        let places = lines
            .iter()
            .map(|line| format!("{}:{line}", path.display()));
        found.entry(part(&path)).or_default().extend(places);
    }
    let mut problems = String::new();
    for (part, places) in &found {
        let listed = CEILINGS.iter().find(|(name, _)| name == part);
        let ceiling = listed.map_or(0, |(_, ceiling)| *ceiling);
        if places.len() > ceiling {
            let count = places.len();
            let places = places.join("\n");
            problems += &format!(
                "{part}: {count} comments begin with one of {BEGINNINGS:?}, {ceiling} may:\n{places}\n"
            );
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

#[test]
fn parts_with_a_ceiling_exist() {
    for (part, ceiling) in CEILINGS {
        let root = crate::process::root();
        let is_there = root.join("crates").join(part).exists() || root.join(part).exists();
        assert!(is_there && *ceiling > 0, "{part}");
    }
}

#[test]
fn only_the_first_line_of_a_comment_counts() {
    let text = "/// What it is.\n/// Of it.\nfn f() {\n    // Often.\n    //! That\n    // Whether\n}\n//! Is told\n";
    assert_eq!(faults(text), [1, 5, 6, 8]);
    assert_eq!(faults("/// Returns what.\n/// What.\n"), [0; 0]);
    assert_eq!(part(Path::new("crates/bytelane/src/lib.rs")), "bytelane");
    assert_eq!(part(Path::new("peers/src/main.rs")), "peers");
}
