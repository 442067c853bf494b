//! Data pages: their values and levels, decoded and encoded.

mod alp;
mod array_decoder;
mod boolean;
mod byte_array;
mod codec;
mod decoder;
mod empty_runs;
mod encode;
mod fixed;
mod header;
mod levels;
mod null;
mod page_levels;
mod parts;
mod validity;
mod values;

pub(crate) use array_decoder::ArrayDecoder;
pub(crate) use codec::check_promise;
pub(crate) use decoder::decoder_of;
pub(crate) use encode::{PageEncoder, PageValues, dense};
pub(crate) use header::{
    AnyPage, DataPage, LevelLayout, PageKind, ValueEncoding, read as read_header,
};
pub(crate) use page_levels::{LeafLevels, PageLevels, bits_from, first_level};
pub(crate) use parts::{Opener, check_size};
pub(crate) use validity::Validity;
