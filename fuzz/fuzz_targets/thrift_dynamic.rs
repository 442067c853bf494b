//! Reads any bytes as a Thrift message of a schema, as a call and as columns, in all protocols, and writes what it read.
#![no_main]

#[path = "../../crates/bytelane-thrift/tests/it/common/dynamic.rs"]
mod dynamic;

libfuzzer_sys::fuzz_target!(|input: &[u8]| dynamic::check(input));
