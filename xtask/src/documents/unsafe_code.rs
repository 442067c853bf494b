//! Checks where unsafe code may be: the rule of CONTRIBUTING.md, file by file.

use std::path::Path;

use super::{files, read};

/// Files and folders of the published crates that may have unsafe code of any kind.
const ALLOWED: &[&str] = &[
    // The core: instructions, and memory.
    "crates/bytelane/src/backend/",
    "crates/bytelane/src/memory/",
    "crates/bytelane/src/simd/",
    // Foreign functions.
    "crates/bytelane-capi/",
    "crates/bytelane-python/src/",
    "crates/bytelane-streamvbyte/src/",
    // Arrow's constructors without checks, and fresh memory.
    "crates/bytelane-parquet/src/memory/",
    // Tools: plain loops for each instruction set, options of an allocator, cache control, a start-up hook, guard
    // pages.
    "crates/bytelane-catalog/src/plain/common/level.rs",
    "crates/bytelane-cli/src/allocator.rs",
    "crates/bytelane-cli/src/output/standard.rs",
    "crates/bytelane-measure/src/memory.rs",
    "crates/bytelane-testkit/src/guarded.rs",
];

/// Kinds of unsafe code in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Allowed {
    Any,
    /// `unsafe impl` of a marker trait: the claims of a codec.
    Claims,
    Nothing,
}

fn allowed(path: &str) -> Allowed {
    let is_claims = path
        .strip_prefix("crates/bytelane/src/codec/")
        .and_then(|path| path.split_once('/'))
        .is_some_and(|(_, file)| file == "claims.rs");
    if is_claims {
        Allowed::Claims
    } else if ALLOWED.iter().any(|place| path.starts_with(place)) {
        Allowed::Any
    } else {
        Allowed::Nothing
    }
}

/// Returns the numbers of the lines with unsafe code that is not allowed. Comments and strings do not
/// count.
fn faults(text: &str, allowed: Allowed) -> Vec<usize> {
    let is_unsafe = |code: &str| {
        let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == "unsafe") || code.contains("allow(unsafe_code)")
    };
    let is_claim =
        |code: &str| code.starts_with("unsafe impl") || code.trim_end() == "#![allow(unsafe_code)]";
    let lines = (1..).zip(text.lines());
    let faults = lines.filter(|(_, line)| {
        let code = line.split("//").next().unwrap_or_default();
        let is_text = code.contains('"') && !code.contains("extern");
        is_unsafe(code)
            && !is_text
            && match allowed {
                Allowed::Any => false,
                Allowed::Claims => !is_claim(code),
                Allowed::Nothing => true,
            }
    });
    faults.map(|(number, _)| number).collect()
}

#[test]
fn unsafe_code_is_where_the_rule_allows_it() {
    let mut found = String::new();
    let mut claims = 0;
    for path in files("crates/*.rs") {
        let name = path.to_str().expect("a name in ASCII");
        // This file has a list of Rust's keywords.
        if name == "crates/bytelane-thrift-build/src/names.rs" {
            continue;
        }
        let allowed = allowed(name);
        claims += usize::from(allowed == Allowed::Claims);
        for line in faults(&read(&path), allowed) {
            found += &format!("{name}:{line}: unsafe code is not allowed here\n");
        }
    }
    assert!(found.is_empty(), "\n{found}");
    assert!(claims >= 12, "{claims} files of claims");
}

#[test]
fn each_place_of_unsafe_code_exists() {
    for place in ALLOWED {
        let path = crate::process::root().join(Path::new(place));
        assert!(path.exists(), "{place}");
    }
}

#[test]
fn claims_are_implementations_of_traits_only() {
    let claims = allowed("crates/bytelane/src/codec/delta/claims.rs");
    assert_eq!(claims, Allowed::Claims);
    let kernel = allowed("crates/bytelane/src/codec/delta/kernel.rs");
    assert_eq!(kernel, Allowed::Nothing);
    let nested = allowed("crates/bytelane/src/codec/delta/other/claims.rs");
    assert_eq!(nested, Allowed::Nothing);

    let text =
        "#![allow(unsafe_code)] // why\nunsafe impl A for B {}\nfn f() {\n    unsafe { g() }\n}";
    assert_eq!(faults(text, claims), [4]);
    assert_eq!(faults(text, kernel), [1, 2, 4]);
    assert_eq!(faults(text, Allowed::Any), [0; 0]);
    assert_eq!(faults("// unsafe\n#![forbid(unsafe_code)]", kernel), [0; 0]);
}
