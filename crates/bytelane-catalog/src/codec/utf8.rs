//! Row of `utf8`.

use crate::stream::{StreamError, chunks};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Length};
use bytelane::utf8::{Error, Validator, validate_with};
use bytelane::{Backend, Detected};
use std::io::{Read, Write};

pub(crate) const ENTRY: Entry = Entry {
    name: "utf8",
    summary: "text in UTF-8, validated and unchanged (RFC 3629)",
    parameters: &[],
    open: |_| Ok(Box::new(Utf8)),
    cases: &[""],
    experiments: &[
        Experiment {
            title: "Short texts",
            cases: &[""],
            data: &["letters", "latin", "cjk", "mixed_text"],
            values: &[8, 16, 32, 64],
            evicted: false,
        },
        Experiment {
            title: "1 KiB to 1 MiB",
            cases: &[""],
            data: &["letters", "latin", "cjk", "emoji", "mixed_text"],
            values: &[1 << 10, 1 << 16, 1 << 20],
            evicted: false,
        },
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::utf8::open),
};

/// Validates and copies in both directions: the text is its own encoding.
struct Utf8;

impl Codec for Utf8 {
    fn element(&self) -> String {
        "u8".to_owned()
    }

    fn width(&self) -> usize {
        1
    }

    fn data(&self) -> &'static [&'static str] {
        &["mixed_text", "letters", "latin", "cjk", "emoji"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        values
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let text = validate_with(Detected::new(backend)?, values)?;
        let (needed, given) = (text.len(), to.len());
        let to = to.get_mut(..needed).ok_or_else(|| {
            format!("the result needs {needed} bytes, but the destination has {given}")
        })?;
        to.copy_from_slice(text.as_bytes());
        Ok(needed)
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let written = self.encode(backend, from, to)?;
        let read = from.len();
        Ok(Decoded { read, written })
    }

    /// `None`: a piece may end within a character.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn encode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let failure = |error: Error| StreamError::Codec(error.into());
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let mut validator = Validator::new_with(backend);
        chunks(input, |_, chunk| {
            validator.push(chunk).map_err(failure)?;
            output.write_all(chunk).map_err(StreamError::Write)
        })?;
        validator.finish().map_err(failure)
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        self.encode_stream(backend, input, output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_slices_name_the_same_place() {
        let long = [&[b'a'; 70_000][..], b"\xe6\xbc"].concat();
        let inputs: [(&[u8], Option<&str>); 4] = [
            ("größer 漢字".as_bytes(), None),
            (b"caf\xc3!", Some("offset 3: invalid UTF-8")),
            (
                &long,
                Some("offset 70000: the input ends within a character"),
            ),
            (b"", None),
        ];
        for (input, message) in inputs {
            let mut slice = vec![0; input.len()];
            let result = Utf8.encode(Backend::active(), input, &mut slice);
            let found = result.err().map(|error| error.to_string());
            assert_eq!(found.as_deref(), message);

            let mut stream = Vec::new();
            let result = Utf8.decode_stream(Backend::active(), &mut &*input, &mut stream);
            let found = result.err().map(|error| error.to_string());
            assert_eq!(found.as_deref(), message);
            if message.is_none() {
                assert_eq!((&*slice, &*stream), (input, input));
            }
        }
        let error = Utf8.encode(Backend::active(), b"ab", &mut [0]).unwrap_err();
        let message = "the result needs 2 bytes, but the destination has 1";
        assert_eq!(error.to_string(), message);
    }
}
