//! Compares every backend with the specification.

use super::*;
use crate::grid::thinned;
use crate::{Backend, Detected};
use core::mem::MaybeUninit;
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

/// Returns a generator of small numbers, the same ones in each run.
pub(super) fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ seed;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

fn urls(count: usize) -> Vec<String> {
    let url = |i| {
        let (item, page) = (i * 7919 % 10_007, i % 13);
        format!("https://www.example.com/items/{item}?page={page}")
    };
    (0..count).map(url).collect()
}

/// Returns symbols of random lengths, of which some begin with others.
fn some_table(random: &mut impl FnMut(usize) -> usize, count: usize) -> Table {
    let mut symbols: Vec<Vec<u8>> = Vec::new();
    for _ in 0..count {
        let mut symbol = match random(4) {
            0 if !symbols.is_empty() => symbols[random(symbols.len())].clone(),
            _ => Vec::new(),
        };
        let more = 1 + random(8);
        symbol.extend((0..more).map(|_| b"aab\0\xff"[random(5)]));
        symbol.truncate(8);
        symbols.push(symbol);
    }
    Table::new(&symbols).unwrap()
}

/// Returns well-formed codes, an escape with a chance of one in `rare`.
fn some_codes(
    random: &mut impl FnMut(usize) -> usize,
    table: &Table,
    count: usize,
    rare: usize,
) -> Vec<u8> {
    let mut codes = Vec::new();
    while codes.len() < count {
        if table.is_empty() || random(rare) == 0 {
            codes.extend([255, [255, 0, 7][random(3)]]);
        } else {
            codes.push(random(table.len()) as u8);
        }
    }
    codes
}

/// Result of the specification.
fn expected(table: &Table, src: &[u8]) -> Result<Vec<u8>, Error> {
    let mut decoded = Vec::new();
    scalar::pieces(table, src, |bytes| {
        decoded.extend(bytes);
        true
    })?;
    Ok(decoded)
}

#[track_caller]
fn assert_decoded(table: &Table, src: &[u8]) {
    let expected = expected(table, src);
    let length = expected.as_ref().map_or(100, Vec::len);
    for backend in backends() {
        for room in [length, length + 1, length + 7, length + 600] {
            let mut to = vec![MaybeUninit::uninit(); room];
            let decoded = table.decode_with(backend, src, &mut to[..]);
            assert_eq!(
                decoded.map(|it| &*it),
                expected.as_deref().map_err(|error| *error),
                "{backend} {src:?}"
            );
        }
        let Some(room) = length.checked_sub(1) else {
            continue;
        };
        let mut to = vec![0; room];
        let error = table.decode_with(backend, src, &mut to[..]).unwrap_err();
        match &expected {
            Ok(_) => assert_eq!(error, crate::DestinationError::new(length, room).into()),
            Err(expected) => assert_eq!(error, *expected),
        }
    }
    assert_eq!(table.decode_to_vec(src), expected);
    assert_eq!(table.decoded_len(src), expected.map(|it| it.len()));
}

#[test]
fn codes_of_all_lengths_with_escapes_at_all_rates() {
    let mut random = random(1);
    for count in thinned([0, 1, 5, 100, 127, 128, 129, 254, 255], 3) {
        let table = some_table(&mut random, count);
        for rare in [1, 2, 10, 100] {
            for length in thinned(0..200, 40) {
                let mut codes = some_codes(&mut random, &table, length, rare);
                assert_decoded(&table, &codes);
                codes.push(255);
                assert_decoded(&table, &codes);
                if count < 255 {
                    let at = random(codes.len());
                    codes[at] = count as u8;
                    assert_decoded(&table, &codes);
                }
            }
        }
    }
}

#[test]
fn arbitrary_bytes_decode_as_the_specification_says() {
    let mut random = random(2);
    for count in thinned([0, 3, 130, 250, 255], 3) {
        let table = some_table(&mut random, count);
        for length in thinned(0..300, 30) {
            let kinds = [256, 2][random(2)];
            let codes: Vec<u8> = (0..length).map(|_| (255 - random(kinds)) as u8).collect();
            assert_decoded(&table, &codes);
        }
    }
}

