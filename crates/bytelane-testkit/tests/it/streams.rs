//! Tests every type that accepts input in pieces, on every backend. However an input is split, the
//! result is the same as in one call. After the first error, every call returns that error, and
//! nothing more is appended.
//!
//! A new streaming type needs an implementation of [`Stream`] and its rows in [`rows`].

use bytelane::base64::{self, DecodePadding, Decoder, Encoder, Engine, STANDARD, STANDARD_NO_PAD};
use bytelane::json_string::{BARE, ErrorKind, Escaper, Format, QUOTED, Unescaper};
use bytelane::{Backend, Detected};
use bytelane_testkit::{backends, on, reduced};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::rc::Rc;

/// A streaming type. Its errors are compared by [`message`], which includes kind and offset.
trait Stream {
    /// Feeds a piece and appends its result.
    fn push(&mut self, piece: &[u8], to: &mut Vec<u8>) -> Result<(), String>;

    /// Ends the input.
    fn finish(self: Box<Self>, to: &mut Vec<u8>) -> Result<(), String>;
}

/// A function from an input to its result.
type OneCall = dyn Fn(&[u8]) -> Result<Vec<u8>, String>;

/// A streaming type, and the function that it is compared with.
struct Row {
    name: String,
    open: Box<dyn Fn(Detected) -> Box<dyn Stream>>,
    /// Result of a whole input, by the scalar code.
    whole: Box<OneCall>,
    /// Result for the beginning of a longer input. An error if the cut is within a character, an
    /// escape or a group.
    beginning: Box<OneCall>,
    /// Tokens from which random inputs are built.
    tokens: &'static [&'static [u8]],
    /// Short inputs, to be split in all ways.
    samples: &'static [&'static [u8]],
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for format in [QUOTED, BARE] {
        rows.extend([escaper(format), unescaper(format)]);
    }
    for engine in [STANDARD, STANDARD_NO_PAD] {
        rows.push(encoder(engine));
    }
    for padding in [
        DecodePadding::Required,
        DecodePadding::None,
        DecodePadding::Either,
    ] {
        rows.push(decoder(STANDARD.with_decode_padding(padding)));
    }
    rows.push(decoder(STANDARD.with_decode_allow_trailing_bits(true)));
    rows
}

fn message<K: Copy + Debug>(error: bytelane::Error<K>) -> String {
    fault(error.kind(), error.offset())
}

fn fault(kind: impl Debug, offset: Option<usize>) -> String {
    format!("{kind:?} at {offset:?}")
}

impl Stream for Escaper {
    fn push(&mut self, piece: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
        Escaper::push(self, piece, to).map_err(message)
    }

    fn finish(self: Box<Self>, to: &mut Vec<u8>) -> Result<(), String> {
        Escaper::finish(*self, to).map_err(message)
    }
}

/// Returns bytes as text, or the error that they must give.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (kind, offset) = match error.error_len() {
            Some(_) => (ErrorKind::InvalidUtf8, error.valid_up_to()),
            None => (ErrorKind::UnexpectedEnd, bytes.len()),
        };
        fault(kind, Some(offset))
    })
}

fn escaper(format: Format) -> Row {
    let quote = if format == QUOTED { "\"" } else { "" };
    Row {
        name: format!("Escaper of {format:?}"),
        open: Box::new(move |backend| Box::new(Escaper::new_with(backend, format))),
        whole: Box::new(move |bytes| {
            let text = text(bytes)?;
            Ok(on(Backend::Scalar, || format.escape_to_string(text)).into_bytes())
        }),
        beginning: Box::new(move |front| {
            let mut json = quote.as_bytes().to_vec();
            BARE.escape_append(text(front)?, &mut json);
            Ok(json)
        }),
        tokens: &[
            b"a",
            b"\"",
            b"\n\x01",
            b"\xc3",
            b"\xa9",
            b"\xe2\x82",
            b"\xf0",
            b"\xf0\x9f\x98",
            b"\x80",
            b"\xff",
            b"This is more than one vector of clean text, more than sixty-four bytes.",
        ],
        samples: &[
            b"",
            b"\"",
            b"a\xf0aaaa",
            b"\xf0aaaaaaa",
            b"\xf0\x9f\x98\x80\n\xc3\xa9",
            b"\xf0\x9f\x98",
            b"a\xe2\x82",
            b"\xe2\x82\xac\x80a",
            b"\xed\xa0\x80\xed\xa0",
            b"\xc3\xc3\xa9",
            b"\xffab\xff",
            b"\n\xf4\x90\x80\x80",
        ],
    }
}

