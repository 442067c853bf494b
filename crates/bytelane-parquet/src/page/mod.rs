//! Data pages of flat columns of a fixed width.

mod alp;
#[cfg_attr(not(test), expect(dead_code, reason = "no reader uses it yet"))]
mod array_decoder;
#[cfg_attr(not(test), expect(dead_code, reason = "no reader uses it yet"))]
mod byte_array;
mod codec;
mod decode;
mod encode;
mod header;
mod levels;
mod values;

pub(crate) use codec::{Decompressor, check_promise};
pub(crate) use decode::{PageDecoder, Validity};
pub(crate) use encode::{PageEncoder, PageValues, dense};
pub(crate) use header::{PageKind, ValueEncoding, read as read_header};
