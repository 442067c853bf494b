//! Tests which modules of the crate use each other. `ARCHITECTURE.md` has the diagram.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules on each floor, from the bottom. Each may use itself, the floors below, and the modules listed with
/// it on its own floor.
const FLOORS: [&[(&str, &[&str])]; 6] = [
    &[("format", &[])],
    &[("page", &[])],
    &[("chunk", &[])],
    &[("file", &[])],
    &[("read", &[]), ("choice", &[]), ("inspect", &[])],
    &[
        ("write", &[]),
        ("filter", &[]),
        ("rewrite", &[]),
        ("diff", &[]),
        ("advise", &["rewrite", "write"]),
        ("check", &["rewrite"]),
        ("merge", &["rewrite", "diff"]),
        ("repair", &["merge", "rewrite"]),
    ],
];

/// Modules that all floors may use, and that may use each other.
const CELLAR: [&str; 13] = [
    "budget",
    "catch_panic",
    "compatibility",
    "error",
    "input",
    "memory",
    "options",
    "parallel",
    "progress",
    "remote",
    "stack",
    "statistics",
    "types",
];

#[test]
fn no_floor_uses_one_above() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all = modules(&src.join("lib.rs"));
    let mut below: BTreeSet<&str> = BTreeSet::from(CELLAR);
    let check = |module: &str, allowed: &BTreeSet<&str>, beside: &[&str]| {
        let places = [src.join(module), src.join(module).with_extension("rs")];
        assert!(places.iter().any(|it| it.exists()), "{module} is not there");
        let mut used = BTreeSet::new();
        places.iter().for_each(|place| collect(place, &mut used));
        used.retain(|name| {
            let name = name.as_str();
            let is_allowed = name == module || allowed.contains(name) || beside.contains(&name);
            all.contains(name) && !is_allowed
        });
        assert!(used.is_empty(), "{module} uses {used:?}");
    };
    CELLAR.iter().for_each(|module| check(module, &below, &[]));
    for floor in FLOORS {
        floor
            .iter()
            .for_each(|(module, beside)| check(module, &below, beside));
        below.extend(floor.iter().map(|(module, _)| *module));
    }
    let missing: Vec<_> = all
        .iter()
        .filter(|it| !below.contains(it.as_str()))
        .collect();
    assert!(missing.is_empty(), "no floor has {missing:?}");
}

/// Returns the names of the modules that a file declares.
fn modules(file: &PathBuf) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let names = text.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    names.map(str::to_owned).collect()
}

/// Collects the first names after `crate::` in a file, or in all files of a folder except its tests.
fn collect(path: &Path, used: &mut BTreeSet<String>) {
    if let Ok(entries) = fs::read_dir(path) {
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| !path.ends_with("tests"))
            .for_each(|path| collect(&path, used));
    }
    let is_code = path.extension().is_some_and(|extension| extension == "rs");
    let Some(text) = fs::read_to_string(path).ok().filter(|_| is_code) else {
        return;
    };
    let code = text
        .split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .lines();
    let code: String = code
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    for after in code.split("crate::").skip(1) {
        let names = match after.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default(),
            None => after
                .split([':', ';', ' ', '<', ')'])
                .next()
                .unwrap_or_default(),
        };
        let names = names.split(',').map(|name| name.trim());
        let first = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        used.extend(names.map(first).filter(|name| !name.is_empty()));
    }
}
