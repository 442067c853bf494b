//! Reads and writes encrypted files: <https://github.com/apache/parquet-format/blob/master/Encryption.md>.
//!
//! [`DecryptedFile`] shows an encrypted file as a plain one, in which nearly everything is at the same offset: the header of a
//! page is extended by an unknown field, so that the page takes as many bytes as its two encrypted modules. Only the
//! footer differs. All other code reads such files without knowing of encryption. To write one, [`Sealer`] encrypts the parts of
//! a plain file as they are written.

mod aad;
mod cipher;
mod file;
mod footer;
mod json;
mod keys;
mod opener;
mod options;
mod pages;
mod region;
mod sealer;

pub use file::{DecryptedFile, set_decryption_keys};
pub use keys::{DecryptionKeys, Key};
pub use options::{EncryptionAlgorithm, EncryptionKeys};
pub(crate) use sealer::Sealer;
