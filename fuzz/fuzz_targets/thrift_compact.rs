//! Reads any bytes as a Thrift message in the compact protocol, on every backend.
#![no_main]

#[path = "../../crates/bytelane-thrift/tests/it/common/readers.rs"]
mod readers;
#[path = "../../crates/bytelane-thrift/tests/it/common/types.rs"]
mod types;

libfuzzer_sys::fuzz_target!(|input: &[u8]| readers::check::<bytelane_thrift::Compact>(input));
