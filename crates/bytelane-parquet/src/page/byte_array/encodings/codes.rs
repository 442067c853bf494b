//! Decodes FSST: all strings of a page at once, with the symbols of the chunk.

use super::delta_length::{DeltaLength, read_lengths};
use super::room::Room;
use crate::budget::Reservation;
use crate::page::symbols::{DELTA, HEADER, PLAIN, Symbols};
use crate::{Error, Problem, Result};
use bytelane::Detected;
use bytelane::fsst::Strings;
use bytes::Bytes;

/// Decodes the strings of a page.
pub(crate) fn open(
    backend: Detected,
    symbols: &Symbols,
    page: &[u8],
    valid: usize,
    room: &Room<'_>,
) -> Result<DeltaLength> {
    // Some writers may store no bytes if there are no values.
    if valid == 0 && page.is_empty() {
        return Ok(DeltaLength::of(Bytes::new(), Vec::new()));
    }
    let Some((header, rest)) = page.split_first_chunk::<HEADER>() else {
        return Err(Error::corrupt("the page ends within its header of FSST"));
    };
    let [encoding, numbers @ ..] = *header;
    let [stored, length] = [0, 4].map(|at| {
        let number: [u8; 4] = std::array::from_fn(|byte| numbers[at + byte]);
        u32::from_le_bytes(number) as usize
    });
    if stored != valid {
        return Err(Error::corrupt(format!(
            "{stored} values in FSST instead of {valid}"
        )));
    }
    let Some((offsets, codes)) = rest.split_at_checked(length) else {
        return Err(Error::corrupt(format!(
            "offsets of {length} bytes in FSST, but the page has only {} bytes for them",
            rest.len()
        )));
    };
    let ends = match encoding {
        PLAIN => plain_ends(offsets, valid, room)?,
        DELTA => read_lengths(backend, offsets, valid, "ends", room)?.0,
        other => {
            let problem =
                format!("offsets of strings in FSST in the encoding {other}, which is not known");
            return Err(Problem::Unsupported(problem).into());
        }
    };
    let mut encoded = Vec::with_capacity(valid + 1);
    encoded.push(0);
    encoded.extend(ends);
    let strings = Strings::new(codes, &encoded)
        .map_err(|error| Error::corrupt(format!("the ends of strings in FSST: {error}")))?;
    let mut bytes = Vec::new();
    let length = symbols.decoded_bytes(strings)?;
    room.beside(valid, 3 * size_of::<i32>())?
        .reserve(&mut bytes, length as u64)?;
    let mut decoded = Vec::with_capacity(valid + 1);
    symbols.decode(backend, strings, length, &mut bytes, &mut decoded)?;
    let lengths = decoded.windows(2).map(|ends| ends[1] - ends[0]).collect();
    Ok(DeltaLength::of(bytes.into(), lengths))
}

/// Appends the strings of a page in DELTA_LENGTH_BYTE_ARRAY.
pub(crate) fn replaced(
    backend: Detected,
    symbols: &Symbols,
    page: &[u8],
    valid: usize,
    memory: &Reservation,
    to: &mut Vec<u8>,
) -> Result<()> {
    let strings = open(backend, symbols, page, valid, &Room::new(memory, u64::MAX))?;
    strings.encode(backend, to);
    Ok(())
}

/// Returns the error of a page whose symbols are not there.
pub(crate) fn no_symbols() -> Error {
    Error::corrupt("a page of codes, but the column chunk has no symbols before it")
}

