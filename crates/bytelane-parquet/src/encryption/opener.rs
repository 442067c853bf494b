//! Opens the modules of a column chunk.

use super::aad::{ChunkOrdinals, Identity, Module, decryption};
use super::cipher::Cipher;
use crate::{Error, Result};
use std::sync::Arc;

/// Key of a column chunk, and its place.
#[derive(Clone, Debug)]
pub(super) struct Opener {
    pub(super) cipher: Arc<Cipher>,
    pub(super) identity: Arc<Identity>,
    pub(super) ordinals: ChunkOrdinals,
    pub(super) column: Arc<str>,
}

impl Opener {
    /// Returns the contents of an authenticated module.
    pub(super) fn open(&self, module: Module, page: Option<i16>, sealed: &[u8]) -> Result<Vec<u8>> {
        let aad = self.identity.of(module, self.ordinals, page);
        self.checked(module, page, self.cipher.open(sealed, &aad))
    }

    /// Returns the contents of a page.
    pub(super) fn open_page(
        &self,
        module: Module,
        page: Option<i16>,
        sealed: &[u8],
    ) -> Result<Vec<u8>> {
        if self.identity.has_page_tags {
            return self.open(module, page, sealed);
        }
        self.checked(module, page, self.cipher.open_untagged(sealed))
    }

    fn checked(
        &self,
        module: Module,
        page: Option<i16>,
        opened: Option<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        opened.ok_or_else(|| {
            let error = decryption(format!(
                "the {} cannot be decrypted: the key is wrong, or the file was changed",
                module.name()
            ));
            let error = page
                .map(|page| page as usize)
                .into_iter()
                .fold(error, Error::in_page);
            self.located(error)
        })
    }

    /// Adds the column and the row group to an error.
    pub(super) fn located(&self, error: Error) -> Error {
        error
            .in_column(&self.column)
            .in_row_group(self.ordinals.row_group as usize)
    }
}
