//! Reads any bytes as a stream, and moves a stream_vbyte cursor over it, on every backend.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bytelane_testkit::cursor::run(input));
