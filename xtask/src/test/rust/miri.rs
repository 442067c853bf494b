//! The stages `miri` and `miri-targets`. Miri interprets the core's tests and finds undefined
//! behaviour. It is available only for nightly compilers.

use std::thread;

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

/// Tests that take half a minute or more under Miri, and tests whose steps the remaining ones also cover: those
/// with damaged input, and wider ranges of the same operation. The stage `miri-targets` runs them.
const SLOW: &[&str] = &[
    "alp::tests::all_kinds_of_values_in_vectors_of_several_sizes",
    "alp::tests::every_pair_finds_the_same_integers_on_every_backend",
    "alp::tests::ranges_begin_and_end_anywhere",
    "base64::stream::tests::offsets_count_from_the_beginning_of_the_stream",
    "base64::stream::tests::pieces_of_every_size_decode_alike",
    "big_endian::tests::lists_of_floats_keep_every_bit",
    "bit_packing::tests::numbers_of_32_bits_of_every_width",
    "bit_packing::tests::zigzag_of_every_width",
    "decimal::tests::integers_become_the_digits_of_the_standard_library",
    "delta::tests::every_changed_byte_gives_the_same_everywhere",
    "delta::tests::every_truncation_is_an_error",
    "json_string::tests::a_run_begins_within_an_escape",
    "json_string::tests::bytes_of_every_length_are_escaped_as_their_text_is",
    "json_string::tests::changed_strings_read_alike",
    "json_string::tests::strings_cut_anywhere_end_unexpectedly",
    "json_string::tests::what_is_wrong_is_named_at_every_offset",
    "rle_hybrid::tests::choice::searches_that_remember_too_little_still_end",
    "rle_hybrid::tests::dictionary::dictionaries_of_every_size",
    "rle_hybrid::tests::every_truncation_and_every_changed_byte_gives_the_same_everywhere",
    "rle_hybrid::tests::long_runs_have_long_headers",
    "stream_vbyte::tests::a_forged_checkpoint_harms_nobody",
    "stream_vbyte::tests::the_cursor_reads_what_decoding_gives",
    "stream_vbyte::tests::what_is_cut_short_names_the_place",
    "utf8::tests::characters_that_end_too_soon_before_groups_of_ascii",
    "varint::tests::mixed_blocks_to_every_destination",
];

/// Codecs in one half of the tests; they take as long as all others together. Miri interprets one test after the
/// other, on one core.
const HALF: [&str; 4] = ["base64", "json_string", "rle_hybrid", "varint"];

const TARGETS: &[Run] = &[
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

/// Runs the unit tests in two halves at the same time, quietly, because their output would be
/// mixed.
pub fn run_stage() -> Result<()> {
    let skipped =
        |names: &[&'static str]| names.iter().flat_map(|name| ["--skip", *name]).collect();
    let slow: Vec<_> = skipped(SLOW);
    let first = [&["--quiet"], &HALF[..], &slow].concat();
    let second: Vec<_> = skipped(&HALF);
    let second = [&["--quiet"][..], &second, &slow].concat();
    thread::scope(|scope| {
        let second = scope.spawn(move || UNIT_TESTS.run(&second));
        let first = UNIT_TESTS.run(&first);
        let second = second.join().expect("a run does not panic");
        first.and(second)
    })
}

pub fn run_targets() -> Result<()> {
    TARGETS.iter().try_for_each(|target| target.run(&[]))
}

impl Run {
    /// Runs the tests, with additional arguments for the test program.
    fn run(&self, arguments: &[&str]) -> Result<()> {
        let mut command = program("rustup");
        command.args(["run", "nightly", "cargo", "miri", "test", "--locked"]);
        command.args(["--target-dir", "target/miri"]);
        if let Some(target) = self.target {
            command.args(["--target", target]);
        }
        command.args(self.tests.split_whitespace());
        command.arg("--").args(arguments);
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
