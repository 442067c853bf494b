//! Keys of encrypted files.

use crate::{Problem, Result};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// AES key of 16, 24 or 32 bytes. Its memory is cleared when it is dropped, and `Debug` does not show it.
#[derive(Clone)]
pub struct Key(Zeroizing<Vec<u8>>);

impl Key {
    /// Wraps the bytes of a key.
    ///
    /// # Errors
    ///
    /// [`Problem::Option`] for another length.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let bytes = Zeroizing::new(bytes.into());
        match bytes.len() {
            16 | 24 | 32 => Ok(Self(bytes)),
            length => {
                let problem =
                    format!("an AES key has 16, 24 or 32 bytes, but this one has {length}");
                Err(Problem::Option(problem).into())
            }
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Finds a key by its metadata.
type Retriever = dyn Fn(&[u8]) -> Result<Option<Key>> + Send + Sync;

/// Keys to read encrypted files with, and what is expected of the files.
///
/// Without any key, the unencrypted columns of a file with a plaintext footer can be read.
///
/// ```
/// use bytelane_parquet::{DecryptionKeys, Key};
///
/// let keys = DecryptionKeys::default()
///     .with_footer_key(Key::new(*b"0123456789012345")?)
///     .with_column_key("customer.name", Key::new(*b"1234567890123450")?);
/// assert!(!format!("{keys:?}").contains("0123"));
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct DecryptionKeys {
    footer: Option<Key>,
    columns: BTreeMap<String, Key>,
    retriever: Option<Arc<Retriever>>,
    aad_prefix: Option<Vec<u8>>,
    accepts_plain_files: bool,
}

impl DecryptionKeys {
    /// Sets the key of the footer, and of the columns that have no key of their own.
    #[must_use]
    pub fn with_footer_key(mut self, key: Key) -> Self {
        self.footer = Some(key);
        self
    }

    /// Adds the key of the column with this path, or of all columns in this group.
    #[must_use]
    pub fn with_column_key(mut self, path: impl Into<String>, key: Key) -> Self {
        self.columns.insert(path.into(), key);
        self
    }

    /// Sets a function that finds keys by their metadata, which a file stores beside what they encrypt. It is asked for
    /// keys that are not given, and returns `None` for a key that it does not have.
    #[must_use]
    pub fn with_key_retriever(
        mut self,
        retriever: impl Fn(&[u8]) -> Result<Option<Key>> + Send + Sync + 'static,
    ) -> Self {
        self.retriever = Some(Arc::new(retriever));
        self
    }

    /// Sets the AAD prefix that a file must have been encrypted with. By default, the one that it stores is used.
    #[must_use]
    pub fn with_aad_prefix(mut self, prefix: impl Into<Vec<u8>>) -> Self {
        self.aad_prefix = Some(prefix.into());
        self
    }

    /// Sets whether files that are not encrypted are accepted; they are not by default, because somebody may have replaced
    /// an encrypted file with one.
    #[must_use]
    pub fn with_plain_files(mut self, accepted: bool) -> Self {
        self.accepts_plain_files = accepted;
        self
    }

    pub(super) fn aad_prefix(&self) -> Option<&[u8]> {
        self.aad_prefix.as_deref()
    }

    pub(super) fn accepts_plain_files(&self) -> bool {
        self.accepts_plain_files
    }

    /// Returns the key of the footer, if it is known.
    pub(super) fn footer_key(&self, metadata: Option<&[u8]>) -> Result<Option<Key>> {
        match &self.footer {
            Some(key) => Ok(Some(key.clone())),
            None => self.retrieved(metadata),
        }
    }

    /// Returns the key of a column, if it is known: the one of its path, or of the innermost group.
    pub(super) fn column_key(&self, path: &str, metadata: Option<&[u8]>) -> Result<Option<Key>> {
        let ends = path.match_indices('.').map(|(end, _)| end);
        let paths = std::iter::once(path.len()).chain(ends.rev());
        let found = paths
            .map(|end| &path[..end])
            .find_map(|it| self.columns.get(it));
        match found {
            Some(key) => Ok(Some(key.clone())),
            None => self.retrieved(metadata),
        }
    }

    fn retrieved(&self, metadata: Option<&[u8]>) -> Result<Option<Key>> {
        let retriever = self.retriever.as_ref().zip(metadata);
        retriever.map_or(Ok(None), |(find, metadata)| find(metadata))
    }
}

impl fmt::Debug for DecryptionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecryptionKeys").finish_non_exhaustive()
    }
}
