//! The row of `base64`.

use crate::stream::StreamError;
use crate::{Codec, Decoded, Entry, Experiment, Failure, Parameter};
use bytelane::Backend;
use bytelane::base64::{
    Alphabet, DecodeError, DecodePadding, Decoder, Engine, decoded_len_estimate,
};
use std::io::{Read, Write};

pub(crate) const ENTRY: Entry = Entry {
    name: "base64",
    summary: "bytes as text, six bits a character (RFC 4648)",
    parameters: &[
        Parameter {
            name: "alphabet",
            default: Some("standard"),
            help: "`standard` (+ and /) or `url` (- and _)",
        },
        Parameter {
            name: "padding",
            default: Some("required"),
            help: "`required`, `none`, or `either`: none written, read with or without",
        },
        Parameter {
            name: "trailing_bits",
            default: Some("error"),
            help: "what stray bits in the last character are: `error` or `ignored`",
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
        Ok(Box::new(Base64 { engine }))
    },
    cases: &[
        "",
        "padding=none",
        "padding=either",
        "alphabet=url",
        "alphabet=url,padding=none,trailing_bits=ignored",
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
};

struct Base64 {
    engine: Engine,
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

    fn encode(
        &self,
        backend: Backend,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        Ok(self.engine.encode_slice_with(backend, values, encoded)?)
    }

    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure> {
        let written = self.engine.decode_slice_with(backend, encoded, values)?;
        Ok(Decoded {
            read: encoded.len(),
            written,
        })
    }

    /// Whole groups, which need no padding.
    fn piece(&self) -> Option<usize> {
        Some(3 << 14)
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let decoder = Decoder::new_with(backend, input, self.engine);
        let mut decoder = decoder.map_err(|error| StreamError::Codec(error.into()))?;
        let mut values = vec![0; 3 << 14];
        loop {
            let length = match decoder.read(&mut values) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failure(error)),
            };
            output
                .write_all(&values[..length])
                .map_err(StreamError::Write)?;
        }
    }
}

/// Whether the text or the reader is to blame.
fn failure(error: std::io::Error) -> StreamError {
    match error.downcast::<DecodeError>() {
        Ok(error) => StreamError::Codec(error.into()),
        Err(error) => StreamError::Read(error),
    }
}
