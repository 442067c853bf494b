//! The stages `address` and `memcheck`: run the tests of the core and of the C functions under tools that detect invalid memory
//! accesses.

use anyhow::Result;

use crate::process::{cargo, run};

const HOST: &str = "x86_64-unknown-linux-gnu";

/// Arguments of cargo for the sweeps over every codec, the unit tests, and the C functions.
const TESTS: &str = "test --locked --package bytelane --package bytelane-testkit \
    --package bytelane-capi --package bytelane-streamvbyte --tests --no-fail-fast";

/// Runs AddressSanitizer with the stable compiler, with nightly options enabled.
pub fn run_address_sanitizer() -> Result<()> {
    let mut command = cargo(TESTS);
    command.args(["--target", HOST, "--target-dir", "target/address"]);
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("RUSTFLAGS", "-Zsanitizer=address");
    run(&mut command)
}

/// Runs valgrind, which emulates a CPU with AVX2. By default, valgrind accepts a load that includes
/// some bytes outside the program's memory; here that is an error.
pub fn run_memcheck() -> Result<()> {
    let valgrind = "valgrind --quiet --error-exitcode=9 --partial-loads-ok=no";
    let mut command = cargo(TESTS);
    command.args(["--target", HOST, "--target-dir", "target/memcheck"]);
    command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", valgrind);
    command.env("BYTELANE_TEST_EXPECT", "avx2");
    run(command.env("BYTELANE_TEST_GRID", "reduced"))
}
