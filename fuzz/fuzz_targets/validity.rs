//! Reads any bytes as a bitmap of values with nulls, or as levels of lists, on every backend.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::validity::run(input));
