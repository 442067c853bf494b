//! The row of `json_string`.

use crate::stream::StreamError;
use crate::{Codec, Decoded, Entry, Experiment, Failure, Parameter};
use bytelane::Backend;
use bytelane::json_string::{self, Error, ErrorKind, Escaper, Quotes, Unescaper};
use std::io::{self, Read, Write};

pub(crate) const ENTRY: Entry = Entry {
    name: "json_string",
    summary: "text as JSON has it, in quotes and with escapes (RFC 8259)",
    parameters: &[Parameter {
        name: "quotes",
        default: Some("true"),
        help: "`true`, or `false` for the bare text",
    }],
    open: |parameters| {
        let quotes = parameters.get("quotes", |_: &bool| true)?;
        Ok(Box::new(JsonString {
            quotes: if quotes {
                Quotes::Around
            } else {
                Quotes::Without
            },
        }))
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
};

struct JsonString {
    quotes: Quotes,
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

    fn encode(
        &self,
        backend: Backend,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let text = std::str::from_utf8(values).map_err(|error| Error::Malformed {
            kind: ErrorKind::InvalidUtf8,
            offset: error.valid_up_to(),
        })?;
        Ok(json_string::escape_to_slice_with(
            backend,
            self.quotes,
            text,
            encoded,
        )?)
    }

    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure> {
        let start = match self.quotes {
            Quotes::Around => {
                opening_quote(encoded, 0)?.ok_or_else(|| behind(encoded.len(), END_OF_NOTHING))?
            }
            Quotes::Without => 0,
        };
        let string = &encoded[start..];
        let done = json_string::unescape_to_slice_with(backend, self.quotes, string, values)
            .map_err(|error| behind(start, error))?;
        only_space(&string[done.read..], start + done.read)?;
        Ok(Decoded {
            read: encoded.len(),
            written: done.written,
        })
    }

    /// The quotes are around the whole.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn encode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let mut escaper = Escaper::with_backend(backend, self.quotes).map_err(failure)?;
        let mut json = Vec::new();
        chunks(input, |_, chunk| {
            json.clear();
            escaper.push(chunk, &mut json).map_err(failure)?;
            output.write_all(&json).map_err(StreamError::Write)
        })?;
        json.clear();
        escaper.finish(&mut json).map_err(failure)?;
        output.write_all(&json).map_err(StreamError::Write)
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let mut unescaper = Unescaper::with_backend(backend, self.quotes).map_err(failure)?;
        // Where the string begins, once that is known.
        let mut start = (self.quotes == Quotes::Without).then_some(0);
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
            let used = used.map_err(|error| failure(behind(from, error)))?;
            only_space(&chunk[used..], end - (chunk.len() - used))?;
            output.write_all(&text).map_err(StreamError::Write)
        })?;
        let from = start.ok_or_else(|| failure(behind(length, END_OF_NOTHING)))?;
        unescaper
            .finish()
            .map_err(|error| failure(behind(from, error)))
    }
}

/// What is wrong with an input that has no quote at all.
const END_OF_NOTHING: Error = Error::Malformed {
    kind: ErrorKind::UnexpectedEnd,
    offset: 0,
};

fn failure(error: Error) -> StreamError {
    StreamError::Codec(error.into())
}

/// The error with its place in an input in which `bytes` bytes come before.
fn behind(bytes: usize, error: Error) -> Error {
    match error {
        Error::Malformed { kind, offset } => Error::Malformed {
            kind,
            offset: offset + bytes,
        },
        error => error,
    }
}

/// The first byte that is not white space, with its place.
fn not_space(bytes: &[u8]) -> Option<(usize, u8)> {
    let mut bytes = bytes.iter().copied().enumerate();
    bytes.find(|(_, byte)| !b" \t\n\r".contains(byte))
}

/// The place behind the opening quote, which only white space may precede; none if all is that.
fn opening_quote(bytes: &[u8], offset: usize) -> Result<Option<usize>, Failure> {
    match not_space(bytes) {
        None => Ok(None),
        Some((place, b'"')) => Ok(Some(place + 1)),
        Some((place, _)) => Err(format!("no opening quote at byte {}", offset + place).into()),
    }
}

/// Behind the closing quote there may be white space, nothing else.
fn only_space(bytes: &[u8], offset: usize) -> Result<(), Failure> {
    match not_space(bytes) {
        None => Ok(()),
        Some((place, _)) => Err(format!(
            "something behind the closing quote at byte {}",
            offset + place
        )
        .into()),
    }
}

/// Hands an input over in chunks, each with the place where it begins; returns its length.
fn chunks(
    input: &mut dyn Read,
    mut each: impl FnMut(usize, &[u8]) -> Result<(), StreamError>,
) -> Result<usize, StreamError> {
    let mut buffer = vec![0; 1 << 16];
    let mut offset = 0;
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(offset),
            Ok(length) => {
                each(offset, &buffer[..length])?;
                offset += length;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(StreamError::Read(error)),
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
            ("", "", "the string does not end at byte 0"),
            ("", "  ", "the string does not end at byte 2"),
            ("", " x\"", "no opening quote at byte 1"),
            ("", "\"ab", "the string does not end at byte 3"),
            ("", " \"ab\\x\"", "an escape that there is not at byte 4"),
            (
                "",
                "\"ab\" c",
                "something behind the closing quote at byte 5",
            ),
            (
                "quotes=false",
                "ab\"",
                "a quote that is not escaped at byte 2",
            ),
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
