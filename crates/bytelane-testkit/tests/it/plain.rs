//! Compares the plain loops of the benchmarks, on every level of this machine, with the scalar
//! code.

use bytelane::Backend;
use bytelane_catalog::CODECS;
use bytelane_catalog::plain::{Level, Plain};
use bytelane_measure::buffer::Buffer;
use bytelane_testkit::{reduced, sweep, values};

/// Codecs whose formats leave a choice of runs or exceptions.
const WITH_CHOICE: &[&str] = &["rle_hybrid", "alp"];

fn lengths() -> &'static [usize] {
    match (cfg!(miri), reduced()) {
        (true, _) => &[33],
        (false, true) => &[0, 1, 33, 130],
        (false, false) => &[
            0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 100, 129, 257, 1025, 4099,
        ],
    }
}

/// Encodes to a buffer of `room` bytes.
fn encode(plain: &dyn Plain, level: Level, values: &[u8], room: usize) -> Option<Vec<u8>> {
    let values = Buffer::from_slice(values, 0);
    let mut encoded = vec![0; room];
    let length = plain.encode(level, &values, &mut encoded)?;
    encoded.truncate(length);
    Some(encoded)
}

/// Decodes to a buffer of `room` bytes.
fn decode(plain: &dyn Plain, level: Level, encoded: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut values = Buffer::zeroed(room, 0);
    let length = plain.decode(level, encoded, &mut values)?;
    Some(values[..length].to_vec())
}

#[test]
fn plain_loops_give_the_results_of_the_codecs() {
    let mut seen = 0;
    for entry in CODECS {
        for case in entry.cases {
            let codec = entry.open(case).unwrap();
            let Some(plain) = entry.open_plain(case).unwrap() else {
                continue;
            };
            let runs = codec.data().iter().flat_map(|data| {
                let counts = lengths().iter();
                counts.map(move |count| (*data, *count))
            });
            for (data, count) in runs {
                let values = values(&*codec, data, count, 1);
                let room = codec.max_encoded_len(values.len());
                let encoded = sweep::encode(&*codec, Backend::Scalar, &values, room).unwrap();
                for level in Level::available() {
                    let place = format!("{}:{case}, {count} of {data}, {level:?}", entry.name);
                    let by_plain = encode(&*plain, level, &values, room).expect(&place);
                    if WITH_CHOICE.contains(&entry.name) {
                        let decoded =
                            sweep::decode(&*codec, Backend::Scalar, &by_plain, values.len());
                        assert!(decoded.expect(&place).1 == values, "{place}");
                    } else {
                        assert!(by_plain == encoded, "{place}");
                    }
                    let exact = encode(&*plain, level, &values, by_plain.len());
                    assert!(exact.expect(&place) == by_plain, "{place}: with exact room");
                    let decoded = decode(&*plain, level, &encoded, values.len());
                    assert!(decoded.expect(&place) == values, "{place}");
                    seen += 1;
                }
            }
        }
    }
    let is_big_endian = cfg!(target_endian = "big");
    assert!(
        is_big_endian || seen > CODECS.len(),
        "no codec has plain loops"
    );
}

#[test]
fn plain_loops_refuse_what_is_cut_and_what_does_not_fit() {
    for entry in CODECS {
        for case in entry.cases {
            let codec = entry.open(case).unwrap();
            let Some(plain) = entry.open_plain(case).unwrap() else {
                continue;
            };
            let values = values(&*codec, codec.data()[0], 100, 1);
            let room = codec.max_encoded_len(values.len());
            let encoded = encode(&*plain, Level::TARGET, &values, room).unwrap();
            let place = format!("{}:{case}", entry.name);
            let fits = encode(&*plain, Level::TARGET, &values, encoded.len() - 1);
            assert_eq!(fits, None, "{place}");
            for end in (0..encoded.len()).step_by(if cfg!(miri) { 97 } else { 1 }) {
                let cut = &encoded[..end];
                let by_codec = sweep::decode(&*codec, Backend::Scalar, cut, values.len());
                let by_plain = decode(&*plain, Level::TARGET, cut, values.len());
                let by_plain = by_plain.filter(|decoded| decoded.len() == values.len());
                let by_codec = by_codec.ok().map(|(_, decoded)| decoded);
                let by_codec = by_codec.filter(|decoded| decoded.len() == values.len());
                assert_eq!(by_plain, by_codec, "{place}, cut to {end} bytes");
            }
        }
    }
}
