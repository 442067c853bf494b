//! Checks that a new codec needs a row in as few files as possible: everything else iterates over the catalog, or is
//! derived from the lists of its functions.

use std::path::Path;

use super::{files, read};

/// Files with a row for each codec, besides documents and records of measurements.
const LISTS: &[&str] = &[
    "benchmarks/tables/codecs.sql",
    "crates/bytelane-capi/include/bytelane.hpp",
    "crates/bytelane-capi/include/bytelane_generated.hpp",
    "crates/bytelane-capi/src/codec/mod.rs",
    "crates/bytelane-capi/tests/c/header.cpp",
    "crates/bytelane-capi/tests/it/functions/common/codecs.rs",
    "crates/bytelane-catalog/src/codec/mod.rs",
    "crates/bytelane-catalog/src/plain/mod.rs",
    "crates/bytelane-cli/src/commands/report/workloads.rs",
    "crates/bytelane-python/python/bytelane/__init__.py",
    "crates/bytelane-python/python/bytelane/_native.pyi",
    "crates/bytelane-python/src/codec/mod.rs",
    "crates/bytelane-python/src/lib.rs",
    "crates/bytelane-python/tests/test_buffers.py",
    "crates/bytelane-python/tests/test_codecs.py",
    "crates/bytelane-testkit/tests/it/golden.rs",
    "crates/bytelane/src/codec/mod.rs",
    "peers/src/libraries/mod.rs",
    "xtask/src/record/order.rs",
];

/// Extensions of files that are no code.
const NO_CODE: [&str; 5] = [".md", ".csv", ".snap", ".lock", ".txt"];

/// Returns the names of the codecs: the modules of the catalog.
fn codecs() -> Vec<String> {
    let modules = read(Path::new("crates/bytelane-catalog/src/codec/mod.rs"));
    let modules = modules.lines().filter_map(|line| {
        let (_, module) = line.split_once("mod ")?;
        Some(module.strip_suffix(';')?.to_owned())
    });
    modules.collect()
}

/// Returns whether a text has a name as a whole word.
fn names(text: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}

#[test]
fn only_these_files_list_the_codecs() {
    let codecs = codecs();
    assert!(codecs.len() >= 12, "{codecs:?}");
    let mut lists: Vec<_> = files("*")
        .into_iter()
        .map(|path| path.display().to_string())
        .collect();
    lists.retain(|path| {
        let is_code = !NO_CODE.iter().any(|end| path.ends_with(end)) && path != file!();
        let text = is_code.then(|| std::fs::read_to_string(crate::process::root().join(path)));
        let text = text.and_then(Result::ok).unwrap_or_default();
        let named = codecs.iter().filter(|codec| names(&text, codec)).count();
        // Some files need no row for a codec with which they have nothing to do.
        named + 3 >= codecs.len()
    });
    assert_eq!(
        lists, LISTS,
        "iterate over `bytelane_catalog::CODECS` instead of listing the codecs once more; remove lists that are gone"
    );
}

#[test]
fn names_are_whole_words() {
    assert!(names("mod delta;", "delta") && names("delta", "delta"));
    assert!(!names("delta_of(deltas)", "delta"));
}
