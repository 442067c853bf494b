//! The oracle sweep: every codec, every case, every backend, many lengths and alignments, against
//! `Backend::Scalar`, which is the specification.

use crate::{Edge, Guarded, backends, reduced, values};
use bytelane::Backend;
use bytelane_catalog::{CODECS, Codec, Decoded, Failure};

/// Byte that surrounds a destination, and fills it before it is written.
const UNTOUCHED: u8 = 0xa5;

/// Returns whether a case takes minutes under Miri, by the search of ALP or the training of FSST. Their own tests cover a part of it.
fn is_slow_under_miri(specification: &str) -> bool {
    specification.starts_with("alp:") || specification == "fsst:"
}

/// Calls `test` for every case of every codec, with its specification string.
pub fn every_case(mut test: impl FnMut(&str, &dyn Codec)) {
    for entry in CODECS {
        for case in entry.cases {
            let specification = format!("{}:{case}", entry.name);
            if cfg!(miri) && is_slow_under_miri(&specification) {
                continue;
            }
            let codec = entry.open(case).expect("a case of its own");
            test(&specification, &*codec);
        }
    }
}

/// Returns the numbers of values to test: all up to 515, and some large ones. Under Miri only one,
/// since there are about a hundred combinations of cases and data sets.
#[must_use]
pub fn lengths() -> Vec<usize> {
    match (cfg!(miri), reduced()) {
        (true, _) => vec![70],
        (false, true) => (0..=70)
            .chain([100, 127, 128, 129, 255, 256, 300, 515, 1025, 4099])
            .collect(),
        (false, false) => (0..=515)
            .chain([1000, 1023, 1024, 1025, 4096, 4099, 20_000, 65_537])
            .collect(),
    }
}

/// Returns the offsets of the encoded bytes from a cache line.
#[must_use]
pub fn offsets() -> Vec<usize> {
    if reduced() {
        vec![0, 1, 15, 33]
    } else {
        (0..64).collect()
    }
}

/// Encodes to a buffer of exactly `room` bytes.
///
/// # Errors
///
/// The errors of the codec.
pub fn encode(
    codec: &dyn Codec,
    backend: Backend,
    values: &[u8],
    room: usize,
) -> Result<Vec<u8>, Failure> {
    let mut encoded = vec![UNTOUCHED; room];
    // Codecs of numbers require their alignment, which a vector of bytes need not have.
    let values = Aligned::copy_of(values, 0);
    let length = codec.encode(backend, values.bytes(), &mut encoded)?;
    encoded.truncate(length);
    Ok(encoded)
}

/// Decodes to a buffer of exactly `room` bytes.
///
/// # Errors
///
/// The errors of the codec.
pub fn decode(
    codec: &dyn Codec,
    backend: Backend,
    encoded: &[u8],
    room: usize,
) -> Result<(Decoded, Vec<u8>), Failure> {
    let mut values = Aligned::new(room, 0);
    let decoded = codec.decode(backend, encoded, values.bytes_mut())?;
    Ok((decoded, values.bytes()[..decoded.written].to_vec()))
}

/// A buffer at a chosen offset from a cache line, surrounded by bytes that must not change.
struct Aligned {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    const MARGIN: usize = 128;

    fn new(length: usize, offset: usize) -> Self {
        let memory = vec![UNTOUCHED; length + 2 * Self::MARGIN + 64];
        let start = memory.as_ptr().addr().wrapping_neg() % 64 + Self::MARGIN - 64 + offset;
        Self {
            memory,
            start,
            length,
        }
    }

    fn copy_of(bytes: &[u8], offset: usize) -> Self {
        let mut aligned = Self::new(bytes.len(), offset);
        aligned.bytes_mut().copy_from_slice(bytes);
        aligned
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.start..][..self.length]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.length]
    }

    fn assert_margins(&self, place: &str) {
        let (front, rest) = self.memory.split_at(self.start);
        let margins = front.iter().chain(&rest[self.length..]);
        assert!(
            margins.copied().all(|byte| byte == UNTOUCHED),
            "{place}: wrote outside"
        );
    }
}

/// Checks that every backend encodes to the same bytes as the scalar code, and decodes them: all
/// lengths, on every data set of the codec.
pub fn assert_every_length(specification: &str, codec: &dyn Codec) {
    for data in codec.data() {
        for count in lengths() {
            let values = values(codec, data, count, count as u64);
            let room = codec.max_encoded_len(values.len());
            let encoded = encode(codec, Backend::Scalar, &values, room).expect("values encode");
            for backend in backends() {
                let place = format!("{specification}, {backend}, {count} values of {data}");
                assert_round_trip(codec, backend, &values, &encoded, [0, 0], &place);
            }
            let (read, written) = (encoded.len(), values.len());
            let decoded = decode(codec, Backend::Scalar, &encoded, written).expect("its own");
            assert_eq!(
                decoded,
                (Decoded { read, written }, values),
                "{specification}, scalar"
            );
        }
    }
}

