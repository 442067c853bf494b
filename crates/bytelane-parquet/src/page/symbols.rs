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
use bytelane::fsst::{self, Strings, Table, wide};

/// Number of bytes of the header of a page's values.
pub(crate) const HEADER: usize = 9;

/// Encodings of the offsets.
pub(crate) const PLAIN: u8 = 0;
pub(crate) const DELTA: u8 = 1;

/// Symbols of a chunk that is read.
pub enum Symbols {
    Narrow(Box<Table>),
    /// Symbols with codes of 16 bits.
    Wide(wide::Table),
}

impl Symbols {
    /// Reads the decompressed bytes of a page of symbols.
    pub(crate) fn read(page: &[u8], is_wide: bool) -> Result<Self> {
        let width = width(is_wide);
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
        let symbols = lengths.map(|length| {
            let (symbol, others) = rest.split_at(length);
            rest = others;
            symbol
        });
        let symbols: Vec<&[u8]> = symbols.collect();
        Ok(if is_wide {
            Self::Wide(wide::Table::new(&symbols).map_err(damaged)?)
        } else {
            Self::Narrow(Box::new(Table::new(&symbols).map_err(damaged)?))
        })
    }

    /// Returns the number of bytes that encoded strings stand for.
    pub(crate) fn decoded_bytes(&self, strings: Strings<'_, i32>) -> Result<usize> {
        let length = match self {
            Self::Narrow(table) => table.decoded_strings_len(strings),
            Self::Wide(table) => table.decoded_strings_len(strings),
        };
        length.map_err(damaged)
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
        offsets.resize(strings.len() + 1, 0);
        bytes.resize(length, 0);
        let decoded = match self {
            Self::Narrow(table) => {
                let decoded = table.decode_strings_with(backend, strings, &mut bytes[..], offsets);
                decoded.map(|_| ())
            }
            Self::Wide(table) => table.decode_strings(strings, bytes, offsets).map(|_| ()),
        };
        decoded.map_err(damaged)
    }
}

/// Returns the number of bytes of a code, and of each number at the front of a page of symbols.
fn width(is_wide: bool) -> usize {
    if is_wide { 2 } else { 1 }
}

fn damaged(error: fsst::Error) -> Error {
    Error::corrupt(format!("strings in FSST: {error}"))
}

/// Symbols of a chunk that is written, the shortest first.
pub enum SymbolEncoder {
    Narrow(Box<fsst::Encoder>),
    /// Symbols with codes of 16 bits.
    Wide(wide::Encoder),
}

/// Minimum number of bytes of the strings of a chunk for codes of 16 bits, whose table takes tens of thousands.
const WIDE: usize = 1 << 20;

impl SymbolEncoder {
    /// Chooses symbols for strings like these, of `bytes` bytes together. Returns `None` if their codes would not be smaller.
    ///
    /// Codes of 16 bits take 20 ms more to choose, and encode three times as slowly; they have to save a tenth. They are not tried if codes of 8 bits
    /// do not halve the strings: these have few parts in common then.
    pub(crate) fn train(strings: &[Vec<u8>], bytes: usize) -> Option<Self> {
        let plain: usize = strings.iter().map(Vec::len).sum();
        let table = fsst::train(strings);
        let table = Table::new(&shortest_first(table.symbols()));
        let narrow = fsst::Encoder::new(&table.expect("the symbols are those of a table"));
        let encoded: usize = strings.iter().map(|it| narrow.encoded_len(it)).sum();
        if bytes >= WIDE && 2 * encoded < plain {
            let table = wide::train_sample(strings, bytes);
            let table = wide::Table::new(&shortest_first(table.symbols()));
            let wide = wide::Encoder::new(&table.expect("the symbols are those of a table"));
            let codes: usize = strings.iter().map(|it| wide.encoded_len(it)).sum();
            let page = wide.table().symbols().map(<[u8]>::len).sum::<usize>() as f64;
            let all = codes as f64 + page * plain as f64 / bytes as f64;
            if all < 0.9 * encoded as f64 {
                return Some(Self::Wide(wide));
            }
        }
        (encoded < plain).then(|| Self::Narrow(Box::new(narrow)))
    }

    /// Returns whether codes have 16 bits.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }

    /// Returns the bytes of the page of symbols.
    pub(crate) fn page(&self) -> Vec<u8> {
        match self {
            Self::Narrow(encoder) => page(encoder.table().symbols(), false),
            Self::Wide(encoder) => page(encoder.table().symbols(), true),
        }
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
        let encoded = match self {
            Self::Narrow(encoder) => encoder.encode_strings_append(strings, &mut codes, &mut ends),
            Self::Wide(encoder) => encoder.encode_strings_append(strings, &mut codes, &mut ends),
        };
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

fn shortest_first<'a>(symbols: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let mut symbols: Vec<_> = symbols.collect();
    symbols.sort_by_key(|symbol| symbol.len());
    symbols
}

/// Returns the page of symbols, whose shortest ones come first.
fn page<'a>(symbols: impl Iterator<Item = &'a [u8]>, is_wide: bool) -> Vec<u8> {
    let width = width(is_wide);
    let mut counts = vec![0u16; 1 + 8 * width];
    let mut bytes = Vec::new();
    for symbol in symbols {
        counts[0] += 1;
        counts[symbol.len()] += 1;
        bytes.extend_from_slice(symbol);
    }
    let counts = counts.iter().map(|count| count.to_le_bytes());
    let mut page: Vec<u8> = counts.flat_map(|it| it.into_iter().take(width)).collect();
    page.append(&mut bytes);
    page
}
