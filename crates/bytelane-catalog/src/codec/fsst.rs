//! Row of `fsst`.

use crate::stream::{AT_A_TIME, Lookahead, StreamError};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Length, Parameter};
use bytelane::fsst::{self, Encoder, Strings, Table};
use bytelane::{Backend, Detected};
use std::io::{Read, Write};
use std::str::FromStr;

pub(crate) const ENTRY: Entry = Entry {
    name: "fsst",
    summary: "lines of text as codes for their frequent parts (Boncz, Neumann, Leis 2020)",
    parameters: &[Parameter {
        name: "symbols",
        default: Some("trained"),
        help: "`trained` for those that shorten the text most, stored before the codes; or up to 255, each of 1 to 8 \
               bytes, separated by `|`, and only codes",
    }],
    open: |parameters| {
        let Symbols(table) = parameters.get("symbols", |_| true)?;
        let encoder = table.as_ref().map(Encoder::new);
        Ok(Box::new(Fsst { encoder }))
    },
    cases: &[
        "",
        "symbols=in|er|st|id=|www.|com/|.example|https://|e|t|a|s|0|1|2",
        // Symbols that begin with the same three bytes are found by a search.
        "symbols=prod|product|products|o|s",
    ],
    experiments: &[Experiment {
        title: "64 KiB to 16 MiB",
        cases: &[""],
        data: &["urls", "prose", "cjk"],
        values: &[1 << 16, 1 << 20, 1 << 24],
        evicted: false,
    }],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::fsst::open),
};

/// Maximum length of a stored table.
const TABLE: usize = 17 + 8 * 255;

/// Table of given symbols; `None` if it is trained.
pub(crate) struct Symbols(pub(crate) Option<Table>);

impl FromStr for Symbols {
    type Err = fsst::Error;

    fn from_str(text: &str) -> Result<Self, fsst::Error> {
        if text == "trained" {
            return Ok(Self(None));
        }
        let symbols: Vec<&str> = text.split('|').collect();
        Table::new(&symbols).map(|table| Self(Some(table)))
    }
}

/// Returns a table for lines of text.
pub(crate) fn trained(text: &[u8]) -> Table {
    fsst::train(&lines(text).collect::<Vec<_>>())
}

/// Returns the lines of a text, with their ends.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

struct Fsst {
    /// Encoder with given symbols; `None` if they are trained for each text.
    encoder: Option<Encoder>,
}

impl Codec for Fsst {
    fn element(&self) -> String {
        "u8".to_owned()
    }

    fn width(&self) -> usize {
        1
    }

    fn data(&self) -> &'static [&'static str] {
        &["urls", "escapes_10", "cjk", "random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        let table = if self.encoder.is_some() { 0 } else { TABLE };
        table + 2 * values
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded.saturating_mul(8)
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let backend = Detected::new(backend)?;
        let trained_now;
        let (encoder, start) = match &self.encoder {
            Some(encoder) => (encoder, 0),
            None => {
                trained_now = Encoder::new(&trained(values));
                (&trained_now, trained_now.table().write(to)?)
            }
        };
        let mut offsets = vec![0_i64];
        for line in lines(values) {
            offsets.push(offsets[offsets.len() - 1] + line.len() as i64);
        }
        let strings = Strings::new(values, &offsets)?;
        let mut ends = vec![0; offsets.len()];
        let codes = encoder.encode_strings_with(backend, strings, &mut to[start..], &mut ends)?;
        Ok(start + codes.len())
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let backend = Detected::new(backend)?;
        let read;
        let (table, start) = match &self.encoder {
            Some(encoder) => (encoder.table(), 0),
            None => {
                read = Table::read(from)?;
                (&read.0, read.1)
            }
        };
        let text = table.decode_with(backend, &from[start..], to);
        let text = text.map_err(|error| error.behind(start))?;
        Ok(Decoded {
            read: from.len(),
            written: text.len(),
        })
    }

    /// `None`: the table is trained for the whole text.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let mut input = Lookahead::new(input);
        let read;
        let table = match &self.encoder {
            Some(encoder) => encoder.table(),
            None => {
                input.fill(TABLE)?;
                read = Table::read(input.bytes()).map_err(Failure::from)?;
                input.consume(read.1);
                &read.0
            }
        };
        let mut text = vec![0; 8 * AT_A_TIME];
        loop {
            input.fill(AT_A_TIME)?;
            let codes = input.bytes();
            let codes = match codes.len() {
                0 => return Ok(()),
                AT_A_TIME.. => whole(&codes[..AT_A_TIME]),
                _ => codes,
            };
            let (offset, count) = (input.offset() as usize, codes.len());
            let text = table.decode_with(backend, codes, &mut text[..]);
            let text = text.map_err(|error| Failure::from(error.behind(offset)))?;
            output.write_all(text).map_err(StreamError::Write)?;
            input.consume(count);
        }
    }
}

