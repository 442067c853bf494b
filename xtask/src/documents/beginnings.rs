//! Counts the comments that begin with a pronoun or a conjunction instead of a verb or a noun, such
//! as `Returns whether ..` or `Number of ..`.

use super::{files, read};

/// Rejected beginnings, which must end at a word boundary.
const BEGINNINGS: [&str; 7] = [
    "What", "Of", "That", "Whether", "As many", "So many", "Is told",
];

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
    let mut places = Vec::new();
    for path in files("*.rs") {
        let lines = faults(&read(&path));
        places.extend(
            lines
                .iter()
                .map(|line| format!("{}:{line}", path.display())),
        );
    }
    assert!(
        places.is_empty(),
        "comments begin with one of {BEGINNINGS:?}:\n{}",
        places.join("\n")
    );
}

#[test]
fn only_the_first_line_of_a_comment_counts() {
    let text = "/// What it is.\n/// Of it.\nfn f() {\n    // Often.\n    //! That\n    // Whether\n}\n//! Is told\n";
    assert_eq!(faults(text), [1, 5, 6, 8]);
    assert_eq!(faults("/// Returns what.\n/// What.\n"), [0; 0]);
}
