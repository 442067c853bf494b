//! FSST: strings as codes for their frequent parts.

use crate::exports::exports;
use crate::result::*;
use bytelane::fsst::{self, Encoder, Error, ErrorKind, Finder, Offset, Strings, Table};
use bytelane::{DestinationError, Detected};
use core::mem::MaybeUninit;
use std::sync::OnceLock;

/// Symbol table of FSST. Functions that take one fail with `BYTELANE_NULL` if it is null. It never changes, so that several
/// threads can use it at once.
///
/// Strings are bytes, one string after the other, and offsets into them, one more than there are strings: string `i` has the
/// bytes from offset `i` up to offset `i + 1`. The first offset need not be 0, so to pass some of the strings, begin with another
/// offset and pass fewer. Functions that take strings fail with `BYTELANE_RANGE` if the offsets decrease or are beyond the bytes.
pub struct bytelane_fsst_table {
    table: Table,
    encoder: OnceLock<Encoder>,
}

/// Place for a new table.
type Created<'a> = Option<&'a mut MaybeUninit<*mut bytelane_fsst_table>>;

impl bytelane_fsst_table {
    fn encoder(&self) -> &Encoder {
        self.encoder.get_or_init(|| Encoder::new(&self.table))
    }
}

/// Frees a table. Does nothing if it is null.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_fsst_free(table: Option<Box<bytelane_fsst_table>>) {
    drop(table);
}

exports! {
    train(; strings: [u8; length], offsets: [T; offset_count]; table: Option<&mut MaybeUninit<*mut bytelane_fsst_table>>) {
        /// Makes a table of the symbols that shorten strings like these most, from a sample of 16 KiB, and stores its address in
        /// `table`. `count` is the number of symbols. The same strings give the same table.
        ///
        /// Allocates memory, and aborts the process if there is none; `bytelane_fsst_free` frees it.
        bytelane_fsst_train_i32<i32>;
        /// Same as `bytelane_fsst_train_i32`.
        bytelane_fsst_train_i64<i64>;
    }

    read_table(; src: [u8; src_length]; table: Option<&mut MaybeUninit<*mut bytelane_fsst_table>>) {
        /// Reads a table in the serialised form of the reference implementation, and stores its address in `table`. `offset` is the
        /// number of bytes read, and `count` the number of symbols. More bytes may follow the table.
        ///
        /// Allocates memory, as `bytelane_fsst_train_i32`. Fails with `BYTELANE_TRUNCATED` and `BYTELANE_MALFORMED`.
        bytelane_fsst_read_table;
    }

    write_table(table: Option<&bytelane_fsst_table>;;; dst: [u8; dst_length]) {
        /// Writes a table in the serialised form of the reference implementation, up to 2057 bytes. `offset` is the number of symbols.
        bytelane_fsst_write_table;
    }

    encoded_length(table: Option<&bytelane_fsst_table>; src: [u8; src_length];) {
        /// Counts the bytes that `bytelane_fsst_encode` would write: `count` is their number.
        bytelane_fsst_encoded_length;
    }

    encode(table: Option<&bytelane_fsst_table>; src: [u8; src_length];; dst: [u8; dst_length]) {
        /// Encodes a string. `dst` only needs room for the result; encoding is faster if it has the maximum, `2 * src_length`. Bytes of
        /// `dst` after the result may be overwritten.
        ///
        /// The first call of a function that encodes with a table allocates about 170 KiB, which belong to the table. Calls in other
        /// threads wait for it.
        bytelane_fsst_encode;
    }

    decoded_length(table: Option<&bytelane_fsst_table>; src: [u8; src_length];) {
        /// Counts the bytes that `bytelane_fsst_decode` would write: `count` is their number.
        ///
        /// Fails in the same cases.
        bytelane_fsst_decoded_length;
    }

    decode(table: Option<&bytelane_fsst_table>; src: [u8; src_length];; dst: [u8; dst_length]) {
        /// Decodes a string, or several one after the other. `dst` only needs room for the result; decoding is faster if it has the
        /// maximum, `8 * src_length`. Bytes of `dst` after the result may be overwritten.
        ///
        /// Fails with `BYTELANE_UNKNOWN_CODE`, and with `BYTELANE_TRUNCATED` if the string ends after an escape code.
        bytelane_fsst_decode;
    }

    encode_strings(
        table: Option<&bytelane_fsst_table>;
        strings: [u8; length], offsets: [T; offset_count];;
        dst: [u8; dst_length], dst_offsets: [T; dst_offset_count]
    ) {
        /// Encodes strings, and writes the offset of each result and of the end of the last one to `dst_offsets`. `count` is the number of
        /// bytes written to `dst`, and `offset` the number of those read. `dst` is as for `bytelane_fsst_encode`.
        ///
        /// Fails with `BYTELANE_ARGUMENT` if `dst_offset_count` is not `offset_count`, and with `BYTELANE_LENGTH` if an offset cannot
        /// count the bytes; `dst` may have been written then.
        bytelane_fsst_encode_strings_i32<i32>;
        /// Same as `bytelane_fsst_encode_strings_i32`.
        bytelane_fsst_encode_strings_i64<i64>;
    }

    decode_strings(
        table: Option<&bytelane_fsst_table>;
        strings: [u8; length], offsets: [T; offset_count];;
        dst: [u8; dst_length], dst_offsets: [T; dst_offset_count]
    ) {
        /// Decodes strings, and writes the offset of each result and of the end of the last one to `dst_offsets`. `count` is the number of
        /// bytes written to `dst`, and `offset` the number of those read. `dst` is as for `bytelane_fsst_decode`.
        ///
        /// Fails in the same cases as `bytelane_fsst_decode` and `bytelane_fsst_encode_strings_i32`.
        bytelane_fsst_decode_strings_i32<i32>;
        /// Same as `bytelane_fsst_decode_strings_i32`.
        bytelane_fsst_decode_strings_i64<i64>;
    }

    equals(
        table: Option<&bytelane_fsst_table>;
        strings: [u8; length], offsets: [T; offset_count], text: [u8; text_length];;
        found: [u8; found_length]
    ) {
        /// Compares encoded strings with a text, without decoding them: writes 1 to `found` for each that stands for the text, and 0 for
        /// each other one. `count` is the number of strings, and `offset` the number of their bytes.
        ///
        /// Fails in the same cases as `bytelane_fsst_decode` if a string is malformed before the first difference; `found` may have been
        /// written then.
        bytelane_fsst_equals_i32<i32>;
        /// Same as `bytelane_fsst_equals_i32`.
        bytelane_fsst_equals_i64<i64>;
    }

    starts_with(
        table: Option<&bytelane_fsst_table>;
        strings: [u8; length], offsets: [T; offset_count], text: [u8; text_length];;
        found: [u8; found_length]
    ) {
        /// Same as `bytelane_fsst_equals_i32`, for strings that begin with the text.
        bytelane_fsst_starts_with_i32<i32>;
        /// Same as `bytelane_fsst_starts_with_i32`.
        bytelane_fsst_starts_with_i64<i64>;
    }

    contains(
        table: Option<&bytelane_fsst_table>;
        strings: [u8; length], offsets: [T; offset_count], text: [u8; text_length];;
        found: [u8; found_length]
    ) {
        /// Same as `bytelane_fsst_equals_i32`, for strings that contain the text. Allocates memory for the search, up to 64 KiB or twenty
        /// times the length of the text, and frees it.
        bytelane_fsst_contains_i32<i32>;
        /// Same as `bytelane_fsst_contains_i32`.
        bytelane_fsst_contains_i64<i64>;
    }
}

