//! Opens pages of indices, until one has values.

use super::super::byte_array::Indices;
use super::super::header::ValueEncoding;
use super::array_decoder::{ArrayDecoder, Slots};
use crate::Result;
use arrow_array::ArrayRef;
use bytelane::Detected;
use bytes::Bytes;

/// Pages of a chunk that should all have indices. From the first page without indices on, `values` decodes
/// them.
pub(super) struct IndexedPages {
    pub(super) backend: Detected,
    /// Decodes the entries of the dictionary, and the pages if one has no indices.
    pub(super) values: Box<dyn ArrayDecoder>,
    pub(super) has_values: bool,
    pub(super) page: Option<Indices>,
}

impl IndexedPages {
    pub(super) fn new(backend: Detected, values: Box<dyn ArrayDecoder>) -> Self {
        Self {
            backend,
            values,
            has_values: false,
            page: None,
        }
    }

    /// Decodes the entries of a dictionary, which `values` already keeps.
    pub(super) fn entries(&mut self, values: Bytes, count: usize) -> Result<ArrayRef> {
        self.values.open_page(ValueEncoding::Plain, values, count)?;
        self.values.append(Slots::Valid(count))?;
        let entries = self.values.finish(None)?;
        self.values.close_page();
        Ok(entries)
    }

    pub(super) fn open(
        &mut self,
        encoding: ValueEncoding,
        values: Bytes,
        valid: usize,
    ) -> Result<()> {
        self.page = None;
        self.has_values |= encoding != ValueEncoding::Dictionary && valid > 0;
        if self.has_values {
            return self.values.open_page(encoding, values, valid);
        }
        if valid > 0 {
            self.page = Some(Indices::open(self.backend, values, valid)?);
        }
        Ok(())
    }

    pub(super) fn close(&mut self) {
        self.page = None;
        self.values.close_page();
    }

    pub(super) fn skip(&mut self, valid: usize) -> Result<()> {
        match &mut self.page {
            Some(page) => page.skip(valid),
            None if self.has_values => self.values.skip(valid),
            None => Ok(()),
        }
    }
}
