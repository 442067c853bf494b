//! Runs the fuzz targets on one input. It is here so that the ordinary tests can run them as well.
//!
//! An input is a header and a body. The header's first two bytes choose a case of a codec.

use crate::sweep::{assert_same_encoding, assert_same_on, encode};
use crate::values;
use bytelane::Backend;
use bytelane_catalog::{CODECS, Codec};
use std::sync::LazyLock;

/// Every case of every codec, opened.
static CASES: LazyLock<Vec<(String, Box<dyn Codec>)>> = LazyLock::new(|| {
    let cases = |entry: &'static bytelane_catalog::Entry| {
        entry.cases.iter().map(|case| {
            let codec = entry.open(case).expect("a case of its own");
            (format!("{}:{case}", entry.name), codec)
        })
    };
    CODECS.iter().flat_map(cases).collect()
});

fn chosen(header: [u8; 2]) -> (&'static str, &'static dyn Codec) {
    let case = usize::from(u16::from_le_bytes(header)) % CASES.len();
    let (specification, codec) = &CASES[case];
    (specification, &**codec)
}

/// Third byte of a decoder's input if the destination has room for everything that the body can
/// contain; any other byte is the number of values that it has room for.
const ALL_ROOM: u8 = 255;

/// Decodes the body, after three bytes of header, on every backend: results and errors must agree
/// with the scalar code.
///
/// # Panics
///
/// If a backend differs.
pub fn decoder(input: &[u8]) {
    let Some((&[low, high, room], body)) = input.split_first_chunk() else {
        return;
    };
    let (specification, codec) = chosen([low, high]);
    let most = codec.max_decoded_len(body.len());
    let room = match room {
        ALL_ROOM => most - most % codec.width(),
        values => usize::from(values) * codec.width(),
    };
    assert_same_on(specification, codec, body, room);
}

/// Encodes the body, after two bytes of header, on every backend, and decodes the result.
///
/// # Panics
///
/// If a backend differs from the specification, or the decoded values differ from the original
/// ones.
pub fn encoder(input: &[u8]) {
    let Some((&header, body)) = input.split_first_chunk() else {
        return;
    };
    let (specification, codec) = chosen(header);
    let whole = body.len() - body.len() % codec.width();
    assert_same_encoding(specification, codec, &body[..whole]);
}

/// Returns seed inputs for [`decoder`]: the data sets of each case, encoded.
#[must_use]
pub fn decoder_seeds() -> Vec<Vec<u8>> {
    seeds(|case, codec, values| {
        let room = codec.max_encoded_len(values.len());
        let encoded = encode(codec, Backend::Scalar, values, room).expect("values encode");
        let count = values.len() / codec.width();
        let room = u8::try_from(count).unwrap_or(ALL_ROOM);
        [&case[..], &[room], &encoded].concat()
    })
}

/// Returns seed inputs for [`encoder`].
#[must_use]
pub fn encoder_seeds() -> Vec<Vec<u8>> {
    seeds(|case, _, values| [&case[..], values].concat())
}

fn seeds(make: impl Fn([u8; 2], &dyn Codec, &[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (case, (_, codec)) in CASES.iter().enumerate() {
        let case = u16::try_from(case).expect("two bytes choose").to_le_bytes();
        for data in codec.data() {
            for count in [0, 3, 21, 150] {
                seeds.push(make(case, &**codec, &values(&**codec, data, count, 3)));
            }
        }
    }
    seeds
}

/// Returns the inputs that a file in `testdata/fuzz` keeps: one per line, in hexadecimal digits, so
/// that a diff shows which inputs were added.
///
/// # Panics
///
/// If a line contains anything else.
#[must_use]
pub fn kept(lines: &str) -> Vec<Vec<u8>> {
    let byte = |pair: &[u8]| {
        let digits = str::from_utf8(pair).expect("ASCII digits");
        u8::from_str_radix(digits, 16).expect("two hexadecimal digits")
    };
    let input = |line: &str| line.as_bytes().chunks(2).map(byte).collect();
    lines.lines().map(input).collect()
}

/// Returns the lines that [`kept`] reads, shortest inputs first.
#[must_use]
pub fn lines_of(mut inputs: Vec<Vec<u8>>) -> String {
    inputs.sort_by(|a, b| a.len().cmp(&b.len()).then(a.cmp(b)));
    inputs.dedup();
    let mut lines = String::new();
    for input in inputs {
        lines.extend(input.iter().map(|byte| format!("{byte:02x}")));
        lines.push('\n');
    }
    lines
}
