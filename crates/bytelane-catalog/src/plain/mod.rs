//! Plain loops: the code of a programmer who does not call the codec, in safe Rust and without
//! intrinsics, with the same checks. The compiler vectorises them where it can.
//!
//! Each loop is written once and compiled for several [levels](Level), so that one program compares
//! the codecs with the effect of compiler options.

pub(crate) mod alp;
pub(crate) mod base64;
pub(crate) mod big_endian;
pub(crate) mod bit_packing;
pub(crate) mod byte_stream_split;
mod common;
pub(crate) mod delta;
pub(crate) mod fsst;
pub(crate) mod json_string;
pub(crate) mod rle_hybrid;
pub(crate) mod stream_vbyte;
pub(crate) mod utf8;
pub(crate) mod validity;
pub(crate) mod varint;

pub use common::level::Level;

use crate::{Parameters, SpecificationError};
use common::level::Loop;
use common::{bits, number};

/// Creates the loops of a codec from the parameters of a specification, which the codec has
/// accepted.
pub type Open = fn(&Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError>;

/// Loops of a codec with fixed parameters. The buffers are those of [`Codec`](crate::Codec).
///
/// They are for measuring, and do not report the error in an input.
pub trait Plain: Send + Sync {
    /// Encodes all values to the front of `encoded`. Returns the length of the result, or `None` if
    /// the values are invalid or the result does not fit.
    fn encode(&self, level: Level, values: &[u8], encoded: &mut [u8]) -> Option<usize>;

    /// Decodes to the front of `values`. Returns the number of bytes written, or `None` if the
    /// input is invalid or the result does not fit.
    fn decode(&self, level: Level, encoded: &[u8], values: &mut [u8]) -> Option<usize>;
}

/// Two loops in source form. Their functions must be `#[inline(always)]`: that compiles them for
/// the level of the function around them.
trait Loops: Send + Sync {
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize>;
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize>;
}

struct Encode<'a, L>(&'a L);
impl<L: Loops> Loop for Encode<'_, L> {
    #[inline(always)]
    fn run(self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        Loops::encode(self.0, values, encoded)
    }
}

struct Decode<'a, L>(&'a L);
impl<L: Loops> Loop for Decode<'_, L> {
    #[inline(always)]
    fn run(self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        Loops::decode(self.0, encoded, values)
    }
}

impl<L: Loops> Plain for L {
    fn encode(&self, level: Level, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        level.run(Encode(self), values, encoded)
    }

    fn decode(&self, level: Level, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        level.run(Decode(self), encoded, values)
    }
}
