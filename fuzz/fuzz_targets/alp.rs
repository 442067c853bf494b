//! Reads any bytes as a page of ALP, whole and in part, on every backend.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::alp::run(input));
