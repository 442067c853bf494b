//! Reads and writes Arrow IPC.

use super::compressed::Uncompressed;
use super::{Input, Rows, not_a_table};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::{Error, Problem, Result};
use std::io::{Cursor, Read, Write};

/// First bytes of a file, before those of a stream.
const MAGIC: &[u8; 8] = b"ARROW1\0\0";

/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// Messages of a stream, or of a file: its footer is not needed to read all of it.
struct Messages {
    input: Uncompressed,
    decoder: StreamDecoder,
    chunk: Buffer,
    is_finished: bool,
}

impl Messages {
    /// Returns the next batch. Memory grows with the bytes that were read, whatever lengths a message claims.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while !self.is_finished {
            let batch = self.decode()?;
            if batch.is_some() {
                return Ok(batch);
            }
            if self.chunk.is_empty() && !self.is_finished {
                self.fill()?;
            }
        }
        Ok(None)
    }

    fn decode(&mut self) -> Result<Option<RecordBatch>> {
        let (decoder, chunk) = (&mut self.decoder, &mut self.chunk);
        let mut is_finished = false;
        let batch = catch_panic(|| match decoder.decode(chunk) {
            // The footer of a file follows the end of the stream.
            Err(ArrowError::IpcError(problem)) if problem == "Unexpected EOS" => {
                is_finished = true;
                Ok(None)
            }
            batch => batch.map_err(not_a_table),
        });
        self.is_finished |= is_finished;
        batch
    }

    fn fill(&mut self) -> Result<()> {
        let mut bytes = Vec::new();
        let mut part = (&mut self.input).take(CHUNK as u64);
        part.read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            self.is_finished = true;
            let decoder = &mut self.decoder;
            let finished = catch_panic(|| decoder.finish().map_err(not_a_table));
            return finished.map_err(|_| ended());
        }
        self.chunk = bytes.into();
        Ok(())
    }

    /// Reads until the columns are known.
    fn schema(&mut self) -> Result<(SchemaRef, Option<RecordBatch>)> {
        let mut first = None;
        while self.decoder.schema().is_none() && first.is_none() && !self.is_finished {
            if self.chunk.is_empty() {
                self.fill()?;
            }
            first = self.decode()?;
        }
        let schema = self.decoder.schema().ok_or_else(ended)?;
        Ok((schema, first))
    }
}

fn ended() -> Error {
    Problem::Input("the Arrow data ends in the middle of a message".to_owned()).into()
}

pub fn read(mut input: Input) -> Result<Rows> {
    let mut chunk = eight(&mut input)?;
    if chunk == MAGIC {
        // Some writers align the first message to more than 8 bytes.
        chunk = eight(&mut input)?;
        while chunk == [0; 8] {
            chunk = eight(&mut input)?;
        }
    }
    let input = Box::new(Cursor::new(chunk).chain(input));
    let mut messages = Messages {
        input: Uncompressed::new(input),
        decoder: StreamDecoder::new(),
        chunk: Buffer::default(),
        is_finished: false,
    };
    let (schema, first) = messages.schema()?;
    let mut first = first.map(Ok);
    let mut failed = false;
    let batches = std::iter::from_fn(move || {
        if let Some(first) = first.take() {
            return Some(first);
        }
        if failed {
            return None;
        }
        let next = messages.next_batch().map_err(ArrowError::from).transpose();
        failed = matches!(next, Some(Err(_)));
        next
    });
    let batches = Box::new(batches);
    Ok(Rows { schema, batches })
}

/// Reads 8 bytes, or fewer at the end.
fn eight(input: &mut Input) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(8).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writer of an Arrow file.
pub struct ArrowFile<W: Write>(FileWriter<W>);

impl<W: Write> ArrowFile<W> {
    /// Starts a file with these columns.
    ///
    /// # Errors
    ///
    /// Errors of the sink.
    pub fn try_new(sink: W, schema: &Schema) -> Result<Self> {
        Ok(Self(FileWriter::try_new(sink, schema)?))
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// Errors of the sink; [`Problem::Arrow`] for a dictionary that changes, which a file cannot have.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        Ok(self.0.write(batch)?)
    }

    /// Completes the file, and returns the sink.
    ///
    /// # Errors
    ///
    /// Errors of the sink.
    pub fn finish(self) -> Result<W> {
        Ok(self.0.into_inner()?)
    }
}
