//! How to encrypt a file.

use super::keys::Key;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Algorithm of an encrypted file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum EncryptionAlgorithm {
    /// AES_GCM_V1: everything is authenticated.
    #[default]
    AesGcm,
    /// AES_GCM_CTR_V1: pages are not authenticated, but everything else is.
    AesGcmCtr,
}

/// Key, and what a reader finds it by.
#[derive(Clone)]
pub(super) struct NamedKey {
    pub(super) key: Key,
    pub(super) metadata: Option<Vec<u8>>,
}

/// Keys to encrypt a file with. All columns are encrypted, those without a key of their own with that of the footer.
///
/// ```
/// use bytelane_parquet::{EncryptionKeys, Key};
///
/// let keys = EncryptionKeys::new(Key::new(*b"0123456789012345")?)
///     .with_footer_key_metadata("kf")
///     .with_column_key("customer.name", Key::new(*b"1234567890123450")?)
///     .with_plain_column("id");
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone)]
pub struct EncryptionKeys {
    pub(super) footer: NamedKey,
    pub(super) columns: BTreeMap<String, NamedKey>,
    pub(super) plain_columns: BTreeSet<String>,
    pub(super) aad_prefix: Option<Vec<u8>>,
    pub(super) hides_aad_prefix: bool,
    pub(super) algorithm: EncryptionAlgorithm,
    pub(super) has_plaintext_footer: bool,
}

impl EncryptionKeys {
    /// Encrypts the footer and all columns with this key.
    #[must_use]
    pub fn new(footer_key: Key) -> Self {
        Self {
            footer: NamedKey {
                key: footer_key,
                metadata: None,
            },
            columns: BTreeMap::new(),
            plain_columns: BTreeSet::new(),
            aad_prefix: None,
            hides_aad_prefix: false,
            algorithm: EncryptionAlgorithm::default(),
            has_plaintext_footer: false,
        }
    }

    /// Stores metadata by which readers find the key of the footer.
    #[must_use]
    pub fn with_footer_key_metadata(mut self, metadata: impl Into<Vec<u8>>) -> Self {
        self.footer.metadata = Some(metadata.into());
        self
    }

    /// Encrypts the column with this path, or all columns in this group, with another key.
    #[must_use]
    pub fn with_column_key(mut self, path: impl Into<String>, key: Key) -> Self {
        let metadata = None;
        self.columns.insert(path.into(), NamedKey { key, metadata });
        self
    }

    /// Does the same, and stores metadata by which readers find the key.
    #[must_use]
    pub fn with_named_column_key(
        mut self,
        path: impl Into<String>,
        key: Key,
        metadata: impl Into<Vec<u8>>,
    ) -> Self {
        let metadata = Some(metadata.into());
        self.columns.insert(path.into(), NamedKey { key, metadata });
        self
    }

    /// Leaves the column with this path, or all columns in this group, unencrypted.
    #[must_use]
    pub fn with_plain_column(mut self, path: impl Into<String>) -> Self {
        self.plain_columns.insert(path.into());
        self
    }

    /// Ties the file to a prefix of the authenticated data, such as the name of a table and a date. Unless it is stored, readers
    /// must know it.
    #[must_use]
    pub fn with_aad_prefix(mut self, prefix: impl Into<Vec<u8>>, is_stored: bool) -> Self {
        self.aad_prefix = Some(prefix.into());
        self.hides_aad_prefix = !is_stored;
        self
    }

    /// Sets the algorithm; AES_GCM_V1 by default.
    #[must_use]
    pub fn with_algorithm(mut self, algorithm: EncryptionAlgorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Sets whether the footer is signed instead of encrypted: readers without keys see the schema, the number of rows and the
    /// metadata, and can read columns that are not encrypted.
    #[must_use]
    pub fn with_plaintext_footer(mut self, is_plaintext: bool) -> Self {
        self.has_plaintext_footer = is_plaintext;
        self
    }
}

/// Shows no keys.
impl fmt::Debug for EncryptionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptionKeys")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}
