//! Reads any bytes as a frame with a header, and as the calls of a connection.
#![no_main]

#[path = "../../crates/bytelane-thrift/tests/it/common/headers.rs"]
mod headers;

libfuzzer_sys::fuzz_target!(|input: &[u8]| headers::check(input));