#[test]
fn pieces_of_long_strings_end_at_no_escape_code() {
    let table = Table::new(&["abcdefgh", "b"]).unwrap();
    for escapes in thinned(0..12, 4) {
        let mut codes = vec![0; (1 << 13) - 5];
        codes.extend(vec![255; 2 * escapes]);
        codes.extend(vec![1; 1 << 13]);
        let decoded = table.decode_to_vec(&codes);
        assert_eq!(decoded, expected(&table, &codes));
        codes.push(255);
        assert_eq!(table.decode_to_vec(&codes), expected(&table, &codes));
        let mut kept = vec![1, 2];
        assert!(table.decode_append(&codes, &mut kept).is_err());
        assert_eq!(kept, [1, 2]);
    }
}

/// Checks that all backends encode a string as the specification says.
#[track_caller]
fn assert_encoded(encoder: &Encoder, text: &[u8]) {
    let mut to = vec![MaybeUninit::uninit(); 2 * text.len() + 10];
    let scalar = Detected::new(Backend::Scalar).unwrap();
    let expected = encoder.encode_with(scalar, text, &mut to[..]).unwrap();
    assert_eq!(encoder.table.decode_to_vec(expected).as_deref(), Ok(text));
    assert_eq!(encoder.encoded_len(text), expected.len());
    let length = expected.len();
    for backend in backends() {
        for room in [length, length + 1, length + 2, 2 * text.len()] {
            let mut to = vec![MaybeUninit::uninit(); room];
            let encoded = encoder.encode_with(backend, text, &mut to[..]);
            assert_eq!(
                encoded.as_deref(),
                Ok(&*expected),
                "{backend} {}",
                text.escape_ascii()
            );
        }
        if let Some(room) = length.checked_sub(1) {
            let mut to = vec![0; room];
            let error = encoder.encode_with(backend, text, &mut to[..]).unwrap_err();
            assert_eq!((error.needed(), error.given()), (length, room));
        }
    }
    assert_eq!(encoder.encode_to_vec(text), expected);
}

#[test]
fn texts_are_encoded_as_the_specification_says() {
    let mut random = random(3);
    let urls = urls(300);
    let mut encoders = vec![
        Encoder::new(&train(&urls)),
        Encoder::new(&Table::new(&[""; 0]).unwrap()),
    ];
    for count in thinned([1, 10, 255], 2) {
        encoders.push(Encoder::new(&some_table(&mut random, count)));
    }
    assert!(encoders[0].index.is_some());
    assert!(
        encoders.last().unwrap().index.is_none(),
        "symbols with equal beginnings"
    );
    for encoder in &encoders {
        for length in thinned(0..100, 12) {
            let text: Vec<u8> = (0..length).map(|_| b"aab\0\xff"[random(5)]).collect();
            assert_encoded(encoder, &text);
            let text = urls.concat();
            assert_encoded(encoder, &text.as_bytes()[random(1000)..][..length]);
        }
    }
}

/// Joins strings to bytes and offsets.
fn joined<S: AsRef<[u8]>>(strings: &[S]) -> (Vec<u8>, Vec<i32>) {
    let (mut bytes, mut offsets) = (vec![7], vec![1]);
    for string in strings {
        bytes.extend(string.as_ref());
        offsets.push(bytes.len() as i32);
    }
    (bytes, offsets)
}

