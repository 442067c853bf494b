//! Any bytes as values of every encoder, on every backend, and back.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::fuzz::encoder(input));
