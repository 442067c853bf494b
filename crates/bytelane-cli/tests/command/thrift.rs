//! `bytelane thrift compile` as a user runs it.

use crate::{bytelane, failure, text};
use std::fs;

#[test]
fn compiles_a_file_and_names_what_it_wrote() {
    let directory = tempfile::tempdir().unwrap();
    let (idl, out) = (
        directory.path().join("a.thrift"),
        directory.path().join("out"),
    );
    fs::write(&idl, "struct Point { 1: required i32 x }").unwrap();
    let arguments = [
        "thrift",
        "compile",
        idl.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ];
    let output = bytelane(&arguments).unwrap();
    let expected: String = ["a.rs", "mod.rs"]
        .map(|name| format!("{}\n", out.join(name).display()))
        .concat();
    assert_eq!(text(&output.stdout), expected);
    let module = fs::read_to_string(out.join("a.rs")).unwrap();
    assert!(
        module.contains("#[thrift(id = 1, required)]\n    pub x: i32,"),
        "{module}"
    );

    fs::write(&idl, "struct Point { 1: i33 x }").unwrap();
    let message = failure(&mut bytelane(&arguments));
    assert!(
        message.contains("a.thrift:1:19: unknown type `i33`"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(out.join("a.rs")).unwrap(), module);
}

#[test]
fn options_change_what_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("a.thrift");
    fs::write(&idl, "struct Point { 1: required i32 x }").unwrap();
    let module = |options: &[&str]| {
        let out = directory.path().join(format!("out{}", options.len()));
        let plain = ["thrift", "compile", idl.to_str().unwrap(), "-o"];
        let arguments = [&plain[..], &[out.to_str().unwrap()], options].concat();
        bytelane(&arguments).unwrap();
        fs::read_to_string(out.join("a.rs")).unwrap()
    };
    let (unknown, runtime) = ("pub unknown_fields:", "::codecs::thrift");
    let plain = module(&[]);
    assert!(
        !plain.contains(unknown) && !plain.contains(runtime),
        "{plain}"
    );
    let keeping = module(&["--keep-unknown-fields"]);
    assert!(keeping.contains(unknown), "{keeping}");
    let renamed = module(&["--crate-path", runtime]);
    assert!(renamed.contains(runtime), "{renamed}");
}
