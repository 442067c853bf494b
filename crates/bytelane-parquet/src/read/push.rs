//! Provides a decoder that requests the bytes it needs next, and an asynchronous reader on top of
//! it.

use super::in_flight::Waiting;
use super::input::{Input, Metrics, PushedBytes};
use super::row_group::RowGroup;
use super::{Reader, ReaderBuilder};
use crate::stack::with_stack;
use crate::{Error, Problem, Result};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use std::fmt;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Result of a step of a [`PushDecoder`].
#[derive(Debug)]
pub enum Decoded {
    /// Ranges of the file to provide before the next step.
    Needs(Vec<Range<u64>>),
    /// Next rows.
    Batch(RecordBatch),
    /// No more rows.
    End,
}

/// Reads rows from bytes that the caller provides on request, for inputs other than files, such as
/// object stores.
///
/// Predicates are evaluated first. If the file has an offset index, only pages with rows that pass
/// them are requested; otherwise whole column chunks. Pages that will be needed are requested
/// together with those that are needed now: [`PushedBytes::with_prefetch`] sets how many bytes.
///
/// ```
/// use arrow_array::{Int32Array, RecordBatch};
/// use bytelane_parquet::{Decoded, PushDecoder, PushedBytes, ReaderBuilder, Writer, WriterOptions};
/// use bytes::Bytes;
/// use std::sync::Arc;
///
/// let numbers = Int32Array::from_iter_values(0..1000);
/// let batch = RecordBatch::try_from_iter([("number", Arc::new(numbers) as _)])?;
/// let mut file = Vec::new();
/// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
/// writer.write(&batch)?;
/// writer.close()?;
///
/// let file = Bytes::from(file);
/// let pushed = PushedBytes::new(file.len() as u64);
/// let give = |ranges: Vec<std::ops::Range<u64>>| {
///     ranges.into_iter().for_each(|it| pushed.give(it.start, file.slice(it.start as usize..it.end as usize)));
/// };
/// let builder = loop {
///     match ReaderBuilder::try_new(pushed.clone()) {
///         Ok(builder) => break builder,
///         Err(_) => give(pushed.missing()),
///     }
/// };
/// let mut decoder = PushDecoder::new(builder)?;
/// let mut rows = 0;
/// loop {
///     match decoder.step()? {
///         Decoded::Needs(ranges) => give(ranges),
///         Decoded::Batch(batch) => rows += batch.num_rows(),
///         Decoded::End => break,
///     }
/// }
/// assert_eq!(rows, 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PushDecoder {
    reader: Reader,
    pushed: PushedBytes,
    waiting: Waiting,
    open: Option<(usize, RowGroup)>,
}

impl PushDecoder {
    /// Creates a decoder for the builder's selection. With several threads, the columns of a batch are
    /// decoded at the same time. Only one row group is open, so that the bytes of others need not be
    /// in memory. To decode several at the same time, use a decoder for each:
    /// [`ReaderBuilder::with_row_groups`].
    ///
    /// # Errors
    ///
    /// Same errors as [`ReaderBuilder::build`].
    pub fn new(builder: ReaderBuilder<PushedBytes>) -> Result<Self> {
        let pushed = builder.input().clone();
        let mut reader = builder.build()?;
        let waiting = reader.in_flight.take_waiting();
        if let Some(settings) = Arc::get_mut(&mut reader.settings) {
            settings.input = Input::of_pushed(pushed.clone());
        }
        // The builder's requests have been met.
        drop(pushed.missing());
        Ok(Self {
            reader,
            pushed,
            waiting,
            open: None,
        })
    }

