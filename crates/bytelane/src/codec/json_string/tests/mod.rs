//! Compares every backend with the scalar code, in every form of call.

mod far;
mod pieces;

use super::*;
use crate::Backend;
use crate::grid::thinned;
use core::mem::MaybeUninit;
use std::borrow::ToOwned;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

/// Returns offsets that put a byte before, at and after each edge of a vector and of a run.
fn offsets() -> Vec<usize> {
    let all = [61].into_iter().chain(0..=66);
    thinned(all.chain([126, 127, 190, 252, 255, 256, 4400]), 1)
}

/// Escapes into fresh memory of a given size.
fn escape(
    backend: Detected,
    format: Format,
    text: &str,
    room: usize,
) -> Result<String, DestinationError> {
    let mut json = std::vec![MaybeUninit::uninit(); room];
    let json = format.escape_with(backend, text, &mut json[..]);
    json.map(|json| json.to_owned())
}

fn escape_append(backend: Detected, format: Format, text: &str, to: &mut impl Buffer) {
    let to = to.appender();
    driver::escape_append(text, format.quotes(), to, backend);
}

/// Reads into fresh memory of a given size.
fn unescape(
    backend: Detected,
    format: Format,
    src: &[u8],
    room: usize,
) -> Result<(String, usize), Error> {
    let mut text = std::vec![MaybeUninit::uninit(); room];
    let text = format.unescape_with(backend, src, &mut text[..]);
    text.map(|(text, read)| (text.to_owned(), read))
}

fn unescape_append(
    backend: Detected,
    format: Format,
    src: &[u8],
    to: &mut impl Buffer,
) -> Result<Consumed, Error> {
    driver::unescape_append(format, src, to.appender(), backend)
}

fn without_room(needed: usize) -> DestinationError {
    DestinationError::new(needed, needed - 1)
}

fn expected(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{character}"),
        '\u{8}' => "\\b".to_owned(),
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\r' => "\\r".to_owned(),
        '\0'..' ' => format!("\\u{:04x}", u32::from(character)),
        _ => character.to_string(),
    });
    escaped.collect()
}

/// Escapes into exactly as much memory as needed, into one byte less and half, and appends to
/// different capacities.
fn assert_escapes(text: &str) {
    let bare = expected(text);
    let quoted = format!("\"{bare}\"");
    for (backend, format, expected) in
        backends().flat_map(|backend| [(backend, QUOTED, &quoted), (backend, BARE, &bare)])
    {
        let place = || format!("{backend:?}, {format:?}: {text:?}");
        let needed = expected.len();
        let length = driver::escaped_len(text, format.quotes(), backend);
        assert_eq!(length, needed, "{}", place());
        let json = escape(backend, format, text, needed);
        assert_eq!(json.as_ref(), Ok(expected), "{}", place());
        if needed > 0 {
            for room in [needed - 1, needed / 2] {
                let error = escape(backend, format, text, room);
                let expected = DestinationError::new(needed, room);
                assert_eq!(error, Err(expected), "{}", place());
            }
        }
        let mut json = std::vec![0xaa; needed + 2];
        let exact = &mut json[1..=needed];
        let written = format.escape_with(backend, text, exact);
        assert_eq!(written.map(|json| json.len()), Ok(needed), "{}", place());
        assert_eq!((json[0], json[needed + 1]), (0xaa, 0xaa), "{}", place());
        for capacity in [0, 6 + needed, 1000 + needed] {
            let mut json = String::with_capacity(capacity);
            json.push_str("before");
            escape_append(backend, format, text, &mut json);
            assert_eq!(
                json.strip_prefix("before"),
                Some(&expected[..]),
                "{}",
                place()
            );
        }
    }
}

/// Returns the text and the number of bytes read, or the error. Checks that it is the same on every
/// backend: appended, into exactly as much memory as the text needs, and into one byte less. Checks
/// the result of scanning as well.
fn assert_reads_alike(src: &[u8]) -> Result<(String, usize), Error> {
    let scalar = Detected::new(Backend::Scalar).unwrap();
    let [around, _] = [QUOTED, BARE].map(|format| {
        let expected = unescape(scalar, format, src, src.len());
        for backend in backends() {
            let place = || format!("{backend:?}, {format:?}: {}", src.escape_ascii());
            let needed = expected.as_ref().map_or(0, |(text, _)| text.len());
            for room in [needed, src.len(), src.len() + 600] {
                assert_eq!(
                    unescape(backend, format, src, room),
                    expected,
                    "{}",
                    place()
                );
            }
            if needed > 0 {
                let error = unescape(backend, format, src, needed - 1);
                assert_eq!(error, Err(without_room(needed).into()), "{}", place());
            }
            let mut appended = "before".to_owned();
            let consumed = unescape_append(backend, format, src, &mut appended);
            let appended = appended.strip_prefix("before").unwrap();
            match &expected {
                Ok((text, read)) => {
                    let written = text.len();
                    let read = *read;
                    assert_eq!(consumed, Ok(Consumed { read, written }), "{}", place());
                    assert_eq!(appended, text, "{}", place());
                }
                Err(error) => {
                    assert_eq!((consumed, appended), (Err(*error), ""), "{}", place());
                }
            }
        }
        expected
    });
    let expected = scan_with(scalar, src);
    for backend in backends() {
        assert_eq!(
            scan_with(backend, src),
            expected,
            "{backend:?}: {}",
            src.escape_ascii()
        );
    }
    if let Ok((text, read)) = &around {
        let Scanned { text: raw, escaped } = expected.expect("a string that reads scans");
        assert_eq!((raw.len() + 1, raw.contains('\\')), (*read, escaped));
        assert!(escaped || raw == text);
    }
    around
}

