//! The compact protocol: varints, and field ids as differences.

mod format;
mod outline;
mod read;
mod skip;
mod write;

pub use outline::Outlines;
pub use read::CompactReader;
pub use write::CompactWriter;

use crate::input::Input;
use crate::layout::LayoutReader;
use crate::output::Output;
use crate::protocol::{Protocol, WriteLimits};
use crate::unknown::Encoding;
use crate::{Limits, Type};
use bytelane::Reserved;
use std::marker::PhantomData;

/// The compact protocol. Lists of numbers are copied as a whole.
///
/// There are two dialects, [`Apache`]'s and [`Fbthrift`]'s, which differ in doubles and in the
/// meaning of type 13. [`FbthriftCompact`] is short for the second.
///
/// Source: [Thrift compact protocol encoding](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
#[derive(Clone, Copy, Debug, Default)]
pub struct Compact<D = Apache>(PhantomData<fn() -> D>);

/// The compact protocol of fbthrift.
pub type FbthriftCompact = Compact<Fbthrift>;

/// The compact protocol as Apache Thrift writes it: doubles are little-endian, type 13 is `uuid`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Apache;

/// The compact protocol as fbthrift writes it: doubles are big-endian, type 13 is `float`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fbthrift;

/// Differences between the dialects of [`Compact`].
pub trait Dialect: Copy + std::fmt::Debug + Default {
    /// True if doubles are big-endian.
    const BIG_ENDIAN: bool;
    /// Type 13.
    const TYPE_13: Type;
    /// Encoding of its bytes.
    #[doc(hidden)]
    const ENCODING: Encoding;
}

impl Dialect for Apache {
    const BIG_ENDIAN: bool = false;
    const TYPE_13: Type = Type::Uuid;
    const ENCODING: Encoding = Encoding::Compact;
}

impl Dialect for Fbthrift {
    const BIG_ENDIAN: bool = true;
    const TYPE_13: Type = Type::Float;
    const ENCODING: Encoding = Encoding::FbthriftCompact;
}

impl<D: Dialect> Protocol for Compact<D> {
    type Writer<O: Output> = CompactWriter<O, D>;
    type Reader<'de> = CompactReader<'de, D>;
    type Buffer = Reserved;

    #[inline]
    fn writer<O: Output>(output: O, limits: &Limits) -> Self::Writer<O> {
        CompactWriter::new(output, WriteLimits::new(limits))
    }

    #[inline]
    fn reader(input: Input<'_>) -> Self::Reader<'_> {
        LayoutReader::new(input)
    }
}
