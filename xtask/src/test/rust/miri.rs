//! The stage `miri`. Miri interprets the core's tests and finds undefined behaviour. It is available only for
//! nightly compilers.

use anyhow::Result;
use bytelane::Backend;

use crate::process::{program, run};

/// Single run of Miri.
struct Run {
    /// Target, if it is not the machine's own.
    target: Option<&'static str>,
    /// Expected best backend. Detection does not work under Miri, so its features are passed to the
    /// compiler.
    backend: Backend,
    /// Packages, tests and filters, in the syntax of `cargo test`.
    tests: &'static str,
}

/// Unit tests of the core: every codec on SSE4.1 and AVX2.
const UNIT_TESTS: Run = Run {
    target: None,
    backend: Backend::Avx2,
    tests: "--package bytelane --lib",
};

const RUNS: &[Run] = &[
    UNIT_TESTS,
    // Miri supports all AVX-512 instructions of only this codec.
    Run {
        backend: Backend::Avx512,
        tests: "--package bytelane --lib big_endian",
        ..UNIT_TESTS
    },
    Run {
        target: Some("s390x-unknown-linux-gnu"),
        backend: Backend::Scalar,
        ..UNIT_TESTS
    },
    Run {
        target: Some("i686-unknown-linux-gnu"),
        backend: Backend::Scalar,
        ..UNIT_TESTS
    },
    Run {
        tests: "--package bytelane-testkit --test it appending::",
        ..UNIT_TESTS
    },
    Run {
        tests: "--package bytelane-testkit --test it oracle::every_length",
        ..UNIT_TESTS
    },
    // These tests cover all unsafe code of the crate.
    Run {
        tests: "--package bytelane-parquet --lib memory::",
        ..UNIT_TESTS
    },
];

pub fn run_stage() -> Result<()> {
    RUNS.iter().try_for_each(Run::run)
}

impl Run {
    fn run(&self) -> Result<()> {
        let mut command = program("rustup");
        command.args(["run", "nightly", "cargo", "miri", "test", "--locked"]);
        command.args(["--target-dir", "target/miri"]);
        if let Some(target) = self.target {
            command.args(["--target", target]);
        }
        command.args(self.tests.split_whitespace());
        command.env("RUSTFLAGS", self.rustflags());
        command.env("BYTELANE_TEST_EXPECT", self.backend.name());
        run(command.env("MIRIFLAGS", "-Zmiri-env-forward=BYTELANE_TEST_EXPECT"))
    }

    fn rustflags(&self) -> String {
        let below = |backend: &&Backend| **backend <= self.backend;
        let features = Backend::ALL
            .iter()
            .filter(below)
            .flat_map(|backend| backend.features());
        let features: Vec<_> = features.map(|feature| format!("+{feature}")).collect();
        if features.is_empty() {
            String::new()
        } else {
            format!("-Ctarget-feature={}", features.join(","))
        }
    }
}
