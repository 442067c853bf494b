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

#[test]
fn types_are_chosen_and_what_is_skipped_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("a.thrift");
    let text = "struct A { 1: map<string, binary> x, 2: set<i32> y, 3: A z }\n\
                service S { stream<i32> numbers() }";
    fs::write(&idl, text).unwrap();
    let out = directory.path().join("out");
    let arguments = [
        "thrift",
        "compile",
        idl.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ];
    let options = [
        "--map-type=my::Map",
        "--set-type=my::Set",
        "--string-type=my::Text",
        "--binary-type=my::Bytes",
        "--recursive-pointer=my::Pointer",
        "--derive=*=my::Derive",
        "--one-file",
    ];
    let output = bytelane(&[&arguments[..], &options].concat()).unwrap();
    let note = "a.thrift:2:13: the function `numbers` is skipped: it returns a stream";
    assert!(crate::text(&output.stderr).contains(note));
    let module = fs::read_to_string(out.join("mod.rs")).unwrap();
    for part in [
        "my::Map<my::Text, my::Bytes>",
        "my::Set<i32>",
        "my::Pointer<A>",
        "my::Derive",
    ] {
        assert!(module.contains(part), "{part}: {module}");
    }
}
