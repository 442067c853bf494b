//! Tests the structs of `parquet.thrift` against the crate `parquet`, on the same bytes. A wrong field
//! number, name or type in the IDL makes a test fail.

mod columns;
mod footer;
mod indexes;
mod tolerance;

use bytelane_parquet::format::{Encoded, FileMetaData, decode};
use bytelane_thrift_build::Compiler;
use bytes::Bytes;
use std::fs;
use std::path::Path;

/// `generated.rs` is checked in, so that building the crate does not require the compiler.
/// `BYTELANE_WRITE_GOLDEN=1` rewrites it.
#[test]
fn the_code_is_what_the_compiler_makes_of_the_idl() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/format");
    let compiler = Compiler::new()
        .keep_unknown_fields(true)
        .string_type("bytes::Bytes")
        .binary_type("bytes::Bytes");
    let modules = compiler.modules(&[folder.join("parquet.thrift")]).unwrap();
    let path = folder.join("generated.rs");
    if std::env::var_os("BYTELANE_WRITE_GOLDEN").is_some() {
        fs::write(&path, &modules[0].text).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), modules[0].text);
}

/// Returns the footer of a file.
pub fn footer(file: &Bytes) -> Bytes {
    let end = file.len() - 8;
    let length = u32::from_le_bytes(file[end..end + 4].try_into().unwrap());
    file.slice(end - length as usize..end)
}

fn decoded(file: &Bytes) -> FileMetaData {
    decode(&footer(file)).unwrap()
}

fn encoded<T>(value: &T) -> Encoded<T>
where
    T: bytelane_thrift::Encode + bytelane_thrift::DecodeOwned,
{
    Encoded::new(value).unwrap()
}