/// Returns `piece` after `offset` plain characters, with a closing quote after `behind` more.
fn placed(piece: &[u8], offset: usize, behind: usize) -> Vec<u8> {
    [
        &std::vec![b'a'; offset],
        piece,
        &std::vec![b'b'; behind],
        b"\"",
    ]
    .concat()
}

/// Returns pseudorandom numbers, from Marsaglia's xorshift.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

const PIECES: [&str; 12] = [
    "a",
    "plain text",
    "\"",
    "\\",
    "\n",
    "\u{1f}",
    "\u{7f}",
    "é",
    "漢",
    "😀",
    "\u{800}",
    "/\t\r",
];

#[test]
fn every_ascii_character_at_every_offset() {
    for offset in offsets() {
        for byte in thinned(0..0x80_u8, 3) {
            assert_escapes(&format!("{}{}yz", "x".repeat(offset), char::from(byte)));
        }
    }
}

/// There is room for the text, but not for its escapes, which are followed by a run that does not
/// fit.
#[test]
fn escapes_leave_no_room_for_a_run() {
    let text = "\"".repeat(2000) + &"x".repeat(2300);
    for backend in backends() {
        for room in thinned((4300..6300).step_by(97), 1) {
            let error = escape(backend, BARE, &text, room);
            assert_eq!(error, Err(DestinationError::new(6300, room)), "{backend:?}");
        }
    }
}

#[test]
fn texts_of_every_length_are_written_and_read() {
    let mut random = random();
    for length in thinned([31].into_iter().chain(0..500), 1) {
        let count = if length % 7 == 0 {
            PIECES.len()
        } else {
            2 + length % 7
        };
        let mixed: String = (0..length).map(|_| PIECES[random(count)]).collect();
        for text in [
            "k".repeat(length),
            "\"".repeat(length),
            "\u{1}".repeat(length),
            mixed,
        ] {
            assert_escapes(&text);
            let json = QUOTED.escape_to_string(&text);
            let outcome = assert_reads_alike(&json.as_bytes()[1..]);
            assert_eq!(outcome, Ok((text, json.len() - 1)));
        }
    }
}

/// Tests characters, special bytes and bytes that are not text, around the borders of pieces and
/// between them.
#[test]
fn bytes_are_escaped_as_their_text_is() {
    let sequences: [&[u8]; 7] = [
        b"a",
        b"\"",
        b"\x01",
        b"\xc3",
        b"\xe2\x80",
        b"\xe0\x80\x80",
        b"\xf0\x9f",
    ];
    let borders = (250..262).chain(4090..4102).chain((0..9000).step_by(397));
    let places = thinned(borders, 1);
    let length = if cfg!(miri) { 4600 } else { 9000 };
    for (background, sequence) in thinned(
        ["aé漢😀", "a", "\u{e9}", "漢"]
            .iter()
            .flat_map(|background| sequences.map(|sequence| (background, sequence))),
        1,
    ) {
        let text = background.repeat(length / background.len());
        for place in places.iter().map(|&at| text.floor_char_boundary(at)) {
            let src = [
                &text.as_bytes()[..place],
                sequence,
                &text.as_bytes()[place..],
            ]
            .concat();
            assert_escaped_as_text(&src);
            assert_escaped_as_text(&src[..place + sequence.len()]);
        }
    }
}

/// The last character may be incomplete at any end of a block.
#[test]
fn bytes_of_every_length_are_escaped_as_their_text_is() {
    for background in thinned(["a", "漢"], 1) {
        let text = background.repeat(4500 / background.len());
        for length in thinned(4097..4097 + 256, 1) {
            let front = &text.as_bytes()[..text.floor_char_boundary(length)];
            for end in thinned(
                [&b"\xc3"[..], b"\xe6\xbc", b"\xf0\x9f\x98", "😀".as_bytes()],
                1,
            ) {
                assert_escaped_as_text(&[front, end].concat());
            }
        }
    }
}