impl Stream for Unescaper {
    fn push(&mut self, piece: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
        let used = Unescaper::push(self, piece, to).map_err(message)?;
        assert!(used == piece.len() || self.is_closed());
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut Vec<u8>) -> Result<(), String> {
        Unescaper::finish(*self).map_err(message)
    }
}

fn unescaper(format: Format) -> Row {
    let whole = move |json: &[u8]| {
        let mut text = Vec::new();
        let result = on(Backend::Scalar, || format.unescape_append(json, &mut text));
        result.map(|_| text).map_err(message)
    };
    Row {
        name: format!("Unescaper of {format:?}"),
        open: Box::new(move |backend| Box::new(Unescaper::new_with(backend, format))),
        whole: Box::new(whole),
        beginning: Box::new(move |front| {
            if format == QUOTED {
                whole(&[front, b"\""].concat())
            } else {
                whole(front)
            }
        }),
        tokens: &[
            b"a",
            b"\"",
            b"\\",
            b"\\n",
            b"\\u00e9",
            b"\\ud83d\\ude00",
            b"\\ud83d",
            b"\\ude00",
            b"\\u0",
            b"\x01",
            b"\xc3",
            b"\xa9",
            b"\xf0\x9f\x98\x80",
            b"\xff",
            b"This is more than one vector of clean text, more than sixty-four bytes.",
        ],
        samples: &[
            b"",
            b"\"",
            b"a\\n\xc3\xa9\"a",
            b"\\ud83d\\ude00",
            b"\\ud83d\\ude0g",
            b"\\ud83d\\u0041",
            b"\\ud83d\\n\"",
            b"\\ude00a\"",
            b"\\u00e9\\\"\"",
            b"\\u00\"e9\"",
            b"\\x\\n\"",
            b"\\",
            b"a\tb\"",
            b"\xf0aaaa\"",
            b"\xf0\x9f\x98\x80\"",
            b"\xe2\x82\"",
            b"\xff\xff\"",
        ],
    }
}

/// Bytes between an adaptor and the test.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<VecDeque<u8>>>);

impl Write for Shared {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Encoding {
    encoder: Encoder<Shared>,
    text: Shared,
}

impl Stream for Encoding {
    fn push(&mut self, piece: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
        self.encoder.write_all(piece).expect("the writer takes all");
        self.encoder.flush().expect("the writer takes all");
        to.extend(self.text.0.take());
        Ok(())
    }

    fn finish(self: Box<Self>, to: &mut Vec<u8>) -> Result<(), String> {
        self.encoder.finish().expect("the writer takes all");
        to.extend(self.text.0.take());
        Ok(())
    }
}

/// Returns a row for an encoder. Any bytes can be encoded, and `Shared` accepts all text: there are
/// no errors here. The tests of the module use writers that fail.
fn encoder(engine: Engine) -> Row {
    let whole = move |bytes: &[u8]| engine.encode_to_string(bytes).into_bytes();
    Row {
        name: format!("Encoder of {engine:?}"),
        open: Box::new(move |backend| {
            let text = Shared::default();
            let encoder = Encoder::new_with(backend, text.clone(), engine);
            Box::new(Encoding { encoder, text })
        }),
        whole: Box::new(move |bytes| Ok(whole(bytes))),
        beginning: Box::new(move |front| Ok(whole(front))),
        tokens: &[b"a", b"\0\xff", &[0xa5; 200]],
        samples: &[b"", b"b", b"by", b"byt", b"bytelane"],
    }
}

/// A reader that returns no bytes between two pieces.
#[derive(Clone, Default)]
struct Pieces {
    text: Shared,
    ended: Rc<Cell<bool>>,
}

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self.text.0.borrow_mut().read(to)? {
            0 if !self.ended.get() => Err(io::ErrorKind::WouldBlock.into()),
            len => Ok(len),
        }
    }
}

