//! Runs the fuzz target of fsst on one input. It is here so that the ordinary tests can run it as
//! well.

use crate::{Edge, Guarded, backends};
use bytelane::fsst::{self, Encoder, Finder, Strings, Table};
use bytelane::{Backend, Detected};

/// Decodes and encodes any bytes with any table, whole and as a batch, on every backend: results and errors must be those of the scalar code,
/// without an access outside the buffers.
///
/// An input is a byte, the length of the strings of the batch, a serialised table, and the bytes. Without a valid table, one is trained.
///
/// # Panics
///
/// If a backend differs.
pub fn run(input: &[u8]) {
    let Some((&length, bytes)) = input.split_first() else {
        return;
    };
    let (table, bytes) = match Table::read(bytes) {
        Ok((table, read)) => {
            let written = table.write_to_vec().expect("it has their order");
            assert_eq!(
                Table::read(&written).expect("its own"),
                (table.clone(), written.len())
            );
            (table, &bytes[read..])
        }
        Err(_) => {
            let pieces: Vec<&[u8]> = bytes.chunks(usize::from(length).max(1)).collect();
            (fsst::train(&pieces), bytes)
        }
    };
    let offsets: Vec<i32> = (0..bytes.len())
        .step_by(usize::from(length).max(1))
        .chain([bytes.len()])
        .map(|offset| offset as i32)
        .collect();
    decode(&table, bytes, &offsets);
    encode(&Encoder::new(&table), bytes, &offsets);
    search(&table, bytes, length);
}

fn all() -> impl Iterator<Item = (Detected, Edge)> {
    let backends = backends().into_iter().chain([Backend::Scalar]);
    let backends = backends.map(|backend| Detected::new(backend).expect("it is available"));
    backends.flat_map(|backend| [Edge::Front, Edge::Back].map(|edge| (backend, edge)))
}

fn decode(table: &Table, codes: &[u8], offsets: &[i32]) {
    let whole = table.decode_to_vec(codes);
    assert_eq!(
        table.decoded_len(codes),
        whole.as_ref().map(Vec::len).map_err(|error| *error)
    );
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let strings = Strings::new(codes, offsets).expect("they increase");
    let batch = table.decode_strings_append(strings, &mut bytes, &mut ends);
    for (backend, edge) in all() {
        let codes = Guarded::copy_of(codes, edge);
        let room = whole.as_ref().map_or(8 * codes.len(), Vec::len);
        let mut to = Guarded::new(room, edge);
        let decoded = table.decode_with(backend, &codes, &mut to[..]);
        assert_eq!(decoded.map(|it| it.to_vec()), whole, "{backend}");
        let strings = Strings::new(&codes, offsets).expect("they increase");
        let mut to = Guarded::new(if batch.is_ok() { bytes.len() } else { room }, edge);
        let mut found = vec![0; offsets.len()];
        match table.decode_strings_with(backend, strings, &mut to[..], &mut found) {
            Ok(decoded) => assert_eq!(
                (&*decoded, &found, batch),
                (&bytes[..], &ends, Ok(())),
                "{backend}"
            ),
            Err(error) => assert_eq!(batch, Err(error), "{backend}"),
        }
    }
}

fn encode(encoder: &Encoder, text: &[u8], offsets: &[i32]) {
    let whole = encoder.encode_to_vec(text);
    assert_eq!(encoder.encoded_len(text), whole.len());
    assert_eq!(encoder.table().decode_to_vec(&whole).as_deref(), Ok(text));
    let strings = Strings::new(text, offsets).expect("they increase");
    let each: Vec<_> = strings
        .iter()
        .map(|text| encoder.encode_to_vec(text))
        .collect();
    let each = each.concat();
    for (backend, edge) in all() {
        let text = Guarded::copy_of(text, edge);
        let mut to = Guarded::new(whole.len(), edge);
        let encoded = encoder.encode_with(backend, &text, &mut to[..]);
        assert_eq!(encoded.expect("there is room"), whole, "{backend}");
        let strings = Strings::new(&text, offsets).expect("they increase");
        for room in [each.len(), 2 * text.len()] {
            let mut to = Guarded::new(room, edge);
            let mut ends = vec![0; offsets.len()];
            let encoded = encoder.encode_strings_with(backend, strings, &mut to[..], &mut ends);
            assert_eq!(encoded.expect("there is room"), each, "{backend}");
            let back = Strings::new(&each, &ends).expect("they increase");
            let texts = back
                .iter()
                .map(|codes| encoder.table().decode_to_vec(codes));
            assert!(
                texts.eq(strings.iter().map(|text| Ok(text.to_vec()))),
                "{backend}"
            );
        }
    }
}

fn search(table: &Table, codes: &[u8], length: u8) {
    let Ok(text) = table.decode_to_vec(codes) else {
        return;
    };
    let from = usize::from(length) % (text.len() + 1);
    let needle = &text[from..usize::min(text.len(), from + usize::from(length))];
    let finder = Finder::new(table, needle);
    assert_eq!(finder.is_in(codes), Ok(true));
    assert_eq!(
        table.starts_with(codes, needle),
        Ok(text.starts_with(needle))
    );
    assert_eq!(table.equals(codes, needle), Ok(text == needle));
    assert_eq!(table.equals(codes, &text), Ok(true));
}

/// Returns the initial inputs.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let text: Vec<String> = (0..40)
        .map(|i| format!("https://example.com/{}?page={i}", i * i))
        .collect();
    let table = fsst::train(&text);
    let stored = table.write_to_vec().expect("it was trained");
    let encoder = Encoder::new(&table);
    for count in [0, 1, 3, 40] {
        let text = text[..count].concat();
        let codes = encoder.encode_to_vec(text.as_bytes());
        let mixed = encoder.encode_to_vec("größer \u{ff}\u{0} 漢字".repeat(count).as_bytes());
        for (length, body) in [
            (0, text.as_bytes()),
            (7, &codes),
            (30, &codes),
            (5, &mixed),
            (255, &mixed),
        ] {
            seeds.push([&[length], body].concat());
            seeds.push([&[length], &stored[..], body].concat());
        }
    }
    for place in 0..40 {
        let mut changed = seeds[3].clone();
        changed[1 + place] ^= 1 << (place % 8);
        seeds.push(changed);
    }
    seeds
}
