//! Opens the footer of an encrypted file, and shows it as that of a plain one.

use super::aad::{ChunkOrdinals, Identity, Module, decryption};
use super::cipher::{Cipher, SEALED, SIGNATURE, module_length};
use super::keys::{DecryptionKeys, Key};
use super::opener::Opener;
use super::pages::{Known, SealedPages};
use super::region::{Lock, Part, Region};
use crate::caller::Setting;
use crate::format::{
    self, ColumnChunk, ColumnCryptoMetaData, ColumnMetaData, CompressionCodec, Encoded, Encoding,
    FileCryptoMetaData, FileMetaData, MAGIC, PhysicalType, SealedColumnChunk, decode,
    decode_prefix, encode_footer, footer_range, key_metadata, tail_start,
};
use crate::input::bytes_at;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Opens the footer of a file. Returns the parts to show in another form, in the order of their offsets, and the number of
/// bytes to show; `None` if the file is not encrypted.
pub(super) fn open(
    input: &impl ChunkReader,
    keys: &DecryptionKeys,
) -> Result<Option<(Vec<Region>, u64)>> {
    let length = input.len();
    let tail = bytes_at(input, tail_start(length)?..length)?;
    let (range, is_encrypted) = footer_range(length, &tail)?;
    let bytes = bytes_at(input, range.clone())?;
    let footer = if is_encrypted {
        Some(Footer::of_encrypted(&bytes, keys)?)
    } else {
        Footer::of_signed(&bytes, keys)?
    };
    footer
        .map(|footer| footer.shown(input, keys, range.start))
        .transpose()
}

/// Footer of an encrypted file.
struct Footer {
    file: FileMetaData,
    identity: Arc<Identity>,
    /// Key of the footer and of columns without a key of their own.
    cipher: Option<Arc<Cipher>>,
}

impl Footer {
    fn of_encrypted(bytes: &Bytes, keys: &DecryptionKeys) -> Result<Self> {
        let (crypto, length) =
            decode_prefix::<FileCryptoMetaData>(bytes).map_err(format::damaged)?;
        let metadata = crypto.key_metadata.as_deref();
        let key = keys.footer_key(metadata)?;
        let key = key.ok_or_else(|| decryption(missing("of the footer", metadata)))?;
        let identity = Identity::new(crypto.encryption_algorithm, keys.aad_prefix())?;
        let cipher = Cipher::new(&key)?;
        let opened = cipher.open(&bytes[length..], &identity.of_footer());
        let opened = opened.ok_or_else(|| {
            decryption("the footer cannot be decrypted: its key or the AAD prefix is wrong, or the file was changed")
        })?;
        Ok(Self {
            file: decode(&opened.into())?,
            identity: Arc::new(identity),
            cipher: Some(Arc::new(cipher)),
        })
    }

    /// Checks the signature of a plaintext footer if its key is known. Returns `None` if the file is not encrypted.
    fn of_signed(bytes: &Bytes, keys: &DecryptionKeys) -> Result<Option<Self>> {
        let (file, length) = decode_prefix::<FileMetaData>(bytes).map_err(format::damaged)?;
        let Some(algorithm) = &file.encryption_algorithm else {
            return Ok(None);
        };
        let identity = Identity::new(algorithm.decode()?, keys.aad_prefix())?;
        let key = keys.footer_key(file.footer_signing_key_metadata.as_deref())?;
        let cipher = key.map(|key| Cipher::new(&key)).transpose()?;
        let (text, rest) = bytes.split_at(length);
        let is_signed = |cipher: &Cipher| {
            let signature = rest.get(..SIGNATURE);
            signature.is_some_and(|it| cipher.has_signed(text, it, &identity.of_footer()))
        };
        if cipher.as_ref().is_some_and(|cipher| !is_signed(cipher)) {
            return Err(decryption(
                "the footer does not match its signature: its key or the AAD prefix is wrong, or the file was changed",
            ));
        }
        Ok(Some(Self {
            file,
            identity: Arc::new(identity),
            cipher: cipher.map(Arc::new),
        }))
    }