struct Decoding {
    decoder: Decoder<Pieces>,
    pieces: Pieces,
}

impl Decoding {
    fn read(&mut self, to: &mut Vec<u8>) -> Result<(), String> {
        match self.decoder.read_to_end(to) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => {
                let of_nothing = self.decoder.read(&mut []).unwrap_err();
                let [error, of_nothing] = [error, of_nothing].map(|error| {
                    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
                    error
                        .downcast::<base64::Error>()
                        .expect("a fault of the text")
                });
                assert_eq!(error, of_nothing);
                Err(message(error))
            }
        }
    }
}

impl Stream for Decoding {
    fn push(&mut self, piece: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
        self.pieces.text.write_all(piece).unwrap();
        self.read(to)
    }

    fn finish(mut self: Box<Self>, to: &mut Vec<u8>) -> Result<(), String> {
        self.pieces.ended.set(true);
        self.read(to)
    }
}

fn decoder(engine: Engine) -> Row {
    let lenient = engine.with_decode_padding(DecodePadding::Either);
    Row {
        name: format!("Decoder of {engine:?}"),
        open: Box::new(move |backend| {
            let pieces = Pieces::default();
            let decoder = Decoder::new_with(backend, pieces.clone(), engine);
            Box::new(Decoding { decoder, pieces })
        }),
        whole: Box::new(move |text| {
            on(Backend::Scalar, || engine.decode_to_vec(text)).map_err(message)
        }),
        beginning: Box::new(move |front| lenient.decode_to_vec(front).map_err(message)),
        tokens: &[b"A", b"QUFB", b"QQ", b"=", b"==", b"R", b"!", &[b'Q'; 100]],
        samples: &[
            b"",
            b"Q",
            b"QQ",
            b"QQ==",
            b"QR==",
            b"QQ==QQ==",
            b"QUE=QUE",
            b"QUFBQ!BQQ==",
            b"QUFB====",
            b"====",
            b"!QUFBQUFB",
            b"QUFBQUE",
        ],
    }
}

/// Result of an input in one call, and the maximum length that may have been appended before an
/// error.
struct Expected {
    result: Result<Vec<u8>, String>,
    most: Vec<u8>,
}

impl Row {
    fn expected(&self, input: &[u8]) -> Expected {
        let result = (self.whole)(input);
        let most = result.clone().unwrap_or_else(|_| {
            let mut fronts = (0..=input.len()).rev().map(|len| &input[..len]);
            let longest = fronts.find_map(|front| (self.beginning)(front).ok());
            longest.unwrap_or_default()
        });
        Expected { result, most }
    }

    /// Feeds all pieces, ignoring errors, and ends the input: immediately, or after more pieces.
    fn assert_pieces(&self, backend: Detected, pieces: &[&[u8]], expected: &Expected) {
        self.assert_pieces_and_more(backend, pieces, &[], expected);
        if expected.result.is_err() {
            // Bytes that are valid alone, and bytes that would complete an incomplete part.
            let more = [
                &b"QUFB"[..],
                b"a",
                b"a",
                b"\x80",
                b"",
                b"\"",
                b"=",
                &[b'A'; 100],
            ];
            self.assert_pieces_and_more(backend, pieces, &more, expected);
        }
    }

