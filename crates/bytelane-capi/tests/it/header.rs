//! Tests that the headers match the sources: `include/bytelane.h` is what cbindgen generates from
//! them, and `include/bytelane_generated.hpp` has a function of C++ for each function of C that a
//! codec lists. To write them:
//!
//! ```text
//! BYTELANE_WRITE_HEADER=1 cargo test --package bytelane-capi --test it header::
//! ```

use bytelane_capi::codec::CODECS;
use bytelane_capi::exports::{Function, Parameter};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Functions that C++ has in `bytelane.hpp`, because their parameters or results differ there.
const BY_HAND: &[&str] = &[
    "bytelane_utf8_is_ascii",
    "bytelane_alp_validate_f32",
    "bytelane_alp_validate_f64",
    "bytelane_fsst_train_i32",
    "bytelane_fsst_train_i64",
    "bytelane_fsst_read_table",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the source of a module.
fn source(module: &str) -> String {
    fs::read_to_string(root().join(format!("src/{module}.rs"))).unwrap()
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in ["result", "library"] {
        builder = builder.with_src(root().join(format!("src/{module}.rs")));
    }
    // cbindgen does not expand macros, so it gets the functions of `exports!` written out.
    let expanded = tempfile::tempdir().unwrap();
    for (codec, functions) in CODECS {
        let functions: String = functions.iter().map(declaration_in_rust).collect();
        let path = expanded.path().join(format!("{codec}.rs"));
        fs::write(&path, source(&format!("codec/{codec}")) + &functions).unwrap();
        builder = builder.with_src(path);
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

fn declaration_in_rust(function: &Function) -> String {
    let mut text = String::new();
    for line in function.docs {
        writeln!(text, "///{line}").unwrap();
    }
    let parameters = function.parameters.iter().map(|parameter| match parameter {
        Parameter::Input(name, of, count) => format!("{name}: *const {of}, {count}: usize"),
        Parameter::Output(name, of, count) => format!("{name}: *mut {of}, {count}: usize"),
        Parameter::Plain(name, of, _) => format!("{name}: {of}"),
    });
    let (name, parameters) = (function.name, parameters.collect::<Vec<_>>().join(", "));
    let attribute = "#[unsafe(no_mangle)]";
    writeln!(
        text,
        "{attribute} pub unsafe extern \"C\" fn {name}({parameters}) -> bytelane_result {{}}"
    )
    .unwrap();
    text
}

fn generated_for_cpp() -> String {
    let mut header =
        "// Part of bytelane.hpp: the functions that have the same shape in each codec.\n\
        //\n// This file is generated from crates/bytelane-capi; do not edit it.\n\n\
        #ifndef BYTELANE_GENERATED_HPP\n#define BYTELANE_GENERATED_HPP\n\nnamespace bytelane {\n"
            .to_owned();
    for (codec, functions) in CODECS.iter().filter(|(_, listed)| !listed.is_empty()) {
        let source = source(&format!("codec/{codec}"));
        let title = source.lines().next().unwrap().replace("//!", "//");
        write!(header, "\n{title}\nnamespace {codec} {{\n\n").unwrap();
        for function in *functions {
            if !BY_HAND.contains(&function.name) {
                header += &definition_in_cpp(function);
            }
        }
        writeln!(header, "}}  // namespace {codec}").unwrap();
    }
    header + "\n}  // namespace bytelane\n\n#endif  // BYTELANE_GENERATED_HPP\n"
}

fn definition_in_cpp(function: &Function) -> String {
    let (mut required, mut optional, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in function.parameters {
        match *parameter {
            Parameter::Input(name, of, _) => {
                arguments.push(format!("{name}.data(), {name}.size()"));
                required.push(match of {
                    "u8" => format!("bytes {name}"),
                    of => format!("span<const {}> {name}", type_in_cpp(of)),
                });
            }
            Parameter::Output(name, of, _) => {
                arguments.push(format!("{name}.data(), {name}.size()"));
                required.push(match of {
                    "u8" => format!("mutable_bytes {name}"),
                    of => format!("span<{}> {name}", type_in_cpp(of)),
                });
            }
            // A class in the namespace of the codec, which owns it.
            Parameter::Plain("table", ..) => {
                arguments.push("with.get()".to_owned());
                required.push("const table &with".to_owned());
            }
            // `format` and `flags` are names of types in the namespace of the codec.
            Parameter::Plain(name @ ("format" | "flags"), _, "") => {
                arguments.push("how".to_owned());
                required.push(format!("{name} how"));
            }
            Parameter::Plain(name @ ("format" | "flags"), _, default) => {
                arguments.push("how".to_owned());
                optional.push(format!("{name} how = {default}"));
            }
            Parameter::Plain(name, of, "") => {
                arguments.push(name.to_owned());
                required.push(format!("{} {name}", type_in_cpp(of)));
            }
            Parameter::Plain(name, of, default) => {
                arguments.push(name.to_owned());
                optional.push(format!("{} {name} = {default}", type_in_cpp(of)));
            }
        }
    }
    required.append(&mut optional);
    format!(
        "inline result {}({}) noexcept {{\n    return {}({});\n}}\n\n",
        function.method,
        required.join(", "),
        function.name,
        arguments.join(", ")
    )
}

fn type_in_cpp(of: &str) -> String {
    match of {
        "f32" => "float".to_owned(),
        "f64" => "double".to_owned(),
        "usize" => "std::size_t".to_owned(),
        of if of.starts_with('i') => format!("std::int{}_t", &of[1..]),
        of => format!("std::uint{}_t", &of[1..]),
    }
}

#[test]
fn the_headers_are_up_to_date() {
    for (name, generated) in [
        ("bytelane.h", generated()),
        ("bytelane_generated.hpp", generated_for_cpp()),
    ] {
        let path = root().join("include").join(name);
        if std::env::var_os("BYTELANE_WRITE_HEADER").is_some() {
            fs::write(&path, &generated).unwrap();
        }
        let header = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            header == generated,
            "include/{name} is out of date: write it again with BYTELANE_WRITE_HEADER=1"
        );
    }
}

#[test]
fn every_module_is_in_the_header() {
    for entry in fs::read_dir(root().join("src/codec")).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap();
        let listed = CODECS.iter().any(|(codec, _)| *codec == module);
        assert!(listed || module == "mod", "{module}");
    }
}

#[test]
fn the_header_has_the_version_of_the_crate() {
    let header = generated();
    for (part, number) in [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ] {
        let line = format!("#define BYTELANE_VERSION_{part} {number}\n");
        assert!(header.contains(&line), "{line}");
    }
}
