//! Protocols, which write and read the values of a message one after the other.

mod limits;
mod reader;
mod writer;

pub(crate) use limits::WriteLimits;
pub use reader::Reader;
pub use writer::Writer;

use crate::Limits;
use crate::input::Input;
use crate::output::{Buffer, Output};

/// A wire format: [`Binary`](crate::Binary), [`Compact`](crate::Compact), [`Json`](crate::Json) or
/// [`SimpleJson`](crate::SimpleJson).
pub trait Protocol {
    /// Writer of the protocol.
    type Writer<O: Output>: Writer<Output = O>;
    /// Reader of the protocol.
    type Reader<'de>: Reader<'de> + Send;
    /// True if a message is a JSON value, whose end is found without reading what is in it.
    #[doc(hidden)]
    const IS_JSON: bool = false;
    /// Buffer that whole messages are written to.
    #[doc(hidden)]
    type Buffer: Buffer;

    /// Returns the room in bytes to reserve for a message that has about `len` bytes in the binary
    /// protocol: enough for most messages, so that memory is reserved once.
    #[inline]
    #[must_use]
    fn room(len: usize) -> usize {
        len + len / 2 + 64
    }

    /// Starts to write after the existing output.
    fn writer<O: Output>(output: O, limits: &Limits) -> Self::Writer<O>;

    /// Starts to read.
    fn reader(input: Input<'_>) -> Self::Reader<'_>;
}