    /// Feeds all pieces; feeds the pieces in `more` only to a stream that has failed.
    fn assert_pieces_and_more(
        &self,
        backend: Detected,
        pieces: &[&[u8]],
        more: &[&[u8]],
        expected: &Expected,
    ) {
        let place = || {
            let pieces = pieces.iter().map(|piece| piece.escape_ascii().to_string());
            let pieces: Vec<_> = pieces.collect();
            format!("{}, {backend}, {pieces:?}", self.name)
        };
        let mut stream = (self.open)(backend);
        let mut to = b"before".to_vec();
        // The first error, and the length of the output at that time.
        let mut failed: Option<(String, usize)> = None;
        let mut check = |outcome: Result<(), String>, len: usize| {
            match (&failed, outcome) {
                (None, Ok(())) => {}
                (None, Err(error)) => failed = Some((error, len)),
                (Some((first, then)), outcome) => {
                    assert_eq!(outcome.as_ref(), Err(first), "{}", place());
                    assert_eq!(len, *then, "{}: appended after the error", place());
                }
            }
            failed.is_some()
        };
        let mut has_failed = false;
        for piece in pieces {
            has_failed = check(stream.push(piece, &mut to), to.len());
        }
        for piece in more.iter().filter(|_| has_failed) {
            check(stream.push(piece, &mut to), to.len());
        }
        check(stream.finish(&mut to), to.len());

        let error = failed.map(|(error, _)| error);
        assert_eq!(error, expected.result.clone().err(), "{}", place());
        let appended = to.strip_prefix(b"before").expect("only appended to");
        match &expected.result {
            Ok(whole) => assert_eq!(appended, whole, "{}", place()),
            Err(_) => assert!(expected.most.starts_with(appended), "{}: {to:?}", place()),
        }
    }
}

/// Calls `test` with an input split in every way. Each bit indicates whether there is a cut before
/// a byte.
fn every_cut<'a>(input: &'a [u8], mut test: impl FnMut(&[&'a [u8]])) {
    for cuts in 0..1_u32 << input.len().saturating_sub(1) {
        let mut pieces = Vec::new();
        let mut start = 0;
        for at in 1..input.len() {
            if cuts >> (at - 1) & 1 == 1 {
                pieces.push(&input[start..at]);
                start = at;
            }
        }
        pieces.push(&input[start..]);
        test(&pieces);
    }
}

fn all_backends() -> Vec<Detected> {
    let all = [vec![Backend::Scalar], backends()].concat();
    let detected = all.into_iter().map(Detected::new);
    detected.collect::<Result<_, _>>().expect("available")
}

#[test]
fn samples_cut_in_every_way() {
    let all = all_backends();
    for row in rows() {
        for sample in row.samples {
            // On the smaller grid, only the last few bytes are split in every way.
            let together = sample.len().saturating_sub(6) * usize::from(reduced());
            let (front, cut) = sample.split_at(together);
            let expected = row.expected(sample);
            for &backend in &all {
                every_cut(cut, |pieces| {
                    let pieces = [&[front], pieces].concat();
                    row.assert_pieces(backend, &pieces, &expected);
                });
            }
        }
    }
}

#[test]
fn any_tokens_in_pieces_of_any_lengths() {
    let all = all_backends();
    for row in rows() {
        let cases = if reduced() { 20 } else { 1000 };
        let lengths = vec(prop_oneof![0..4_usize, 0..90_usize], 1..6);
        TestRunner::new(ProptestConfig::with_cases(cases))
            .run(
                &(vec(select(row.tokens), 0..12), lengths),
                |(tokens, lengths)| {
                    let input = tokens.concat();
                    let expected = row.expected(&input);
                    let mut pieces = Vec::new();
                    let mut rest = &input[..];
                    for &length in lengths.iter().cycle().take(400) {
                        if rest.is_empty() {
                            break;
                        }
                        let (piece, behind) = rest.split_at(usize::min(length, rest.len()));
                        pieces.push(piece);
                        rest = behind;
                    }
                    pieces.push(rest);
                    for &backend in &all {
                        row.assert_pieces(backend, &pieces, &expected);
                    }
                    Ok(())
                },
            )
            .unwrap();
    }
}
