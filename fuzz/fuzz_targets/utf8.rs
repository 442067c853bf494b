//! Validates any bytes as text, whole and in pieces, on every backend, and compares with the
//! standard library.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::utf8::run(input));
