//! Compares the table and the encoder with the format, transliterated.

use super::super::tests::random;
use super::super::{Error, ErrorKind, Strings};
use super::*;
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

/// Returns at most this many bytes, of which texts and symbols have many in common.
fn some_text(random: &mut impl FnMut(usize) -> usize, most: usize) -> Vec<u8> {
    let length = random(most + 1);
    (0..length).map(|_| b"aab\0\xff"[random(5)]).collect()
}

fn some_table(random: &mut impl FnMut(usize) -> usize) -> Table {
    let count = random(200);
    let symbols = (0..count).map(|_| {
        let mut symbol = some_text(random, 15);
        symbol.push(b'a');
        symbol
    });
    Table::new(&symbols.collect::<Vec<_>>()).unwrap()
}

/// Encodes by the definition: the longest symbol at each place, and of equal ones the first.
fn encoded(table: &Table, mut text: &[u8]) -> Vec<u8> {
    let mut codes = Vec::new();
    while let Some(&byte) = text.first() {
        let symbols = (0..).zip(table.symbols());
        let fitting = symbols.filter(|(_, symbol)| text.starts_with(symbol));
        let (code, length) = fitting
            .map(|(code, symbol): (u16, _)| (code, symbol.len()))
            .max_by_key(|&(code, length)| (length, core::cmp::Reverse(code)))
            .unwrap_or((ESCAPE, 1));
        codes.extend(code.to_le_bytes());
        if code == ESCAPE {
            codes.extend([byte, 0]);
        }
        text = &text[length..];
    }
    codes
}

#[test]
fn texts_are_encoded_by_the_longest_symbols_and_decoded_to_the_same_bytes() {
    let mut random = random(1);
    for _ in 0..if cfg!(miri) { 3 } else { 200 } {
        let table = some_table(&mut random);
        let encoder = Encoder::new(&table);
        let texts: Vec<_> = (0..20).map(|_| some_text(&mut random, 60)).collect();
        let mut offsets = vec![0i32];
        let (all, mut codes, mut ends) = (texts.concat(), Vec::new(), Vec::new());
        for text in &texts {
            let codes = encoder.encode_to_vec(text);
            assert_eq!(codes, encoded(&table, text), "{text:?} with {table:?}");
            assert_eq!(encoder.encoded_len(text), codes.len());
            assert_eq!(table.decode_to_vec(&codes).as_ref(), Ok(text));
            offsets.push(offsets[offsets.len() - 1] + text.len() as i32);
        }
        let strings = Strings::new(&all, &offsets).unwrap();
        encoder
            .encode_strings_append(strings, &mut codes, &mut ends)
            .unwrap();
        let codes = Strings::new(&codes, &ends).unwrap();
        assert_eq!(table.decoded_strings_len(codes), Ok(all.len()));
        let (mut bytes, mut found) = (vec![b'x'; 3], Vec::new());
        let appended = table.decode_strings_append(codes, &mut bytes, &mut found);
        assert_eq!(appended, Ok(()));
        assert_eq!((&bytes[3..], found[0]), (&all[..], 3));
        // Room of any length beyond the end is enough, and none before it is.
        for more in [0, 1, 15, 16, 40] {
            let (mut bytes, mut found) = (vec![0; all.len() + more], vec![0; offsets.len()]);
            let length = table.decode_strings(codes, &mut bytes, &mut found);
            assert_eq!(length, Ok(all.len()));
            assert_eq!((&bytes[..all.len()], &found), (&all[..], &offsets));
        }
        let short = all.len().saturating_sub(1);
        let (mut bytes, mut found) = (vec![0; short], vec![0; offsets.len()]);
        let done = table.decode_strings(codes, &mut bytes, &mut found);
        assert_eq!(done.is_err(), short < all.len());
    }
}