    /// Returns the regions of the file, whose footer begins at this offset, and the number of bytes to show.
    fn shown(
        self,
        input: &impl ChunkReader,
        keys: &DecryptionKeys,
        start: u64,
    ) -> Result<(Vec<Region>, u64)> {
        let Self {
            mut file,
            identity,
            cipher,
        } = self;
        let leaves = file
            .schema
            .iter()
            .filter_map(|it| it.physical_type)
            .collect();
        let mut chunks = Chunks {
            input,
            keys,
            identity,
            footer: cipher,
            ciphers: HashMap::new(),
            leaves,
            regions: vec![region(0..MAGIC.len() as u64, Part::Magic)],
            end: start,
        };
        for (index, group) in file.row_groups.iter_mut().enumerate() {
            let row_group = group.ordinal.or_else(|| i16::try_from(index).ok());
            for (column, chunk) in group.columns.iter_mut().enumerate() {
                let column = i16::try_from(column).ok();
                let ordinals = row_group
                    .zip(column)
                    .filter(|(row_group, _)| *row_group >= 0);
                let (row_group, column) = ordinals.ok_or_else(|| {
                    Error::corrupt("an encrypted file has more than 32,768 row groups or columns")
                })?;
                let sealed = chunk.decode_part()?;
                let ordinals = ChunkOrdinals { row_group, column };
                *chunk = Encoded::new(&chunks.shown(sealed, ordinals, group.num_rows)?)?;
            }
        }
        let Chunks {
            mut regions, end, ..
        } = chunks;
        file.encryption_algorithm = None;
        file.footer_signing_key_metadata = None;
        let tail = encode_footer(&file)?;
        let length = end + tail.len() as u64;
        regions.push(region(end..length, Part::Tail(tail.into())));
        regions.sort_by_key(|it| it.range.start);
        Ok((regions, length))
    }
}

/// Key of a column, or why it is missing.
type Found = std::result::Result<Arc<Cipher>, String>;

/// Opens the metadata of column chunks.
struct Chunks<'a, R> {
    input: &'a R,
    keys: &'a DecryptionKeys,
    identity: Arc<Identity>,
    footer: Option<Arc<Cipher>>,
    /// Keys by the path of a column and the metadata of its key.
    ciphers: HashMap<(Arc<str>, Option<Bytes>), Found>,
    /// Types of the columns.
    leaves: Vec<PhysicalType>,
    regions: Vec<Region>,
    /// End of what is shown before the footer.
    end: u64,
}