/// Returns codes without the last one if the byte that it escapes is missing.
fn whole(codes: &[u8]) -> &[u8] {
    let escapes = codes.iter().rev().take_while(|&&code| code == 255).count();
    &codes[..codes.len() - escapes % 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(parameters: &str, text: &[u8]) -> Vec<u8> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut encoded = vec![0; codec.max_encoded_len(text.len())];
        let length = codec.encode(Backend::active(), text, &mut encoded).unwrap();
        encoded.truncate(length);
        encoded
    }

    fn decode(parameters: &str, codes: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut text = vec![0; codec.max_decoded_len(codes.len())];
        let decoded = codec.decode(Backend::active(), codes, &mut text);
        let decoded = decoded.map_err(|error| error.to_string())?;
        text.truncate(decoded.written);
        Ok(text)
    }

    fn decode_stream(parameters: &str, mut codes: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut text = Vec::new();
        let done = codec.decode_stream(Backend::active(), &mut codes, &mut text);
        done.map_err(|error| error.to_string())?;
        Ok(text)
    }

    #[test]
    fn each_line_is_a_string() {
        // The symbol across the end of the line is not used.
        let text = b"ab\ncd\n";
        assert_eq!(encode("symbols=b\nc|ab|cd|\n", text), [1, 3, 2, 3]);
        assert_eq!(encode("", b"").len(), 17);
    }

    #[test]
    fn streams_in_pieces_are_decoded_as_one_text() {
        // Escapes, so that each even length ends a piece between the two bytes of one.
        let text = [vec![b'a'], vec![255; 3 * AT_A_TIME]].concat();
        for parameters in ["", "symbols=a", "symbols=b"] {
            let encoded = encode(parameters, &text);
            for decode in [decode, decode_stream] {
                assert!(
                    decode(parameters, &encoded).as_ref() == Ok(&text),
                    "{parameters}"
                );
            }
        }
    }

    #[test]
    fn errors_name_the_place_in_the_input() {
        let long = [&vec![0; 3 * AT_A_TIME][..], &[7]].concat();
        let place = format!(
            "offset {}: the table has no symbol for the code 7",
            3 * AT_A_TIME
        );
        let cut = "offset 2: the string ends after an escape code";
        for decode in [decode, decode_stream] {
            assert_eq!(decode("symbols=a", &long), Err(place.clone()));
            assert_eq!(decode("symbols=a", &[0, 0, 255]), Err(cut.to_owned()));
            let mut trained = encode("", b"abcabcabc");
            let length = trained.len();
            trained.push(200);
            let place = format!("offset {length}: the table has no symbol for the code 200");
            assert_eq!(decode("", &trained), Err(place));
            let short = "offset 0: the table ends before its last symbol";
            assert_eq!(decode("", &trained[..16]), Err(short.to_owned()));
        }
    }

    #[test]
    fn symbols_have_one_to_eight_bytes() {
        for wrong in ["symbols=", "symbols=a||b", "symbols=123456789"] {
            let message = ENTRY.open(wrong).err().unwrap().to_string();
            assert!(message.contains("each of 1 to 8 bytes"), "{message}");
        }
    }
}
