//! Encodes any bytes as values with every encoder, on every backend, and decodes them.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::fuzz::encoder(input));
