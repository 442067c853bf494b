//! Tests the functions of FSST that take several buffers, of which the catalog has none.

use bytelane::fsst::{Encoder, Table};
use bytelane_capi::codec::fsst::*;
use bytelane_capi::result::*;
use std::mem::MaybeUninit;
use std::ptr;

const WORDS: &str = "the theory of other themes";

/// Table that is freed.
struct Owned(Box<bytelane_fsst_table>);

impl Owned {
    fn read(table: &Table) -> Self {
        let bytes = table.write_to_vec().unwrap();
        let mut place = MaybeUninit::new(ptr::null_mut());
        // SAFETY: all buffers exist.
        let result =
            unsafe { bytelane_fsst_read_table(bytes.as_ptr(), bytes.len(), Some(&mut place)) };
        assert_eq!(result, ok(bytes.len(), table.len()));
        Self(taken(place))
    }
}

/// Takes over a table from the place where a function has stored it.
fn taken(place: MaybeUninit<*mut bytelane_fsst_table>) -> Box<bytelane_fsst_table> {
    // SAFETY: it began as null.
    let table = unsafe { place.assume_init() };
    assert!(!table.is_null());
    // SAFETY: the functions store the address of a new table, and nothing else owns it.
    unsafe { Box::from_raw(table) }
}

fn ok(offset: usize, count: usize) -> bytelane_result {
    bytelane_result {
        status: BYTELANE_OK,
        offset,
        count,
    }
}

fn failed(status: bytelane_status) -> bytelane_result {
    bytelane_result {
        status,
        offset: BYTELANE_NOWHERE,
        count: 0,
    }
}

fn too_short(count: usize) -> bytelane_result {
    bytelane_result {
        count,
        ..failed(BYTELANE_DESTINATION)
    }
}

/// Calls a function with strings and two destinations.
macro_rules! strings {
    ($function:ident, $table:expr, $from:expr, $offsets:expr, $to:expr, $ends:expr) => {{
        let (from, offsets, to, ends) = (&$from[..], &$offsets[..], &mut $to[..], &mut $ends[..]);
        // SAFETY: all buffers exist.
        unsafe {
            $function(
                $table,
                from.as_ptr(),
                from.len(),
                offsets.as_ptr(),
                offsets.len(),
                to.as_mut_ptr(),
                to.len(),
                ends.as_mut_ptr(),
                ends.len(),
            )
        }
    }};
}

/// Calls a function that compares strings with a text.
macro_rules! tested {
    ($function:ident, $table:expr, $from:expr, $offsets:expr, $text:expr, $found:expr) => {{
        let (from, offsets, text, found) =
            (&$from[..], &$offsets[..], $text.as_bytes(), &mut $found[..]);
        // SAFETY: all buffers exist.
        unsafe {
            $function(
                $table,
                from.as_ptr(),
                from.len(),
                offsets.as_ptr(),
                offsets.len(),
                text.as_ptr(),
                text.len(),
                found.as_mut_ptr(),
                found.len(),
            )
        }
    }};
}

fn table() -> Table {
    Table::new(&["th", "the", " the", "o"]).unwrap()
}

#[test]
fn strings_are_encoded_decoded_and_compared_as_in_rust() {
    let owned = Owned::read(&table());
    let table = Some(&*owned.0);
    let encoder = Encoder::new(&self::table());
    let words: Vec<&str> = WORDS.split(' ').collect();
    let text = words.concat();
    macro_rules! all {
        ($T:ident, $encode:ident, $decode:ident, $equals:ident, $starts_with:ident, $contains:ident) => {
            let mut offsets: Vec<$T> = vec![0];
            for word in &words {
                offsets.push(offsets[offsets.len() - 1] + word.len() as $T);
            }
            let (mut codes, mut ends) = ([7; 100], [7; 6]);
            let done = strings!($encode, table, text.as_bytes(), offsets, codes, ends);
            let expected: Vec<_> = words
                .iter()
                .map(|word| encoder.encode_to_vec(word.as_bytes()))
                .collect();
            let codes = expected.concat();
            assert_eq!(done, ok(text.len(), codes.len()));
            assert_eq!(ends[1] as usize, expected[0].len());
            assert_eq!(ends[5] as usize, codes.len());
            let (mut back, mut again) = ([7; 100], [7; 6]);
            let done = strings!($decode, table, codes, ends, back, again);
            assert_eq!(done, ok(codes.len(), text.len()));
            assert_eq!(
                (&back[..text.len()], &again[..]),
                (text.as_bytes(), &offsets[..])
            );
            // The third string alone.
            let done = strings!($decode, table, codes, ends[2..4], back, again[..2]);
            assert_eq!(done, ok(expected[2].len(), 2));
            assert_eq!((&back[..2], &again[..2]), (&b"of"[..], &[0, 2][..]));
            let mut found = [7; 5];
            let all = ok(codes.len(), 5);
            assert_eq!(tested!($equals, table, codes, ends, "theory", found), all);
            assert_eq!(found, [0, 1, 0, 0, 0]);
            assert_eq!(tested!($starts_with, table, codes, ends, "the", found), all);
            assert_eq!(found, [1, 1, 0, 0, 1]);
            assert_eq!(tested!($contains, table, codes, ends, "o", found), all);
            assert_eq!(found, [0, 1, 1, 1, 0]);
        };
    }
    all!(
        i32,
        bytelane_fsst_encode_strings_i32,
        bytelane_fsst_decode_strings_i32,
        bytelane_fsst_equals_i32,
        bytelane_fsst_starts_with_i32,
        bytelane_fsst_contains_i32
    );
    all!(
        i64,
        bytelane_fsst_encode_strings_i64,
        bytelane_fsst_decode_strings_i64,
        bytelane_fsst_equals_i64,
        bytelane_fsst_starts_with_i64,
        bytelane_fsst_contains_i64
    );
}