impl<R: ChunkReader> Chunks<'_, R> {
    /// Returns a chunk as that of a plain file, with the same offsets.
    fn shown(
        &mut self,
        sealed: SealedColumnChunk,
        ordinals: ChunkOrdinals,
        rows: i64,
    ) -> Result<ColumnChunk> {
        let Some(crypto) = &sealed.crypto_metadata else {
            let metadata = sealed.meta_data.clone();
            let metadata = metadata.ok_or_else(|| Error::corrupt("a column without metadata"))?;
            return Ok(plain(sealed, metadata));
        };
        let column = path(crypto, &sealed, ordinals)?;
        let opened = match self.cipher(crypto, &column) {
            Err(problem) => Err(problem),
            Ok(cipher) => {
                let opener = Opener {
                    cipher,
                    identity: Arc::clone(&self.identity),
                    ordinals,
                    column: Arc::clone(&column),
                };
                match metadata(&sealed, &opener) {
                    Ok(metadata) => Ok((opener, metadata)),
                    Err(error) => Err(error.problem().to_string()),
                }
            }
        };
        match opened {
            Ok((opener, metadata)) => Ok(self.opened(plain(sealed, metadata), opener)),
            Err(problem) => {
                let row_group = ordinals.row_group as usize;
                let lock = Lock {
                    problem,
                    column,
                    row_group,
                };
                let leaf = self.leaves.get(ordinals.column as usize).copied();
                self.locked(sealed, lock, leaf, rows)
            }
        }
    }

    /// Returns the key of a column, or why there is none.
    fn cipher(&mut self, crypto: &ColumnCryptoMetaData, column: &Arc<str>) -> Found {
        let metadata = match crypto {
            ColumnCryptoMetaData::EncryptionWithColumnKey(key) => key.key_metadata.clone(),
            ColumnCryptoMetaData::EncryptionWithFooterKey(_) => {
                let footer = self.footer.clone();
                return footer
                    .ok_or_else(|| missing("of the footer, which is that of the column,", None));
            }
            ColumnCryptoMetaData::Unknown(_) => {
                return Err("the column is encrypted in an unknown way".to_owned());
            }
        };
        let keys = self.keys;
        let place = (Arc::clone(column), metadata);
        let found = self
            .ciphers
            .entry(place)
            .or_insert_with_key(|(column, metadata)| {
                let metadata = metadata.as_deref();
                let found = keys
                    .column_key(column, metadata)
                    .and_then(|key: Option<Key>| {
                        let key =
                            key.ok_or_else(|| decryption(missing("of the column", metadata)))?;
                        Cipher::new(&key).map(Arc::new)
                    });
                found.map_err(|error| error.to_string())
            });
        found.clone()
    }

    /// Adds the regions of a chunk that can be read.
    fn opened(&mut self, mut chunk: ColumnChunk, opener: Opener) -> ColumnChunk {
        let column_index = self.index(
            chunk.column_index_offset,
            &mut chunk.column_index_length,
            Part::Index(opener.clone(), Module::ColumnIndex),
        );
        if column_index.is_none() {
            chunk.column_index_offset = None;
        }
        let offset_index = self.index(
            chunk.offset_index_offset,
            &mut chunk.offset_index_length,
            Part::Index(opener.clone(), Module::OffsetIndex),
        );
        if offset_index.is_none() {
            chunk.offset_index_offset = None;
        }
        let metadata = &mut chunk.meta_data;
        if metadata.bloom_filter_length.is_none() {
            metadata.bloom_filter_length = self.filter_length(metadata.bloom_filter_offset);
        }
        let filter = placed(metadata.bloom_filter_offset, metadata.bloom_filter_length);
        match filter {
            Some(range) => {
                self.regions
                    .push(region(range, Part::BloomFilter(opener.clone())));
            }
            None => metadata.bloom_filter_offset = None,
        }
        if let Some(range) = pages(metadata) {
            let pages = SealedPages {
                has_dictionary: metadata.dictionary_page_offset.is_some_and(|it| it > 0),
                opener,
                range: range.clone(),
                offset_index,
                known: Known::default().into(),
            };
            self.regions.push(region(range, Part::Pages(pages)));
        }
        chunk
    }

    /// Adds the region of an index, and changes its length to the shown one.
    fn index(
        &mut self,
        offset: Option<i64>,
        length: &mut Option<i32>,
        part: Part,
    ) -> Option<Range<u64>> {
        let range = placed(offset, *length);
        *length = length.and_then(|it| it.checked_sub(SEALED as i32));
        let range = range.filter(|_| length.is_some_and(|it| it > 0))?;
        self.regions.push(region(range.clone(), part));
        Some(range)
    }

    /// Returns the number of stored bytes of a Bloom filter, which old writers do not store.
    fn filter_length(&self, offset: Option<i64>) -> Option<i32> {
        let start = u64::try_from(offset?).ok().filter(|start| *start > 0)?;
        let length = |at: u64| {
            let bytes = bytes_at(self.input, at..at.checked_add(4)?).ok()?;
            module_length(&bytes).map(|it| it as u64)
        };
        let header = length(start)?;
        let bitset = length(start.checked_add(header)?)?;
        i32::try_from(header + bitset).ok()
    }

    /// Returns a chunk without a key. Reading its pages will be an error.
    fn locked(
        &mut self,
        sealed: SealedColumnChunk,
        lock: Lock,
        leaf: Option<PhysicalType>,
        rows: i64,
    ) -> Result<ColumnChunk> {
        let metadata = match &sealed.meta_data {
            Some(metadata) => metadata.clone(),
            None => {
                let start = self.end as i64;
                self.end += 1;
                unknown(leaf, &lock.column, start, rows)?
            }
        };
        if let Some(range) = pages(&metadata) {
            self.regions.push(region(range, Part::Locked(lock)));
        }
        let mut chunk = plain(sealed, metadata);
        (chunk.column_index_offset, chunk.column_index_length) = (None, None);
        (chunk.offset_index_offset, chunk.offset_index_length) = (None, None);
        chunk.meta_data.bloom_filter_offset = None;
        Ok(chunk)
    }
}

