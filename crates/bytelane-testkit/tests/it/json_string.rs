//! Compares JSON strings on every backend with the scalar code, and with serde_json.

use bytelane::json_string::{
    BARE, Consumed, Error, ErrorKind, Escaper, Format, QUOTED, Scanned, Unescaper, scan,
};
use bytelane::{Backend, Detected};
use bytelane_testkit::{Edge, Guarded, backends, on, reduced};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Returns all backends, the scalar code first.
fn all() -> Vec<Backend> {
    let mut all = vec![Backend::Scalar];
    all.extend(backends());
    all
}

/// Returns offsets that put a byte before, at and after each edge of a vector and of a run.
fn offsets() -> Vec<usize> {
    if reduced() {
        vec![0, 1, 15, 31, 61, 63, 64, 255, 300]
    } else {
        (0..=66)
            .chain([126, 127, 128, 190, 252, 254, 255, 256, 318, 4400])
            .collect()
    }
}

fn cases(full: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if reduced() { full / 50 } else { full })
}

/// Checks that a text escapes to the same string on every backend, into exactly as much room as
/// needed.
fn assert_escapes(text: &str, backends: &[Backend]) {
    let expected = serde_json::to_string(text).unwrap().into_bytes();
    for &backend in backends {
        let mut appended = b"before".to_vec();
        on(backend, || QUOTED.escape_append(text, &mut appended));
        assert!(
            appended.strip_prefix(b"before") == Some(&expected),
            "{backend}: {text:?}"
        );
        let bare = &expected[1..expected.len() - 1];
        for (format, expected) in [(QUOTED, &expected[..]), (BARE, bare)] {
            let needed = expected.len();
            assert_eq!(
                on(backend, || format.escaped_len(text)),
                needed,
                "{backend}: {text:?}"
            );
            for edge in [Edge::Front, Edge::Back] {
                let source = Guarded::copy_of(text.as_bytes(), edge);
                let source = std::str::from_utf8(&source).unwrap();
                let mut result = Guarded::new(needed, edge);
                let length = on(backend, || format.escape(source, &mut result));
                assert_eq!(length, Ok(needed), "{backend}, {edge:?}: {text:?}");
                assert!(*result == *expected, "{backend}, {edge:?}: {text:?}");
            }
            let Some(given) = needed.checked_sub(1) else {
                continue;
            };
            let mut short = Guarded::new(given, Edge::Back);
            let error = on(backend, || format.escape(text, &mut short)).unwrap_err();
            assert_eq!(
                (error.needed(), error.given()),
                (needed, given),
                "{backend}: {text:?}"
            );
        }
    }
}

/// Result of reading a string.
type Outcome = Result<(Consumed, Vec<u8>), Error>;

/// Returns the kind and the offset of an error.
fn fault<T>(outcome: Result<T, Error>) -> Option<(ErrorKind, Option<usize>)> {
    let error = outcome.err()?;
    Some((error.kind(), error.offset()))
}

fn read(backend: Backend, format: Format, src: &[u8]) -> Outcome {
    let mut text = b"before".to_vec();
    let consumed = on(backend, || format.unescape_append(src, &mut text));
    assert!(text.starts_with(b"before"));
    if consumed.is_err() {
        assert_eq!(text, b"before");
    }
    consumed.map(|consumed| (consumed, text.split_off(6)))
}

