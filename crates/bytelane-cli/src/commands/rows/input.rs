//! Inputs with rows: files, and standard input.

use crate::standard;
use anyhow::{Context, bail};
use bytelane_parquet::parquet::errors::Result;
use bytelane_parquet::parquet::file::reader::{ChunkReader, Length};
use bytelane_parquet::{Error, InputFile, RemoteFile};
use bytes::Bytes;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Name of standard input among files.
pub const STANDARD: &str = "-";

/// Maximum size of standard input in bytes. It is held in memory, because readers start at the end of a
/// Parquet file.
const MOST: u64 = 2 << 30;

/// File, or bytes in memory.
pub enum Input {
    File(InputFile),
    Memory(Bytes),
}

impl Input {
    /// Opens a file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let file = InputFile::open(path).map_err(|error: Error| error.in_file(path))?;
        Ok(Self::File(file))
    }

    /// Returns the file of a store, whose ranges can be fetched ahead.
    pub fn remote(&self) -> Option<Arc<dyn RemoteFile>> {
        match self {
            Self::File(file) => file.remote(),
            Self::Memory(_) => None,
        }
    }
}

/// Reads standard input to its end.
pub fn standard_input() -> anyhow::Result<Bytes> {
    let mut bytes = Vec::new();
    let mut input = standard::input()?.take(MOST + 1);
    input.read_to_end(&mut bytes).context("standard input")?;
    if bytes.len() as u64 > MOST {
        bail!(
            "standard input has more than 2 GiB, which are held in memory; save it to disk first"
        );
    }
    Ok(bytes.into())
}

impl Length for Input {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.len(),
            Self::Memory(bytes) => Length::len(bytes),
        }
    }
}

impl ChunkReader for Input {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Memory(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}