fn assert_escaped_as_text(src: &[u8]) {
    let expected = match core::str::from_utf8(src) {
        Ok(text) => Ok(QUOTED.escape_to_string(text)),
        Err(error) => Err(match error.error_len() {
            None => Error::at(src.len(), ErrorKind::UnexpectedEnd),
            Some(_) => Error::at(error.valid_up_to(), ErrorKind::InvalidUtf8),
        }),
    };
    let needed = expected.as_ref().map_or(6 * src.len(), String::len);
    for backend in backends() {
        let mut json = std::vec![MaybeUninit::uninit(); needed + 1];
        for room in thinned([needed, needed + 1], 1) {
            let json = QUOTED.escape_bytes_with(backend, src, &mut json[..room]);
            let json = json.map(|json| json.to_owned());
            assert!(json == expected, "{backend:?}, {}: {json:?}", src.len());
        }
        if expected.is_ok() && !cfg!(miri) {
            let short = &mut json[..needed - 1];
            let error = QUOTED.escape_bytes_with(backend, src, short);
            assert_eq!(error, Err(without_room(needed).into()), "{backend:?}");
        }
    }
}

#[test]
fn escapes_at_every_offset() {
    for offset in offsets() {
        for (escape, character) in [
            (r"\u00e9", 'é'),
            (r"\u20AC", '€'),
            (r"\ud83d\ude00", '😀'),
            (r"\u0000", '\0'),
            (r"\/", '/'),
            (r"\b", '\u{8}'),
        ] {
            for behind in thinned([1, 0, 70, 255, 300], 1) {
                let src = placed(escape.as_bytes(), offset, behind);
                let text = format!("{}{character}{}", "a".repeat(offset), "b".repeat(behind));
                assert_eq!(assert_reads_alike(&src), Ok((text, src.len())));
            }
        }
        for run in thinned(0..140, 2) {
            let outcome = assert_reads_alike(&placed(&std::vec![b'\\'; run], offset, 0));
            assert_eq!(outcome.is_ok(), run % 2 == 0);
        }
    }
}

/// The letter of an escape is the first byte of a run, and the quote is the first byte after it;
/// another quote follows later.
#[test]
fn a_run_begins_within_an_escape() {
    for (offset, behind) in thinned(60..70, 2)
        .into_iter()
        .flat_map(|offset| (250..262).map(move |behind| (offset, behind)))
    {
        let string = placed(br"\b", offset, behind);
        let src = [&string[..], &[b'c'; 40], b"\"", &[b'd'; 90]].concat();
        let (text, read) = assert_reads_alike(&src).unwrap();
        assert_eq!((text.len(), read), (offset + 1 + behind, string.len()));
    }
}

#[test]
fn what_is_wrong_is_named_at_every_offset() {
    use ErrorKind::*;
    let wrong: [(&[u8], ErrorKind); 28] = [
        (b"\n", ControlCharacter),
        (b"\0", ControlCharacter),
        (br"\x", InvalidEscape),
        (b"\\\xe9", InvalidEscape),
        (br"\u00g0", InvalidHex),
        (br"\u12-", InvalidHex),
        (br"\ud83d\ude0g", InvalidHex),
        (br"\ugg00", InvalidHex),
        (br"\u0gg0", InvalidHex),
        (br"\u00gg", InvalidHex),
        (br"\ud800", LoneSurrogate),
        (br"\udfff", LoneSurrogate),
        (br"\ud800\ud800", LoneSurrogate),
        (br"\ud800\\udc00", LoneSurrogate),
        (br"\udc00\ud800", LoneSurrogate),
        (br"\udc00\udc00", LoneSurrogate),
        (br"\ud800xudc00", LoneSurrogate),
        (br"\ud800\xdc00", LoneSurrogate),
        (b"\x80", InvalidUtf8),
        (b"\xc0\x80", InvalidUtf8),
        (b"\xc2", InvalidUtf8),
        (b"\xe0\x9f\xbf", InvalidUtf8),
        (b"\xe1\x80", InvalidUtf8),
        (b"\xed\xa0\x80", InvalidUtf8),
        (b"\xf0\x8f\xbf\xbf", InvalidUtf8),
        (b"\xf4\x90\x80\x80", InvalidUtf8),
        (b"\xf5\x80\x80\x80", InvalidUtf8),
        (b"\xff", InvalidUtf8),
    ];
    for offset in offsets() {
        for (piece, kind) in thinned(wrong, 6) {
            for behind in thinned([1, 0, 70, 300], 1) {
                let src = placed(piece, offset, behind);
                assert_eq!(assert_reads_alike(&src), Err(Error::at(offset, kind)));
                // Between characters of several bytes.
                let src = ["é漢😀".as_bytes(), &src[offset..]].concat();
                assert_eq!(assert_reads_alike(&src), Err(Error::at(9, kind)));
            }
        }
    }
}

