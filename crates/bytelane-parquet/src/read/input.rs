//! What is read, whatever its type.

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::io::Read;
use std::sync::Arc;

/// An input for several readers and threads.
#[derive(Clone)]
pub(crate) struct Input(Arc<dyn AnyInput>);

/// [`ChunkReader`] without its own type.
trait AnyInput: Send + Sync {
    fn length(&self) -> u64;
    fn read(&self, start: u64) -> Result<Box<dyn Read>>;
    fn bytes(&self, start: u64, length: usize) -> Result<Bytes>;
}

impl<T: ChunkReader + 'static> AnyInput for T {
    fn length(&self) -> u64 {
        self.len()
    }

    fn read(&self, start: u64) -> Result<Box<dyn Read>> {
        Ok(Box::new(self.get_read(start)?))
    }

    fn bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.get_bytes(start, length)
    }
}

impl Input {
    pub(super) fn new<T: ChunkReader + 'static>(input: Arc<T>) -> Self {
        Self(Arc::new(Shared(input)))
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        self.0.length()
    }
}

impl ChunkReader for Input {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.0.read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.bytes(start, length)
    }
}

/// The same input for a builder and its readers.
struct Shared<T>(Arc<T>);

impl<T: ChunkReader> Length for Shared<T> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<T: ChunkReader> ChunkReader for Shared<T> {
    type T = T::T;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}
