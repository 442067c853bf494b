//! How much memory values may take, compared with their size in the file.
//!
//! A run of levels makes a billion nulls of ten bytes, a dictionary makes a long string of one bit.

use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, make_array};
use arrow_schema::{DataType, Field, FieldRef};
use parquet::basic::Type;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescPtr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of memory that any column may take.
const ANYWAY: u64 = 128 << 20;

/// Bytes of memory for each byte in the file that it may take beyond that.
const EACH: u64 = 1024;

/// Bytes of a value from which on batches have fewer rows.
const WIDE: usize = 1024;

/// Bytes of such values that are read at a time, unless one has more.
const BATCH_BYTES: usize = 16 << 20;

/// What is taken to be the size of a value where the type does not tell: a view of a string, or levels.
const VALUE: u64 = 16;

/// Why a column is not re-encoded if its values need too much memory.
pub(crate) const TOO_LARGE: &str =
    "its values would take more memory than 1024 times their size in the file";

/// What is left of the memory that a column of a row group may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    left: u64,
}

impl Allowance {
    /// For chunks of so many bytes in the file.
    pub(crate) fn of(bytes: u64) -> Self {
        let left = bytes.saturating_mul(EACH).saturating_add(ANYWAY);
        Self { left }
    }

    /// No more than so many bytes.
    pub(crate) fn at_most(self, bytes: u64) -> Self {
        let left = self.left.min(bytes);
        Self { left }
    }

    /// Whether the values that a chunk claims fit into it: what is known before any of them is read.
    pub(crate) fn has_room_for(self, chunk: &ColumnChunkMetaData) -> bool {
        let width = match chunk.column_type() {
            Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(chunk.column_descr().type_length()),
            _ => Ok(VALUE),
        };
        let values = u64::try_from(chunk.num_values());
        let (width, values) = (width.unwrap_or(0), values.unwrap_or(0));
        values.saturating_mul(width.max(VALUE)) <= self.left
    }

    /// Whether so many bytes of pages, which are values once they are decompressed, fit into it.
    pub(crate) fn has_room(self, bytes: u64) -> bool {
        bytes <= self.left
    }

    /// Takes what these values need; whether there was as much left.
    #[must_use]
    pub(crate) fn take(&mut self, values: &dyn Array) -> bool {
        let needed = extent(values);
        let fits = needed <= self.left;
        self.left = self.left.saturating_sub(needed);
        fits
    }
}

/// What is left of the memory that the arrays of a batch may take; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: Arc<AtomicU64>,
}

impl Budget {
    /// Of so many bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            left: Arc::new(limit.into()),
        }
    }

    /// As an allowance for a batch of one column.
    pub(crate) fn of(allowance: Allowance) -> Self {
        Self::new(allowance.left)
    }

    /// What a batch may take in all.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// For another batch.
    pub(crate) fn renew(&self) {
        self.left.store(self.limit, Ordering::Relaxed);
    }

    /// Takes as many bytes; an error if there are no more as many.
    pub(crate) fn take(&self, bytes: u64) -> Result<()> {
        let taken = self
            .left
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            });
        match taken {
            Ok(_) => Ok(()),
            Err(_) => Err(Problem::MemoryLimit { limit: self.limit }.into()),
        }
    }
}

/// How many rows to read at a time of columns whose values may be wide: a page says of any number of them that they
/// are null, and an array has room for each all the same.
pub(crate) fn batch_rows<'a>(
    wanted: usize,
    leaves: impl Iterator<Item = &'a ColumnDescPtr>,
) -> usize {
    let widest = leaves.filter_map(|leaf| usize::try_from(leaf.type_length()).ok());
    match widest.max() {
        Some(width) if width > WIDE => wanted.min(BATCH_BYTES / width).max(1),
        _ => wanted,
    }
}

/// An error if values are wider than those of a file of so many bytes can be.
pub(crate) fn check_widths(leaves: &[ColumnDescPtr], file_bytes: u64) -> Result<()> {
    let most = file_bytes
        .saturating_mul(EACH)
        .saturating_add(BATCH_BYTES as u64);
    let width = |leaf: &&ColumnDescPtr| u64::try_from(leaf.type_length()).unwrap_or(0);
    match leaves.iter().find(|leaf| width(leaf) > most) {
        None => Ok(()),
        Some(leaf) => Err(Error::corrupt(format!(
            "values of {} bytes, in a file of {file_bytes}",
            leaf.type_length()
        ))
        .in_column(leaf.path().string())),
    }
}

/// Bytes of values, each by itself where they share memory.
fn extent(values: &dyn Array) -> u64 {
    let strings: u64 = match values.data_type() {
        DataType::Utf8View => values.as_string_view().lengths().map(u64::from).sum(),
        DataType::BinaryView => values.as_binary_view().lengths().map(u64::from).sum(),
        _ => 0,
    };
    let width = match values.data_type() {
        DataType::FixedSizeBinary(width) => u64::try_from(*width).unwrap_or(0),
        _ => VALUE,
    };
    let data = values.to_data();
    let children = data.child_data().iter().cloned().map(make_array);
    let children: u64 = children.map(|child| extent(&child)).sum();
    values.len() as u64 * width.max(VALUE) + strings + children
}

/// A field whose strings are views: many that are the same entry of a dictionary then take the memory of one.
pub(crate) fn with_views(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::List(item) => DataType::List(with_views(item)),
        DataType::LargeList(item) => DataType::LargeList(with_views(item)),
        DataType::Map(entries, sorted) => DataType::Map(with_views(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(with_views).collect()),
        DataType::Dictionary(_, values) => match values.as_ref() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            _ => return Arc::clone(field),
        },
        _ => return Arc::clone(field),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