#[test]
fn strings_cut_anywhere_end_unexpectedly() {
    let string = "abc\\u00e9\\\\é漢😀\\ud83d\\ude00\\\"\"".as_bytes();
    for offset in offsets() {
        for length in thinned(0..string.len(), 5) {
            let src = [&std::vec![b'a'; offset], &string[..length]].concat();
            let error = assert_reads_alike(&src).unwrap_err();
            assert_eq!(error, Error::at(src.len(), ErrorKind::UnexpectedEnd));
        }
    }
    for text in ["é", "\\n", "\\u0041"] {
        let error = BARE.unescape_to_string(&text.as_bytes()[..1]).unwrap_err();
        let message = "offset 1: the input ends within a string, escape or character";
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn changed_strings_read_alike() {
    let mut random = random();
    for _ in thinned(0..20_000, 5) {
        let length = random(90);
        let text: String = (0..length).map(|_| PIECES[random(PIECES.len())]).collect();
        let mut src = QUOTED.escape_to_string(&text).split_off(1).into_bytes();
        for _ in 0..random(4) {
            let at = random(src.len());
            match random(3) {
                0 => src[at] = random(256) as u8,
                1 => src.truncate(at + 1),
                _ => src[at] = b"\\\"u0\xe2\x80\xf0"[random(7)],
            }
        }
        let _ = assert_reads_alike(&src);
    }
}

#[test]
fn all_shapes_agree() {
    let mut json = [0xaa; 8];
    assert_eq!(QUOTED.escape("a\tb", &mut json), Ok(6));
    assert_eq!(&json[..6], br#""a\tb""#);
    assert_eq!(BARE.escape("a\tb", &mut json[..4]), Ok(4));
    assert_eq!(&json[..4], br"a\tb");
    let mut slots = [MaybeUninit::uninit(); 4];
    assert_eq!(
        BARE.escape_with(Detected::active(), "a\tb", &mut slots[..])
            .unwrap(),
        r"a\tb"
    );
    let mut json = b"\xff".to_vec();
    QUOTED.escape_append("a\tb", &mut json);
    assert_eq!(json, b"\xff\"a\\tb\"");

    let mut text = [0; 3];
    let consumed = Consumed {
        read: 5,
        written: 3,
    };
    assert_eq!(QUOTED.unescape(br#"a\tb", 17"#, &mut text), Ok(consumed));
    assert_eq!(&text, b"a\tb");
    let mut slots = [MaybeUninit::uninit(); 3];
    let (text, read) = BARE
        .unescape_with(Detected::active(), br"a\tb", &mut slots[..])
        .unwrap();
    assert_eq!((&*text, read), ("a\tb", 4));
    let mut text = b"\xff".to_vec();
    assert_eq!(QUOTED.unescape_append(br#"a\tb""#, &mut text), Ok(consumed));
    assert_eq!(text, b"\xffa\tb");
    let error = BARE.unescape_append(b"a\"b", &mut text).unwrap_err();
    assert_eq!(error, Error::at(1, ErrorKind::UnexpectedQuote));
    assert_eq!(text, b"\xffa\tb");
}

/// Every length up to a block, with a special byte at each place: none, short or long.
#[test]
#[cfg_attr(miri, ignore = "thousands of texts")]
fn short_texts_with_a_special_byte_anywhere() {
    for length in 0..=66 {
        for place in 0..length {
            for special in ["\"", "\u{1b}", "\n\u{7f}\u{1}"] {
                let text = "x".repeat(place) + special + &"y".repeat(length - place - 1);
                for backend in backends() {
                    let mut json = String::with_capacity(512);
                    escape_append(backend, QUOTED, &text, &mut json);
                    assert_eq!(json, format!("\"{}\"", expected(&text)), "{backend:?}");
                }
            }
        }
    }
}

/// Groups of four blocks with up to six control characters among other special bytes.
#[test]
fn rare_control_characters_in_long_texts() {
    let mut random = random();
    for count in 0..if cfg!(miri) { 2 } else { 60 } {
        let mut text: Vec<char> = (0..256 + count * 7).map(|_| 'a').collect();
        for i in 0..count % 7 + count / 3 {
            let place = match count % 5 {
                0 => text.len() - 1 - i,
                1 => 63 + 64 * (i % 4),
                _ => random(text.len()),
            };
            text[place] = if i < count % 7 { '\u{1b}' } else { '"' };
        }
        assert_escapes(&String::from_iter(text));
    }
}