/// Checks that bytes read as a string, with and without quotes, give the same result on every
/// backend: appended, into a slice of exactly the length of the text, into one byte less, and
/// scanned.
fn assert_reads_alike(src: &[u8], backends: &[Backend]) -> Outcome {
    let source = Guarded::copy_of(src, Edge::Back);
    let around = read(Backend::Scalar, QUOTED, src);
    for format in [QUOTED, BARE] {
        let expected = read(Backend::Scalar, format, src);
        let needed = expected.as_ref().map_or(0, |(_, text)| text.len());
        for &backend in backends {
            let place = format!(
                "{backend}, {format:?}: {:?}",
                src.escape_ascii().to_string()
            );
            assert_eq!(read(backend, format, &source), expected, "{place}");
            let mut result = Guarded::new(needed, Edge::Back);
            let consumed = on(backend, || format.unescape(&source, &mut result));
            match &expected {
                Ok((expected, text)) => {
                    assert_eq!(consumed, Ok(*expected), "{place}");
                    assert!(*result == **text, "{place}");
                }
                Err(error) => assert_eq!(consumed, Err(*error), "{place}"),
            }
            if let Some(given) = needed.checked_sub(1) {
                let mut short = Guarded::new(given, Edge::Back);
                let consumed = on(backend, || format.unescape(&source, &mut short));
                match consumed.unwrap_err().kind() {
                    ErrorKind::Destination(error) => {
                        assert_eq!((error.needed(), error.given()), (needed, given), "{place}");
                    }
                    kind => panic!("{place}: {kind}"),
                }
            }
        }
    }
    let expected = on(Backend::Scalar, || scan(src));
    for &backend in backends {
        let scanned = on(backend, || scan(&source));
        assert_eq!(
            scanned,
            expected,
            "{backend}: {:?}",
            src.escape_ascii().to_string()
        );
    }
    if let Ok((consumed, text)) = &around {
        let Scanned { text: raw, escaped } = expected.expect("a string that reads scans");
        assert_eq!(raw.len() + 1, consumed.read);
        assert_eq!(escaped, raw.contains('\\'));
        assert!(escaped || raw.as_bytes() == text);
    }
    around
}

/// Returns the string that serde_json reads from the same bytes, if it accepts them.
fn serde(src: &[u8]) -> Option<String> {
    serde_json::from_slice(&[b"\"", src].concat()).ok()
}

fn assert_reads_as_serde(src: &[u8], backends: &[Backend]) {
    let outcome = assert_reads_alike(src, backends);
    let whole = outcome
        .ok()
        .filter(|(consumed, _)| consumed.read == src.len());
    assert_eq!(
        whole.map(|(_, text)| String::from_utf8(text).expect("valid UTF-8")),
        serde(src),
        "{:?}",
        src.escape_ascii().to_string()
    );
}

/// Returns `piece` after `offset` plain characters, with a closing quote after `behind` more.
fn placed(piece: &[u8], offset: usize, behind: usize) -> Vec<u8> {
    [&vec![b'a'; offset], piece, &vec![b'b'; behind], b"\""].concat()
}

#[test]
fn every_ascii_character_at_every_offset() {
    let all = all();
    for offset in offsets() {
        for byte in 0..0x80 {
            let mut text = "x".repeat(offset);
            text.push(char::from(byte));
            text.push_str("yz");
            assert_escapes(&text, &all);
        }
    }
}

#[test]
fn every_length_of_clean_and_of_special_characters() {
    let all = all();
    for length in 0..if reduced() { 140 } else { 600 } {
        assert_escapes(&"k".repeat(length), &all);
        assert_escapes(&"\"".repeat(length), &all);
        assert_escapes(&"\u{1}".repeat(length), &all);
        let mixed: String = "a\"b\nc\u{1f}déf漢\\😀 "
            .chars()
            .cycle()
            .take(length)
            .collect();
        assert_escapes(&mixed, &all);
        let json = serde_json::to_string(&mixed).unwrap();
        assert_reads_as_serde(&json.as_bytes()[1..], &all);
        assert_reads_as_serde(placed(b"", length, 0).as_slice(), &all);
    }
}

#[test]
fn every_escape_of_four_digits() {
    for backend in all() {
        for number in (0..=0xffff_u32).step_by(if reduced() { 61 } else { 1 }) {
            let digits = match number % 2 {
                0 => format!("\\u{number:04x}"),
                _ => format!("\\u{number:04X}"),
            };
            let offset = number as usize % 67;
            let src = placed(digits.as_bytes(), offset, 3);
            let outcome = read(backend, QUOTED, &src);
            match char::from_u32(number) {
                Some(character) => {
                    let text = format!("{}{character}bbb", "a".repeat(offset)).into_bytes();
                    let (read, written) = (src.len(), text.len());
                    let expected = Ok((Consumed { read, written }, text));
                    assert_eq!(outcome, expected, "{backend}: {digits}");
                }
                None => {
                    let expected = Some((ErrorKind::LoneSurrogate, Some(offset)));
                    assert_eq!(fault(outcome), expected, "{backend}: {digits}");
                }
            }
        }
    }
}

