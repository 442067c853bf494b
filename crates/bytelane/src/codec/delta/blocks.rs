//! The headers of a stream and of its blocks, with all checks. Nothing that they promise is believed
//! before the input has the bytes for it.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind};
use crate::codec::bit_packing::Layout;
use crate::codec::varint;

/// Reads a varint; returns it and the offset after it.
fn number(src: &[u8], at: usize) -> Result<(u64, usize), Error> {
    match varint::read::<u64>(&src[at..]) {
        Ok((number, length)) => Ok((number, at + length)),
        Err(error) if error.kind() == varint::ErrorKind::Truncated => {
            Err(Error::at(at, ErrorKind::Truncated))
        }
        Err(_) => Err(Error::at(at, ErrorKind::Varint)),
    }
}

/// As [`number`], with zigzag.
fn signed(src: &[u8], at: usize) -> Result<(u64, usize), Error> {
    let (number, end) = number(src, at)?;
    Ok((number >> 1 ^ (number & 1).wrapping_neg(), end))
}

/// What the header says.
#[derive(Clone, Copy)]
pub(super) struct Header {
    /// Values in a miniblock.
    pub(super) miniblock: usize,
    /// Miniblocks in a block.
    pub(super) miniblocks: usize,
    /// Values in the stream.
    pub(super) values: u64,
    pub(super) first: u64,
    /// Bytes of the header.
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

/// A miniblock whose bytes the input has.
pub(super) struct Miniblock {
    pub(super) layout: Layout,
    /// Where its bytes begin.
    pub(super) at: usize,
    /// Values in it.
    pub(super) count: usize,
}

/// The miniblocks of a stream of values of `K` bytes, one after the other.
pub(super) struct Miniblocks<'a, const K: usize> {
    src: &'a [u8],
    header: Header,
    /// Values that are left.
    left: u64,
    /// Where the next miniblock or block begins.
    at: usize,
    /// The widths of the miniblocks of this block, those that are left.
    widths: core::ops::Range<usize>,
    /// The smallest difference of this block.
    least: u64,
}

impl<'a, const K: usize> Miniblocks<'a, K> {
    pub(super) fn new(src: &'a [u8], header: Header) -> Self {
        Self {
            src,
            header,
            left: header.values.saturating_sub(1),
            at: header.length,
            widths: 0..0,
            least: 0,
        }
    }

    /// Where the miniblocks so far end.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next miniblock; none after the last value.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Miniblock>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.widths.is_empty() {
            self.block()?;
        }
        let place = self.widths.start;
        self.widths.start += 1;
        let width = self.src[place];
        if usize::from(width) > 8 * K {
            return Err(Error::at(place, ErrorKind::Width { width }));
        }
        let layout = Layout {
            width: width.into(),
            reference: self.least,
            zigzag: false,
        };
        let at = self.at;
        let bytes = (self.header.miniblock / 8).checked_mul(layout.width);
        let end = bytes.and_then(|bytes| at.checked_add(bytes));
        let Some(end) = end.filter(|&end| end <= self.src.len()) else {
            return Err(Error::at(at, ErrorKind::Truncated));
        };
        let count = u64::min(self.left, self.header.miniblock as u64);
        self.left -= count;
        self.at = end;
        let count = count as usize;
        Ok(Some(Miniblock { layout, at, count }))
    }

    /// Checks all of them. Returns where the last one ends.
    pub(super) fn skip_all(mut self) -> Result<usize, Error> {
        while self.next()?.is_some() {}
        Ok(self.at)
    }

    /// Reads the header of a block.
    fn block(&mut self) -> Result<(), Error> {
        let (least, widths) = signed(self.src, self.at)?;
        let end = widths.checked_add(self.header.miniblocks);
        let Some(end) = end.filter(|&end| end <= self.src.len()) else {
            return Err(Error::at(widths, ErrorKind::Truncated));
        };
        (self.least, self.widths, self.at) = (least, widths..end, end);
        Ok(())
    }
}
