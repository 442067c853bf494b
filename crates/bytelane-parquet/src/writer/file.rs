//! The file writer of the crate `parquet`, with float statistics in the order that readers know.
//!
//! That crate labels every float column with the IEEE 754 total order, and has no way to say another. Its
//! statistics are converted before they reach it (see [`statistics`](crate::statistics)); here the label follows.
//! A label is a union without contents: three bytes, the first of which is the number of the order. So the footer
//! is held back, the numbers are exchanged in place, and no length and no offset changes.

use crate::{Error, Result};
use parquet::basic::{ColumnOrder, SortOrder};
use parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::TypePtr;
use std::io::{self, Write};

/// The end of a Parquet file: the length of the footer, and the magic number.
const TAIL: usize = 8;

/// The first byte of a column order in Thrift's compact protocol: the number of the union's field, as the distance
/// from 0, and the type of an empty struct. Two zeros follow: the end of that struct, and of the union.
const TYPE_DEFINED_ORDER: u8 = 0x1c;
const IEEE_754_TOTAL_ORDER: u8 = 0x2c;
const INT96_TIMESTAMP_ORDER: u8 = 0x3c;

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
        let mut end = sink.held.take().unwrap_or_default();
        let metadata = relabelled(metadata, &mut end)?;
        sink.inner.write_all(&end)?;
        sink.inner.flush()?;
        Ok(metadata)
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

/// The order that this crate declares where the crate `parquet` declared `order`.
fn declared(order: ColumnOrder) -> ColumnOrder {
    match order {
        ColumnOrder::IEEE_754_TOTAL_ORDER => ColumnOrder::TYPE_DEFINED_ORDER(SortOrder::SIGNED),
        other => other,
    }
}

/// The bytes of the column orders, with which the footer of an unencrypted file ends: the header of a list of
/// structs, the orders, and the end of the footer itself.
fn encoded(orders: &[ColumnOrder]) -> Vec<u8> {
    const STRUCT: u8 = 12;
    let mut bytes = Vec::with_capacity(orders.len() * 3 + 6);
    if orders.len() < 15 {
        bytes.push((orders.len() as u8) << 4 | STRUCT);
    } else {
        bytes.push(0xf0 | STRUCT);
        let mut left = orders.len();
        while left >= 0x80 {
            bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        bytes.push(left as u8);
    }
    for order in orders {
        let number = match order {
            ColumnOrder::IEEE_754_TOTAL_ORDER => IEEE_754_TOTAL_ORDER,
            ColumnOrder::INT96_TIMESTAMP_ORDER => INT96_TIMESTAMP_ORDER,
            _ => TYPE_DEFINED_ORDER,
        };
        bytes.extend_from_slice(&[number, 0, 0]);
    }
    bytes.push(0);
    bytes
}

/// Exchanges the labels in the last bytes of a file, and in what is returned of its footer.
fn relabelled(metadata: ParquetMetaData, end: &mut [u8]) -> Result<ParquetMetaData> {
    let file = metadata.file_metadata();
    let Some(written) = file.column_orders() else {
        return Ok(metadata);
    };
    let orders: Vec<ColumnOrder> = written.iter().copied().map(declared).collect();
    let (old, new) = (encoded(written), encoded(&orders));
    let labels = end
        .len()
        .checked_sub(TAIL + old.len())
        .map(|start| start..start + old.len());
    let Some(labels) = labels
        .map(|labels| &mut end[labels])
        .filter(|it| **it == old)
    else {
        return Err(Error::corrupt(
            "the footer does not end with the column orders that the crate parquet reports",
        ));
    };
    labels.copy_from_slice(&new);
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        Some(orders),
    );
    let mut builder = metadata.into_builder();
    let page_index = builder.take_page_index();
    let row_groups = builder.take_row_groups();
    Ok(parquet::file::metadata::ParquetMetaDataBuilder::new(file)
        .set_row_groups(row_groups)
        .set_page_index(page_index)
        .build())
}
