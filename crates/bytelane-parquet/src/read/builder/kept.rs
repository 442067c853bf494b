//! Limits the memory of batches that are kept.

use crate::{Problem, Result};
use arrow_array::{Array, RecordBatch, make_array};
use arrow_buffer::Buffer;
use arrow_schema::DataType;
use std::collections::HashSet;

/// Total size of batches in bytes, which counts each buffer once.
pub(crate) struct Kept {
    limit: u64,
    bytes: u64,
    /// Addresses of the buffers.
    seen: HashSet<usize>,
}

impl Kept {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit,
            bytes: 0,
            seen: HashSet::new(),
        }
    }

    /// Adds a batch; an error if it exceeds the limit.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        for column in batch.columns() {
            self.add_array(column);
        }
        self.check(0)
    }

    /// Returns an error if this many more bytes exceed the limit.
    pub(super) fn check(&self, bytes: u64) -> Result<()> {
        let limit = self.limit;
        if self.bytes.saturating_add(bytes) > limit {
            Err(Problem::MemoryLimit { limit }.into())
        } else {
            Ok(())
        }
    }

    fn add_array(&mut self, array: &dyn Array) {
        let data = array.to_data();
        data.buffers().iter().for_each(|it| self.add_buffer(it));
        if let Some(nulls) = data.nulls() {
            self.add_buffer(nulls.buffer());
        }
        let children = data.child_data().iter().cloned().map(make_array);
        children.for_each(|it| self.add_array(&it));
    }

    fn add_buffer(&mut self, buffer: &Buffer) {
        if self.seen.insert(buffer.data_ptr().as_ptr() as usize) {
            self.bytes += buffer.capacity() as u64;
        }
    }
}

/// Returns the minimum number of bits per slot of an array.
pub(super) fn least_bits(data_type: &DataType) -> u64 {
    let bytes = match data_type {
        DataType::Boolean => return 1,
        DataType::Utf8 | DataType::Binary => 4,
        DataType::LargeUtf8 | DataType::LargeBinary => 8,
        DataType::Utf8View | DataType::BinaryView => 16,
        DataType::FixedSizeBinary(width) => u64::try_from(*width).unwrap_or(0),
        DataType::Dictionary(keys, _) => return least_bits(keys),
        other => other.primitive_width().unwrap_or(0) as u64,
    };
    8 * bytes
}
