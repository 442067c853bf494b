//! Compiles the IDL, like a user's build script.

fn main() {
    bytelane_thrift_build::Compiler::new()
        .compile_for_build(&[
            "thrift/everything.thrift",
            "../crates/bytelane-thrift-build/tests/idl/thrift_test.thrift",
        ])
        .unwrap_or_else(|error| panic!("{error}"));
}
