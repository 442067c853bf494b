//! Encrypted files as plain ones.

use super::aad::decryption;
use super::footer;
use super::keys::DecryptionKeys;
use super::region::Region;
use crate::Result;
use crate::input::{InputFile, View, bytes_at, set_opening};
use crate::remote::RemoteFile;
use bytes::Bytes;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use std::fmt;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::sync::Arc;

/// Encrypted file that is decrypted as it is read. Clones share it.
///
/// Modules are decrypted each time that they are read. Columns whose key is missing are in the schema, and reading them is
/// an error.
///
/// ```no_run
/// use bytelane_parquet::{DecryptedFile, DecryptionKeys, Key, Reader};
/// # let bytes = bytes::Bytes::new();
///
/// let keys = DecryptionKeys::default().with_footer_key(Key::new(*b"0123456789012345")?);
/// let reader = Reader::builder(DecryptedFile::open(bytes, &keys)?)?.build()?;
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub struct DecryptedFile<T>(Arc<Shared<T>>);

struct Shared<T> {
    input: T,
    /// Parts that are not shown as they are, by their offsets; none in a file that is not encrypted.
    regions: Vec<Region>,
    length: u64,
    remote: Option<Arc<dyn RemoteFile>>,
}

impl<T: ChunkReader> DecryptedFile<T> {
    /// Opens the footer of an encrypted file.
    ///
    /// # Errors
    ///
    /// [`Problem::Decryption`](crate::Problem::Decryption) if the key of the footer is missing or wrong, or if the file is not
    /// encrypted and the keys [do not accept this](DecryptionKeys::with_plain_files);
    /// [`Problem::Corrupt`](crate::Problem::Corrupt) if it is not a Parquet file.
    pub fn open(input: T, keys: &DecryptionKeys) -> Result<Self> {
        Self::of_remote(input, keys, None)
    }

    /// Does the same for an input that is the file of a store, whose ranges can be fetched ahead.
    fn of_remote(
        input: T,
        keys: &DecryptionKeys,
        remote: Option<Arc<dyn RemoteFile>>,
    ) -> Result<Self> {
        let (regions, length) = match footer::open(&input, keys)? {
            Some(opened) => opened,
            None if keys.accepts_plain_files() => (Vec::new(), input.len()),
            None => {
                return Err(decryption(
                    "the file is not encrypted, which the given keys do not accept",
                ));
            }
        };
        Ok(Self(Arc::new(Shared {
            input,
            regions,
            length,
            remote,
        })))
    }

    /// Returns whether the file is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        !self.0.regions.is_empty()
    }
}

impl InputFile {
    /// Shows an encrypted file as a plain one, for all functions that read.
    ///
    /// # Errors
    ///
    /// Same errors as [`DecryptedFile::open`].
    pub fn decrypted(self, keys: &DecryptionKeys) -> Result<Self> {
        let file = DecryptedFile::of_remote(self.clone(), keys, self.remote())?;
        let is_encrypted = file.is_encrypted();
        Ok(if is_encrypted {
            self.viewed(Arc::new(file))
        } else {
            self
        })
    }
}

/// Sets the keys of all files that this process opens by their paths or URLs. Returns false if keys have already been set.
pub fn set_decryption_keys(keys: DecryptionKeys) -> bool {
    set_opening(Box::new(move |file| file.decrypted(&keys)))
}

impl<T: ChunkReader> Shared<T> {
    fn bytes(&self, range: Range<u64>) -> Result<Bytes> {
        let first = self.region_at(range.start);
        if let Some(region) = first.filter(|it| range.end <= it.range.end) {
            return region.read(&self.input, range);
        }
        // Readers of page headers read a little more than a chunk has.
        let (mut shown, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let region = self.region_at(at);
            let end = region.map_or_else(|| self.next_start(at), |it| it.range.end);
            let part = at..end.min(range.end);
            let read = match region {
                Some(region) => region.read(&self.input, part.clone()),
                None => bytes_at(&self.input, part.clone()),
            };
            match read {
                Ok(read) => shown.extend(read),
                Err(_) if at > range.start => shown.resize((part.end - range.start) as usize, 0),
                Err(error) => return Err(error),
            }
            at = part.end;
        }
        Ok(shown.into())
    }

    fn region_at(&self, offset: u64) -> Option<&Region> {
        let before = self.regions.partition_point(|it| it.range.start <= offset);
        let region = &self.regions[before.checked_sub(1)?];
        (offset < region.range.end).then_some(region)
    }

    fn next_start(&self, offset: u64) -> u64 {
        let before = self.regions.partition_point(|it| it.range.start <= offset);
        self.regions
            .get(before)
            .map_or(self.length, |it| it.range.start)
    }
}

impl<T> Clone for DecryptedFile<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Shows nothing of the contents.
impl<T> fmt::Debug for DecryptedFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecryptedFile").finish_non_exhaustive()
    }
}

impl<T: ChunkReader> Length for DecryptedFile<T> {
    fn len(&self) -> u64 {
        self.0.length
    }
}

impl<T: ChunkReader> ChunkReader for DecryptedFile<T> {
    type T = BufReader<DecryptedFrom<T>>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(DecryptedFrom {
            file: self.clone(),
            position: start,
        }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.saturating_add(length as u64);
        if end > self.0.length {
            return Err(crate::Error::corrupt(format!(
                "the file has no bytes from {start} to {end}"
            ))
            .into());
        }
        Ok(self.0.bytes(start..end)?)
    }
}

impl<T: ChunkReader> RemoteFile for DecryptedFile<T> {
    fn length(&self) -> u64 {
        self.0.length
    }

    fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        self.0.bytes(range).map_err(io::Error::other)
    }

    /// Most parts are stored at the offsets at which they are shown.
    fn prefetch(&self, ranges: &[Range<u64>], budget: u64) {
        if let Some(file) = &self.0.remote {
            let end = file.length();
            let stored = ranges.iter().map(|it| it.start.min(end)..it.end.min(end));
            let stored: Vec<_> = stored.filter(|it| !it.is_empty()).collect();
            file.prefetch(&stored, budget);
        }
    }
}

impl View for DecryptedFile<InputFile> {
    fn bytes(&self, range: Range<u64>) -> Result<Bytes> {
        self.0.bytes(range)
    }
}

/// Reader of a decrypted file from a position on.
#[derive(Debug)]
pub struct DecryptedFrom<T> {
    file: DecryptedFile<T>,
    position: u64,
}

impl<T: ChunkReader> Read for DecryptedFrom<T> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let end = self.position.saturating_add(to.len() as u64);
        let end = end.min(self.file.0.length).max(self.position);
        let bytes = RemoteFile::read(&self.file, self.position..end)?;
        to[..bytes.len()].copy_from_slice(&bytes);
        self.position = end;
        Ok(bytes.len())
    }
}
