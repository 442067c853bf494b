//! Reads any bytes as a Thrift message with a field mask, in all protocols, and writes parts of what it read.
#![no_main]

#[path = "../../crates/bytelane-thrift/tests/it/common/masks.rs"]
mod masks;
#[path = "../../crates/bytelane-thrift/tests/it/common/types.rs"]
mod types;

libfuzzer_sys::fuzz_target!(|input: &[u8]| masks::check(input));