#[test]
fn batches_are_the_same_as_string_by_string() {
    let mut random = random(4);
    let table = train(&urls(300));
    for encoder in [
        Encoder::new(&table),
        Encoder::new(&some_table(&mut random, 250)),
    ] {
        for count in thinned([0, 1, 2, 3, 7, 8, 9, 40, 500], 3) {
            let strings: Vec<Vec<u8>> = (0..count)
                .map(|_| {
                    let length = [0, 5, 20, 100, 700][random(5)];
                    let from = random(300);
                    let text = urls(300)[from..].concat();
                    text.into_bytes()
                        .into_iter()
                        .take(random(length + 1))
                        .collect()
                })
                .collect();
            let (bytes, offsets) = joined(&strings);
            let batch = Strings::new(&bytes, &offsets).unwrap();
            let encoded: Vec<_> = strings
                .iter()
                .map(|text| encoder.encode_to_vec(text))
                .collect();
            let total: usize = encoded.iter().map(Vec::len).sum();
            let text = &bytes[1..];
            for backend in backends() {
                let mut ends = vec![0; count + 1];
                let mut to = vec![MaybeUninit::uninit(); total];
                let done = encoder.encode_strings_with(backend, batch, &mut to[..], &mut ends);
                let done = done.unwrap();
                assert_eq!(*done, *encoded.concat(), "{backend}");
                let back = Strings::new(done, &ends).unwrap();
                assert!(back.iter().eq(encoded.iter().map(|it| &it[..])));
                for room in [text.len(), text.len() + 100] {
                    let mut to = vec![MaybeUninit::uninit(); room];
                    let mut ends = vec![0; count + 1];
                    let decoded =
                        encoder
                            .table
                            .decode_strings_with(backend, back, &mut to[..], &mut ends);
                    assert_eq!(decoded.map(|it| &*it), Ok(text), "{backend}");
                    assert!(
                        ends.iter()
                            .zip(&offsets)
                            .all(|(end, offset)| *end == *offset - 1)
                    );
                }
                if let Some(room) = total.checked_sub(1) {
                    let mut to = vec![0; room];
                    let error = encoder.encode_strings_with(backend, batch, &mut to[..], &mut ends);
                    assert_eq!(error, Err(crate::DestinationError::new(total, room).into()));
                }
            }
            let (mut to, mut ends) = (vec![7], vec![]);
            encoder
                .encode_strings_append(batch, &mut to, &mut ends)
                .unwrap();
            encoder
                .encode_strings_append(batch, &mut to, &mut ends)
                .unwrap();
            let twice: Vec<_> = encoded.iter().chain(&encoded).collect();
            assert!(
                Strings::new(&to, &ends)
                    .unwrap()
                    .iter()
                    .eq(twice.iter().map(|it| &it[..]))
            );
            let (mut decoded, mut offsets) = (vec![7], vec![]);
            let back = Strings::new(&to, &ends).unwrap();
            encoder
                .table
                .decode_strings_append(back.range(0..count), &mut decoded, &mut offsets)
                .unwrap();
            assert!(
                Strings::new(&decoded, &offsets)
                    .unwrap()
                    .iter()
                    .eq(strings.iter().map(|it| &it[..]))
            );
        }
    }
}

#[test]
fn errors_in_batches_have_their_place_and_keep_the_destination() {
    let table = Table::new(&["ab"]).unwrap();
    let (bytes, offsets) = joined(&[&[0, 0][..], &[255, 255], &[0, 255], &[0]]);
    let batch = Strings::new(&bytes, &offsets).unwrap();
    let expected = Error::at(6, ErrorKind::UnexpectedEnd);
    for backend in backends() {
        let mut to = [0; 20];
        let result = table.decode_strings_with(backend, batch, &mut to[..], &mut [0; 5]);
        assert_eq!(result, Err(expected), "{backend}");
    }
    let (mut to, mut ends) = (vec![1], vec![3, 4]);
    assert_eq!(
        table.decode_strings_append(batch, &mut to, &mut ends),
        Err(expected)
    );
    assert_eq!((&to[..], &ends[..]), (&[1][..], &[3, 4][..]));
    assert_eq!(
        table.decode_strings(batch, &mut [0; 20], &mut [0; 4]),
        Err(Error::nowhere(ErrorKind::OffsetCount {
            needed: 5,
            given: 4
        }))
    );
    for (offsets, number) in [(&[0, 3, 2][..], 2), (&[0, 9], 1), (&[-1], 0)] {
        let error = Error::nowhere(ErrorKind::Offset { number });
        assert_eq!(Strings::new(&bytes[..8], offsets).err(), Some(error));
    }
}

