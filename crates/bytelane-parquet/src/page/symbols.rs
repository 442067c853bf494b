//! Reads and writes the symbols of pages in FSST, which stand in a page of their own before the data pages of a chunk.
//!
//! FSST is a preview: [parquet-format#531](https://github.com/apache/parquet-format/issues/531), in its state of 2026-08-13, as arrow-rs#10153
//! and EngineeredWood implement it. A page of symbols has their number, the number of symbols of each length, and the symbols, the
//! shortest first:
//!
//! ```text
//! FSST:    number  8 bits | 8 numbers of 8 bits, for the lengths 1 to 8    | symbols | codes of 8 bits,  the escape code is 255
//! FSST_16: number 16 bits | 16 numbers of 16 bits, for the lengths 1 to 16 | symbols | codes of 16 bits, the escape code is 65535
//! ```
//!
//! A data page is of version 2. Its values are a header, the offset of the end of each string among the codes, and the codes:
//!
//! ```text
//! encoding of the offsets, 8 bits: 0 PLAIN, 1 DELTA_BINARY_PACKED | number of values, 32 bits | bytes of the offsets, 32 bits
//! ```

use super::deltas::append_deltas;
use crate::{Error, Result};
use bytelane::Detected;
use bytelane::fsst::{self, Strings, Table};

/// Number of bytes of the header of a page's values.
pub(crate) const HEADER: usize = 9;

/// Encodings of the offsets.
pub(crate) const PLAIN: u8 = 0;
pub(crate) const DELTA: u8 = 1;

/// Symbols of a chunk that is read.
pub enum Symbols {
    Narrow(Box<Table>),
    Wide(Wide),
}

/// Symbols with codes of 16 bits.
pub struct Wide {
    bytes: Vec<u8>,
    /// Start of each symbol among the bytes, and the end of the last one.
    starts: Vec<u32>,
}

impl Symbols {
    /// Reads the decompressed bytes of a page of symbols.
    pub(crate) fn read(page: &[u8], is_wide: bool) -> Result<Self> {
        let width = if is_wide { 2 } else { 1 };
        let header = width + 8 * width * width;
        let Some((header, mut rest)) = page.split_at_checked(header) else {
            return Err(Error::corrupt(format!(
                "a page of symbols of {} bytes, less than its header",
                page.len()
            )));
        };
        let numbers = header.chunks_exact(width);
        let mut numbers =
            numbers.map(|it| usize::from(it[0]) | it.get(1).map_or(0, |it| usize::from(*it) << 8));
        let promised = numbers.next().unwrap_or(0);
        let counts: Vec<usize> = numbers.collect();
        let (counted, bytes) = (1..)
            .zip(&counts)
            .fold((0, 0), |(all, bytes), (length, count)| {
                (all + count, bytes + length * count)
            });
        if counted != promised || bytes != rest.len() {
            return Err(Error::corrupt(format!(
                "a page of {promised} symbols has {counted} of {bytes} bytes, stored in {}",
                rest.len()
            )));
        }
        let lengths = (1..)
            .zip(&counts)
            .flat_map(|(length, count)| std::iter::repeat_n(length, *count));
        if is_wide {
            let starts = lengths.scan(0, |end, length: usize| {
                *end += length as u32;
                Some(*end)
            });
            let starts = [0].into_iter().chain(starts).collect();
            return Ok(Self::Wide(Wide {
                bytes: rest.to_vec(),
                starts,
            }));
        }
        let symbols = lengths.map(|length| {
            let (symbol, others) = rest.split_at(length);
            rest = others;
            symbol
        });
        let table = Table::new(&symbols.collect::<Vec<_>>()).map_err(damaged)?;
        Ok(Self::Narrow(Box::new(table)))
    }

    /// Returns the number of bytes that encoded strings stand for.
    pub(crate) fn decoded_bytes(&self, strings: Strings<'_, i32>) -> Result<usize> {
        match self {
            Self::Narrow(table) => table.decoded_strings_len(strings).map_err(damaged),
            Self::Wide(symbols) => strings.iter().try_fold(0, |bytes, codes| {
                let symbols = symbols.of(codes).map(|symbol| Ok(symbol?.len()));
                symbols.sum::<Result<usize>>().map(|it| bytes + it)
            }),
        }
    }

