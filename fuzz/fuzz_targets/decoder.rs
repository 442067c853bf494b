//! Passes any bytes to every decoder, on every backend.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::fuzz::decoder(input));