#[test]
fn tables_are_read_and_written() {
    let table = train(&urls(300));
    let mut bytes = table.write_to_vec().unwrap();
    let length = bytes.len();
    bytes.extend([1, 2, 3]);
    assert_eq!(Table::read(&bytes), Ok((table.clone(), length)));
    for cut in 0..length {
        let error = Table::read(&bytes[..cut]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }
    // Any change gives an error, or another table.
    for at in 0..length {
        let mut changed = bytes.clone();
        changed[at] ^= 0x11;
        if let Ok((read, length)) = Table::read(&changed) {
            assert!(read != table || [2, 3].contains(&at), "{at}");
            assert!(length <= changed.len());
        }
    }
    let kind = |bytes: &[u8]| Table::read(bytes).unwrap_err().kind();
    let mut other = bytes.clone();
    other[..8].reverse();
    assert_eq!(kind(&other), ErrorKind::ByteOrder);
    other[..8].fill(9);
    assert_eq!(
        kind(&other),
        ErrorKind::Version {
            version: 0x0909_0909
        }
    );
    bytes[9..17].fill(255);
    assert_eq!(
        kind(&bytes),
        ErrorKind::SymbolCount {
            stated: table.len() as u8,
            counted: 8 * 255
        }
    );
    let unordered = Table::new(&["a", "bc"]).unwrap();
    let kind = unordered.write_to_vec().unwrap_err().kind();
    assert_eq!(kind, ErrorKind::SymbolOrder);
    let short = table.write(&mut [0; 20]).unwrap_err();
    assert_eq!(short, crate::DestinationError::new(length, 20).into());
}

/// A table of C strings has its end as the first symbol.
#[test]
fn terminated_tables_are_read_and_written() {
    let mut bytes = vec![1, 3, 0, 1];
    bytes.extend(20_190_218u32.to_le_bytes());
    bytes.extend([1, 2, 1, 0, 0, 0, 0, 0, 0]);
    bytes.extend(b"abx");
    let (table, length) = Table::read(&bytes).unwrap();
    assert_eq!(length, bytes.len());
    assert_eq!(table.decode_to_vec(&[1, 2, 0]).unwrap(), b"abx\0");
    bytes[3] = 2;
    assert_eq!(table.write_to_vec().unwrap(), bytes);
    bytes[9] = 0;
    bytes[1] = 1;
    let error = Table::read(&bytes).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::SymbolCount {
            stated: 1,
            counted: 1
        }
    );
}

#[test]
fn symbols_have_one_to_eight_bytes() {
    let error = Table::new(&["ab", ""]).unwrap_err().kind();
    assert_eq!(
        error,
        ErrorKind::SymbolLength {
            symbol: 1,
            length: 0,
            most: 8
        }
    );
    let error = Table::new(&["nine byte"]).unwrap_err().kind();
    assert_eq!(
        error,
        ErrorKind::SymbolLength {
            symbol: 0,
            length: 9,
            most: 8
        }
    );
    let error = Table::new(&["a"; 256]).unwrap_err().kind();
    assert_eq!(
        error,
        ErrorKind::TooManySymbols {
            symbols: 256,
            most: 255
        }
    );
    let table = Table::new(&["a"; 255]).unwrap();
    assert_eq!(table.len(), 255);
    assert_eq!(
        Encoder::new(&table).encode_to_vec(b"aa"),
        [0, 0],
        "the first of equal symbols"
    );
}

