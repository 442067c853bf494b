//! Decodes and encodes data pages: their values and levels.

mod byte_array;
mod codec;
mod edit;
mod encode;
mod gather;
mod header;
mod levels;
mod numbers;
mod parts;
mod snappy;
mod values;

pub(crate) use codec::{Compressor, Decompressor, check_promise, codec_in_parquet};
pub(crate) use edit::{PageEditor, null_page, set_sizes};
pub(crate) use encode::{
    Definition, DenseValues, DictionaryBuilder, EncodedPage, PageEncoder, PageValues, Pieces,
    Repetition, SlotLevels,
};
pub(crate) use gather::{Gathered, PageGatherer, PageRows};
pub(crate) use header::{
    AnyPage, DataPage, LevelLayout, PageKind, ValueEncoding, checksum, read as read_header,
};
pub(crate) use levels::{LeafLevels, PageLevels, Validity, bits_from, first_level, left_of_runs};
pub(crate) use numbers::{NumberBits, NumberPages};
pub(crate) use parts::{LevelBytes, Opener, Parts, check_size};
pub(crate) use values::{ArrayDecoder, Test, TestDecoder, decoder_of, keys_decoder_of};
