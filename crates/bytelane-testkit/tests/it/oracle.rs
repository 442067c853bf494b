//! Compares every codec on every backend of this machine with the scalar code.

use bytelane_testkit::sweep::{
    assert_every_length, assert_every_offset, assert_same_on, assert_stays_inside, every_case,
};
use bytelane_testkit::{reduced, values};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

#[test]
fn every_length() {
    every_case(assert_every_length);
}

#[test]
fn every_offset() {
    every_case(assert_every_offset);
}

#[test]
fn nothing_outside_the_buffers_is_touched() {
    every_case(assert_stays_inside);
}

#[test]
fn any_bytes_decode_alike() {
    every_case(|specification, codec| {
        let cases = if reduced() { 20 } else { 200 };
        let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
        let bytes = proptest::collection::vec(any::<u8>(), 0..300);
        runner
            .run(&bytes, |bytes| {
                let most = codec.max_decoded_len(bytes.len());
                let room = most - most % codec.width();
                assert_same_on(specification, codec, &bytes, room);
                Ok(())
            })
            .unwrap();
    });
}

#[test]
fn encoded_bytes_cut_or_changed_decode_alike() {
    every_case(|specification, codec| {
        let values = values(codec, codec.data()[0], if reduced() { 20 } else { 70 }, 5);
        let room = codec.max_encoded_len(values.len());
        let mut encoded = vec![0; room];
        let length = codec
            .encode(bytelane::Backend::Scalar, &values, &mut encoded)
            .unwrap();
        encoded.truncate(length);
        for place in 0..length {
            assert_same_on(specification, codec, &encoded[..place], values.len());
            for bit in [0, 3, 7] {
                encoded[place] ^= 1 << bit;
                assert_same_on(specification, codec, &encoded, values.len());
                encoded[place] ^= 1 << bit;
            }
        }
    });
}