#[test]
fn every_surrogate_pair() {
    let step = if reduced() { 97 } else { 1 };
    for backend in all() {
        let mut text = Vec::new();
        for high in (0xd800..=0xdbff_u32).step_by(step) {
            text.clear();
            let pairs = (0xdc00..=0xdfff_u32).step_by(step);
            let json: String = pairs
                .clone()
                .map(|low| format!("\\u{high:04x}\\u{low:04X}"))
                .collect();
            let read = on(backend, || BARE.unescape_append(json.as_bytes(), &mut text));
            assert_eq!(read.unwrap().read, json.len());
            let units: Vec<u16> = pairs.flat_map(|low| [high as u16, low as u16]).collect();
            assert_eq!(
                text,
                String::from_utf16(&units).unwrap().as_bytes(),
                "{backend}, {high:x}"
            );
        }
    }
}

#[test]
fn halves_of_surrogate_pairs_at_every_offset() {
    let all = all();
    let wrong = [
        r"\ud800",
        r"\udbff",
        r"\udc00",
        r"\udfff",
        r"\ud800\ud800",
        r"\ud800\u0041",
        r"\ud800x",
        r"\ud800\n",
        r"\ud800\\udc00",
        r"\udc00\ud800",
        r"\ud83d\ude0",
        r"\ud83d\u",
        r"\ud83d\",
        r"\ud83d\ude0g",
        r"\ud83dude00",
    ];
    for offset in offsets() {
        for piece in wrong {
            assert_reads_as_serde(&placed(piece.as_bytes(), offset, 0), &all);
            assert_reads_as_serde(&placed(piece.as_bytes(), offset, 70), &all);
        }
        assert_reads_as_serde(&placed(br"\ud83d\ude00", offset, offset % 5), &all);
    }
}

#[test]
fn every_byte_behind_a_backslash() {
    let all = all();
    for offset in offsets() {
        for byte in 0..=0xff {
            assert_reads_as_serde(&placed(&[b'\\', byte], offset, 2), &all);
        }
    }
}

#[test]
fn runs_of_backslashes_of_every_length() {
    let all = all();
    for offset in offsets() {
        for run in 0..if reduced() { 8 } else { 140 } {
            assert_reads_as_serde(&placed(&vec![b'\\'; run], offset, 0), &all);
            assert_reads_as_serde(&placed(&vec![b'\\'; run], offset, 1), &all);
        }
    }
}

#[test]
fn every_kind_of_invalid_utf8_at_every_offset() {
    let all = all();
    let valid = [
        "\u{80}",
        "\u{7ff}",
        "\u{800}",
        "\u{d7ff}",
        "\u{e000}",
        "\u{ffff}",
        "\u{10000}",
        "\u{10ffff}",
    ];
    let invalid: [&[u8]; 30] = [
        b"\x80",
        b"\xbf",
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xc2",
        b"\xdf",
        b"\xc2\xc2",
        b"\xe0\x80\x80",
        b"\xe0\x9f\xbf",
        b"\xe0\xa0",
        b"\xe1",
        b"\xe1\x80",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xef\xbf",
        b"\xf0\x80\x80\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf0\x90\x80",
        b"\xf0\x90",
        b"\xf0",
        b"\xf4\x90\x80\x80",
        b"\xf4\xbf\xbf\xbf",
        b"\xf5\x80\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xfe",
        b"\xff",
        b"\xe2\x82\xac\x80",
        b"\xf0\x9f\x98\x80\x80",
        b"\xe2\x28\xa1",
        b"\xf0\x28\x8c\xbc",
    ];
    for offset in offsets() {
        for piece in valid {
            assert_reads_as_serde(&placed(piece.as_bytes(), offset, 1), &all);
            assert_reads_as_serde(
                &placed(format!("{piece}{piece}").as_bytes(), offset, 70),
                &all,
            );
        }
        for piece in invalid {
            for behind in [0, 1, 70] {
                let src = placed(piece, offset, behind);
                assert_reads_as_serde(&src, &all);
                // Truncated, like pieces of a stream.
                assert_reads_alike(&src[..offset + piece.len()], &all).unwrap_err();
                // And between characters of several bytes.
                let src = ["é漢😀".as_bytes(), &src[offset..]].concat();
                assert_reads_as_serde(&src, &all);
            }
        }
    }
}