/// Stores a new table.
fn create(read: usize, table: Table, to: &mut MaybeUninit<*mut bytelane_fsst_table>) -> Answer {
    let count = table.len();
    let encoder = OnceLock::new();
    to.write(Box::into_raw(Box::new(bytelane_fsst_table {
        table,
        encoder,
    })));
    Ok(bytelane_result::ok(read, count))
}

fn train<T: Offset>(bytes: &[u8], offsets: &[T], table: Created<'_>) -> Answer {
    let to = table.ok_or(BYTELANE_NULL)?;
    let strings = Strings::new(bytes, offsets)?;
    let trained = fsst::train(&strings.iter().collect::<Vec<_>>());
    create(strings.total(), trained, to)
}

fn read_table(src: &[u8], table: Created<'_>) -> Answer {
    let to = table.ok_or(BYTELANE_NULL)?;
    let (table, read) = Table::read(src)?;
    create(read, table, to)
}

fn write_table(table: Option<&bytelane_fsst_table>, dst: &mut [MaybeUninit<u8>]) -> Answer {
    let table = &table.ok_or(BYTELANE_NULL)?.table;
    let bytes = table.write_to_vec()?;
    check_room(dst.len(), bytes.len(), || bytes.len())?;
    dst[..bytes.len()].write_copy_of_slice(&bytes);
    Ok(bytelane_result::ok(table.len(), bytes.len()))
}

fn encoded_length(table: Option<&bytelane_fsst_table>, src: &[u8]) -> Answer {
    let encoder = table.ok_or(BYTELANE_NULL)?.encoder();
    Ok(bytelane_result::ok(src.len(), encoder.encoded_len(src)))
}

