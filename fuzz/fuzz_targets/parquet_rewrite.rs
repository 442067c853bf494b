//! Rewrites any bytes as a Parquet file.
#![no_main]

#[path = "../../crates/bytelane-parquet-files/tests/it/bad_input/fuzzing/chunk.rs"]
mod chunk;
#[path = "../../crates/bytelane-parquet-files/tests/it/bad_input/fuzzing/files.rs"]
mod files;
#[path = "../../crates/bytelane-parquet-files/tests/it/bad_input/fuzzing/rewrite.rs"]
mod rewrite;
#[path = "../../crates/bytelane-parquet-files/tests/it/bad_input/fuzzing/rows.rs"]
mod rows;

libfuzzer_sys::fuzz_target!(
    init: bytelane_fuzz::let_others_panic(),
    |input: &[u8]| bytelane_fuzz::run(|| rewrite::check(input))
);