    /// Appends the strings that codes stand for, of this number of bytes, and the offset of each string and of the end of the last one.
    pub(crate) fn decode(
        &self,
        backend: Detected,
        strings: Strings<'_, i32>,
        length: usize,
        bytes: &mut Vec<u8>,
        offsets: &mut Vec<i32>,
    ) -> Result<()> {
        match self {
            Self::Narrow(table) => {
                offsets.resize(strings.len() + 1, 0);
                bytes.resize(length, 0);
                let decoded = table.decode_strings_with(backend, strings, &mut bytes[..], offsets);
                decoded.map(|_| ()).map_err(damaged)
            }
            Self::Wide(symbols) => {
                offsets.push(0);
                for codes in strings.iter() {
                    for symbol in symbols.of(codes) {
                        bytes.extend_from_slice(symbol?);
                    }
                    let end = i32::try_from(bytes.len())
                        .map_err(|_| Error::corrupt("a page of more than 2 GiB"))?;
                    offsets.push(end);
                }
                Ok(())
            }
        }
    }
}

impl Wide {
    /// Returns the symbols of the codes of a string.
    fn of<'a>(&'a self, codes: &'a [u8]) -> impl Iterator<Item = Result<&'a [u8]>> {
        let mut codes = codes.chunks(2);
        std::iter::from_fn(move || {
            let symbol = match *codes.next()? {
                // The escape code: the next one is a byte.
                [255, 255] => match codes.next() {
                    Some([byte, 0]) => Some(std::slice::from_ref(byte)),
                    _ => None,
                },
                [low, high] => self.symbol(u16::from_le_bytes([low, high])),
                _ => None,
            };
            Some(symbol.ok_or_else(|| {
                Error::corrupt(
                    "a string in FSST_16 with a code without a symbol, or that ends within a code",
                )
            }))
        })
    }

    fn symbol(&self, code: u16) -> Option<&[u8]> {
        let start = *self.starts.get(usize::from(code))?;
        let end = *self.starts.get(usize::from(code) + 1)?;
        Some(&self.bytes[start as usize..end as usize])
    }
}

fn damaged(error: fsst::Error) -> Error {
    Error::corrupt(format!("strings in FSST: {error}"))
}

/// Symbols of a chunk that is written, the shortest first.
pub struct SymbolEncoder(fsst::Encoder);

impl SymbolEncoder {
    /// Chooses symbols for strings like these. Returns `None` if their codes would not be smaller.
    pub(crate) fn train(strings: &[Vec<u8>]) -> Option<Self> {
        let table = fsst::train(strings);
        let mut symbols: Vec<&[u8]> = table.symbols().collect();
        symbols.sort_by_key(|symbol| symbol.len());
        let table = Table::new(&symbols).expect("the symbols are those of a table");
        let encoder = fsst::Encoder::new(&table);
        let encoded: usize = strings.iter().map(|it| encoder.encoded_len(it)).sum();
        let plain: usize = strings.iter().map(Vec::len).sum();
        (encoded < plain).then_some(Self(encoder))
    }

    /// Returns the bytes of the page of symbols.
    pub(crate) fn page(&self) -> Vec<u8> {
        let table = self.0.table();
        let mut page = vec![0; 9];
        page[0] = table.len() as u8;
        for symbol in table.symbols() {
            page[symbol.len()] += 1;
            page.extend_from_slice(symbol);
        }
        page
    }

    /// Appends the values of a page. `room` is a buffer.
    pub(crate) fn append(
        &self,
        strings: &[&[u8]],
        backend: Detected,
        room: &mut Vec<u8>,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        let too_large =
            |_| Error::corrupt("a page of more than 2 GiB; rows of fewer values would help");
        room.clear();
        let mut offsets = vec![0];
        for string in strings {
            room.extend_from_slice(string);
            offsets.push(i32::try_from(room.len()).map_err(|_| too_large(()))?);
        }
        let (mut codes, mut ends) = (Vec::new(), Vec::new());
        let strings = Strings::new(room, &offsets).map_err(damaged)?;
        let encoded = self.0.encode_strings_append(strings, &mut codes, &mut ends);
        encoded.map_err(damaged)?;
        let ends = &ends[1..];
        let plain = 4 * ends.len();
        let start = to.len() + HEADER;
        to.push(DELTA);
        to.extend_from_slice(&(ends.len() as u32).to_le_bytes());
        to.extend_from_slice(&[0; 4]);
        append_deltas(ends, backend, to);
        if to.len() - start >= plain {
            to.truncate(start);
            to[start - HEADER] = PLAIN;
            to.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
        }
        let length = (to.len() - start) as u32;
        to[start - 4..start].copy_from_slice(&length.to_le_bytes());
        to.extend_from_slice(&codes);
        Ok(())
    }
}
