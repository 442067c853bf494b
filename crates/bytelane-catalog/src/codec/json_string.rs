//! Row of `json_string`.

use crate::stream::{StreamError, chunks};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Length, Parameter};
use bytelane::json_string::{BARE, Error, ErrorKind, Escaper, Format, QUOTED, Unescaper};
use bytelane::{Backend, Detected};
use std::io::{Read, Write};

pub(crate) const ENTRY: Entry = Entry {
    name: "json_string",
    summary: "JSON strings: quotes and escapes (RFC 8259)",
    parameters: &[Parameter {
        name: "quotes",
        default: Some("true"),
        help: "`true`, or `false` for text without quotes",
    }],
    open: |parameters| {
        let quotes = parameters.get("quotes", |_: &bool| true)?;
        let format = if quotes { QUOTED } else { BARE };
        Ok(Box::new(JsonString { format }))
    },
    cases: &["", "quotes=false"],
    experiments: &[
        Experiment {
            title: "Short strings",
            cases: &[""],
            data: &["prose", "escapes_1", "escapes_10"],
            values: &[8, 16, 24, 32, 48, 64],
            evicted: false,
        },
        Experiment {
            title: "1 KiB to 16 MiB",
            cases: &[""],
            data: &[
                "letters",
                "prose",
                "escapes_1",
                "escapes_10",
                "escapes_50",
                "cjk",
                "emoji",
            ],
            values: &[1 << 10, 1 << 12, 1 << 16, 1 << 20, 1 << 24],
            evicted: false,
        },
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::json_string::open),
};

struct JsonString {
    format: Format,
}

impl Codec for JsonString {
    fn element(&self) -> String {
        "u8".to_owned()
    }

    fn width(&self) -> usize {
        1
    }

    fn data(&self) -> &'static [&'static str] {
        &[
            "prose",
            "letters",
            "escapes_1",
            "escapes_10",
            "escapes_50",
            "cjk",
            "emoji",
        ]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        6 * values + 2
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let backend = Detected::new(backend)?;
        let written = self.format.escape_bytes_with(backend, values, to);
        match written {
            Ok(written) => Ok(written.len()),
            Err(error) if error.kind() == ErrorKind::UnexpectedEnd => Err(cut_off(values.len())),
            Err(error) => Err(error.into()),
        }
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let backend = Detected::new(backend)?;
        let start = if self.format == QUOTED {
            opening_quote(from, 0)?.ok_or_else(|| no_opening_quote(from.len()))?
        } else {
            0
        };
        let string = &from[start..];
        let done = self.format.unescape_with(backend, string, to);
        let (text, read) = done.map_err(|error| error.behind(start))?;
        only_space(&string[read..], start + read)?;
        Ok(Decoded {
            read: from.len(),
            written: text.len(),
        })
    }

    /// `None`: the quotes enclose the whole text.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn encode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let mut escaper = Escaper::new_with(backend, self.format);
        let mut json = Vec::new();
        let length = chunks(input, |_, chunk| {
            json.clear();
            escaper.push(chunk, &mut json).map_err(failure)?;
            output.write_all(&json).map_err(StreamError::Write)
        })?;
        json.clear();
        escaper
            .finish(&mut json)
            .map_err(|error| match error.kind() {
                // Without quotes, no quote can be missing.
                ErrorKind::UnexpectedEnd => StreamError::Codec(cut_off(length)),
                _ => failure(error),
            })?;
        output.write_all(&json).map_err(StreamError::Write)
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let mut unescaper = Unescaper::new_with(backend, self.format);
        // The start of the string, once known.
        let mut start = (self.format == BARE).then_some(0);
        let mut text = Vec::new();
        let length = chunks(input, |offset, mut chunk| {
            let end = offset + chunk.len();
            let from = match start {
                Some(from) => from,
                None => match opening_quote(chunk, offset)? {
                    Some(behind) => {
                        chunk = &chunk[behind..];
                        *start.insert(offset + behind)
                    }
                    None => return Ok(()),
                },
            };
            text.clear();
            let used = unescaper.push(chunk, &mut text);
            let used = used.map_err(|error| failure(error.behind(from)))?;
            only_space(&chunk[used..], end - (chunk.len() - used))?;
            output.write_all(&text).map_err(StreamError::Write)
        })?;
        let from = start.ok_or_else(|| no_opening_quote(length))?;
        unescaper
            .finish()
            .map_err(|error| failure(error.behind(from)))
    }
}

/// Returns the error for a text of this length whose last character is incomplete.
fn cut_off(length: usize) -> Failure {
    format!("offset {length}: truncated UTF-8: the text ends within a character").into()
}

fn failure(error: Error) -> StreamError {
    StreamError::Codec(error.into())
}

/// Returns the first byte that is not whitespace, with its position.
fn not_space(bytes: &[u8]) -> Option<(usize, u8)> {
    let mut bytes = bytes.iter().copied().enumerate();
    bytes.find(|(_, byte)| !b" \t\n\r".contains(byte))
}

