//! Decodes the values of pages into arrays, with one decoder for each kind of column.

pub(super) mod alp;
mod array_decoder;
mod boolean;
mod decoder;
mod fixed;
mod indexed;
mod keys;
mod null;
mod tested;
mod value_decoder;

pub use array_decoder::ArrayDecoder;
pub(super) use array_decoder::Slots;
pub use decoder::{decoder_of, keys_decoder_of};
pub use tested::{Test, TestDecoder};
