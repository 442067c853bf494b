//! Replaces pages in FSST, for work that moves pages between chunks, each of which has symbols of its own.

use super::byte_array::codes;
use super::codec::Compressor;
use super::header::{DataPage, LevelLayout, PageKind, ValueEncoding, checksum, read};
use super::parts::Opener;
use super::symbols::Symbols;
use crate::budget::Budget;
use crate::format::{self, Encoding, PageHeader};
use crate::{Error, Problem, Result};
use bytelane::Detected;
use bytes::Bytes;
use parquet::basic::{Compression, CompressionCodec};
use parquet::schema::types::ColumnDescriptor;

/// Replaces the pages of one chunk, from the first to the last, by pages in DELTA_LENGTH_BYTE_ARRAY.
pub struct CodeReplacer {
    opener: Opener,
    compressor: Compressor,
    budget: Budget,
    symbols: Option<Symbols>,
}

/// Fate of a page.
pub enum Replaced {
    /// The page has no codes, and stays.
    Unchanged,
    /// The page has symbols, which no other page needs any more.
    Dropped,
    /// The new page, with its header.
    New(Bytes),
}

impl CodeReplacer {
    /// Replaces pages of a chunk, with a decompressed size of up to `most` bytes.
    pub fn new(
        compression: Compression,
        column: &ColumnDescriptor,
        most: u64,
        budget: &Budget,
    ) -> Result<Self> {
        let codec = CompressionCodec::from(compression);
        Ok(Self {
            opener: Opener::new(codec, column, most, budget)?,
            compressor: Compressor::new(compression)?,
            budget: budget.clone(),
            symbols: None,
        })
    }

    /// Replaces the next page. `body` are the bytes after its header.
    pub fn replace(&mut self, header: &PageHeader, body: &Bytes) -> Result<Replaced> {
        let page = read(header)?;
        match page.kind {
            PageKind::Symbols(kind) => {
                page.check(body)?;
                self.symbols = Some(self.opener.open_symbols(&kind, body.clone())?);
                Ok(Replaced::Dropped)
            }
            PageKind::Data(data) if data.encoding == ValueEncoding::Fsst => {
                page.check(body)?;
                self.strings(header, &data, body).map(Replaced::New)
            }
            _ => Ok(Replaced::Unchanged),
        }
    }

    fn strings(&mut self, header: &PageHeader, page: &DataPage, body: &Bytes) -> Result<Bytes> {
        let (
            Some(two),
            LevelLayout::Before {
                repetition,
                definition,
                ..
            },
        ) = (&header.data_page_header_v2, page.levels)
        else {
            let problem = "a page in FSST of version 1, which the format does not have";
            return Err(Problem::Unsupported(problem.to_owned()).into());
        };
        let Some(symbols) = &self.symbols else {
            return Err(codes::no_symbols());
        };
        let parts = self.opener.open(page, body.clone())?;
        let valid = page.slots.checked_sub(page.nulls.unwrap_or(0));
        let valid = valid.ok_or_else(|| Error::corrupt("a page with more nulls than values"))?;
        let memory = self.budget.reservation();
        let mut plain = Vec::new();
        codes::replaced(
            Detected::active(),
            symbols,
            &parts.values,
            valid,
            &memory,
            &mut plain,
        )?;
        let mut new = body[..repetition + definition].to_vec();
        let levels = new.len();
        self.compressor.append(&plain, &mut new)?;
        let is_compressed = new.len() < levels + plain.len();
        if !is_compressed {
            new.truncate(levels);
            new.extend_from_slice(&plain);
        }
        let size = |bytes: usize| {
            i32::try_from(bytes).map_err(|_| Error::corrupt("a page of more than 2 GiB"))
        };
        let mut two = two.clone();
        two.encoding = Encoding::DeltaLengthByteArray;
        two.is_compressed = Some(is_compressed);
        let header = format::encode(&PageHeader {
            uncompressed_page_size: size(levels + plain.len())?,
            compressed_page_size: size(new.len())?,
            crc: header.crc.map(|_| checksum([&new[..]]).cast_signed()),
            data_page_header_v2: Some(two),
            ..header.clone()
        })?;
        Ok([header, new].concat().into())
    }
}
