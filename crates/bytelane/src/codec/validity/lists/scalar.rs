//! The specification as code: parquet-format, README.md, "Nested Encoding", which refers to the
//! paper "Dremel: Interactive Analysis of Web-Scale Datasets".
//!
//! > Repetition levels specify at what repeated field in the path the value has repeated.
#![forbid(unsafe_code)]

use super::{Bits, Offset, Pairs, Wanted};
use crate::codec::bit_packing::from_ne_bytes;
use crate::codec::validity::{Error, ErrorKind};
use crate::memory::Slot;

/// Meaning of a pair of levels for the lists of one depth.
struct Meaning {
    begins_list: bool,
    has_entry: bool,
    definition: u64,
}

/// Passes the meaning of each pair to `put`.
fn each<const K: usize>(pairs: Pairs<'_>, mut put: impl FnMut(Meaning)) -> Result<(), Error> {
    let Pairs {
        repetition,
        definition,
        depth,
    } = pairs;
    let repetition = repetition.as_chunks::<K>().0.iter();
    let definition = definition.as_chunks::<K>().0.iter();
    let mut had_entry = false;
    for (i, (repetition, definition)) in repetition.zip(definition).enumerate() {
        let (repetition, definition) = (from_ne_bytes(*repetition), from_ne_bytes(*definition));
        let has_entry = definition >= u64::from(depth.entry);
        let begins_list = repetition < u64::from(depth.repetition);
        let continues_entry = repetition > u64::from(depth.repetition);
        let goes_on = has_entry && had_entry;
        if !(begins_list || goes_on) || (i == 0 && repetition > 0) {
            return Err(Error::at(K * i, ErrorKind::Repetition));
        }
        had_entry = has_entry;
        put(Meaning {
            begins_list: begins_list && definition >= u64::from(depth.place),
            has_entry: has_entry && !continues_entry,
            definition,
        });
    }
    Ok(())
}

/// Writes the number of entries before each list, followed by the total number of entries. Returns
/// the number of offsets.
#[inline(never)]
pub(in crate::codec::validity) fn offsets<const K: usize, O: Offset>(
    pairs: Pairs<'_>,
    to: &mut [Slot],
) -> Result<usize, Error> {
    let (mut count, mut entries) = (0, 0);
    let mut put = |count: usize, entries: u64| {
        if let Some(to) = to.get_mut(O::WIDTH * count..O::WIDTH * (count + 1)) {
            O::put(entries, &[0], to);
        }
    };
    each::<K>(pairs, |meaning| {
        if meaning.begins_list {
            put(count, entries);
            count += 1;
        }
        entries += u64::from(meaning.has_entry);
    })?;
    put(count, entries);
    O::check(entries)?;
    Ok(count + 1)
}

/// Writes a bit for each list, or for each entry. Returns the number of bits.
#[inline(never)]
pub(in crate::codec::validity) fn bits<const K: usize>(
    pairs: Pairs<'_>,
    wanted: Wanted,
    to: &mut [Slot],
) -> Result<Bits, Error> {
    let mut bits = Bits::default();
    let mut byte = 0;
    each::<K>(pairs, |meaning| {
        if (wanted.entries && meaning.has_entry) || (!wanted.entries && meaning.begins_list) {
            let bit = u8::from(meaning.definition >= u64::from(wanted.level));
            byte |= bit << (bits.count % 8);
            if let Some(to) = to.get_mut(bits.count / 8) {
                to.write(byte);
            }
            bits.valid += usize::from(bit);
            bits.count += 1;
            if bits.count.is_multiple_of(8) {
                byte = 0;
            }
        }
    })?;
    Ok(bits)
}