#[test]
fn malformed_strings_and_tables_are_errors_with_their_place() {
    let table = Table::new(&["one", "two"]).unwrap();
    let cases: [(&[u8], usize, ErrorKind); 6] = [
        (&[0, 0, 2, 0], 2, ErrorKind::UnknownCode { code: 2 }),
        (&[1, 1], 0, ErrorKind::UnknownCode { code: 257 }),
        (&[0, 0, 255, 255], 2, ErrorKind::UnexpectedEnd),
        (&[0, 0, 255, 255, 1], 2, ErrorKind::UnexpectedEnd),
        (&[255, 255, 1, 1], 2, ErrorKind::Literal { code: 257 }),
        (&[0, 0, 1], 2, ErrorKind::WithinCode),
    ];
    for (codes, at, kind) in cases {
        let expected = Error::at(at, kind);
        assert_eq!(table.decode_to_vec(codes), Err(expected));
        assert_eq!(table.decode(codes, &mut [0; 64]), Err(expected));
        let end = codes.len() as i64;
        let before = [&[0, 0], codes].concat();
        let offsets = [0, 2, end + 2];
        let strings = Strings::new(&before, &offsets).unwrap().range(1..2);
        let found = table.decode_strings(strings, &mut [0; 64], &mut [0; 2]);
        assert_eq!(found, Err(expected.behind(2)));
    }
    let long = [&b"0123456789abcdefg"[..]];
    let kinds = [
        Table::new(&long).unwrap_err(),
        Table::new(&[""]).unwrap_err(),
        Table::new(&vec!["a"; 65_536]).unwrap_err(),
    ];
    let texts = kinds.map(|error| format!("{error}"));
    assert_eq!(
        texts[0],
        "symbol 0 has 17 bytes; symbols have 1 to 16 bytes"
    );
    assert_eq!(texts[1], "symbol 0 has 0 bytes; symbols have 1 to 16 bytes");
    assert_eq!(texts[2], "a table has up to 65535 symbols, not 65536");
}

#[test]
fn the_largest_table_finds_all_of_its_symbols() {
    if cfg!(miri) {
        return;
    }
    let symbols: Vec<_> = (0..MOST).map(|number| format!("{number:x}")).collect();
    let table = Table::new(&symbols).unwrap();
    let encoder = Encoder::new(&table);
    assert_eq!(table.len(), 65_535);
    assert_eq!(table.symbol(65_534), Some(&b"fffe"[..]));
    assert_eq!(table.symbol(ESCAPE), None);
    for (code, symbol) in (0..ESCAPE).zip(&symbols) {
        assert_eq!(encoder.encode_to_vec(symbol.as_bytes()), code.to_le_bytes());
    }
}

/// Returns lines of a log, of about this many bytes together.
fn lines(bytes: usize) -> Vec<String> {
    let mut random = random(3);
    let mut line = || {
        let (address, second, size) = (random(256), random(86_400), random(100_000));
        let page = ["products", "images", "users", "search"][random(4)];
        let status = ["200", "200", "304", "404"][random(4)];
        format!(
            "10.0.3.{address} - - [12/Mar/2025 {second}] \"GET /{page}/{size} HTTP/1.1\" {status} \"Mozilla/5.0 (X11; Linux)\""
        )
    };
    (0..bytes / 90).map(|_| line()).collect()
}

#[test]
fn training_is_repeatable_and_saves_more_than_codes_of_8_bits() {
    let lines = lines(if cfg!(miri) { 1 << 10 } else { 1 << 20 });
    let table = train(&lines);
    assert_eq!(table, train(&lines));
    let encoder = Encoder::new(&table);
    let wide: usize = lines
        .iter()
        .map(|it| encoder.encoded_len(it.as_bytes()))
        .sum();
    let symbols: usize = table.symbols().map(<[u8]>::len).sum();
    let narrow = super::super::Encoder::new(&super::super::train(&lines));
    let narrow: usize = lines
        .iter()
        .map(|it| narrow.encoded_len(it.as_bytes()))
        .sum();
    if !cfg!(miri) {
        assert!(wide + symbols < narrow, "{wide} + {symbols}, {narrow}");
    }
}

#[test]
fn a_sample_of_little_text_gives_a_small_table() {
    let lines = lines(1 << if cfg!(miri) { 9 } else { 14 });
    let (small, large) = (train(&lines), train_sample(&lines, 100 << 20));
    assert!(small.len() <= large.len());
    assert!(train::<&str>(&[]).is_empty());
    assert_eq!(train(&["a"]).symbols().collect::<Vec<_>>(), [b"a"]);
}
