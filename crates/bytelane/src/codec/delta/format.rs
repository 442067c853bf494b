//! Block sizes.
#![forbid(unsafe_code)]

/// Number of values in the blocks and miniblocks of a stream. Decoders read them from the stream.
///
/// ```
/// use bytelane::delta::{self, Format};
///
/// let large = Format::new(1024, 8).expect("miniblocks of 128 values");
/// let encoded = large.encode_to_vec(&[1i64, 2, 3]);
/// assert_eq!(delta::decode_to_vec::<i64>(&encoded, 3)?.0, [1, 2, 3]);
/// # Ok::<(), delta::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    block: u32,
    miniblocks: u32,
}

impl Format {
    /// Blocks of 128 values in 4 miniblocks, which most writers use.
    pub const STANDARD: Self = Self {
        block: 128,
        miniblocks: 4,
    };

    /// Divides blocks of `block` values into `miniblocks` parts of the same size. `None` unless the
    /// block size is a multiple of 128 values below 2^31, and the miniblock size is a multiple of
    /// 32.
    #[must_use]
    pub const fn new(block: u32, miniblocks: u32) -> Option<Self> {
        let block_is_legal = block > 0 && block.is_multiple_of(128) && block <= i32::MAX as u32;
        if !block_is_legal || miniblocks == 0 || !block.is_multiple_of(miniblocks) {
            return None;
        }
        match block / miniblocks % 32 {
            0 => Some(Self { block, miniblocks }),
            _ => None,
        }
    }

    /// Returns the number of values in a block.
    pub(super) const fn block(self) -> usize {
        self.block as usize
    }

    pub(super) const fn miniblocks(self) -> usize {
        self.miniblocks as usize
    }

    /// Returns the number of values in a miniblock.
    pub(super) fn miniblock(self) -> usize {
        (self.block / self.miniblocks) as usize
    }
}