#[test]
fn control_characters_at_every_offset() {
    let all = all();
    for offset in offsets() {
        for byte in 0..0x20 {
            let outcome = assert_reads_alike(&placed(&[byte], offset, 5), &all);
            assert_eq!(
                fault(outcome),
                Some((ErrorKind::ControlCharacter, Some(offset)))
            );
        }
    }
}

#[test]
fn errors_name_the_rule_and_the_place() {
    use ErrorKind::*;
    let around = [
        ("", UnexpectedEnd, 0),
        ("abc", UnexpectedEnd, 3),
        ("abc\\", UnexpectedEnd, 4),
        ("abc\\\"", UnexpectedEnd, 5),
        ("a\\u12", UnexpectedEnd, 5),
        ("a\\u12\"", InvalidHex, 1),
        ("a\\u00g0\"", InvalidHex, 1),
        ("a\\x\"", InvalidEscape, 1),
        ("a\\ud800\"", LoneSurrogate, 1),
        ("a\\ud800\\n\"", LoneSurrogate, 1),
        ("ab\\udc00\"", LoneSurrogate, 2),
        ("ab\tc\"", ControlCharacter, 2),
    ];
    for (src, kind, offset) in around {
        let outcome = assert_reads_alike(src.as_bytes(), &all());
        assert_eq!(fault(outcome), Some((kind, Some(offset))), "{src}");
    }
    for backend in all() {
        let outcome = read(backend, BARE, b"a\"b");
        assert_eq!(fault(outcome), Some((UnexpectedQuote, Some(1))));
    }
    let error = scan(b"0123456789abcdefg\xff\"").unwrap_err();
    assert_eq!(error.to_string(), "offset 17: invalid UTF-8");
}

/// Generates valid and invalid parts of strings.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[ -~]{0,40}".prop_map(|text| text.replace(['"', '\\'], "_").into_bytes()),
        3 => prop::sample::select(vec![r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t"])
            .prop_map(|text| text.as_bytes().to_vec()),
        2 => any::<char>().prop_map(|character| character.to_string().into_bytes()),
        2 => "[漢字かな交じり文é😀]{1,30}".prop_map(String::into_bytes),
        2 => any::<u16>().prop_map(|number| format!("\\u{number:04x}").into_bytes()),
        2 => any::<char>().prop_map(|character| {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units);
            units.iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>().into_bytes()
        }),
        1 => (1..300_usize).prop_map(|length| vec![b'-'; length]),
        1 => (1..9_usize).prop_map(|length| vec![b'\\'; length]),
    ];
    let wrong = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        any::<[u8; 3]>().prop_map(|bytes| bytes.to_vec()),
        Just(b"\"".to_vec()),
    ];
    let pieces = prop::collection::vec(piece, 0..24);
    (pieces.clone(), prop::option::weighted(0.4, wrong), pieces).prop_map(
        |(before, wrong, after)| {
            [
                before.concat(),
                wrong.unwrap_or_default(),
                after.concat(),
                b"\"".to_vec(),
            ]
            .concat()
        },
    )
}

