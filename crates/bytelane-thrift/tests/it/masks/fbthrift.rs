//! Masks of fbthrift: each as a [`FieldMask`] with the same meaning.
//!
//! fbthrift's masks are trees of `includes` and `excludes`. Paths that are selected are a tree of `includes` whose leaves are
//! `allOf`, paths that are rejected one of `excludes`. Three things differ. A tree that mixes both has no
//! paths. A mask of a list or set has elements by index here; fbthrift has masks only of structs and maps. Required fields are written
//! whatever the mask is, as Kitex does; fbthrift's `filter` clears them.

use bytelane_thrift::{Binary, Compact, ErrorKind, FieldMask, Message, Thrift};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Foo {
    #[thrift(id = 1)]
    field_1: i32,
    #[thrift(id = 2)]
    field_2: i32,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
#[thrift(union)]
enum Choice {
    #[thrift(id = 1, name = "foo")]
    Foo(Foo),
    #[thrift(id = 2, name = "number")]
    Number(i64),
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Bar {
    #[thrift(id = 1)]
    foo: Foo,
    #[thrift(id = 2)]
    text: String,
    #[thrift(id = 3)]
    by_number: BTreeMap<i64, Foo>,
    #[thrift(id = 4)]
    by_text: BTreeMap<String, Foo>,
    #[thrift(id = 5)]
    choice: Option<Choice>,
}

fn foo(first: i32, second: i32) -> Foo {
    Foo {
        field_1: first,
        field_2: second,
    }
}

fn bar() -> Bar {
    Bar {
        foo: foo(1, 2),
        text: "x".into(),
        by_number: [(1, foo(3, 4)), (2, foo(5, 6))].into(),
        by_text: [("a".into(), foo(7, 8)), ("b".into(), foo(9, 10))].into(),
        choice: Some(Choice::Foo(foo(11, 12))),
    }
}

/// Checks what a mask leaves of [`bar`], when it is read and when it is written.
fn check(mask: &FieldMask, expected: impl FnOnce(&mut Bar)) {
    let mut wanted = Bar::default();
    expected(&mut wanted);
    let bytes = bar().encode::<Binary>().unwrap();
    assert_eq!(Bar::decode_masked::<Binary>(&bytes, mask).unwrap(), wanted);
    let bytes = bar().encode_masked::<Compact>(mask).unwrap();
    assert_eq!(Bar::decode::<Compact>(&bytes).unwrap(), wanted);
}

fn of(paths: &[&str]) -> FieldMask {
    FieldMask::of::<Bar>(paths).unwrap()
}

fn without(paths: &[&str]) -> FieldMask {
    FieldMask::without::<Bar>(paths).unwrap()
}

#[test]
fn all_and_none() {
    // allMask() is `excludes: {}`, noneMask() is `includes: {}`.
    check(&of(&["$"]), |wanted| *wanted = bar());
    check(&without(&[]), |wanted| *wanted = bar());
    check(&without(&["$"]), |_| {});
}

#[test]
fn includes_and_excludes_of_fields() {
    // includes: {1: includes: {2: allMask}, 2: allMask}
    check(&of(&["foo.field_2", "text"]), |wanted| {
        wanted.foo.field_2 = 2;
        wanted.text = "x".into();
    });
    // excludes: {1: includes: {2: allMask}, 3: allMask}
    check(&without(&["foo.field_2", "by_number"]), |wanted| {
        *wanted = bar();
        wanted.foo.field_2 = 0;
        wanted.by_number.clear();
    });
    // includes: {5: includes: {1: includes: {1: allMask}}}, within a union
    check(&of(&["choice.foo.field_1"]), |wanted| {
        wanted.choice = Some(Choice::Foo(foo(11, 0)));
    });
    // excludes: {5: includes: {1: allMask}}: the member that is set
    check(&without(&["choice.foo"]), |wanted| {
        *wanted = bar();
        wanted.choice = None;
    });
}

#[test]
fn includes_and_excludes_of_entries() {
    // includes: {3: includes_map: {2: allMask}}; a key that is not there selects nothing
    check(&of(&["by_number{2,7}"]), |wanted| {
        wanted.by_number = [(2, foo(5, 6))].into();
    });
    // includes: {4: includes_string_map: {"a": includes: {1: allMask}}}
    check(&of(&["by_text{\"a\"}.field_1"]), |wanted| {
        wanted.by_text = [("a".into(), foo(7, 0))].into();
    });
    // excludes: {3: includes_map: {1: allMask}, 4: includes_string_map: {"b": includes: {2: allMask}}}
    check(
        &without(&["by_number{1}", "by_text{\"b\"}.field_2"]),
        |wanted| {
            *wanted = bar();
            wanted.by_number.remove(&1);
            wanted.by_text.insert("b".into(), foo(9, 0));
        },
    );
    // includes: {3: excludes_map: {}}: all entries
    check(&of(&["by_number{*}"]), |wanted| {
        wanted.by_number = bar().by_number
    });
}

/// `isCompatibleWith`: a mask that does not fit the type is refused.
#[test]
fn masks_fit_their_types() {
    for path in [
        "text.field_1",
        "foo{1}",
        "by_number{\"a\"}",
        "by_text{1}",
        "foo.field_3",
    ] {
        assert!(FieldMask::of::<Bar>([path]).is_err(), "{path}");
    }
    #[derive(Debug, Thrift)]
    struct Holds {
        #[thrift(id = 1, required)]
        choice: Choice,
    }
    // A union without its member is an error if it is not optional.
    let mask = FieldMask::of::<Holds>(["choice.number"]).unwrap();
    let choice = Choice::Foo(foo(1, 2));
    let bytes = Holds { choice }.encode::<Binary>().unwrap();
    let error = Holds::decode_masked::<Binary>(&bytes, &mask).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EmptyUnion);
}