fn encode(table: Option<&bytelane_fsst_table>, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Answer {
    let encoder = table.ok_or(BYTELANE_NULL)?.encoder();
    let most = src.len().saturating_mul(2);
    check_room(dst.len(), most, || encoder.encoded_len(src))?;
    let written = encoder.encode_with(Detected::active(), src, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}

fn decoded_length(table: Option<&bytelane_fsst_table>, src: &[u8]) -> Answer {
    let length = table.ok_or(BYTELANE_NULL)?.table.decoded_len(src)?;
    Ok(bytelane_result::ok(src.len(), length))
}

fn decode(table: Option<&bytelane_fsst_table>, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Answer {
    let table = &table.ok_or(BYTELANE_NULL)?.table;
    // The core would detect this only after writing.
    if dst.len() < src.len().saturating_mul(8) {
        let needed = table.decoded_len(src)?;
        check_room(dst.len(), needed, || needed)?;
    }
    let written = table.decode_with(Detected::active(), src, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}

/// Initialises the offsets that a call writes.
fn results<'a, T: Offset>(
    offsets: &[T],
    to: &'a mut [MaybeUninit<T>],
) -> Result<&'a mut [T], bytelane_status> {
    if to.len() == offsets.len() {
        Ok(to.write_copy_of_slice(offsets))
    } else {
        Err(BYTELANE_ARGUMENT)
    }
}

fn encode_strings<T: Offset>(
    table: Option<&bytelane_fsst_table>,
    bytes: &[u8],
    offsets: &[T],
    dst: &mut [MaybeUninit<u8>],
    dst_offsets: &mut [MaybeUninit<T>],
) -> Answer {
    let encoder = table.ok_or(BYTELANE_NULL)?.encoder();
    let strings = Strings::new(bytes, offsets)?;
    let total = strings.total();
    check_room(dst.len(), total.saturating_mul(2), || {
        encoder.encoded_strings_len(strings)
    })?;
    let ends = results(offsets, dst_offsets)?;
    let written = encoder.encode_strings_with(Detected::active(), strings, dst, ends)?;
    Ok(bytelane_result::ok(total, written.len()))
}

fn decode_strings<T: Offset>(
    table: Option<&bytelane_fsst_table>,
    bytes: &[u8],
    offsets: &[T],
    dst: &mut [MaybeUninit<u8>],
    dst_offsets: &mut [MaybeUninit<T>],
) -> Answer {
    let table = &table.ok_or(BYTELANE_NULL)?.table;
    let strings = Strings::new(bytes, offsets)?;
    let total = strings.total();
    // The core would detect this only after writing.
    if dst.len() < total.saturating_mul(8) {
        let needed = table.decoded_strings_len(strings)?;
        check_room(dst.len(), needed, || needed)?;
    }
    let ends = results(offsets, dst_offsets)?;
    let written = table.decode_strings_with(Detected::active(), strings, dst, ends)?;
    Ok(bytelane_result::ok(total, written.len()))
}

fn test<T: Offset>(
    bytes: &[u8],
    offsets: &[T],
    found: &mut [MaybeUninit<u8>],
    test: impl Fn(&[u8]) -> Result<bool, Error>,
) -> Answer {
    let strings = Strings::new(bytes, offsets)?;
    check_room(found.len(), strings.len(), || strings.len())?;
    for (number, to) in (0..strings.len()).zip(found) {
        let is_found = test(strings.get(number));
        let start = strings.range_of(number).start;
        to.write(is_found.map_err(|error| error.behind(start))?.into());
    }
    Ok(bytelane_result::ok(strings.total(), strings.len()))
}

fn equals<T: Offset>(
    table: Option<&bytelane_fsst_table>,
    bytes: &[u8],
    offsets: &[T],
    text: &[u8],
    found: &mut [MaybeUninit<u8>],
) -> Answer {
    let table = &table.ok_or(BYTELANE_NULL)?.table;
    test(bytes, offsets, found, |string| table.equals(string, text))
}

fn starts_with<T: Offset>(
    table: Option<&bytelane_fsst_table>,
    bytes: &[u8],
    offsets: &[T],
    text: &[u8],
    found: &mut [MaybeUninit<u8>],
) -> Answer {
    let table = &table.ok_or(BYTELANE_NULL)?.table;
    test(bytes, offsets, found, |string| {
        table.starts_with(string, text)
    })
}

fn contains<T: Offset>(
    table: Option<&bytelane_fsst_table>,
    bytes: &[u8],
    offsets: &[T],
    text: &[u8],
    found: &mut [MaybeUninit<u8>],
) -> Answer {
    let finder = Finder::new(&table.ok_or(BYTELANE_NULL)?.table, text);
    test(bytes, offsets, found, |string| finder.is_in(string))
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Destination(error) => return Err(error),
            Self::UnexpectedEnd | Self::Truncated => BYTELANE_TRUNCATED,
            Self::UnknownCode { .. } => BYTELANE_UNKNOWN_CODE,
            Self::Offset { .. } => BYTELANE_RANGE,
            Self::OffsetCount { .. } => BYTELANE_ARGUMENT,
            Self::TooLong { .. } => BYTELANE_LENGTH,
            _ => BYTELANE_MALFORMED,
        })
    }
}