#[test]
fn reads_what_serde_json_reads() {
    let all = all();
    TestRunner::new(cases(3000))
        .run(&pieces(), |src| {
            assert_reads_as_serde(&src, &all);
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_bytes_read_alike() {
    let all = all();
    TestRunner::new(cases(2000))
        .run(&prop::collection::vec(any::<u8>(), 0..400), |src| {
            assert_reads_as_serde(&src, &all);
            Ok(())
        })
        .unwrap();
}

#[test]
fn writes_what_serde_json_writes() {
    let all = all();
    let text = prop_oneof![
        "\\PC{0,200}",
        "[\\x00-\\x7f]{0,900}",
        any::<String>(),
        "[ -~]{0,1500}"
    ];
    TestRunner::new(cases(1500))
        .run(&text, |text| {
            assert_escapes(&text, &all);
            Ok(())
        })
        .unwrap();
}

/// Reads in pieces of the given lengths, which are repeated as often as needed.
fn read_in_pieces(backend: Backend, format: Format, src: &[u8], lengths: &[usize]) -> Outcome {
    let mut unescaper = Unescaper::new_with(Detected::new(backend).unwrap(), format);
    let (mut text, mut read) = (Vec::new(), 0);
    for &length in lengths.iter().cycle() {
        let piece = &src[read..][..usize::min(length, src.len() - read)];
        read += unescaper.push(piece, &mut text)?;
        if unescaper.is_closed() || read == src.len() {
            break;
        }
    }
    unescaper.finish()?;
    Ok((
        Consumed {
            read,
            written: text.len(),
        },
        text,
    ))
}

#[test]
fn a_string_in_pieces_reads_as_the_whole() {
    let backends = all();
    let lengths = prop::collection::vec(1..90_usize, 1..6);
    TestRunner::new(cases(3000))
        .run(&(pieces(), lengths), |(src, lengths)| {
            for (format, src) in [(QUOTED, &src[..]), (BARE, &src[..src.len() - 1])] {
                let expected = read(Backend::Scalar, format, src);
                for &backend in &backends {
                    let outcome = read_in_pieces(backend, format, src, &lengths);
                    prop_assert_eq!(&outcome, &expected, "{}", backend);
                    let bytewise = read_in_pieces(backend, format, src, &[1]);
                    prop_assert_eq!(&bytewise, &expected, "{}", backend);
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_text_in_pieces_is_written_as_the_whole() {
    let backends = all();
    let bytes = (
        any::<String>(),
        prop::option::weighted(0.3, any::<u8>()),
        any::<String>(),
    );
    TestRunner::new(cases(3000))
        .run(&(bytes, 1..40_usize), |((before, wrong, after), length)| {
            let bytes: Vec<u8> = [before.as_bytes(), wrong.as_slice(), after.as_bytes()].concat();
            let expected = match std::str::from_utf8(&bytes) {
                Ok(text) => Ok(serde_json::to_string(text).unwrap().into_bytes()),
                Err(error) => Err(error.valid_up_to()),
            };
            for &backend in &backends {
                let mut json = Vec::new();
                let mut escaper = Escaper::new_with(Detected::new(backend).unwrap(), QUOTED);
                let result = bytes
                    .chunks(length)
                    .try_for_each(|piece| escaper.push(piece, &mut json))
                    .and_then(|()| escaper.finish(&mut json));
                if let Err(place) = expected {
                    let before = std::str::from_utf8(&bytes[..place]).unwrap();
                    let whole = serde_json::to_string(before).unwrap().into_bytes();
                    prop_assert_eq!(&json, &whole[..whole.len() - 1]);
                }
                let found = result.map_err(|error| (error.kind(), error.offset()));
                match (found, &expected) {
                    (Ok(()), Ok(expected)) => prop_assert_eq!(&json, expected),
                    (Err((ErrorKind::InvalidUtf8, offset)), Err(place)) => {
                        prop_assert_eq!(offset, Some(*place));
                    }
                    (Err((ErrorKind::UnexpectedEnd, offset)), Err(place)) => {
                        prop_assert_eq!(offset, Some(bytes.len()));
                        prop_assert!(bytes.len() - place < 4);
                    }
                    (found, expected) => prop_assert!(false, "{found:?}, {expected:?}"),
                }
            }
            Ok(())
        })
        .unwrap();
}
