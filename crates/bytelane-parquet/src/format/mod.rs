//! Structs of Parquet's metadata, generated from `parquet.thrift`.
//!
//! Fields that a struct does not declare, or declares with another type, are kept in its
//! `unknown_fields` and are written again: rewriting a file loses nothing of its footer. Lists are
//! counted before memory is allocated for them.

#![allow(missing_docs, reason = "the specification describes the structs")]

mod encoded;
mod footer;
#[rustfmt::skip]
mod generated;
mod view;

pub use encoded::Encoded;
pub use footer::{
    ENCRYPTED_MAGIC, MAGIC, TAIL_LENGTH, decode_footer, encode_footer, encrypted_columns,
    encrypted_footer, footer_range, key_metadata, tail_start,
};
pub use generated::*;
pub use view::{
    ChunkView, ElementView, FileView, KeyValueView, NodeView, Placed, RowGroupView, StatisticsView,
};

use crate::{Error, Result};
use bytelane_thrift::{Decode, DecodeOwned, Encode, Input, Limits, Protocol, Reader, Writer};
use bytes::Bytes;

/// Protocol of all metadata in Parquet.
type Parquet = bytelane_thrift::Compact<bytelane_thrift::Apache>;

/// Decodes the struct at the start of `bytes`, whose memory it shares.
///
/// # Errors
///
/// Returns an error if the struct is damaged, or would take more than 256 MiB.
#[inline]
pub fn decode<T: DecodeOwned>(bytes: &Bytes) -> Result<T> {
    let mut reader = Parquet::reader(Input::shared(bytes, Limits::default()));
    T::read(&mut reader).map_err(damaged)
}

/// Decodes the struct at the start of `bytes`, and returns its length, too.
///
/// # Errors
///
/// Returns the errors of [`decode`].
pub fn decode_prefix<T: DecodeOwned>(
    bytes: &Bytes,
) -> std::result::Result<(T, usize), bytelane_thrift::Error> {
    let mut reader = Parquet::reader(Input::shared(bytes, Limits::default()));
    let value = T::read(&mut reader)?;
    Ok((value, reader.finish().offset()))
}

/// Decodes a struct that borrows from `bytes`.
pub(crate) fn decode_part<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<T> {
    let mut reader = Parquet::reader(Input::new(bytes, Limits::default()));
    T::read(&mut reader).map_err(damaged)
}

/// Decodes a struct that borrows from `bytes`. Returns `None` if a field occurs twice, because
/// other programs might read the other one.
#[must_use]
pub fn view<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Option<T> {
    let mut reader = Parquet::reader(Input::new(bytes, Limits::default()));
    let value = T::read(&mut reader).ok()?;
    reader.finish().is_ordered().then_some(value)
}

/// Encodes a struct.
///
/// # Errors
///
/// Returns an error if a string or a list is larger than 2 GiB.
pub fn encode<T: Encode>(value: &T) -> Result<Vec<u8>> {
    let bytes = Vec::with_capacity(value.room());
    let mut writer = Parquet::writer(bytes, &Limits::default());
    value.write(&mut writer).map_err(damaged)?;
    Ok(writer.finish())
}

impl ColumnMetaData {
    /// Returns the offset of the page before the data pages, of dictionary entries or of symbols.
    #[must_use]
    pub fn first_page_offset(&self) -> Option<i64> {
        self.dictionary_page_offset
            .or(self.symbol_table_page_offset)
    }
}

/// Returns the error for a damaged index or struct of the footer.
#[cold]
pub fn damaged(error: bytelane_thrift::Error) -> Error {
    Error::corrupt(format!("the metadata is damaged: {error}"))
}
