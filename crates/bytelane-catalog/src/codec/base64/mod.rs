//! Row of `base64`.

mod whitespace;

use crate::stream::StreamError;
use crate::{Codec, Decoded, Entry, Experiment, Failure, Length, Parameter};
use bytelane::base64::{Alphabet, DecodePadding, Decoder, Engine, Error, decoded_len_estimate};
use bytelane::{Backend, Detected};
use std::cell::RefCell;
use std::io::{Read, Write};
use whitespace::{Places, Text};

pub(crate) const ENTRY: Entry = Entry {
    name: "base64",
    summary: "bytes as text, six bits per character (RFC 4648)",
    parameters: &[
        Parameter {
            name: "alphabet",
            default: Some("standard"),
            help: "`standard` (+ and /) or `url` (- and _)",
        },
        Parameter {
            name: "padding",
            default: Some("required"),
            help: "`required`, `none`, or `either`: write none, accept both",
        },
        Parameter {
            name: "trailing_bits",
            default: Some("error"),
            help: "non-zero bits after the last byte: `error` or `ignored`",
        },
        Parameter {
            name: "whitespace",
            default: Some("skip"),
            help: "ASCII whitespace in the encoded text: `skip`, or `none` to refuse it",
        },
    ],
    open: |parameters| {
        let word =
            |name, words: [&str; 2]| parameters.get(name, |word: &String| words.contains(&&**word));
        let alphabet = match &*word("alphabet", ["standard", "url"])? {
            "url" => Alphabet::UrlSafe,
            _ => Alphabet::Standard,
        };
        let padding = parameters.get("padding", |word: &String| {
            ["required", "none", "either"].contains(&&**word)
        })?;
        let padding = match &*padding {
            "none" => DecodePadding::None,
            "either" => DecodePadding::Either,
            _ => DecodePadding::Required,
        };
        let ignored = word("trailing_bits", ["error", "ignored"])? == "ignored";
        let engine = Engine::new(alphabet)
            .with_encode_padding(padding == DecodePadding::Required)
            .with_decode_padding(padding)
            .with_decode_allow_trailing_bits(ignored);
        let skips_whitespace = word("whitespace", ["skip", "none"])? == "skip";
        Ok(Box::new(Base64 {
            engine,
            skips_whitespace,
        }))
    },
    cases: &[
        "",
        "padding=none",
        "padding=either",
        "alphabet=url",
        "alphabet=url,padding=none,trailing_bits=ignored,whitespace=none",
    ],
    experiments: &[
        Experiment {
            title: "Short strings",
            cases: &[""],
            data: &["random"],
            values: &[8, 16, 24, 32, 48, 64],
            evicted: false,
        },
        Experiment {
            title: "1 KiB to 16 MiB",
            cases: &[""],
            data: &["random"],
            values: &[1 << 10, 1 << 12, 1 << 16, 1 << 20, 1 << 24],
            evicted: false,
        },
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::base64::open),
};

struct Base64 {
    engine: Engine,
    skips_whitespace: bool,
}

impl Codec for Base64 {
    fn element(&self) -> String {
        "u8".to_owned()
    }

    fn width(&self) -> usize {
        1
    }

    fn data(&self) -> &'static [&'static str] {
        &["random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        self.engine.encoded_len(values).unwrap_or(usize::MAX)
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        decoded_len_estimate(encoded)
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let backend = Detected::new(backend)?;
        let written = self.engine.encode_with(backend, values, to)?;
        Ok(written.len())
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let backend = Detected::new(backend)?;
        let mut decode = |text: &[u8]| {
            let written = self.engine.decode_with(backend, text, &mut *to);
            written.map(|written| written.len())
        };
        let mut written = decode(from);
        // Most texts have no whitespace, and are read once.
        if written.is_err() && self.skips_whitespace && whitespace::is_in(from) {
            let (mut text, mut places) = (from.to_vec(), Places::default());
            let length = places.compact(&mut text);
            written = decode(&text[..length]).map_err(|error| in_input(error, &places));
        }
        let written = written?;
        Ok(Decoded {
            read: from.len(),
            written,
        })
    }

    /// Returns whole groups, which need no padding.
    fn piece(&self) -> Option<usize> {
        Some(3 << 14)
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let places = RefCell::new(Places::default());
        let text = Text {
            input,
            skips_whitespace: self.skips_whitespace,
            places: &places,
        };
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let mut decoder = Decoder::new_with(backend, text, self.engine);
        let mut values = vec![0; 3 << 14];
        let mut decoded = 0;
        loop {
            let length = match decoder.read(&mut values) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failure(error, &places.borrow())),
            };
            decoded += length;
            // Characters whose bytes have been written are valid.
            places.borrow_mut().forget(decoded / 3 * 4);
            output
                .write_all(&values[..length])
                .map_err(StreamError::Write)?;
        }
    }
}

/// Returns the error, which is either in the text or in the reader.
fn failure(error: std::io::Error, places: &Places) -> StreamError {
    match error.downcast::<Error>() {
        Ok(error) => StreamError::Codec(in_input(error, places).into()),
        Err(error) => StreamError::Read(error),
    }
}

