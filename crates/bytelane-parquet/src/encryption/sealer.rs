//! Encrypts a file as it is written.

use super::aad::{ChunkOrdinals, Identity, Module};
use super::cipher::{Cipher, random};
use super::options::{EncryptionAlgorithm as Algorithm, EncryptionKeys, NamedKey};
use crate::file::{ChunkPlace, Part, Seal};
use crate::format::{
    AesGcmCtrV1, AesGcmV1, ColumnChunk, ColumnCryptoMetaData, ColumnMetaData, ENCRYPTED_MAGIC,
    Encoded, EncryptionAlgorithm, EncryptionWithColumnKey, EncryptionWithFooterKey,
    FileCryptoMetaData, FileMetaData, MAGIC, SealedColumnChunk, encode,
};
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::schema::types::ColumnPath;

/// Number of random bytes that identify a file.
const UNIQUE: usize = 8;

/// Ciphers for a file.
pub(crate) struct Sealer {
    identity: Identity,
    algorithm: EncryptionAlgorithm,
    footer: Cipher,
    footer_metadata: Option<Bytes>,
    has_plaintext_footer: bool,
    columns: Vec<ColumnKey>,
}

/// Key of a column.
enum ColumnKey {
    None,
    Footer,
    Own(Box<Cipher>, EncryptionWithColumnKey),
}

impl Sealer {
    /// Checks that the columns with keys are among those of the file.
    pub(crate) fn new(keys: &EncryptionKeys, columns: &[&ColumnPath]) -> Result<Self> {
        let paths: Vec<String> = columns.iter().map(|it| it.string()).collect();
        let named = keys.columns.keys().chain(&keys.plain_columns);
        for name in named {
            if !paths.iter().any(|path| is_of(name, path)) {
                return Err(Error::no_such_column(
                    name,
                    paths.iter().map(String::as_str),
                ));
            }
        }
        let algorithm = algorithm(keys)?;
        let expected = keys.aad_prefix.as_deref().filter(|_| keys.hides_aad_prefix);
        let own = columns
            .iter()
            .zip(&paths)
            .map(|(column, path)| column_key(keys, column, path));
        Ok(Self {
            identity: Identity::new(algorithm.clone(), expected)?,
            algorithm,
            footer: Cipher::new(&keys.footer.key)?,
            footer_metadata: keys.footer.metadata.clone().map(Bytes::from),
            has_plaintext_footer: keys.has_plaintext_footer,
            columns: own.collect::<Result<_>>()?,
        })
    }

    fn cipher(&self, column: usize) -> Option<&Cipher> {
        match &self.columns[column] {
            ColumnKey::None => None,
            ColumnKey::Footer => Some(&self.footer),
            ColumnKey::Own(cipher, _) => Some(cipher),
        }
    }

    fn sealed(
        &self,
        module: Module,
        page: Option<i16>,
        place: ChunkPlace,
        bytes: &[u8],
    ) -> Result<Vec<u8>> {
        let cipher = self.cipher(place.1).unwrap_or(&self.footer);
        let is_page = matches!(module, Module::DataPage | Module::DictionaryPage);
        if is_page && !self.identity.has_page_tags {
            return cipher.seal_untagged(bytes);
        }
        cipher.seal(bytes, &self.identity.of(module, ordinals(place)?, page))
    }

    /// Returns a chunk as an encrypted file describes it.
    fn described(&self, chunk: ColumnChunk, place: ChunkPlace) -> Result<SealedColumnChunk> {
        let crypto = match &self.columns[place.1] {
            ColumnKey::None => None,
            ColumnKey::Footer => Some(ColumnCryptoMetaData::EncryptionWithFooterKey(
                EncryptionWithFooterKey::default(),
            )),
            ColumnKey::Own(_, key) => {
                Some(ColumnCryptoMetaData::EncryptionWithColumnKey(key.clone()))
            }
        };
        let has_own = matches!(self.columns[place.1], ColumnKey::Own(..));
        let is_hidden = has_own || (crypto.is_some() && self.has_plaintext_footer);
        let encrypted = is_hidden.then(|| {
            let metadata = encode(&chunk.meta_data)?;
            self.sealed(Module::ColumnMetaData, None, place, &metadata)
        });
        let metadata = match (is_hidden, self.has_plaintext_footer) {
            (false, _) => Some(chunk.meta_data),
            (true, true) => Some(without_values(chunk.meta_data)),
            (true, false) => None,
        };
        Ok(SealedColumnChunk {
            file_path: chunk.file_path,
            file_offset: chunk.file_offset,
            meta_data: metadata,
            offset_index_offset: chunk.offset_index_offset,
            offset_index_length: chunk.offset_index_length,
            column_index_offset: chunk.column_index_offset,
            column_index_length: chunk.column_index_length,
            crypto_metadata: crypto,
            encrypted_column_metadata: encrypted.transpose()?.map(Bytes::from),
            unknown_fields: chunk.unknown_fields,
        })
    }
}

