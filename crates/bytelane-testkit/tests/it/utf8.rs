//! Compares UTF-8 on every backend with the standard library, and with Python.

use bytelane::utf8::{count_chars_with, validate_with};
use bytelane::{Backend, Detected};
use bytelane_testkit::utf8::run;
use bytelane_testkit::{backends, fuzz, reduced};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

fn cases(full: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if reduced() { full / 50 } else { full })
}

#[test]
fn the_seeds_pass() {
    let seeds = bytelane_testkit::utf8::seeds();
    assert!(seeds.len() > 50);
    seeds.iter().for_each(|seed| run(seed));
}

#[test]
fn texts_with_and_without_a_fault_are_judged_alike() {
    let input = (
        1..80_u8,
        "\\PC{0,300}",
        prop::collection::vec(any::<u8>(), 0..5),
        "[a-zé漢😀]{0,200}",
    );
    TestRunner::new(cases(6000))
        .run(&input, |(length, before, wrong, after)| {
            run(&[&[length], before.as_bytes(), &wrong, after.as_bytes()].concat());
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_bytes_are_judged_alike() {
    let bytes = prop::collection::vec(
        prop_oneof![any::<u8>(), 0x80..=0xbf_u8, 0xe0..=0xf4_u8, Just(b'a')],
        0..600,
    );
    TestRunner::new(cases(6000))
        .run(&bytes, |input| {
            run(&input);
            Ok(())
        })
        .unwrap();
}

#[test]
fn as_python_judges() {
    let lines = include_str!("../../../../testdata/golden/utf8/judged.txt");
    for line in lines.lines() {
        let (digits, judgement) = line.split_once(' ').unwrap();
        let bytes = fuzz::kept(digits).concat();
        for backend in backends().into_iter().chain([Backend::Scalar]) {
            let backend = Detected::new(backend).unwrap();
            let found = match validate_with(backend, &bytes) {
                Ok(text) => format!("text {}", count_chars_with(backend, text)),
                Err(error) => {
                    let length = error.error_len().unwrap_or(0);
                    format!("fault {} {length}", error.valid_up_to())
                }
            };
            assert_eq!(found, judgement, "{backend}: {digits}");
        }
    }
    assert!(lines.lines().count() > 1000);
}