#[test]
fn training_is_repeatable_and_finds_what_is_frequent() {
    let urls = urls(if cfg!(miri) { 100 } else { 5000 });
    let table = train(&urls);
    assert_eq!(table, train(&urls));
    let encoder = Encoder::new(&table);
    let text = urls.concat();
    let encoded = encoder.encode_to_vec(text.as_bytes());
    assert!(
        4 * encoded.len() < text.len(),
        "{} of {}",
        encoded.len(),
        text.len()
    );
    assert!(train(&[""; 3]).is_empty());
    assert!(train::<&str>(&[]).is_empty());
    assert_eq!(train(&["a"]).symbols().collect::<Vec<_>>(), [b"a"]);
    let mut random = random(5);
    let noise: Vec<u8> = (0..40_000).map(|_| random(256) as u8).collect();
    let table = train(&[&noise]);
    assert_eq!(table.len(), 255);
    // Few strings with bytes among many without.
    let mut strings = vec![&b""[..]; 2000];
    strings.push(&noise);
    assert_eq!(train(&strings).len(), 255);
}

#[test]
fn searches_find_what_decoded_strings_contain() {
    let mut random = random(6);
    for count in thinned([0, 5, 60, 250], 2) {
        let table = some_table(&mut random, count);
        for _ in thinned(0..60, 10) {
            let length = random(12);
            let codes = some_codes(&mut random, &table, length, 3);
            let text = expected(&table, &codes).unwrap();
            assert!(table.equals(&codes, &text).unwrap());
            assert!(!table.equals(&codes, &[&text[..], b"a"].concat()).unwrap());
            let mut longer = text.repeat(20);
            longer.push(b'x');
            assert_eq!(table.equals(&codes, &longer).unwrap(), text == longer);
            for _ in 0..20 {
                let from = random(text.len() + 1);
                let to = from + random(text.len() + 1 - from);
                let mut needle = text[from..to].to_vec();
                if !needle.is_empty() && random(3) == 0 {
                    let at = random(needle.len());
                    needle[at] = b"ab\0"[random(3)];
                }
                let contains =
                    needle.is_empty() || text.windows(needle.len()).any(|it| it == needle);
                let finder = Finder::new(&table, &needle);
                assert_eq!(finder.is_in(&codes), Ok(contains), "{needle:?} in {text:?}");
                assert_eq!(
                    table.starts_with(&codes, &needle),
                    Ok(text.starts_with(&needle))
                );
                assert_eq!(table.equals(&codes, &needle), Ok(text == needle));
            }
        }
    }
}

#[test]
fn long_texts_are_found_without_an_automaton() {
    let table = Table::new(&["aaaaaaa", "ab"]).unwrap();
    let codes = [[0; 40], [1; 40]].concat();
    let text = table.decode_to_vec(&codes).unwrap();
    for (from, to) in [(0, 129), (150, 300), (3, 360)] {
        let needle = &text[from..to];
        assert_eq!(Finder::new(&table, needle).is_in(&codes), Ok(true));
        assert_eq!(
            Finder::new(&table, &[needle, b"c"].concat()).is_in(&codes),
            Ok(false)
        );
    }
    for needle in ["x", "xyz", &"y".repeat(200)] {
        let finder = Finder::new(&table, needle.as_bytes());
        assert_eq!(
            finder.is_in(&[0, 7]),
            Err(Error::at(1, ErrorKind::UnknownCode { code: 7 }))
        );
        assert_eq!(
            finder.is_in(&[0, 255]),
            Err(Error::at(1, ErrorKind::UnexpectedEnd))
        );
    }
}

#[test]
fn errors_say_what_and_where() {
    let table = Table::new(&["a"]).unwrap();
    let error = table.decode_to_vec(&[0, 4]).unwrap_err();
    assert_eq!(
        format!("{error}"),
        "offset 1: the table has no symbol for the code 4"
    );
    let error = table.decode_to_vec(&[0, 255]).unwrap_err();
    assert_eq!(
        format!("{error}"),
        "offset 1: the string ends after an escape code"
    );
}