/// Returns the position after the opening quote, which only whitespace may precede; `None` if there
/// is nothing else.
fn opening_quote(bytes: &[u8], offset: usize) -> Result<Option<usize>, Failure> {
    match not_space(bytes) {
        None => Ok(None),
        Some((place, b'"')) => Ok(Some(place + 1)),
        Some((place, _)) => Err(no_opening_quote(offset + place)),
    }
}

/// Returns the error for an input that has another character instead of its first quote.
fn no_opening_quote(place: usize) -> Failure {
    format!("offset {place}: no opening quote").into()
}

/// Checks that only whitespace follows the closing quote.
fn only_space(bytes: &[u8], offset: usize) -> Result<(), Failure> {
    match not_space(bytes) {
        None => Ok(()),
        Some((place, _)) => {
            let place = offset + place;
            Err(format!("offset {place}: unexpected data after the closing quote").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode_stream(parameters: &str, input: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut output = Vec::new();
        let mut input: &[u8] = input;
        let result = codec.decode_stream(Backend::active(), &mut input, &mut output);
        result.map(|()| output).map_err(|error| error.to_string())
    }

    fn encode_stream(input: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open("").unwrap();
        let mut output = Vec::new();
        let mut input: &[u8] = input;
        let result = codec.encode_stream(Backend::active(), &mut input, &mut output);
        result.map(|()| output).map_err(|error| error.to_string())
    }

    fn encode(input: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open("").unwrap();
        let mut json = vec![0; codec.max_encoded_len(input.len())];
        let length = codec.encode(Backend::active(), input, &mut json);
        json.truncate(length.map_err(|error| error.to_string())?);
        Ok(json)
    }

    #[test]
    fn bytes_that_are_no_text_are_named_with_their_place() {
        let long = [&[b'a'; 70_000][..], b"\xe6\xbc"].concat();
        for encode in [encode, encode_stream] {
            assert_eq!(
                encode("caf\u{e9}".as_bytes()).unwrap(),
                "\"caf\u{e9}\"".as_bytes()
            );
            let cut = "truncated UTF-8: the text ends within a character";
            assert_eq!(encode(b"caf\xc3").unwrap_err(), format!("offset 4: {cut}"));
            assert_eq!(encode(&long).unwrap_err(), format!("offset 70002: {cut}"));
            assert_eq!(encode(b"caf\xc3!").unwrap_err(), "offset 3: invalid UTF-8");
        }
    }

    fn decode(parameters: &str, input: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut values = vec![0; input.len()];
        let decoded = codec.decode(Backend::active(), input, &mut values);
        let decoded = decoded.map_err(|error| error.to_string())?;
        values.truncate(decoded.written);
        Ok(values)
    }

    #[test]
    fn white_space_around_the_string_is_skipped() {
        for decode in [decode, decode_stream] {
            assert_eq!(decode("", b" \t\r\n\"a\\nb\" \n").unwrap(), b"a\nb");
            assert_eq!(decode("quotes=false", b" a\\nb ").unwrap(), b" a\nb ");
        }
    }

    #[test]
    fn errors_name_the_place_in_the_input() {
        let wrong = [
            ("", "", "offset 0: no opening quote"),
            ("", "  ", "offset 2: no opening quote"),
            ("", " x\"", "offset 1: no opening quote"),
            (
                "",
                "\"ab",
                "offset 3: the input ends within a string, escape or character",
            ),
            ("", " \"ab\\x\"", "offset 4: an unknown escape"),
            (
                "",
                "\"ab\" c",
                "offset 5: unexpected data after the closing quote",
            ),
            ("quotes=false", "ab\"", "offset 2: an unescaped quote"),
        ];
        for (parameters, input, message) in wrong {
            for (name, decode) in [
                ("slice", decode as fn(&_, &_) -> _),
                ("stream", decode_stream),
            ] {
                let result: Result<Vec<u8>, String> = decode(parameters, input.as_bytes());
                assert_eq!(result.unwrap_err(), message, "{name}, {input:?}");
            }
        }
    }

    #[test]
    fn streams_come_in_chunks_that_cut_anything() {
        let text = "漢字 \"\\ \u{1}😀\n".repeat(20_000);
        for parameters in ["", "quotes=false"] {
            let codec = ENTRY.open(parameters).unwrap();
            let mut json = Vec::new();
            let mut input = text.as_bytes();
            codec
                .encode_stream(Backend::active(), &mut input, &mut json)
                .unwrap();
            let mut whole = vec![0; codec.max_encoded_len(text.len())];
            let length = codec
                .encode(Backend::active(), text.as_bytes(), &mut whole)
                .unwrap();
            assert!(json == whole[..length]);
            assert!(decode_stream(parameters, &json).unwrap() == text.as_bytes());
        }
    }
}
