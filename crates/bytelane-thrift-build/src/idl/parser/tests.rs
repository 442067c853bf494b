use super::*;
use crate::idl::source::Source;
use std::sync::Arc;

fn read(text: &str) -> Result<Document, String> {
    let source = Arc::new(Source {
        path: "t.thrift".into(),
        text: text.to_owned(),
    });
    parse(&source).map_err(|error| error.to_string())
}

#[test]
fn reads_every_construct() {
    let text = r#"
        include "shared.thrift"
        cpp_include "<map>"
        namespace * all
        namespace rs bytelane.example (a = "b")
        php_namespace old
        const map<string, list<i32>> M = {"a": [1, 2], 'b': []}
        typedef list<map<i32, set<string>>> (x = "y") Nested
        enum Color { RED, GREEN = 0x5; BLUE }
        senum Words { "one", "two" }
        struct S xsd_all {
            1: required i32 a = -1, 2: optional shared.T b (c), string d;
            -7: set cpp_type "x" <double> e xsd_optional,
            8: S & f
        } (final)
        union U { 1: S s }
        exception E { 1: string message }
        service Base { void ping() }
        service Derived extends shared.Base {
            oneway void go(1: i32 x),
            /** Adds. */ i64 add(1: i64 a, 2: i64 b) throws (1: E e) (d = "e");
        }
    "#;
    let document = read(text).unwrap();
    assert_eq!(document.includes[0].path.text, "shared.thrift");
    assert_eq!(document.namespaces[1].1.text, "bytelane.example");
    assert_eq!(document.definitions.len(), 9);
    let Kind::Enum(colors) = &document.definitions[2].kind else {
        panic!("an enum")
    };
    assert_eq!(
        colors.iter().map(|color| color.value).collect::<Vec<_>>(),
        [0, 5, 6]
    );
    let Kind::Struct(Shape::Struct, fields) = &document.definitions[4].kind else {
        panic!("a struct")
    };
    assert_eq!(
        fields.iter().map(|field| field.id).collect::<Vec<_>>(),
        [1, 2, -1, -2, 8]
    );
    let Kind::Service(Some(parent), functions) = &document.definitions[8].kind else {
        panic!("a service")
    };
    assert_eq!(parent.text, "shared.Base");
    assert!(functions[0].oneway && functions[1].throws.len() == 1);
    assert_eq!(functions[1].documentation.as_deref(), Some("Adds."));
}

#[test]
fn errors_name_the_place() {
    let message = |text: &str| read(text).unwrap_err().lines().next().unwrap().to_owned();
    let cases = [
        (
            "strukt A {}",
            "1:1: expected const, typedef, enum, struct, union, exception, service or interaction, found `strukt`",
        ),
        ("struct A {\n 1 i32 a }", "2:4: expected `:`, found `i32`"),
        (
            "struct A { 1: i32 a, 1: i32 b }",
            "1:22: the field `a` already has the id 1",
        ),
        (
            "struct A { 1: i32 a, 2: i32 a }",
            "1:29: there is already a field `a`",
        ),
        (
            "struct A { 70000: i32 a }",
            "1:12: expected an id of 16 bits, found the number 70000",
        ),
        ("struct A.B {}", "1:9: a name cannot contain `.`"),
        (
            "enum E { A = 2147483647, B }",
            "1:26: 2147483648 does not fit in 32 bits",
        ),
        (
            "const i32 X =",
            "1:14: expected a value, found the end of the file",
        ),
        (
            "service S { i32 f(1: i32 a }",
            "1:28: expected a type, found `}`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), format!("t.thrift:{expected}"));
    }
    let deep = format!("typedef {}i32{} T", "list<".repeat(100), ">".repeat(100));
    assert!(message(&deep).ends_with("nested more than 64 deep"));
    let deep = format!("const i32 X = {}", "[".repeat(100_000));
    assert!(message(&deep).ends_with("nested more than 64 deep"));
}