#[test]
fn arguments_that_are_wrong_are_refused_and_nothing_is_written() {
    let owned = Owned::read(&table());
    let table = Some(&*owned.0);
    let text = b"other";
    let (mut to, mut ends) = ([7_u8; 20], [7; 3]);
    macro_rules! refused {
        ($function:ident, $table:expr, $from:expr, $offsets:expr, $to:expr, $ends:expr, $expected:expr) => {
            assert_eq!(
                strings!($function, $table, $from, $offsets, $to, $ends),
                $expected
            );
            assert_eq!((to, ends), ([7; 20], [7; 3]));
        };
    }
    use bytelane_fsst_decode_strings_i32 as decode;
    use bytelane_fsst_encode_strings_i32 as encode;
    refused!(
        encode,
        None,
        text,
        [0, 2, 5],
        to,
        ends,
        failed(BYTELANE_NULL)
    );
    refused!(
        decode,
        None,
        text,
        [0, 2, 5],
        to,
        ends,
        failed(BYTELANE_NULL)
    );
    for wrong in [[0, 3, 2], [0, 2, 6], [-1, 2, 5]] {
        refused!(encode, table, text, wrong, to, ends, failed(BYTELANE_RANGE));
        refused!(decode, table, text, wrong, to, ends, failed(BYTELANE_RANGE));
    }
    refused!(
        encode,
        table,
        text,
        [0, 2, 5],
        to,
        ends[..2],
        failed(BYTELANE_ARGUMENT)
    );
    // One symbol and four escaped bytes.
    refused!(encode, table, text, [0, 2, 5], to[..8], ends, too_short(9));
    refused!(
        decode,
        table,
        [3, 1, 1],
        [0, 1, 3],
        to[..6],
        ends,
        too_short(7)
    );
    // Malformed strings, with their place.
    let malformed = |status, offset| bytelane_result {
        offset,
        ..failed(status)
    };
    let done = strings!(decode, table, [3, 255, 9, 4], [1, 3, 4], to, ends);
    assert_eq!(done, malformed(BYTELANE_UNKNOWN_CODE, 3));
    let done = strings!(decode, table, [3, 255, 1], [0, 2, 3], to, ends);
    assert_eq!(done, malformed(BYTELANE_TRUNCATED, 1));
    let done = tested!(
        bytelane_fsst_contains_i32,
        table,
        [3, 3, 9],
        [0, 1, 3],
        "x",
        to
    );
    assert_eq!(done, malformed(BYTELANE_UNKNOWN_CODE, 2));
    let done = tested!(
        bytelane_fsst_contains_i32,
        table,
        [3, 3, 9],
        [0, 1, 3],
        "x",
        to[..1]
    );
    assert_eq!(done, too_short(2));
}

#[test]
fn destinations_must_not_overlap_each_other() {
    let owned = Owned::read(&table());
    let mut memory = [7_i32; 8];
    let start = memory.as_mut_ptr();
    let offsets = [0, 3];
    // SAFETY: all buffers exist, and those that overlap are refused.
    let result = unsafe {
        bytelane_fsst_encode_strings_i32(
            Some(&*owned.0),
            b"the".as_ptr(),
            3,
            offsets.as_ptr(),
            2,
            start.cast(),
            32,
            start.wrapping_add(6),
            2,
        )
    };
    assert_eq!(result, failed(BYTELANE_OVERLAP));
    assert_eq!(memory, [7; 8]);
}

#[test]
fn a_table_is_trained_and_serialised_as_in_rust() {
    let offsets: Vec<i64> = (0..=4).map(|i| 6 * i).collect();
    let strings: Vec<&[u8]> = WORDS.as_bytes()[..24].chunks(6).collect();
    let expected = bytelane::fsst::train(&strings);
    let mut place = MaybeUninit::new(ptr::null_mut());
    // SAFETY: all buffers exist.
    let result = unsafe {
        bytelane_fsst_train_i64(WORDS.as_ptr(), 24, offsets.as_ptr(), 5, Some(&mut place))
    };
    assert_eq!(result, ok(24, expected.len()));
    let trained = taken(place);
    let form = expected.write_to_vec().unwrap();
    let mut bytes = vec![7; form.len()];
    let mut write = |room| {
        // SAFETY: all buffers exist.
        unsafe { bytelane_fsst_write_table(Some(&trained), bytes.as_mut_ptr(), room) }
    };
    assert_eq!(write(form.len() - 1), too_short(form.len()));
    assert_eq!(write(form.len()), ok(expected.len(), form.len()));
    assert_eq!(bytes, form);
    bytelane_fsst_free(Some(trained));
    bytelane_fsst_free(None);
    // SAFETY: all buffers exist.
    let result = unsafe { bytelane_fsst_read_table(form.as_ptr(), 20, None) };
    assert_eq!(result, failed(BYTELANE_NULL));
    // SAFETY: all buffers exist.
    let result = unsafe { bytelane_fsst_read_table(form.as_ptr(), 16, Some(&mut place)) };
    assert_eq!((result.status, result.offset), (BYTELANE_TRUNCATED, 0));
}
