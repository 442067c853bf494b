//! Tests every error of the compiler, with its position and its exact text.

use bytelane_thrift_build::Compiler;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns an empty directory for this test.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Returns the error for a file with this text: line, column and message. Checks the line and the
/// caret below it.
fn error(directory: &Path, text: &[u8]) -> String {
    let path = directory.join("case.thrift");
    fs::write(&path, text).unwrap();
    let error = Compiler::new().modules(&[&path]).unwrap_err();
    let Some((line, column, shown)) = &error.at else {
        return error.message;
    };
    let first = format!("{line}:{column}: {}", error.message);
    let number = line.to_string();
    let indent: String = shown.chars().take(column - 1).collect();
    let indent = indent.replace(|c| c != '\t', " ");
    let (path, margin) = (path.display(), " ".repeat(number.len()));
    let expected = format!("{path}:{first}\n{number} | {shown}\n{margin} | {indent}^");
    assert_eq!(error.to_string(), expected);
    first
}

#[rustfmt::skip]
const CASES: &[(&str, &str)] = &[
    // Tokens
    ("struct A { ? }", "1:12: `?` means nothing here"),
    ("/* A", "1:1: unterminated comment"),
    ("const string A = \"a", "1:18: unterminated string"),
    (r#"const string A = "a\x4z""#, r"1:20: `\x` needs 2 hexadecimal digits"),
    (r#"const string A = "\u12""#, r"1:19: `\u` needs 4 hexadecimal digits"),
    (r#"const string A = "\ud800""#, "1:19: half of a surrogate pair is no character"),
    ("const i64 A = 0xFFFFFFFFFFFFFFFF", "1:15: `0xFFFFFFFFFFFFFFFF` is not a 64-bit number"),
    ("const i32 A = 0b2", "1:15: `0b2` is not a 64-bit number"),
    // Unexpected tokens
    ("strukt A {}", "1:1: expected const, typedef, enum, struct, union, exception, service or interaction, found `strukt`"),
    ("7", "1:1: expected a definition, found the number 7"),
    ("include 1.5", "1:9: expected a quoted file path, found the number 1.5"),
    ("struct \"A\" {}", "1:8: expected a name, found the text \"A\""),
    ("struct A {", "1:11: expected a type, found the end of the file"),
    ("@", "1:2: expected the name of an annotation, found the end of the file"),
    ("@A{x 1} struct B {}", "1:6: expected `:`, found the number 1"),
    ("safe 1", "1:6: expected `exception`, found the number 1"),
    ("const i32 A = ]", "1:15: expected a value, found `]`"),
    ("const i32 A 1", "1:13: expected `=`, found the number 1"),
    ("struct A { 1: i32 7 }", "1:19: expected the name of a field, found the number 7"),
    ("struct A { 70000: i32 a }", "1:12: expected an id of 16 bits, found the number 70000"),
    ("struct A { 1: list<i32 a }", "1:24: expected `>`, found `a`"),
    ("struct A { 1: i32 a (b = 1) }", "1:26: expected a quoted string, found the number 1"),
    ("enum E { A = 3000000000 }", "1:14: expected a number of 32 bits, found the number 3000000000"),
    ("enum E { 1 }", "1:10: expected the name of a number, or `}`, found the number 1"),
    ("service S { performs 1 }", "1:22: expected the name of an interaction, found the number 1"),
    ("service S { stream<i32 f() }", "1:24: expected `>`, found `f`"),
    ("namespace rs 1", "1:14: expected a namespace, found the number 1"),
    (r#"include "\xff""#, "1:9: a quoted file path must be UTF-8"),
    // Names and numbers
    ("struct A.B {}", "1:9: a name cannot contain `.`"),
    ("enum E { A = 2147483647, B }", "1:26: 2147483648 does not fit in 32 bits"),
    ("enum E { A, A }", "1:13: `A` is already defined, as 0"),
    ("struct A { 1: i32 a, 1: i32 b }", "1:22: the field `a` already has the id 1"),
    ("struct A { 1: i32 a, 2: i32 a }", "1:29: there is already a field `a`"),
    ("service S { void f(), void f() }", "1:28: there is already a function `f`"),
    ("struct A {}\nstruct A {}", "2:8: `A` is defined already"),
    ("struct A { 1: B b }", "1:15: unknown type `B`"),
    ("service S {}\nstruct A { 1: S s }", "2:15: `S` is not a type"),
    ("interaction I {}\nstruct A { 1: I i }", "2:15: `I` is not a type"),
    ("typedef B A\ntypedef A B", "1:9: the typedef `B` refers to itself"),
    ("service S extends T {}", "1:19: unknown service `T`"),
    ("service S { oneway i32 f() }", "1:24: `f` is oneway and cannot return a value"),
    ("include \"case.thrift\"", "1:9: this file includes itself"),
    ("include \"none.thrift\"", "1:9: file `none.thrift` not found; name the directory that the path begins in with `Compiler::include`, or with `-I` on the command line"),
    // Values
    ("const bool A = \"x\"", "1:16: expected true or false"),
    ("struct A { 1: i8 a = 300 }", "1:22: expected an integer of 8 bits"),
    ("const i16 A = 70000", "1:15: expected an integer of 16 bits"),
    ("const i32 A = \"x\"", "1:15: expected an integer of 32 bits"),
    ("const i64 A = 1.5", "1:15: expected an integer"),
    ("const double A = \"x\"", "1:18: expected a number"),
    ("const double A = 1e999", "1:18: expected a number that a double can represent"),
    ("const float A = \"x\"", "1:17: expected a number"),
    ("const float A = 1e39", "1:17: expected a number that a float can represent"),
    ("const string A = 1", "1:18: expected a text"),
    (r#"const string A = "\xff""#, "1:18: expected a text in UTF-8"),
    ("const binary A = 1", "1:18: expected a string for the bytes"),
    ("const uuid A = 1", "1:16: expected a string with a UUID"),
    ("const uuid A = \"12\"", "1:16: expected 32 hexadecimal digits"),
    ("enum E { A }\nconst E X = E.B", "2:13: `E` has no number `B`"),
    ("const list<i32> A = 1", "1:21: expected a list"),
    ("const list<i32> A = [1, \"x\"]", "1:25: expected an integer of 32 bits"),
    ("const set<i32> A = 1", "1:20: expected a list for a set"),
    ("const map<i32, i32> A = 1", "1:25: expected a map"),
    ("struct S {}\nconst S A = 1", "2:13: expected a map from names of fields to values"),
    ("struct S { 1: i32 x }\nconst S A = {1: 2}", "2:14: expected the name of a field"),
    ("struct S { 1: i32 x }\nconst S A = S{y = 2}", "2:15: `S` has no field `y`"),
    ("struct S {}\nstruct T {}\nconst S A = T{}", "3:13: expected a value of `S`"),
    ("struct S {}\nconst S A = U{}", "2:13: unknown type `U`"),
    ("union U { 1: i32 x, 2: i32 y }\nconst U A = {\"x\": 1, \"y\": 2}", "2:13: expected at most one field of the union"),
    ("union U { 1: i32 x }\nconst U A = {}", "2:13: expected a field of the union"),
    ("union U { 1: i32 x }\nconst U A = U{}", "2:13: expected a field of the union"),
    ("union U { 1: i32 x }\nstruct S { 1: required U u = {} }", "2:30: expected a field of the union"),
    ("union U { 1: i32 x }\nstruct S { 1: list<U> u = [{}] }", "2:28: expected a field of the union"),
    // Definitions that contain themselves
    ("typedef list<A> A", "1:14: the typedef `A` refers to itself"),
    ("typedef list<A> B\ntypedef B A", "1:14: the typedef `A` refers to itself"),
    ("typedef i32 X\ntypedef map<X, set<B>> A\ntypedef A B", "2:20: the typedef `B` refers to itself"),
    ("service A extends A {}", "1:19: the service `A` extends itself"),
    ("service A extends B {}\nservice B extends C {}\nservice C extends B {}", "2:19: the service `B` extends itself"),
    ("struct T { 1: optional T t = {\"x\": 1}, 2: i32 x }", "1:30: the default value of `t` contains itself"),
    ("struct T { 1: list<T> t = [{}] }", "1:27: the default value of `t` contains itself"),
    ("struct T { 1: U u = {} }\nstruct U { 1: map<i32, T> t = {1: {}} }", "1:21: the default value of `u` contains itself"),
    ("struct T { 1: U u }\nstruct U { 1: list<T> t = C }\nconst list<T> C = [{}]", "2:27: the default value of `t` contains itself"),
    ("union V { 1: T t }\nstruct T { 1: optional V v = {\"t\": {}} }", "2:30: the default value of `v` contains itself"),
    ("const i32 A = B\nconst i32 B = A", "1:11: the constant `A` refers to itself"),
];

#[test]
fn errors_have_a_place_and_an_exact_text() {
    let directory = directory("exact_errors");
    let mut wrong = Vec::new();
    for (text, expected) in CASES {
        let found = error(&directory, text.as_bytes());
        if found != *expected {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn depth_is_limited() {
    let directory = directory("deep_errors");
    let deep = format!("typedef {}i32{} T", "list<".repeat(100), ">".repeat(100));
    assert_eq!(
        error(&directory, deep.as_bytes()),
        "1:334: nested more than 64 deep"
    );
    let mut chain = String::from("const i32 A0 = 1\n");
    for i in 1..300 {
        chain += &format!("const i32 A{i} = A{}\n", i - 1);
    }
    let expected = "201:11: `A200` leads over more than 200 constants";
    assert_eq!(error(&directory, chain.as_bytes()), expected);
    let chain: String = (1..1000)
        .map(|i| format!("typedef list<A{i}> A{}\n", i - 1))
        .collect();
    let found = error(&directory, (chain + "typedef i32 A999").as_bytes());
    assert!(
        found.ends_with("leads over more than 200 containers and typedefs"),
        "{found}"
    );
}

/// Bytes that are not UTF-8, as in files in Latin-1, have a position wherever they are.
#[test]
fn other_encodings_are_errors_with_a_place() {
    let directory = directory("encodings");
    let message = "the byte 0xe9 is not UTF-8; convert the file to UTF-8";
    for (text, place) in [
        (&b"// caf\xe9\nstruct A {}"[..], "1:7"),
        (b"struct A {\n  1: i32 a /* caf\xe9 */\n}", "2:18"),
        (b"struct A {} # \xc3\xa9\xe9", "1:16"),
        (b"\n\nconst string X = \"caf\xe9\"", "3:22"),
        (b"struct caf\xe9 {}", "1:11"),
    ] {
        assert_eq!(error(&directory, text), format!("{place}: {message}"));
    }
}

#[test]
fn errors_with_whole_files_name_them() {
    let directory = directory("file_errors");
    assert_eq!(
        error(&directory, b"struct A {}\xff"),
        "1:12: the byte 0xff is not UTF-8; convert the file to UTF-8"
    );
    let missing = directory.join("none.thrift");
    let error = Compiler::new()
        .modules(&[&missing])
        .unwrap_err()
        .to_string();
    let start = format!("{}: cannot read the file: ", missing.display());
    assert!(error.starts_with(&start), "{error}");
    // A file in place of the directory.
    let idl = directory.join("a.thrift");
    fs::write(&idl, "struct A {}").unwrap();
    let error = Compiler::new()
        .compile(&[&idl], &idl)
        .unwrap_err()
        .to_string();
    let start = format!("{}: cannot write the file: ", idl.display());
    assert!(error.starts_with(&start), "{error}");
}