fn region(range: Range<u64>, part: Part) -> Region {
    Region { range, part }
}

/// Returns the range of a part of a chunk, if the footer has it.
fn placed(offset: Option<i64>, length: Option<i32>) -> Option<Range<u64>> {
    let start = u64::try_from(offset?).ok().filter(|it| *it > 0)?;
    let length = u64::try_from(length?).ok()?;
    Some(start..start + length)
}

/// Returns the path of a column for messages and keys.
fn path(
    crypto: &ColumnCryptoMetaData,
    sealed: &SealedColumnChunk,
    ordinals: ChunkOrdinals,
) -> Result<Arc<str>> {
    let names = match crypto {
        ColumnCryptoMetaData::EncryptionWithColumnKey(key) => Some(key.path_in_schema.clone()),
        _ => {
            let metadata = sealed.meta_data.as_ref();
            let names = metadata.and_then(|it| it.path_in_schema.as_ref());
            names.map(Encoded::decode).transpose()?
        }
    };
    let Some(names) = names else {
        return Ok(ordinals.column.to_string().into());
    };
    let names: Vec<_> = names.iter().map(|it| String::from_utf8_lossy(it)).collect();
    Ok(names.join(".").into())
}

/// Returns the metadata of a chunk, which is encrypted unless the footer's key is that of the chunk, too.
fn metadata(sealed: &SealedColumnChunk, opener: &Opener) -> Result<ColumnMetaData> {
    match (&sealed.encrypted_column_metadata, &sealed.meta_data) {
        (Some(module), _) => decode(&opener.open(Module::ColumnMetaData, None, module)?.into()),
        (None, Some(metadata)) => Ok(metadata.clone()),
        (None, None) => Err(Error::corrupt("an encrypted column without metadata")),
    }
}

/// Returns a chunk as that of a plain file.
fn plain(sealed: SealedColumnChunk, metadata: ColumnMetaData) -> ColumnChunk {
    ColumnChunk {
        file_path: sealed.file_path,
        file_offset: sealed.file_offset,
        meta_data: metadata,
        offset_index_offset: sealed.offset_index_offset,
        offset_index_length: sealed.offset_index_length,
        column_index_offset: sealed.column_index_offset,
        column_index_length: sealed.column_index_length,
        crypto_metadata: None,
        encrypted_column_metadata: None,
        unknown_fields: sealed.unknown_fields,
    }
}

/// Returns the range of a chunk's pages; `None` if it cannot be right, which other code reports.
fn pages(metadata: &ColumnMetaData) -> Option<Range<u64>> {
    let offsets = [
        Some(metadata.data_page_offset),
        metadata.dictionary_page_offset,
    ];
    let start = offsets.into_iter().flatten().filter(|it| *it > 0).min()?;
    let start = u64::try_from(start).ok()?;
    let length = u64::try_from(metadata.total_compressed_size).ok()?;
    Some(start..start.checked_add(length)?)
}

/// Returns metadata of a chunk about which nothing is known, with a single byte of pages.
fn unknown(
    leaf: Option<PhysicalType>,
    column: &str,
    start: i64,
    rows: i64,
) -> Result<ColumnMetaData> {
    let leaf =
        leaf.ok_or_else(|| Error::corrupt("a row group has more columns than the schema"))?;
    let names = column.split('.').map(|it| Bytes::from(it.to_owned()));
    Ok(ColumnMetaData {
        physical_type: leaf,
        encodings: Encoded::new(&vec![Encoding::Plain])?,
        path_in_schema: Some(Encoded::new(&names.collect::<Vec<_>>())?),
        codec: CompressionCodec::Uncompressed,
        num_values: rows,
        total_uncompressed_size: 1,
        total_compressed_size: 1,
        data_page_offset: start,
        ..Default::default()
    })
}

/// Returns a message about a missing key.
fn missing(whose: &str, metadata: Option<&[u8]>) -> String {
    let (metadata, keys) = (key_metadata(metadata), Setting::DecryptionKeys);
    format!("the key {whose} is missing{metadata}; {keys} gives keys")
}
