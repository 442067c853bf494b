//! Tests that `include/bytelane.h` matches what cbindgen generates from the sources. To write it:
//!
//! ```text
//! BYTELANE_WRITE_HEADER=1 cargo test --package bytelane-capi --test it header::
//! ```

use std::fs;
use std::path::Path;

/// Modules, in the order of the header.
const MODULES: &[&str] = &[
    "result",
    "library",
    "codec/byte_stream_split",
    "codec/big_endian",
    "codec/stream_vbyte",
    "codec/varint",
    "codec/base64",
    "codec/json_string",
    "codec/utf8",
    "codec/bit_packing",
    "codec/delta",
    "codec/rle_hybrid",
    "codec/validity",
    "codec/alp",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in MODULES {
        builder = builder.with_src(root().join(format!("src/{module}.rs")));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

#[test]
fn the_header_is_up_to_date() {
    let path = root().join("include/bytelane.h");
    let generated = generated();
    if std::env::var_os("BYTELANE_WRITE_HEADER").is_some() {
        fs::write(&path, &generated).unwrap();
    }
    let header = fs::read_to_string(&path).unwrap();
    assert!(
        header == generated,
        "include/bytelane.h is out of date: write it again with BYTELANE_WRITE_HEADER=1"
    );
}

#[test]
fn every_module_is_in_the_header() {
    for folder in ["", "codec/"] {
        for entry in fs::read_dir(root().join("src").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let module = format!("{folder}{}", path.file_stem().unwrap().display());
            let listed = MODULES.contains(&module.as_str());
            let others = ["lib", "buffers", "codec", "codec/mod"];
            assert!(listed || others.contains(&module.as_str()), "{module}");
        }
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