fn plain_ends(offsets: &[u8], valid: usize, room: &Room<'_>) -> Result<Vec<i32>> {
    let (ends, []) = offsets.as_chunks::<4>() else {
        return Err(Error::corrupt(
            "offsets of strings in FSST that end within a number",
        ));
    };
    if ends.len() != valid {
        return Err(Error::corrupt(format!(
            "{} ends for {valid} values",
            ends.len()
        )));
    }
    room.beside(valid, 2 * size_of::<i32>())?;
    Ok(ends.iter().map(|end| i32::from_le_bytes(*end)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    /// Symbols `ld` and `lo`, `wor`, and `hello`.
    const NARROW: &[u8] = b"\x04\0\x02\x01\0\x01\0\0\0ldlowor\x68ello";

    fn wide() -> Vec<u8> {
        let mut page = vec![4, 0];
        for length in 1..=16 {
            page.extend([[0, 2, 1, 0, 1].get(length - 1).copied().unwrap_or(0), 0]);
        }
        page.extend(b"ldloworhello");
        page
    }

    fn page(encoding: u8, offsets: &[u8], codes: &[u8]) -> Vec<u8> {
        let mut page = vec![encoding, 3, 0, 0, 0, offsets.len() as u8, 0, 0, 0];
        page.extend(offsets);
        page.extend(codes);
        page
    }

    fn strings(symbols: &Symbols, page: &[u8]) -> Result<Vec<String>> {
        let budget = Budget::new(1 << 20);
        let memory = budget.reservation();
        let room = Room::new(&memory, u64::MAX);
        let mut open = open(Detected::active(), symbols, page, 3, &room)?;
        let (mut ends, mut bytes) = ([0i32; 3], Vec::new());
        open.copy(&mut ends, &mut bytes, &room)?;
        let starts = [0].into_iter().chain(ends);
        let string = |(start, end): (i32, i32)| {
            String::from_utf8_lossy(&bytes[start as usize..end as usize]).into_owned()
        };
        Ok(starts.zip(ends).map(string).collect())
    }

    fn ends(ends: [i32; 3]) -> Vec<u8> {
        ends.iter().flat_map(|end| end.to_le_bytes()).collect()
    }

    #[test]
    fn codes_of_both_widths_and_both_kinds_of_offsets() {
        let expected = ["hello", "", "hello!world"];
        let codes = [3, 3, 255, b'!', 2, 0];
        let symbols = Symbols::read(NARROW, false).expect("a page of symbols");
        let plain = page(PLAIN, &ends([1, 1, 6]), &codes);
        assert_eq!(strings(&symbols, &plain).expect("strings"), expected);
        let packed = bytelane::delta::encode_to_vec(&[1, 1, 6]);
        let deltas = page(DELTA, &packed, &codes);
        assert_eq!(strings(&symbols, &deltas).expect("strings"), expected);
        let symbols = Symbols::read(&wide(), true).expect("a page of symbols");
        let codes = [3, 0, 3, 0, 255, 255, b'!', 0, 2, 0, 0, 0];
        let plain = page(PLAIN, &ends([2, 2, 12]), &codes);
        assert_eq!(strings(&symbols, &plain).expect("strings"), expected);
    }

    #[test]
    fn damaged_symbols_are_errors() {
        for (is_wide, whole) in [(false, NARROW.to_vec()), (true, wide())] {
            assert!(Symbols::read(&whole, is_wide).is_ok());
            for length in 0..whole.len() {
                assert!(
                    Symbols::read(&whole[..length], is_wide).is_err(),
                    "{length} bytes"
                );
            }
            let mut counted = whole;
            counted[0] += 1;
            let error = Symbols::read(&counted, is_wide)
                .err()
                .expect("an error")
                .to_string();
            assert!(error.contains("a page of 5 symbols has 4"), "{error}");
        }
    }

    #[test]
    fn damaged_pages_are_errors() {
        let narrow = Symbols::read(NARROW, false).expect("a page of symbols");
        let wide = Symbols::read(&wide(), true).expect("a page of symbols");
        let error = |symbols: &Symbols, page: &[u8]| {
            strings(symbols, page).expect_err("an error").to_string()
        };
        let of = |kind: u8, at: [i32; 3], codes: &[u8]| page(kind, &ends(at), codes);
        let cases = [
            (
                error(&narrow, &of(PLAIN, [1, 2, 4], &[3, 3, 255, b'!'])[..8]),
                "ends within its header",
            ),
            (
                error(&narrow, &of(7, [1, 2, 4], &[3, 3, 255, b'!'])),
                "encoding 7",
            ),
            (
                error(&narrow, &of(PLAIN, [2, 1, 4], &[3, 3, 255, b'!'])),
                "ends of strings",
            ),
            (
                error(&narrow, &of(PLAIN, [1, 2, 5], &[3, 3, 255, b'!'])),
                "ends of strings",
            ),
            // The escape code of one string must not take the first code of the next one.
            (
                error(&narrow, &of(PLAIN, [1, 3, 4], &[3, 3, 255, b'!'])),
                "FSST",
            ),
            (error(&narrow, &of(PLAIN, [1, 2, 3], &[3, 4, 3])), "FSST"),
            (
                error(&wide, &of(PLAIN, [2, 4, 6], &[3, 0, 255, 255, 3, 0])),
                "FSST",
            ),
            (
                error(&wide, &of(PLAIN, [2, 4, 6], &[3, 0, 4, 0, 3, 0])),
                "FSST",
            ),
            (
                error(&wide, &of(PLAIN, [1, 4, 6], &[3, 0, 3, 0, 3, 0])),
                "FSST",
            ),
            (
                error(&narrow, &page(PLAIN, &ends([1, 1, 1])[..11], &[3])),
                "within a number",
            ),
            (
                error(&narrow, &page(PLAIN, &ends([1, 1, 1])[..8], &[3])),
                "2 ends for 3 values",
            ),
        ];
        for (error, expected) in cases {
            assert!(error.contains(expected), "{error}");
        }
        let mut other = of(PLAIN, [1, 1, 1], &[3]);
        other[1] = 2;
        assert!(error(&narrow, &other).contains("2 values in FSST instead of 3"));
    }
}