/// Checks the same at every offset of the encoded bytes, and at every offset of the values that
/// their type allows.
pub fn assert_every_offset(specification: &str, codec: &dyn Codec) {
    let step = match codec.width() {
        width if width.is_power_of_two() => width.min(8),
        _ => 1,
    };
    for count in [1, 7, 16, 63, 100, 131, 400] {
        let values = values(codec, codec.data()[0], count, 7);
        let room = codec.max_encoded_len(values.len());
        let encoded = encode(codec, Backend::Scalar, &values, room).expect("values encode");
        for backend in backends() {
            for offset in offsets() {
                let of_values = (offset * step) % 64;
                let place = format!("{specification}, {backend}, {count} values, offset {offset}");
                assert_round_trip(
                    codec,
                    backend,
                    &values,
                    &encoded,
                    [offset, of_values],
                    &place,
                );
            }
        }
    }
}

fn assert_round_trip(
    codec: &dyn Codec,
    backend: Backend,
    values: &[u8],
    encoded: &[u8],
    [of_encoded, of_values]: [usize; 2],
    place: &str,
) {
    let source = Aligned::copy_of(values, of_values);
    let mut result = Aligned::new(encoded.len(), of_encoded);
    let length = codec.encode(backend, source.bytes(), result.bytes_mut());
    let length = length.unwrap_or_else(|error| panic!("{place}: encode: {error}"));
    assert!(
        length == encoded.len() && result.bytes() == encoded,
        "{place}: encode differs"
    );
    result.assert_margins(place);

    let mut back = Aligned::new(values.len(), of_values);
    let decoded = codec.decode(backend, result.bytes(), back.bytes_mut());
    let decoded = decoded.unwrap_or_else(|error| panic!("{place}: decode: {error}"));
    assert_eq!(
        decoded,
        Decoded {
            read: encoded.len(),
            written: values.len()
        },
        "{place}"
    );
    assert!(back.bytes() == values, "{place}: decode differs");
    back.assert_margins(place);
}

/// Checks, with inaccessible pages directly before or after both buffers, that no backend reads or
/// writes outside them, in either direction.
pub fn assert_stays_inside(specification: &str, codec: &dyn Codec) {
    let counts = if reduced() {
        vec![1, 5, 17, 70, 515]
    } else {
        (0..=200).chain([515]).collect()
    };
    for count in counts {
        let values = values(codec, codec.data()[0], count, 11);
        let room = codec.max_encoded_len(values.len());
        let encoded = encode(codec, Backend::Scalar, &values, room).expect("values encode");
        for backend in backends().into_iter().chain([Backend::Scalar]) {
            for edge in [Edge::Front, Edge::Back] {
                let place = format!("{specification}, {backend}, {count} values, {edge:?}");
                let source = Guarded::copy_of(&values, edge);
                let mut result = Guarded::new(encoded.len(), edge);
                codec.encode(backend, &source, &mut result).expect(&place);
                assert!(*result == *encoded, "{place}: encode differs");
                let mut back = Guarded::new(values.len(), edge);
                codec.decode(backend, &result, &mut back).expect(&place);
                assert!(*back == *values, "{place}: decode differs");
            }
        }
    }
}

/// Checks that for any bytes given to a decoder, each backend gives the same result or the same
/// error as the scalar code, and that none accesses anything outside its buffers.
pub fn assert_same_on(specification: &str, codec: &dyn Codec, encoded: &[u8], room: usize) {
    let encoded = Guarded::copy_of(encoded, Edge::Back);
    let outcome = |backend| {
        let mut values = Guarded::new(room, Edge::Back);
        let decoded = codec.decode(backend, &encoded, &mut values);
        let decoded = decoded.map(|decoded| (decoded, values[..decoded.written].to_vec()));
        decoded.map_err(|error| error.to_string())
    };
    let expected = outcome(Backend::Scalar);
    for backend in backends() {
        assert_eq!(
            outcome(backend),
            expected,
            "{specification}, {backend}, of {:?}",
            &*encoded
        );
    }
}

/// Checks that for any values given to an encoder, each backend gives the same bytes or the same
/// error as the scalar code, and decodes its bytes to the same values again.
pub fn assert_same_encoding(specification: &str, codec: &dyn Codec, values: &[u8]) {
    let values = Guarded::copy_of(values, Edge::Back);
    let room = codec.max_encoded_len(values.len());
    let expected = encode(codec, Backend::Scalar, &values, room);
    for backend in backends().into_iter().chain([Backend::Scalar]) {
        let encoded = encode(codec, backend, &values, room);
        match (&encoded, &expected) {
            (Ok(encoded), Ok(expected)) => {
                assert_eq!(
                    encoded, expected,
                    "{specification}, {backend}, of {:?}",
                    &*values
                );
                let mut back = Guarded::new(values.len(), Edge::Back);
                codec
                    .decode(backend, encoded, &mut back)
                    .expect(specification);
                assert_eq!(*back, *values, "{specification}, {backend}");
            }
            (Err(error), Err(expected)) => {
                assert_eq!(
                    error.to_string(),
                    expected.to_string(),
                    "{specification}, {backend}"
                );
            }
            _ => panic!(
                "{specification}, {backend}: {encoded:?}, not {expected:?}, of {:?}",
                &*values
            ),
        }
    }
}
