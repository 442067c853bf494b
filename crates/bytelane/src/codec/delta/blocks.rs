//! Headers of a stream and of its blocks, with all checks. No length in them is trusted before the
//! input is known to contain that many bytes.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind};
use crate::codec::bit_packing::Layout;
use crate::codec::varint;

/// Reads a varint. Returns it and the offset after it.
fn number(src: &[u8], at: usize) -> Result<(u64, usize), Error> {
    match varint::read::<u64>(&src[at..]) {
        Ok((number, length)) => Ok((number, at + length)),
        Err(error) if error.kind() == varint::ErrorKind::Truncated => {
            Err(Error::at(at, ErrorKind::Truncated))
        }
        Err(_) => Err(Error::at(at, ErrorKind::Varint)),
    }
}

/// Same as [`number`], with zigzag.
fn signed(src: &[u8], at: usize) -> Result<(u64, usize), Error> {
    let (number, end) = number(src, at)?;
    Ok((number >> 1 ^ (number & 1).wrapping_neg(), end))
}

/// Header of a stream.
#[derive(Clone, Copy)]
pub(super) struct Header {
    /// Number of values in a miniblock.
    pub(super) miniblock: usize,
    /// Number of miniblocks in a block.
    pub(super) miniblocks: usize,
    /// Number of values in the stream.
    pub(super) values: u64,
    pub(super) first: u64,
    /// Length of the header in bytes.
    pub(super) length: usize,
}

impl Header {
    pub(super) fn read(src: &[u8]) -> Result<Self, Error> {
        let (block, at) = number(src, 0)?;
        if block == 0 || block % 128 != 0 || block > i32::MAX as u64 {
            return Err(Error::at(0, ErrorKind::Block));
        }
        let (miniblocks, values_at) = number(src, at)?;
        if miniblocks == 0 || block % miniblocks != 0 || block / miniblocks % 32 != 0 {
            return Err(Error::at(at, ErrorKind::Miniblocks));
        }
        let (values, first_at) = number(src, values_at)?;
        let (first, length) = signed(src, first_at)?;
        Ok(Self {
            miniblock: (block / miniblocks) as usize,
            miniblocks: miniblocks as usize,
            values,
            first,
            length,
        })
    }
}

/// Miniblocks of one layout whose bytes lie within the input.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) layout: Layout,
    /// Offset of their bytes.
    pub(super) at: usize,
    /// Number of values in them.
    pub(super) count: usize,
}

/// Iterator over the miniblocks of a stream of values of `K` bytes.
pub(super) struct Miniblocks<'a, const K: usize> {
    src: &'a [u8],
    header: Header,
    /// Number of remaining values.
    left: u64,
    /// Offset of the next miniblock or block.
    at: usize,
    /// Widths of the remaining miniblocks of this block.
    widths: &'a [u8],
    /// Offset after the widths of this block.
    widths_end: usize,
    /// Smallest difference of this block.
    least: u64,
}

impl<'a, const K: usize> Miniblocks<'a, K> {
    #[inline(always)]
    pub(super) fn new(src: &'a [u8], header: Header) -> Self {
        Self {
            src,
            header,
            left: header.values.saturating_sub(1),
            at: header.length,
            widths: &[],
            widths_end: 0,
            least: 0,
        }
    }

    /// Returns the end of the miniblocks so far.
    #[inline(always)]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns whether that was the last value.
    #[inline(always)]
    pub(super) fn is_at_end(&self) -> bool {
        self.left == 0
    }

    /// Returns the next miniblock, together with those after it that have the same width and belong
    /// to the same block, since their bits are contiguous. Stops after `wanted` values, and after
    /// the last value.
    #[inline(always)]
    pub(super) fn next(&mut self, wanted: u64) -> Result<Run, Error> {
        if self.widths.is_empty() {
            (self.least, self.widths, self.at) = block(self.src, self.at, self.header.miniblocks)?;
            self.widths_end = self.at;
        }
        let [width, widths @ ..] = self.widths else {
            return Err(Error::at(self.at, ErrorKind::Truncated));
        };
        let layout = Layout {
            width: usize::from(*width),
            reference: self.least,
            zigzag: false,
        };
        let at = self.at;
        let bytes = (self.header.miniblock / 8) as u64 * u64::from(*width);
        let mut there = (self.src.len() - at) as u64;
        let is_wide = layout.width > 8 * K;
        if is_wide || bytes > there {
            return Err(if is_wide {
                Error::at(
                    self.widths_end - self.widths.len(),
                    ErrorKind::Width { width: *width },
                )
            } else {
                Error::at(at, ErrorKind::Truncated)
            });
        }
        self.widths = widths;
        there -= bytes;
        let wanted = u64::min(self.left, wanted);
        let (mut count, mut length) = (self.header.miniblock as u64, bytes);
        while count < wanted
            && let [next, widths @ ..] = self.widths
            && *next == *width
            && bytes <= there
        {
            self.widths = widths;
            there -= bytes;
            (count, length) = (count + self.header.miniblock as u64, length + bytes);
        }
        let count = u64::min(self.left, count);
        self.left -= count;
        self.at = at + length as usize;
        let count = count as usize;
        Ok(Run { layout, at, count })
    }

    /// Checks all miniblocks. Returns the end of the last one.
    pub(super) fn skip_all(mut self) -> Result<usize, Error> {
        while !self.is_at_end() {
            self.next(u64::MAX)?;
        }
        Ok(self.at)
    }
}

/// Reads the header of a block: the smallest difference, the widths, and the offset after them.
fn block(src: &[u8], at: usize, miniblocks: usize) -> Result<(u64, &[u8], usize), Error> {
    let (least, at) = signed(src, at)?;
    match src[at..].get(..miniblocks) {
        Some(widths) => Ok((least, widths, at + miniblocks)),
        None => Err(Error::at(at, ErrorKind::Truncated)),
    }
}
