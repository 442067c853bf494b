//! `bytelane thrift` as a user runs it.

use crate::{bytelane, failure, text};
use std::fs;
use std::path::Path;

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

const SHOP: &str = "enum Color { RED = 1, BLUE = 2 }
struct Order { 1: i64 id, 2: list<double> prices, 3: Color color, 4: binary data }";

const ORDERS: &str = r#"{"id":1,"prices":[1.5,"NaN"],"color":"BLUE","data":"AP8C"}
{"id":2,"data":"","9: list<string>":["new"]}
"#;

/// Runs a command of `bytelane thrift` for messages of the type `Order`.
fn of_orders(directory: &Path, command: &str, options: &[&str], input: &str) -> Vec<u8> {
    let (idl, input) = (directory.join("shop.thrift"), directory.join(input));
    let (idl, input) = (idl.to_str().unwrap(), input.to_str().unwrap());
    let all = ["thrift", command, input, "--idl", idl];
    bytelane(&[&all[..], options].concat()).unwrap().stdout
}

fn shop() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("shop.thrift"), SHOP).unwrap();
    fs::write(directory.path().join("orders.json"), ORDERS).unwrap();
    directory
}

#[test]
fn messages_become_the_lines_that_they_were_encoded_from() {
    let directory = shop();
    let path = directory.path();
    for protocol in ["binary", "compact", "json"] {
        for framed in [false, true] {
            let mut options = vec!["--type", "Order", "--protocol", protocol];
            options.extend(framed.then_some("--framed"));
            let bytes = of_orders(path, "encode", &options, "orders.json");
            fs::write(path.join("orders.bin"), &bytes).unwrap();
            // The protocol and the frames are found out.
            let lines = of_orders(path, "cat", &["--type", "Order"], "orders.bin");
            assert_eq!(text(&lines), ORDERS, "{protocol}, framed: {framed}");
            let lines = of_orders(path, "cat", &options, "orders.bin");
            assert_eq!(text(&lines), ORDERS, "{protocol}, framed: {framed}");
        }
    }
    let of_list = ["--type", "list<Order>"];
    let options = [&of_list[..], &["--protocol", "compact"]].concat();
    let bytes = of_orders(path, "encode", &options, "orders.json");
    assert_eq!(bytes[0], 0x2c, "one list of two structs");
    fs::write(path.join("list.bin"), &bytes).unwrap();
    assert_eq!(text(&of_orders(path, "cat", &of_list, "list.bin")), ORDERS);
}

#[test]
fn messages_show_their_structure_without_an_idl() {
    let directory = shop();
    let path = directory.path().join("one.bin");
    let path = path.to_str().unwrap();
    fs::write(path, b"\x08\0\x01\0\0\0\x05\x0b\0\x02\0\0\0\x01\xff\0").unwrap();
    let lines = bytelane(&["thrift", "cat", path]).unwrap().stdout;
    assert_eq!(text(&lines), "{\"1: i32\":5,\"2: binary\":\"/w==\"}\n");
    let json = directory.path().join("one.json");
    fs::write(&json, lines).unwrap();
    let options = ["--protocol", "binary", "-o", path, "--force"];
    let command = ["thrift", "encode", json.to_str().unwrap()];
    let before = fs::read(path).unwrap();
    bytelane(&[&command[..], &options].concat()).unwrap();
    assert_eq!(fs::read(path).unwrap(), before);
}

