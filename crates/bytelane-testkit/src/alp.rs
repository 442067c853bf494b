//! Runs the fuzz target of alp on one input. It is here so that the ordinary tests can run it as
//! well.

use crate::validity::same;
use crate::{Guarded, values};
use bytelane::Backend;
use bytelane::alp::{self, ErrorKind, Float};
use std::fmt::Debug;

/// Decodes a page, whole and in part, on every backend: results and errors must be those of the
/// scalar code, and must match the validation.
///
/// An input is a byte that chooses the type, two bytes that choose a range, and the page.
///
/// # Panics
///
/// If a backend differs, or if parts of a page differ from the whole.
pub fn run(input: &[u8]) {
    let Some((&[choice, start, count], page)) = input.split_first_chunk() else {
        return;
    };
    match choice % 2 {
        0 => decode(page, start, count, f32::to_bits),
        _ => decode(page, start, count, f64::to_bits),
    }
}

/// Maximum number of values to decode here. A short page can claim a great number.
const MOST: usize = 1 << 17;

/// Decodes a page. The parameters are the start and the length of a range, as fractions of all
/// values.
fn decode<T: Float + Default, B: PartialEq + Debug>(
    page: &[u8],
    start: u8,
    count: u8,
    bits: fn(T) -> B,
) {
    let of = |values: &[T]| values.iter().copied().map(bits).collect::<Vec<B>>();
    let validated = alp::validate::<T>(page);
    let Ok(stored) = alp::stored(page) else {
        assert!(validated.is_err());
        return;
    };
    let total = usize::min(stored, MOST);
    let whole = same(|backend, edge| {
        let page = Guarded::copy_of(page, edge);
        let mut values = vec![T::default(); total];
        let decoded = alp::decode_with(backend, &page, &mut values[..]);
        decoded.map(|(values, read)| (of(values), read))
    });
    if total == stored {
        let read = whole.as_ref().map(|(values, read)| (values.len(), *read));
        assert_eq!(read.map_err(|error| *error), validated);
    }
    let start = total * usize::from(start) / 256;
    let end = start + (total - start) * usize::from(count) / 255;
    let part = same(|backend, edge| {
        let page = Guarded::copy_of(page, edge);
        let mut values = vec![T::default(); end - start];
        let decoded = alp::decode_range_with(backend, &page, start..end, &mut values[..]);
        decoded.map(|values| of(values))
    });
    if let Ok((values, _)) = whole {
        assert_eq!(part.as_deref(), Ok(&values[start..end]));
    }
    let too_many = same(|backend, _| {
        let range = stored..stored + 1;
        let mut one = [T::default()];
        let decoded = alp::decode_range_with(backend, page, range, &mut one[..]);
        decoded
            .map(|values| of(values))
            .map_err(|error| error.kind())
    });
    assert_eq!(too_many, Err(ErrorKind::Count { values: stored }));
}

/// Returns inputs from which the fuzzer starts: pages of every case, well formed, and with one byte
/// of the headers changed at each position.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let entry = bytelane_catalog::find("alp").expect("a codec of the catalog");
    for case in entry.cases {
        let codec = entry.open(case).expect("a case of its own");
        let choice = u8::from(codec.width() == 8);
        for data in codec.data() {
            for count in [0, 3, 21, 150] {
                let values = values(&*codec, data, count, 3);
                let room = codec.max_encoded_len(values.len());
                let page = crate::sweep::encode(&*codec, Backend::Scalar, &values, room);
                let page = page.expect("values encode");
                let input = [&[choice, 40, 100], &page[..]].concat();
                for place in 3..usize::min(input.len(), 40) {
                    let mut changed = input.clone();
                    changed[place] ^= 1 << (place % 8);
                    seeds.push(changed);
                }
                seeds.push(input);
            }
        }
    }
    seeds
}
