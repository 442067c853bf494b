//! The stages `miri` and `miri-targets`. Miri interprets the core's tests and finds undefined
//! behaviour. It is available for nightly compilers only.

use std::thread;

use anyhow::Result;
use bytelane::Backend;

use crate::process::{program, run};

/// A single run of Miri.
struct Run {
    /// A target other than the machine's own.
    target: Option<&'static str>,
    /// The expected best backend. Nothing is detected under Miri, so its features are passed to the
    /// compiler.
    backend: Backend,
    /// The packages, tests and filters, in the syntax of `cargo test`.
    tests: &'static str,
}

/// The core's unit tests: every codec on SSE4.1 and AVX2.
const UNIT_TESTS: Run = Run {
    target: None,
    backend: Backend::Avx2,
    tests: "--package bytelane --lib",
};

/// The same in two halves: Miri interprets one test after the other, on one core. Quiet, as the
/// lines of both would be mixed.
const HALVES: [Run; 2] = [
    Run {
        tests: "--package bytelane --lib -- --quiet base64 json_string",
        ..UNIT_TESTS
    },
    Run {
        tests: "--package bytelane --lib -- --quiet --skip base64 --skip json_string",
        ..UNIT_TESTS
    },
];

const TARGETS: &[Run] = &[
    // The only codec whose AVX-512 instructions are all supported by Miri.
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
    // All of the crate's unsafe code.
    Run {
        tests: "--package bytelane-parquet --lib memory::",
        ..UNIT_TESTS
    },
];

pub fn run_stage() -> Result<()> {
    let [first, second] = HALVES;
    thread::scope(|scope| {
        let second = scope.spawn(move || second.run());
        let first = first.run();
        let second = second.join().expect("a run does not panic");
        first.and(second)
    })
}

pub fn run_targets() -> Result<()> {
    TARGETS.iter().try_for_each(Run::run)
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
        match features.is_empty() {
            true => String::new(),
            false => format!("-Ctarget-feature={}", features.join(",")),
        }
    }
}
