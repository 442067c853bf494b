//! Checks of the documents: links resolve, the tests that SECURITY.md names and the code that the developer's
//! guide names exist, the words are plain, unsafe code is where the rule of
//! CONTRIBUTING.md allows it, and only known files list the codecs.

mod beginnings;
mod circles;
mod codecs;
mod developers;
mod unsafe_code;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{output, program, root};

/// Returns the files that match a pattern and are tracked or untracked but not ignored, as paths
/// from the root.
fn files(pattern: &str) -> Vec<PathBuf> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listing = output(program("git").args(arguments).arg(pattern)).unwrap();
    let paths = listing.text.lines().map(PathBuf::from);
    // Git still lists a file that was just deleted.
    paths.filter(|path| root().join(path).exists()).collect()
}

/// Returns the Markdown files.
fn documents() -> Vec<PathBuf> {
    let paths = files("*.md");
    assert!(paths.contains(&PathBuf::from("SECURITY.md")), "{paths:?}");
    paths
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns every text between `before` and `after`.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    let pieces = text.split(before).skip(1);
    pieces.filter_map(move |piece| Some(piece.split_once(after)?.0))
}

/// Returns the anchor of a heading, as forges generate it.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let lower = heading.to_lowercase();
    lower
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

/// Removes the code blocks of a document, where brackets are not links.
fn prose(text: &str) -> String {
    let mut in_code = false;
    let is_prose = |line: &&str| {
        let fence = line.starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    };
    text.lines().filter(is_prose).collect::<Vec<_>>().join("\n")
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for document in documents() {
        let text = read(&document);
        for link in between(&prose(&text), "](", ")") {
            if link.contains("://") || link.contains(' ') {
                continue;
            }
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => document.clone(),
                _ => document.parent().unwrap().join(path),
            };
            let shown = document.display();
            assert!(root().join(&target).exists(), "{shown}: no file {link}");
            if !heading.is_empty() {
                let text = read(&target);
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                let found =
                    headings.any(|line| anchor(line.trim_start_matches(['#', ' '])) == heading);
                assert!(found, "{shown}: no heading {link}");
            }
            links += 1;
        }
    }
    assert!(links > 10, "{links} links");
}

fn has_test(file: &str, name: &str) -> bool {
    file.contains(&format!("fn {name}(")) || file.contains(&format!("def {name}("))
}

#[test]
fn the_tests_that_hold_the_promises_exist() {
    let text = read(Path::new("SECURITY.md"));
    let mut tests = 0;
    // Names of tests, followed by the file that contains them.
    for line in text.lines().filter(|line| line.starts_with("| **")) {
        let mut names = Vec::new();
        let mut last = None;
        for code in line.split('`').skip(1).step_by(2) {
            let is_source = code.ends_with(".rs") || code.ends_with(".py");
            if is_source && code.contains('/') {
                let file = read(Path::new(code));
                for name in names.drain(..) {
                    assert!(has_test(&file, name), "{code} has no test {name}");
                    tests += 1;
                }
                last = Some(file);
            } else if code
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            {
                names.push(code);
            }
        }
        for name in names {
            let file = last.as_ref().expect("a file before");
            assert!(has_test(file, name), "no test {name}");
            tests += 1;
        }
    }
    assert!(tests >= 15, "{tests} tests");
}