#[test]
fn errors_name_the_message_and_its_place() {
    let directory = shop();
    let path = directory.path();
    let idl = path.join("shop.thrift");
    let file = path.join("bad.bin");
    let (idl, file) = (idl.to_str().unwrap(), file.to_str().unwrap());
    // A second message that ends in the middle.
    fs::write(file, b"\x0a\0\x01\0\0\0\0\0\0\0\x07\0\x0a\0\x01\0").unwrap();
    let cat = |more: &[&str]| {
        let all = ["thrift", "cat", file, "--idl", idl];
        failure(&mut bytelane(&[&all[..], more].concat()))
    };
    // The messages before it are shown.
    let options = ["--type", "Order", "--protocol", "binary"];
    let mut output = bytelane(&[&["thrift", "cat", file, "--idl", idl], &options[..]].concat());
    let output = output.output().unwrap();
    assert_eq!(text(&output.stdout), "{\"id\":7}\n");
    let expected =
        "message 2, which begins at byte 12: the message ends unexpectedly, at byte 3, in id";
    let message = text(&output.stderr);
    assert!(message.contains(expected), "{message}");
    // The same in frames, which are found out as well.
    let framed = b"\0\0\0\x0c\x0a\0\x01\0\0\0\0\0\0\0\x07\0\0\0\0\x0c\x0a";
    fs::write(file, framed).unwrap();
    let mut command = bytelane(&[&["thrift", "cat", file, "--idl", idl], &options[..]].concat());
    let output = command.output().unwrap();
    assert_eq!(text(&output.stdout), "{\"id\":7}\n");
    let message = text(&output.stderr);
    assert!(
        message.contains("message 2, which begins at byte 16: the frame has 1 of 12 bytes"),
        "{message}"
    );
    fs::write(file, b"\x0a\0\x01\0\0\0\0\0\0\0\x07\0\x0a\0\x01\0").unwrap();
    let message = cat(&["--type", "Order"]);
    assert!(
        message.contains("name one with --protocol\n  binary: "),
        "{message}"
    );
    let message = cat(&["--type", "Ordr"]);
    assert!(
        message.contains("--type: `Ordr` is not a type; the IDL defines Order, Color"),
        "{message}"
    );
    let message = failure(&mut bytelane(&[
        "thrift",
        "cat",
        file,
        "--protocol",
        "simple_json",
    ]));
    assert!(
        message.contains("name an IDL with --idl and --type"),
        "{message}"
    );
}

#[test]
fn calls_replies_and_defaults_are_shown() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (idl, file) = (path("shop.thrift"), path("calls.bin"));
    let text_of_idl = "struct Order { 1: i64 id, 2: string note = \"none\" }
service Shop { Order buy(1: i64 id, 2: i32 count = 1) }
service Other { string buy(1: string name) }";
    fs::write(&idl, text_of_idl).unwrap();
    let call = b"\x80\x01\0\x01\0\0\0\x03buy\0\0\0\x07\x0a\0\x01\0\0\0\0\0\0\0\x05\0";
    let reply = b"\x80\x01\0\x02\0\0\0\x03buy\0\0\0\x07\x0c\0\0\x0a\0\x01\0\0\0\0\0\0\0\x05\0\0";
    fs::write(&file, [&call[..], &reply[..]].concat()).unwrap();
    let cat = |options: &[&str]| {
        let output = bytelane(&[&["thrift", "cat", &*file][..], options].concat()).unwrap();
        text(&output.stdout).to_owned()
    };
    let lines = "{\"call\":\"buy\",\"sequence\":7,\"arguments\":{\"id\":5}}
{\"reply\":\"buy\",\"sequence\":7,\"result\":{\"success\":{\"id\":5}}}\n";
    assert_eq!(cat(&["--idl", &idl, "--calls"]), lines);
    let with_defaults = "{\"call\":\"buy\",\"sequence\":7,\"arguments\":{\"id\":5,\"count\":1}}
{\"reply\":\"buy\",\"sequence\":7,\"result\":{\"success\":{\"id\":5,\"note\":\"none\"}}}\n";
    assert_eq!(
        cat(&["--idl", &idl, "--calls", "--defaults"]),
        with_defaults
    );
    let undeclared = "{\"call\":\"buy\",\"sequence\":7,\"arguments\":{\"1: i64\":5}}
{\"reply\":\"buy\",\"sequence\":7,\"result\":{\"0: struct\":{\"1: i64\":5}}}\n";
    assert_eq!(cat(&["--calls"]), undeclared);
    assert_eq!(
        cat(&["--idl", &idl, "--calls", "--service", "Other"]),
        undeclared
    );
    // `encode` writes the same bytes.
    let (shown, copy) = (path("calls.json"), path("copy.bin"));
    fs::write(&shown, lines).unwrap();
    let encode = ["thrift", "encode", &shown, "--idl", &idl, "--calls"];
    let options = ["--protocol", "binary", "-o", &copy];
    bytelane(&[&encode[..], &options[..]].concat()).unwrap();
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&file).unwrap());
    let wrong = [
        "thrift",
        "cat",
        &file,
        "--idl",
        &idl,
        "--calls",
        "--service",
        "Shp",
    ];
    let message = failure(&mut bytelane(&wrong));
    assert!(
        message.contains("no functions of a service Shp; its services are Shop, Other"),
        "{message}"
    );
    fs::write(&file, b"\x0a\0\x01\0\0\0\0\0\0\0\x05\0").unwrap();
    let order = cat(&["--idl", &idl, "--type", "Order", "--defaults"]);
    assert_eq!(order, "{\"id\":5,\"note\":\"none\"}\n");
    let message = failure(&mut bytelane(&["thrift", "cat", &file, "--idl", &idl]));
    assert!(message.contains("--idl needs --type"), "{message}");
}