impl Seal for Sealer {
    fn magic(&self) -> &'static [u8; 4] {
        if self.has_plaintext_footer {
            MAGIC
        } else {
            ENCRYPTED_MAGIC
        }
    }

    fn seals(&self, column: usize) -> bool {
        self.cipher(column).is_some()
    }

    fn seal(&self, part: Part, chunk: ChunkPlace, bytes: &[u8]) -> Result<Vec<u8>> {
        let (module, page) = match part {
            Part::PageHeader(None) => (Module::DictionaryPageHeader, None),
            Part::PageHeader(page) => (Module::DataPageHeader, page),
            Part::Page(None) => (Module::DictionaryPage, None),
            Part::Page(page) => (Module::DataPage, page),
            Part::ColumnIndex => (Module::ColumnIndex, None),
            Part::OffsetIndex => (Module::OffsetIndex, None),
            Part::BloomFilterHeader => (Module::BloomFilterHeader, None),
            Part::BloomFilterBitset => (Module::BloomFilterBitset, None),
        };
        let page = page.map(i16::try_from).transpose().map_err(|_| {
            too_many("an encrypted column chunk has at most 32,768 pages; write smaller row groups")
        })?;
        self.sealed(module, page, chunk, bytes)
    }

    fn tail(&self, mut footer: FileMetaData) -> Result<Vec<u8>> {
        for (row_group, group) in footer.row_groups.iter_mut().enumerate() {
            for (column, chunk) in group.columns.iter_mut().enumerate() {
                let described = self.described(chunk.decode()?, (row_group, column))?;
                *chunk = Encoded::of_bytes(encode(&described)?.into());
            }
            group.ordinal = Some(ordinals((row_group, 0))?.row_group);
        }
        let aad = self.identity.of_footer();
        let mut bytes = if self.has_plaintext_footer {
            footer.encryption_algorithm = Some(Encoded::new(&self.algorithm)?);
            footer.footer_signing_key_metadata = self.footer_metadata.clone();
            let mut bytes = encode(&footer)?;
            let signature = self.footer.sign(&bytes, &aad)?;
            bytes.extend(signature);
            bytes
        } else {
            let mut bytes = encode(&FileCryptoMetaData {
                encryption_algorithm: self.algorithm.clone(),
                key_metadata: self.footer_metadata.clone(),
                ..Default::default()
            })?;
            bytes.extend(self.footer.seal(&encode(&footer)?, &aad)?);
            bytes
        };
        let length = u32::try_from(bytes.len());
        let length = length.map_err(|_| too_many("the footer is larger than 4 GiB"))?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(self.magic());
        Ok(bytes)
    }
}

fn ordinals((row_group, column): ChunkPlace) -> Result<ChunkOrdinals> {
    match (i16::try_from(row_group), i16::try_from(column)) {
        (Ok(row_group), Ok(column)) => Ok(ChunkOrdinals { row_group, column }),
        _ => Err(too_many(
            "an encrypted file has at most 32,768 row groups and columns",
        )),
    }
}

fn too_many(problem: &str) -> Error {
    Problem::Input(problem.to_owned()).into()
}

/// Returns whether a path is that of a column, or of a group around it.
fn is_of(name: &str, path: &str) -> bool {
    let rest = path.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the longest of these paths that is that of a column, or of a group around it.
fn longest<'a>(names: impl Iterator<Item = &'a String>, path: &str) -> Option<&'a String> {
    names
        .filter(|name| is_of(name, path))
        .max_by_key(|it| it.len())
}

fn column_key(keys: &EncryptionKeys, column: &ColumnPath, path: &str) -> Result<ColumnKey> {
    let own = longest(keys.columns.keys(), path);
    let plain = longest(keys.plain_columns.iter(), path);
    let length = |name: Option<&String>| name.map_or(0, String::len);
    match own {
        Some(own) if length(plain) <= own.len() => {
            let NamedKey { key, metadata } = &keys.columns[own];
            let names = column.parts().iter().map(|it| Bytes::from(it.clone()));
            let described = EncryptionWithColumnKey {
                path_in_schema: names.collect(),
                key_metadata: metadata.clone().map(Bytes::from),
                ..Default::default()
            };
            Ok(ColumnKey::Own(Box::new(Cipher::new(key)?), described))
        }
        _ if plain.is_some() => Ok(ColumnKey::None),
        _ => Ok(ColumnKey::Footer),
    }
}

/// Returns the algorithm of a new file, with random bytes that identify it.
fn algorithm(keys: &EncryptionKeys) -> Result<EncryptionAlgorithm> {
    let unique = random::<UNIQUE>()?.to_vec();
    let stored = keys.aad_prefix.clone().filter(|_| !keys.hides_aad_prefix);
    let (aad_prefix, aad_file_unique) = (stored.map(Bytes::from), Some(Bytes::from(unique)));
    let supply_aad_prefix = keys.hides_aad_prefix.then_some(true);
    Ok(match keys.algorithm {
        Algorithm::AesGcm => EncryptionAlgorithm::AesGcmV1(AesGcmV1 {
            aad_prefix,
            aad_file_unique,
            supply_aad_prefix,
            ..Default::default()
        }),
        Algorithm::AesGcmCtr => EncryptionAlgorithm::AesGcmCtrV1(AesGcmCtrV1 {
            aad_prefix,
            aad_file_unique,
            supply_aad_prefix,
            ..Default::default()
        }),
    })
}

/// Removes everything that tells about values.
fn without_values(metadata: ColumnMetaData) -> ColumnMetaData {
    ColumnMetaData {
        statistics: None,
        size_statistics: None,
        geospatial_statistics: None,
        encoding_stats: None,
        bloom_filter_offset: None,
        bloom_filter_length: None,
        ..metadata
    }
}
