//! Tests compiling files to files, as in a build script or the command.

use bytelane_thrift_build::Compiler;
use std::fs;
use std::path::{Path, PathBuf};

fn idl(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/idl")
        .join(name)
}

/// Returns an empty directory for this test.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// `tests/generated` contains the compiler's output for `tests/idl`, for reading and for other
/// tests to compile. Run with `BYTELANE_WRITE_GOLDEN=1` to rewrite it.
#[test]
fn everything_becomes_readable_rust() {
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated");
    let write = std::env::var_os("BYTELANE_WRITE_GOLDEN").is_some();
    let directory = if write {
        expected.clone()
    } else {
        directory("generated")
    };
    let compiler = Compiler::new;
    let cases = [
        ("", "everything.thrift", compiler()),
        (
            "keeping",
            "keeping.thrift",
            compiler()
                .keep_unknown_fields(true)
                .crate_path("crate::facade"),
        ),
        ("fbthrift", "fbthrift.thrift", compiler()),
        (
            "options",
            "options.thrift",
            compiler()
                .map_type("indexmap::IndexMap")
                .set_type("indexmap::IndexSet")
                .string_type("std::sync::Arc<str>")
                .binary_type("bytes::Bytes")
                .recursive_pointer("std::sync::Arc")
                .derive("*", "serde::Serialize")
                .derive("*", "serde::Deserialize")
                .extern_path("shared.thrift", "crate::elsewhere"),
        ),
        (
            "elsewhere",
            "shared.thrift",
            compiler()
                .derive("*", "serde::Serialize")
                .derive("*", "serde::Deserialize"),
        ),
    ];
    for (folder, file, compiler) in cases {
        let paths = compiler
            .compile(&[idl(file)], directory.join(folder))
            .unwrap();
        assert!(paths.len() >= 2, "{file}");
        for path in paths {
            let expected = expected.join(path.strip_prefix(&directory).unwrap());
            let expected = fs::read_to_string(expected).unwrap();
            assert_eq!(
                fs::read_to_string(&path).unwrap(),
                expected,
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn files_are_written_beside_and_only_if_they_change() {
    let directory = directory("written");
    let compiler = Compiler::new();
    let paths = compiler
        .compile(&[idl("everything.thrift")], &directory)
        .unwrap();
    let names: Vec<_> = paths
        .iter()
        .map(|path| path.file_name().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["common_shared.rs", "everything.rs", "mod.rs"]);
    let list = fs::read_to_string(directory.join("mod.rs")).unwrap();
    assert_eq!(list, "pub mod common_shared;\npub mod everything;\n");

    let written = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    let before: Vec<_> = paths.iter().map(written).collect();
    let again = compiler
        .compile(&[idl("everything.thrift")], &directory)
        .unwrap();
    assert_eq!(again.iter().map(written).collect::<Vec<_>>(), before);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 3);
}

#[test]
fn includes_are_found_beside_and_in_directories() {
    let directory = directory("includes");
    fs::create_dir(directory.join("other")).unwrap();
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write("other/b.thrift", "struct B { 1: i32 x }");
    write("a.thrift", "include \"b.thrift\"\nstruct A { 1: b.B b }");
    let compiler = Compiler::new();
    let error = compiler
        .modules(&[directory.join("a.thrift")])
        .unwrap_err()
        .to_string();
    let message = "a.thrift:1:9: file `b.thrift` not found; name the directory that the path begins \
                   in with `Compiler::include`, or with `-I` on the command line\n1 | include";
    assert!(error.contains(message), "{error}");
    let modules = compiler
        .include(directory.join("other"))
        .modules(&[directory.join("a.thrift")]);
    assert!(modules.unwrap()[1].text.contains("pub b: super::b::B,"));
}

/// Whatever bytes the files contain, the result is an error or modules, not a panic.
#[test]
fn no_text_panics() {
    let directory = directory("changed");
    fs::copy(idl("shared.thrift"), directory.join("shared.thrift")).unwrap();
    let text = fs::read(idl("everything.thrift")).unwrap();
    let path = directory.join("changed.thrift");
    let mut compiled = 0;
    for at in (0..text.len()).step_by(11) {
        for cut in [true, false] {
            let mut changed = text.clone();
            if cut {
                changed.truncate(at);
            } else {
                changed.remove(at);
            }
            fs::write(&path, changed).unwrap();
            compiled += usize::from(Compiler::new().modules(&[&path]).is_ok());
        }
    }
    assert!(compiled > 30, "only {compiled} still compile");
}
