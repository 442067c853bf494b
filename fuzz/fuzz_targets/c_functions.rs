//! Passes any bytes to the C functions, and compares with the catalog.
#![no_main]

#[path = "../../crates/bytelane-capi/tests/it/functions/common/mod.rs"]
mod common;

use std::sync::LazyLock;

static CASES: LazyLock<Vec<common::Case>> = LazyLock::new(common::cases);

libfuzzer_sys::fuzz_target!(|input: &[u8]| common::run(&CASES, input));
