//! Decodes and encodes data pages: their values and levels.

mod byte_array;
mod codec;
mod deltas;
mod edit;
mod encode;
mod gather;
mod header;
mod levels;
mod numbers;
mod parts;
mod snappy;
mod symbols;
mod uncoded;
mod values;

pub use codec::{Compressor, Decompressor, check_promise, codec_in_parquet};
pub use edit::{PageEditor, null_page, set_sizes};
pub use encode::{
    Definition, DenseValues, DictionaryBuilder, EncodedPage, PageEncoder, PageValues, Pieces,
    Repetition, SlotLevels,
};
pub use gather::{Gathered, PageGatherer, PageRows};
pub use header::{
    AnyPage, DataPage, LevelLayout, PageKind, ValueEncoding, checksum, read as read_header,
};
pub use levels::{LeafLevels, PageLevels, Validity, bits_from, first_level, left_of_runs};
pub use numbers::{NumberBits, NumberPages};
pub use parts::{LevelBytes, Opener, Parts, check_size};
pub use symbols::SymbolEncoder;
pub use uncoded::{CodeReplacer, Replaced};
pub use values::{ArrayDecoder, Test, TestDecoder, decoder_of, keys_decoder_of};
