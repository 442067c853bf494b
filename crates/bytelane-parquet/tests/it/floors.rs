//! Which modules of the crate use which: `ARCHITECTURE.md` has the drawing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Floors from below, each with the modules outside of it that it may use. `Error` and `Result` are everybody's.
const FLOORS: [(&str, &[&str]); 2] = [
    ("format", &[]),
    (
        "page",
        &["budget", "format", "memory", "physical", "DataPageVersion"],
    ),
];

#[test]
fn no_floor_uses_one_above() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (floor, allowed) in FLOORS {
        let mut used = BTreeSet::new();
        collect(&src.join(floor), &mut used);
        assert!(used.contains("Result"), "{floor}: {used:?}");
        let own = ["Error", "Problem", "Result", floor];
        used.retain(|name| !own.contains(&&**name) && !allowed.contains(&&**name));
        assert!(used.is_empty(), "{floor} uses {used:?}");
    }
}

/// The first names after `crate::` in all files of a folder but its tests.
fn collect(folder: &Path, used: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                collect(&path, used);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
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
    }
}
