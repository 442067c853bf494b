//! IDL files that are easy to get wrong: the code generated from them compiles, documents and runs.

use bytelane_thrift_build::{Compiler, Error};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Creates a directory for this test, with files.
pub(crate) fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    for (name, text) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

/// Returns the text generated from one file.
pub(crate) fn generated(name: &str, text: &str) -> Result<String, Error> {
    let directory = directory(name, &[("case.thrift", text)]);
    let mut modules = Compiler::new().modules(&[directory.join("case.thrift")])?;
    Ok(modules.pop().unwrap().text)
}

/// Checks that rustc accepts a crate with the modules of `directory/src` without a warning.
pub(crate) fn check(directory: &Path) {
    let (success, text) = cargo(directory, "check", "");
    assert!(success, "{text}");
}

/// Runs the tests of a crate with the modules of `directory/src`, including doctests.
pub(crate) fn run(directory: &Path, tests: &str) {
    let (success, text) = cargo(directory, "test", tests);
    assert!(success, "{text}");
    assert!(text.contains("Doc-tests"), "{text}");
    assert!(text.contains("running 0 tests"), "a doctest: {text}");
}

/// Runs cargo for a crate with the modules of `directory/src` and these tests. Returns whether it
/// succeeded, and what it printed.
fn cargo(directory: &Path, command: &str, tests: &str) -> (bool, String) {
    let list = fs::read_to_string(directory.join("src/mod.rs")).unwrap();
    let tests = format!("#![deny(warnings)]\n#![allow(dead_code)]\n{list}\n{tests}");
    fs::write(directory.join("src/lib.rs"), tests).unwrap();
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bytelane-thrift");
    let manifest = format!(
        "[package]\nname = \"faults\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nbytelane-thrift.path = {:?}\n",
        runtime.canonicalize().unwrap()
    );
    fs::write(directory.join("Cargo.toml"), manifest).unwrap();
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    fs::copy(lock, directory.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args([command, "--offline", "--target-dir"])
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults_target"))
        .current_dir(directory)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    (output.status.success(), format!("{text}\n{errors}"))
}

const MAIN: &str = r#"
include "a/common.thrift"
include "b/common.thrift"

/** one */
union Choice { 1: i32 number, 2: string text }

/**
 * Example:
 * ```
 * this is not rust at all
 * ```
 *
 *      let x = ??? in y;
 *
 * - item
 *
 *          nor is this }
 * -      let z = ???;
 * > ~~~rust,no_run
 * > nor this
 * > ~~~
 */
struct Names {
  1: i32 _; 2: i32 __; 3: i32 _1; 4: i32 a_; 5: i32 a
  /** one two;
   * }
   * three */
  6: map<i32, i32> m
  /// ```
  /// {"a": 1};
  /// ```
  7: common.Foo foo = {"x": common.FIRST}
  8: common.Bar bar
  9: common.Kind kind = common.Kind.TWO
  10: Choice none = {}
  11: optional Choice nothing = {}
  12: Holder holder = {"choice": {}}
}
struct Holder { 1: Choice choice = {"number": 5} }
union Endless { 1: Endless again }
struct HoldsEndless { 1: required Endless endless }
enum Number { _ = 1, __ = 2 }
exception From {}
service Std extends common.Base { void ping() throws (1: From from), map<i32, i32> get() }
service BytelaneThrift { set<i32> _(1: i32 _) }
service Core {}
service Into { void into() }
"#;

#[test]
fn what_is_easy_to_get_wrong_compiles_and_runs() {
    let main = MAIN
        .replace("one */", "one\rtwo */")
        .replace("one two;", "one\rtwo;");
    let directory = directory(
        "faults",
        &[
            ("main file+\u{1f600}.thrift", &main),
            (
                "a/common.thrift",
                "struct Foo { 1: i32 x }\nconst i32 FIRST = 7\nservice Base {}",
            ),
            (
                "b/common.thrift",
                "struct Bar { 1: i32 y }\nenum Kind { ONE, TWO }",
            ),
        ],
    );
    let main = directory.join("main file+\u{1f600}.thrift");
    Compiler::new()
        .compile(&[main], directory.join("src"))
        .unwrap();
    let tests = r#"
        #[test]
        fn values() {
            use bytelane_thrift::{Binary, Message};
            let names = main_file::Names { _1: 1, _2: 2, ..Default::default() };
            assert_eq!((names.foo.x, names.kind), (7, common_::Kind::Two));
            assert_eq!((&names.none, &names.nothing), (&None, &None));
            assert_eq!(names.holder.choice, None);
            // Absent fields have their default values after reading.
            let names = main_file::Names { holder: Default::default(), ..names };
            let bytes = names.encode::<Binary>().unwrap();
            assert_eq!(main_file::Names::decode::<Binary>(&bytes).unwrap(), names);
            assert_eq!(main_file::Number::from(2), main_file::Number::_2);
            assert!(main_file::HoldsEndless::decode::<Binary>(&[0]).is_err());
            let _ = main_file::HoldsEndless::default();
        }
    "#;
    run(&directory, tests);
}

#[test]
fn services_do_not_hide_crates() {
    let text = "service Indexmap {}\nservice Shared {}\nservice Own {}\nstruct S { 1: i32 a (rust.type = \"own::Int\") }";
    let directory = directory("hidden_crates", &[("case.thrift", text)]);
    let modules = Compiler::new()
        .map_type("indexmap::IndexMap")
        .derive("*", "shared::Derive")
        .modules(&[directory.join("case.thrift")])
        .unwrap();
    for module in ["pub mod indexmap_ {", "pub mod shared_ {", "pub mod own_ {"] {
        assert!(modules[0].text.contains(module), "{module}");
    }
}

/// fbthrift allows constants with unions that have no member; elsewhere they are errors.
#[test]
fn constants_of_fbthrift_without_a_member_are_skipped() {
    let text = "package;\nunion U { 1: i32 a }\n/** none */\nconst U NONE = {}\nconst list<U> SOME = [{a: 1}]";
    let directory = directory("no_member", &[("case.thrift", text)]);
    let modules = Compiler::new()
        .modules(&[directory.join("case.thrift")])
        .unwrap();
    let (text, notes) = (&modules[0].text, &modules[0].notes);
    assert!(text.contains("SOME") && !text.contains("NONE") && !text.contains("/// none"));
    let message = "the constant `NONE` is skipped: a union in it has no member";
    assert_eq!(
        (&*notes[0].message, notes[0].line, notes.len()),
        (message, 4, 1)
    );
}

/// The file that is included last counts, as in Apache's compiler.
#[test]
fn of_two_includes_with_one_name_the_last_one_counts() {
    let main = "include \"a/x.thrift\"\ninclude \"b/x.thrift\"\nstruct S { 1: x.Both both }";
    let files = [
        ("main.thrift", main),
        ("a/x.thrift", "struct Both {}"),
        ("b/x.thrift", "struct Both {}"),
    ];
    let directory = directory("both", &files);
    let modules = Compiler::new()
        .modules(&[directory.join("main.thrift")])
        .unwrap();
    assert!(
        modules[2].text.contains("pub both: super::x_::Both,"),
        "{}",
        modules[2].text
    );
}

#[test]
fn comments_have_no_tests_and_no_gaps() {
    let text = "/** a;\n * ```\n * b\n * ```\n * c }\r * d\u{202e} */\nstruct A {}";
    let text = generated("comments", text).unwrap();
    let expected = "/// a;\n///\n/// ```text\n/// b\n/// ```\n/// c }\n/// d\n#[derive";
    assert!(text.contains(expected), "{text}");
}

/// Structs that refer to each other, and chains of typedefs, take linear time.
#[test]
fn large_files_take_linear_time() {
    let chain = |structs: usize| -> String {
        let one = |i: usize| {
            format!(
                "struct S{i} {{ 1: S{} next, 2: optional S{i} own }}\n",
                (i + 1) % structs
            )
        };
        (0..structs).map(one).collect()
    };
    let time = |structs| {
        let text = chain(structs);
        let once = || {
            let start = Instant::now();
            generated("large", &text).unwrap();
            start.elapsed()
        };
        (0..3).map(|_| once()).min().unwrap()
    };
    let (small, large) = (time(1000), time(4000));
    assert!(
        large < small * 8 + Duration::from_millis(20),
        "{small:?}, {large:?}"
    );

    let mut text = "typedef double T0\n".to_owned();
    for i in 1..150 {
        text += &format!("typedef T{} T{i}\n", i - 1);
    }
    text += "struct S { 1: set<T149> s }";
    assert!(
        generated("typedefs", &text)
            .unwrap()
            .contains("BTreeSet<bytelane_thrift::Double>")
    );
}

/// A long chain of keys does not use the stack.
#[test]
fn long_chains_of_keys() {
    let structs = 20_000;
    let one = |i: usize| format!("struct S{i} {{ 1: optional S{} s }}\n", (i + 1) % structs);
    let text: String = (0..structs).map(one).collect();
    assert!(
        generated("keys", &(text + "struct K { 1: set<S0> s }"))
            .unwrap()
            .contains("Hash")
    );
}
