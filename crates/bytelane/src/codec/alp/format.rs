//! Vector sizes.
#![forbid(unsafe_code)]

use super::page::LOGARITHMS;

/// Vector size. Encoders choose it, and decoders read it from the page.
///
/// ```
/// use bytelane::alp::{self, Format};
///
/// let small = Format::new(64).expect("a power of two");
/// let page = small.encode_to_vec(&[0.5f32; 100])?;
/// assert_eq!(page.len(), 7 + 2 * (4 + 9));
/// assert_eq!(alp::decode_to_vec::<f32>(&page, 100)?.0, [0.5; 100]);
/// # Ok::<(), alp::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    pub(super) logarithm: u8,
}

impl Format {
    /// Vectors of 1024 values, which the specification recommends.
    pub const STANDARD: Self = Self { logarithm: 10 };

    /// Uses vectors of `vector` values. `None` unless that is a power of two from 8 to 32,768.
    #[must_use]
    pub const fn new(vector: usize) -> Option<Self> {
        if !vector.is_power_of_two() {
            return None;
        }
        let logarithm = vector.trailing_zeros() as u8;
        if logarithm >= *LOGARITHMS.start() && logarithm <= *LOGARITHMS.end() {
            Some(Self { logarithm })
        } else {
            None
        }
    }

    /// Returns the number of values per vector.
    #[must_use]
    #[inline]
    pub const fn vector_len(self) -> usize {
        1 << self.logarithm
    }
}