    /// Returns the schema of batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.reader.settings.schema)
    }

    /// Returns the work done so far.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.reader.metrics()
    }

    /// Provides the bytes from a position on.
    pub fn give(&self, start: u64, bytes: Bytes) {
        self.pushed.give(start, bytes);
    }

    /// Decodes the next rows, or returns the ranges of bytes that they need. Returns `Decoded::End`
    /// after an error.
    ///
    /// # Errors
    ///
    /// Same errors as [`Reader`].
    pub fn step(&mut self) -> Result<Decoded> {
        let depth = self.reader.settings.depth;
        let step = with_stack(depth, || self.step_here());
        if step.is_err() {
            (self.open, self.waiting) = (None, Waiting::default());
        }
        step
    }

    fn step_here(&mut self) -> Result<Decoded> {
        loop {
            let Some((index, mut group)) = self.open.take() else {
                match self.open_next()? {
                    Some(step) => return Ok(step),
                    None => continue,
                }
            };
            let settings = &self.reader.settings;
            match group.next(settings) {
                None => settings.input.retain(Vec::new),
                Some(Err(_)) if self.pushed.lacks_bytes() => {
                    self.open = Some((index, group));
                    return Ok(Decoded::Needs(self.pushed.missing()));
                }
                Some(batch) => {
                    let batch = batch.map_err(|error| error.in_row_group(index))?;
                    settings.input.retain(|| group.ranges_left());
                    self.open = Some((index, group));
                    let (batch, is_last) = self.reader.within_limits(batch)?;
                    if is_last {
                        (self.open, self.waiting) = (None, Waiting::default());
                    }
                    return Ok(Decoded::Batch(batch));
                }
            }
        }
    }

    /// Opens the next row group, unless bytes that might exclude its rows are missing.
    fn open_next(&mut self) -> Result<Option<Decoded>> {
        let Some((index, rows)) = self.waiting.front() else {
            return Ok(Some(Decoded::End));
        };
        let (index, row_groups) = (*index, &self.reader.row_groups);
        let group = RowGroup::open(&self.reader.settings, row_groups, index, rows.clone());
        if self.pushed.lacks_bytes() {
            return Ok(Some(Decoded::Needs(self.pushed.missing())));
        }
        self.waiting.pop_front();
        let group = group.map_err(|error| error.in_row_group(index))?;
        self.open = Some((index, group));
        Ok(None)
    }
}

impl fmt::Debug for PushDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushDecoder")
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}

/// Asynchronous source of bytes, such as an object store.
pub trait RangeReader: Send + Sync {
    /// Returns the length in bytes.
    fn length(&self) -> impl Future<Output = io::Result<u64>> + Send;

    /// Returns the bytes of each range, in this order. Ranges may be fetched concurrently.
    fn read(&self, ranges: Vec<Range<u64>>) -> impl Future<Output = io::Result<Vec<Bytes>>> + Send;
}

/// Reads a file from an asynchronous source. It does not depend on a particular async runtime.
#[derive(Debug)]
pub struct AsyncReader<R> {
    source: R,
    decoder: PushDecoder,
}

impl<R: RangeReader> AsyncReader<R> {
    /// Reads the footer; `choose` then sets what to read, for example with
    /// [`Selection::choose`](crate::filter::Selection::choose).
    ///
    /// # Errors
    ///
    /// Same errors as the source, [`ReaderBuilder::try_new`] and `choose`.
    pub async fn open(
        source: R,
        choose: impl FnOnce(ReaderBuilder<PushedBytes>) -> Result<ReaderBuilder<PushedBytes>>,
    ) -> Result<Self> {
        let pushed = PushedBytes::new(source.length().await?);
        let builder = loop {
            let error = match ReaderBuilder::try_new(pushed.clone()) {
                Ok(builder) => break builder,
                Err(error) => error,
            };
            let missing = pushed.missing();
            if missing.is_empty() {
                return Err(error);
            }
            give(&source, &pushed, missing).await?;
        };
        let decoder = PushDecoder::new(choose(builder)?)?;
        Ok(Self { source, decoder })
    }

    /// Returns the schema of batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.decoder.schema()
    }

    /// Returns the next rows; `None` after the last ones, and after an error.
    ///
    /// # Errors
    ///
    /// Same errors as the source and [`PushDecoder::step`].
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            match self.decoder.step()? {
                Decoded::Needs(ranges) => give(&self.source, &self.decoder.pushed, ranges).await?,
                Decoded::Batch(batch) => return Ok(Some(batch)),
                Decoded::End => return Ok(None),
            }
        }
    }
}

/// Fetches ranges and pushes their bytes.
async fn give(source: &impl RangeReader, to: &PushedBytes, ranges: Vec<Range<u64>>) -> Result<()> {
    let parts = source.read(ranges.clone()).await?;
    let is_whole =
        |(range, part): (&Range<u64>, &Bytes)| range.end - range.start == part.len() as u64;
    if parts.len() != ranges.len() || !ranges.iter().zip(&parts).all(is_whole) {
        let problem = "the source returned other ranges than those that were asked for".to_owned();
        return Err(Error::new(Problem::Input(problem)));
    }
    for (range, part) in ranges.into_iter().zip(parts) {
        to.give(range.start, part);
    }
    Ok(())
}
