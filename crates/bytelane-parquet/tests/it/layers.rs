//! Tests which modules of the crate, and of the one for whole files, use each other. `ARCHITECTURE.md` has the diagram.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Modules of a layer, each with those of the same layer that it may use.
type Layer = &'static [(&'static str, &'static [&'static str])];

/// Modules of each layer, from the bottom. Each may use itself, the layers below, and the modules listed with
/// it in its own layer.
const LAYERS: [Layer; 6] = [
    &[("format", &[])],
    &[("page", &[])],
    &[("chunk", &[])],
    &[("file", &[])],
    &[("read", &[]), ("choice", &[]), ("encryption", &[])],
    &[("write", &[]), ("filter", &[]), ("table", &["filter"])],
];

/// Modules that all layers may use, and that may use each other.
const SHARED: [&str; 14] = [
    "budget",
    "caller",
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

/// Layers of the crate that works on whole files.
const FILES: [Layer; 5] = [
    &[("opened", &[])],
    &[
        ("convert", &[]),
        ("diff", &[]),
        ("edits", &[]),
        ("inspect", &[]),
        ("rewrite", &[]),
        ("rows", &[]),
        ("schema", &[]),
    ],
    &[("advise", &[]), ("check", &[]), ("stats", &[])],
    &[("merge", &[])],
    &[("edit", &[]), ("repair", &[])],
];

#[test]
fn no_layer_uses_one_above() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    check_layers(&crates.join("bytelane-parquet/src"), &SHARED, &LAYERS);
    check_layers(&crates.join("bytelane-parquet-files/src"), &[], &FILES);
}

fn check_layers(src: &Path, shared: &[&'static str], layers: &[Layer]) {
    let root = fs::read_to_string(src.join("lib.rs")).unwrap();
    let (all, exports) = (modules(&root), exports(&root));
    let mut below: BTreeSet<&str> = shared.iter().copied().collect();
    let check = |module: &str, allowed: &BTreeSet<&str>, beside: &[&str]| {
        let places = [src.join(module), src.join(module).with_extension("rs")];
        assert!(places.iter().any(|it| it.exists()), "{module} is not there");
        let mut used = BTreeSet::new();
        places.iter().for_each(|place| collect(place, &mut used));
        let used = used.iter().map(|name| exports.get(name).unwrap_or(name));
        let wrong = used.map(String::as_str).filter(|name| {
            let is_allowed = *name == module || allowed.contains(name) || beside.contains(name);
            all.contains(*name) && !is_allowed
        });
        let wrong: BTreeSet<_> = wrong.collect();
        assert!(wrong.is_empty(), "{module} uses {wrong:?}");
    };
    shared.iter().for_each(|module| check(module, &below, &[]));
    for layer in layers {
        layer
            .iter()
            .for_each(|(module, beside)| check(module, &below, beside));
        below.extend(layer.iter().map(|(module, _)| *module));
    }
    let missing: Vec<_> = all
        .iter()
        .filter(|it| !below.contains(it.as_str()))
        .collect();
    assert!(missing.is_empty(), "no layer has {missing:?}");
}

/// Returns the names of the modules that a file declares.
fn modules(text: &str) -> BTreeSet<String> {
    let names = text.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    names.map(str::to_owned).collect()
}

/// Returns the module of each name that the crate's root exports.
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for item in root.split("\npub use ").skip(1) {
        let item = item.split(';').next().unwrap_or_default();
        if let Some((module, names)) = item.split_once("::") {
            let names = names.split([',', '{', '}']).map(str::trim);
            exports.extend(names.map(|name| (name.to_owned(), module.to_owned())));
        }
    }
    exports
}

/// Collects the first names after `crate::` in a file, or in all files of a folder except its tests.
fn collect(path: &Path, used: &mut BTreeSet<String>) {
    if let Ok(entries) = fs::read_dir(path) {
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| !path.ends_with("tests") && !path.ends_with("tests.rs"))
            .for_each(|path| collect(&path, used));
    }
    let is_code = path.extension().is_some_and(|extension| extension == "rs");
    if let Some(text) = fs::read_to_string(path).ok().filter(|_| is_code) {
        used.extend(names_of(&without_tests(&text)));
    }
}

/// Returns a file without comments and without the items that only tests have.
fn without_tests(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // The item ends with a semicolon, or with a brace below its first line.
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = format!("{indent}}}");
            let attribute = format!("{indent}#[");
            let first = lines.by_ref().find(|line| !line.starts_with(&attribute));
            if first.is_some_and(|line| !line.ends_with(';')) {
                lines.by_ref().find(|line| line.starts_with(&end));
            }
        } else if !line.trim_start().starts_with("//") {
            code += line;
            code.push('\n');
        }
    }
    code
}

/// Returns the first names after `crate::`, also those in a group in braces.
fn names_of(code: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = |text: &str| {
        text.split(|c| !is_name(c))
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let mut names = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let Some(group) = after.strip_prefix('{') else {
            names.insert(name(after));
            continue;
        };
        let mut depth = 1;
        let mut begins = true;
        for (at, c) in group.char_indices() {
            if begins && is_name(c) {
                names.insert(name(&group[at..]));
            }
            begins = depth == 1 && (c == ',' || begins && c.is_whitespace());
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        // The first name of the group has no comma before it.
        names.insert(name(group.trim_start()));
    }
    names
}

#[test]
fn names_are_found_in_groups_and_after_tests() {
    let text = "#[cfg(test)]\nmod tests {\n    use crate::write::x;\n}\nuse crate::{\n    Error, read::{a, b},\n    page,\n};\nuse crate::file::y;\n";
    let names: Vec<_> = names_of(&without_tests(text)).into_iter().collect();
    assert_eq!(names, ["Error", "file", "page", "read"]);
    let exports = exports("\npub use read::{\n    Footer, Reader,\n};\npub use file::NewFile;\n");
    assert_eq!(exports["Reader"], "read");
    assert_eq!(exports["NewFile"], "file");
}
