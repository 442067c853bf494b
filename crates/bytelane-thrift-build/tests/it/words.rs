//! Definitions that have the name of a built-in type: they count, or are an error.

use crate::faults::{directory, generated, run};
use bytelane_thrift_build::Compiler;

const EVERYWHERE: [&str; 11] = [
    "bool", "byte", "i16", "i32", "i64", "double", "string", "binary", "list", "set", "map",
];
const OF_SOME_DIALECTS: [&str; 4] = ["i8", "float", "slist", "uuid"];

/// Definitions, with `NAME` for their names.
const TYPES: [(&str, &str); 5] = [
    ("typedef", "typedef i16 NAME"),
    ("struct", "struct NAME { 1: i16 x }"),
    ("enum", "enum NAME { ONE = 1 }"),
    ("union", "union NAME { 1: i16 x }"),
    ("exception", "exception NAME { 1: i16 x }"),
];
const SERVICE: &str = "service NAME { void f() }";

#[test]
fn words_of_every_dialect_cannot_be_defined() {
    let definitions = TYPES.iter().map(|(_, definition)| *definition);
    let definitions: Vec<_> = definitions
        .chain([SERVICE, "senum NAME { \"a\" }"])
        .collect();
    let words = EVERYWHERE.map(|word| (word, "")).into_iter();
    let words = words.chain(EVERYWHERE.map(|word| (word, "package \"a.b/c\"\n")));
    for (word, header) in words.chain([("float", "package \"a.b/c\"\n")]) {
        for definition in &definitions {
            // The use comes first, and the definition may be in an included file.
            let text = format!("{header}\n{}\n", definition.replace("NAME", word));
            let error = generated("reserved", &text).unwrap_err();
            let message = format!("`{word}` is a built-in type; give this definition another name");
            assert_eq!(error.message, message, "{text}");
            assert_eq!(error.at.unwrap().0, 2 + header.lines().count(), "{text}");
        }
    }
}

/// Fields of the types go over the wire as the definitions say, in every place that takes a type.
#[test]
fn words_of_some_dialects_can_be_defined() {
    let mut files = Vec::new();
    let mut tests = String::from("#[test]\nfn kinds() {\nuse bytelane_thrift::{Message, Type};\n");
    for word in OF_SOME_DIALECTS {
        for (kind, definition) in TYPES {
            for header in ["", "package \"a.b/c\"\n"] {
                if (word, header.is_empty()) == ("float", false) {
                    continue;
                }
                let module = format!("{kind}_{word}_{}", header.len());
                let definition = definition.replace("NAME", word);
                let uses = format!(
                    "struct Request {{ 1: {word} one, 2: list<{word}> more, 3: map<i32, {word}> by }}\n\
                     typedef {word} Other\nservice S {{ {word} next(1: {word} last, 2: Other other) }}\n"
                );
                // Uses are before the definition, and in another file.
                let text = format!("{header}{uses}{definition}\n");
                files.push((format!("{module}.thrift"), text));
                let far = format!(
                    "include \"{module}.thrift\"\nstruct Far {{ 1: {module}.{word} one, 2: {word}_ own }}\n\
                     typedef {module}.{word} {word}_\n"
                );
                files.push((format!("far_{module}.thrift"), far));
                let wire = match kind {
                    "typedef" => "I16",
                    "enum" => "I32",
                    _ => "Struct",
                };
                tests += &format!(
                    "let fields = {module}::Request::FIELDS;\n\
                     assert_eq!(fields[0].kind, Type::{wire}, \"{module}\");\n\
                     assert_eq!({module}::s::NextArgs::FIELDS[0].kind, Type::{wire});\n\
                     for field in far_{module}::Far::FIELDS {{ assert_eq!(field.kind, Type::{wire}); }}\n"
                );
            }
        }
    }
    let listed: Vec<_> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let directory = directory("words", &listed);
    let paths: Vec<_> = files.iter().map(|(name, _)| directory.join(name)).collect();
    Compiler::new()
        .compile(&paths, directory.join("src"))
        .unwrap_or_else(|error| panic!("{error}"));
    run(&directory, &(tests + "}\n"));
}

#[test]
fn services_and_constants_are_no_types() {
    for word in OF_SOME_DIALECTS {
        for definition in [SERVICE, "const i32 NAME = 1"] {
            let text = format!(
                "{}\nstruct A {{ 1: {word} x }}",
                definition.replace("NAME", word)
            );
            let message = generated("no_types", &text).unwrap_err().message;
            assert_eq!(message, format!("`{word}` is not a type"));
        }
        // Without a definition, the word means the built-in type.
        let text = format!("struct A {{ 1: {word} x }}");
        generated("built_in", &text).unwrap();
    }
    let text = "typedef uuid uuid";
    let message = generated("own", text).unwrap_err().message;
    assert_eq!(message, "the typedef `uuid` refers to itself");
}
