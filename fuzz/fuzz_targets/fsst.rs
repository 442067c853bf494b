//! Decodes and encodes any bytes with any table of FSST, whole and as a batch, on every backend.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::fsst::run(input));
