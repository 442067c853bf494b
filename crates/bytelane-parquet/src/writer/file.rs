//! The file writer of the crate `parquet`, with float statistics in the order that readers know.
//!
//! That crate labels every float column with the IEEE 754 total order, and has no way to say another. Its
//! statistics are converted before they reach it (see [`statistics`](crate::statistics)); here the label follows: the
//! footer is held back, and written with other labels.

use crate::Result;
use crate::format;
use crate::metadata::change_footer;
use parquet::basic::{ColumnOrder, SortOrder};
use parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataBuilder};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::TypePtr;
use std::io::{self, Write};

/// Writes a Parquet file whose float columns are labelled TYPE_DEFINED_ORDER. The statistics of all chunks must be
/// in that order: [`to_type_defined_order`](crate::statistics::to_type_defined_order).
pub(crate) struct FileWriter<W: Write + Send> {
    file: SerializedFileWriter<Sink<W>>,
}

impl<W: Write + Send> FileWriter<W> {
    /// Writes the first bytes.
    pub(crate) fn new(sink: W, schema: TypePtr, properties: WriterPropertiesPtr) -> Result<Self> {
        let sink = Sink {
            inner: sink,
            held: None,
        };
        let file = SerializedFileWriter::new(sink, schema, properties)?;
        Ok(Self { file })
    }

    /// Adds a key-value pair to the footer.
    pub(crate) fn append_key_value(&mut self, pair: KeyValue) {
        self.file.append_key_value_metadata(pair);
    }

    /// Begins a row group; the one before must be closed.
    pub(crate) fn next_row_group(&mut self) -> Result<SerializedRowGroupWriter<'_, Sink<W>>> {
        Ok(self.file.next_row_group()?)
    }

    /// How many row groups are written.
    pub(crate) fn row_groups(&self) -> usize {
        self.file.flushed_row_groups().len()
    }

    /// Writes the indexes and the footer, and flushes the sink.
    pub(crate) fn finish(mut self) -> Result<ParquetMetaData> {
        self.file.flush()?;
        self.file.inner_mut().held = Some(Vec::new());
        let metadata = self.file.finish()?;
        let sink = self.file.inner_mut();
        let end = change_footer(sink.held.take().unwrap_or_default(), relabel)?;
        sink.inner.write_all(&end)?;
        sink.inner.flush()?;
        Ok(relabelled(metadata))
    }
}

/// A sink that can hold back what comes last.
pub(crate) struct Sink<W> {
    inner: W,
    held: Option<Vec<u8>>,
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.held {
            Some(held) => held.write(bytes),
            None => self.inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.held {
            Some(_) => Ok(()),
            None => self.inner.flush(),
        }
    }
}

/// Declares the order that the statistics are in.
fn relabel(file: &mut format::FileMetaData) {
    for order in file.column_orders.iter_mut().flatten() {
        if matches!(order, format::ColumnOrder::Ieee754TotalOrder(_)) {
            *order = format::ColumnOrder::TypeOrder(Default::default());
        }
    }
}

/// The same in what the crate `parquet` returns of the footer.
fn relabelled(metadata: ParquetMetaData) -> ParquetMetaData {
    let file = metadata.file_metadata();
    let relabelled = |order: &ColumnOrder| match order {
        ColumnOrder::IEEE_754_TOTAL_ORDER => ColumnOrder::TYPE_DEFINED_ORDER(SortOrder::SIGNED),
        other => *other,
    };
    let orders = file.column_orders();
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        orders.map(|orders| orders.iter().map(relabelled).collect()),
    );
    let mut builder = metadata.into_builder();
    let page_index = builder.take_page_index();
    let row_groups = builder.take_row_groups();
    ParquetMetaDataBuilder::new(file)
        .set_row_groups(row_groups)
        .set_page_index(page_index)
        .build()
}
