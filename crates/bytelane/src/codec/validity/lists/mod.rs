//! Lists: offsets and bitmaps in Arrow's layout, from repetition and definition levels.
//!
//! ```
//! use bytelane::validity::lists::List;
//!
//! // [[1, 2], null, [], [3, null]] of optional lists with optional entries.
//! let repetition = [0, 1, 0, 0, 0, 1];
//! let definition = [3, 3, 0, 1, 3, 2u16];
//!
//! // From level 1 on, the list is not null; from level 2 on, it has an entry.
//! let list = List::new(1).expect("a small level");
//! let offsets: Vec<i32> = list.offsets_to_vec(&repetition, &definition)?;
//! assert_eq!(offsets, [0, 2, 2, 2, 4]);
//!
//! let (bitmap, bits) = list.validity_to_vec(&repetition, &definition)?;
//! assert_eq!((&bitmap[..], bits.count, bits.valid), (&[0b1101][..], 4, 3));
//!
//! // From level 3 on, the entry is not null.
//! let (bitmap, bits) = list.entries_to_vec(3, &repetition, &definition)?;
//! assert_eq!((&bitmap[..], bits.count, bits.valid), (&[0b0111][..], 4, 3));
//! # Ok::<(), bytelane::validity::Error>(())
//! ```
//!
//! Each pair of levels describes one value of the leaf, or a list without entries. A repetition
//! level is the depth at which a list continues: 0 begins a new row. A definition level is the
//! number of ancestors that are defined. For lists in lists, call the functions for each depth,
//! with the levels of a leaf below it; if there are several leaves, use any of them.

mod depth;
mod format;
pub(super) mod kernel;
mod offset;
pub(super) mod scalar;
mod steps;
mod types;

pub(crate) use depth::{Pairs, Wanted};
pub use format::List;
pub(crate) use format::{BitsOf, OffsetsOf};
pub use offset::Offset;

/// Counts of the bits of a bitmap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bits {
    /// Number of bits: one for each list, or for each entry.
    pub count: usize,
    /// Number of set bits.
    pub valid: usize,
}
