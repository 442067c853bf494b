//! Data pages: their values and levels, decoded and encoded.

mod byte_array;
mod codec;
mod encode;
mod header;
mod levels;
mod parts;
mod values;

pub(crate) use codec::check_promise;
pub(crate) use encode::{
    Definition, DenseValues, DictionaryBuilder, EncodedPage, PageEncoder, PageValues, SlotLevels,
};
pub(crate) use header::{
    AnyPage, DataPage, LevelLayout, PageKind, ValueEncoding, read as read_header,
};
pub(crate) use levels::{LeafLevels, PageLevels, Validity, bits_from, first_level};
pub(crate) use parts::{Opener, check_size};
pub(crate) use values::{ArrayDecoder, decoder_of};