/// Converts the offset of an error in the text without whitespace to the offset in the input.
fn in_input(error: Error, places: &Places) -> Error {
    match error.offset() {
        Some(offset) => error.behind(places.of(offset) - offset),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let few = usize::min(to.len(), self.1);
            self.0.read(&mut to[..few])
        }
    }

    fn decode_stream(parameters: &str, text: &[u8], most: usize) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut bytes = Vec::new();
        let mut input = Trickle(text, most);
        let result = codec.decode_stream(Backend::active(), &mut input, &mut bytes);
        result.map(|()| bytes).map_err(|error| error.to_string())
    }

    fn decode(parameters: &str, text: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut bytes = vec![0; codec.max_decoded_len(text.len())];
        let decoded = codec.decode(Backend::active(), text, &mut bytes);
        bytes.truncate(decoded.map_err(|error| error.to_string())?.written);
        Ok(bytes)
    }

    /// Returns the result of decoding in every way, which must be the same.
    #[track_caller]
    fn decode_alike(parameters: &str, text: &[u8]) -> Result<Vec<u8>, String> {
        let expected = decode(parameters, text);
        for most in [1, 2, 3, 5, 64, 8191, usize::MAX] {
            assert!(
                decode_stream(parameters, text, most) == expected,
                "{most} bytes at a time: {:?} instead of {:?}",
                decode_stream(parameters, text, most).map(|bytes| bytes.len()),
                expected.map(|bytes| bytes.len()),
            );
        }
        expected
    }

    /// Returns the text with `by` inserted after every `line` characters.
    fn broken(text: &[u8], line: usize, by: &[u8]) -> Vec<u8> {
        text.chunks(line).collect::<Vec<_>>().join(by)
    }

    #[test]
    fn whitespace_is_skipped_anywhere() {
        let text = b"QUJDREVGR0hJSktMTQ==";
        let bytes = b"ABCDEFGHIJKLM";
        for place in 0..=text.len() {
            for whitespace in [&b"\n"[..], b"\r\n", b" ", b"\t\x0c  \r\n\n"] {
                let spaced = [&text[..place], whitespace, &text[place..]].concat();
                assert_eq!(decode_alike("", &spaced).unwrap(), bytes, "{place}");
                assert!(decode_alike("whitespace=none", &spaced).is_err());
            }
        }
        assert_eq!(decode_alike("", b"\n \n").unwrap(), b"");
        assert_eq!(decode_alike("whitespace=none", text).unwrap(), bytes);
    }

    #[test]
    fn lines_of_every_length_decode() {
        let bytes: Vec<u8> = (0..30_000_u32).map(|n| (n * n / 7) as u8).collect();
        let text = bytelane::base64::STANDARD
            .encode_to_string(&bytes)
            .into_bytes();
        for line in (1..70).chain([76, 4096, 8192, 8193]) {
            for by in [&b"\n"[..], b"\r\n"] {
                let text = [broken(&text, line, by), by.to_vec()].concat();
                assert!(decode("", &text).unwrap() == bytes, "{line}");
                assert!(
                    decode_stream("", &text, usize::MAX).unwrap() == bytes,
                    "{line}"
                );
            }
        }
        let text = broken(&text, 76, &[b' '; 100_000]);
        assert!(decode_stream("", &text, usize::MAX).unwrap() == bytes);
    }

    #[test]
    fn errors_name_the_place_in_the_input() {
        let message = |parameters, text: &[u8]| decode_alike(parameters, text).unwrap_err();
        let refused = "is not in the base64 alphabet";
        assert_eq!(
            message("whitespace=none", b"QUJD\n"),
            format!("offset 4: the byte 0x0a {refused}")
        );
        assert_eq!(
            message("", b" Q U\nJ D!"),
            format!("offset 8: the byte 0x21 {refused}")
        );
        assert_eq!(
            message("", b"QUJD\nRE"),
            "offset 7: the padding is missing or not allowed"
        );
        assert_eq!(
            message("", b"QUJD\nR \n\n"),
            "offset 6: the text ends after the first character of a group of four"
        );
        assert_eq!(
            message("", b"QUJD\nQR\n==\n"),
            "offset 6: the last character, 'R', has bits beyond the last byte"
        );
        // A vertical tab is not ASCII whitespace, as elsewhere.
        assert_eq!(
            message("", b"QUJD\n\x0b"),
            format!("offset 5: the byte 0x0b {refused}")
        );
        // Far into the text, with whitespace between all characters.
        let mut text = broken(&[b'A'; 100_000], 1, b"\n ");
        for place in [0, 3 * 4095, 3 * 77_777, 3 * 99_999] {
            text[place] = b'*';
            assert_eq!(
                decode("", &text).unwrap_err(),
                format!("offset {place}: the byte 0x2a {refused}")
            );
            assert_eq!(decode_stream("", &text, 1000), decode("", &text));
            text[place] = b'A';
        }
    }

    #[test]
    fn what_is_remembered_of_places_is_bounded() {
        let mut places = Places::default();
        for block in 0..1000 {
            let mut text = broken(&[b'A'; 1000], 1, b"\n");
            text.push(b'\n');
            assert_eq!(places.compact(&mut text), 1000);
            assert_eq!(places.of(1000 * block + 999), 2000 * block + 1998);
            places.forget(1000 * block);
            assert!(places.remembered() <= 1001);
        }
    }
}
