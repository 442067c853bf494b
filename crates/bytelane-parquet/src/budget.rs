//! Limits memory: whatever a file claims, a read takes no more than its budget.
//!
//! Small files can expand a lot. Ten bytes of level runs make a billion nulls, one bit makes a long string
//! from a dictionary, and many columns may share one page.

use crate::error::limit_text;
use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch, make_array};
use arrow_schema::{DataType, Field, FieldRef};
use parquet::basic::Type;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescPtr;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Memory per byte in the file, in bytes, on top of the amounts below.
const EACH: u64 = 1024;

/// Memory for a read, and for a whole table, in bytes.
const READ: u64 = 2 << 30;
const TABLE: u64 = 8 << 30;

/// Address space that threads, the heap and libraries take besides values, in bytes.
const RESERVED: u64 = 384 << 20;

/// Memory for a page, and per value of its column chunk, in bytes.
const PAGE: u64 = 128 << 20;
const PAGE_VALUE: u64 = 64;

/// Memory for the values of a column that is re-encoded, in bytes.
const COLUMN: u64 = 128 << 20;

/// Memory for metadata, and per byte in the file, in bytes.
const METADATA: u64 = 64 << 20;
const METADATA_EACH: u64 = 64;

/// Number of rows that are decoded of any file, and per byte of the file.
const ROWS: u64 = 64 << 20;
const ROWS_EACH: u64 = 1 << 10;

/// Size of the values of a column, in bytes, that count as a row of any file.
const ROW_BYTES: u64 = 64;

/// Value size, in bytes, from which on batches have fewer rows.
const WIDE: usize = 1024;

/// Size of a batch of such values, in bytes, unless a single value is larger.
const BATCH_BYTES: usize = 16 << 20;

/// Size of a value where the type does not determine it: a view of a string, or levels.
const VALUE: u64 = 16;

/// Minimum size of a value in any array except booleans; lists are not expected to take less.
const SMALL_VALUE: u64 = 8;

/// Memory limit set by the caller. Without one, each kind of work has a default that grows with the size of
/// the input. Real files stay below it, however well they are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryLimit(pub Option<u64>);

impl MemoryLimit {
    /// No limit: for page headers that are not decompressed, or only after another limit has been checked.
    pub const NONE: Self = Self(Some(u64::MAX));

    /// Returns the maximum memory of a reader, in bytes, for all columns: pages, dictionaries, levels, and a
    /// batch.
    pub fn of_read(self, file_bytes: u64) -> u64 {
        // Two sides of a comparison, and growing arrays, have such memory at the same time.
        self.within_process(READ, file_bytes, memory_of_process() / 4)
    }

    /// Returns the maximum size of all batches together, in bytes, when they are read into memory at once.
    pub(crate) fn of_table(self, file_bytes: u64) -> u64 {
        self.within_process(TABLE, file_bytes, memory_of_process() / 2)
    }

    fn within_process(self, least: u64, file_bytes: u64, most: u64) -> u64 {
        self.0
            .unwrap_or_else(|| times(EACH, file_bytes, least).min(most))
    }

    /// Returns the maximum uncompressed size of a page, in bytes, in a chunk with this size and number of
    /// values.
    pub fn of_page(self, chunk_bytes: u64, values: u64) -> u64 {
        let default = || times(EACH, chunk_bytes, times(PAGE_VALUE, values, PAGE));
        self.0.unwrap_or_else(default)
    }

    /// Returns the maximum size, in bytes, of the values of a column of a row group that is re-encoded or
    /// judged. `chunk_bytes` is the size of its chunks.
    pub fn of_column(self, chunk_bytes: u64) -> u64 {
        // The values, pages of them, and the new chunk are in memory at the same time.
        let default = || times(EACH, chunk_bytes, COLUMN).min(memory_of_process() / 4);
        self.0.unwrap_or_else(default)
    }

    /// Returns the maximum size of a description of a file's metadata, in bytes.
    pub fn of_metadata(self, file_bytes: u64) -> u64 {
        let default = || times(METADATA_EACH, file_bytes, METADATA);
        self.0.unwrap_or_else(default)
    }

    /// Returns an error if a row of a row group takes more memory than a read may take, so that no reader
    /// could put it into a batch.
    pub fn check_row(self, rows: i64, values: u64, file_bytes: u64) -> Result<()> {
        let rows = u64::try_from(rows).unwrap_or(0).max(1);
        let limit = self.of_read(file_bytes);
        if values.saturating_mul(SMALL_VALUE) / rows > limit {
            Err(Problem::MemoryLimit { limit }.into())
        } else {
            Ok(())
        }
    }
}

/// Maximum number of rows that commands decode to check or compare them, set by the caller. The default grows with the
/// size of the file: a hundred bytes can claim any number of nulls, and decoding these takes hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowLimit(pub Option<u64>);

impl RowLimit {
    /// No limit: for files that a data set lists, whose rows have been counted.
    pub const NONE: Self = Self(Some(u64::MAX));

    /// Returns an error if a file of this size has too many rows.
    pub fn check(self, rows: i64, file_bytes: u64) -> Result<()> {
        let rows = u64::try_from(rows).unwrap_or(0);
        let limit = self.0.unwrap_or_else(|| times(ROWS_EACH, file_bytes, ROWS));
        if rows > limit {
            Err(Problem::TooManyRows { rows, limit }.into())
        } else {
            Ok(())
        }
    }
}

/// Number of rows that have been decoded of a file.
pub struct DecodedRows {
    rows: i64,
    limit: RowLimit,
    file_bytes: u64,
}

impl DecodedRows {
    pub fn new(limit: RowLimit, file_bytes: u64) -> Self {
        Self {
            rows: 0,
            limit,
            file_bytes,
        }
    }

    /// Adds rows. Returns an error if there are too many.
    pub fn add(&mut self, rows: i64) -> Result<()> {
        self.rows = self.rows.saturating_add(rows);
        self.limit.check(self.rows, self.file_bytes)
    }
}

fn times(each: u64, count: u64, least: u64) -> u64 {
    count.saturating_mul(each).saturating_add(least)
}

/// Returns the memory available to this process, in bytes: that of the machine, its control group, or the part of its
/// address space that is neither in use nor reserved.
fn memory_of_process() -> u64 {
    static MACHINE: OnceLock<u64> = OnceLock::new();
    let machine = MACHINE.get_or_init(memory_of_machine);
    (*machine).min(address_space())
}

#[cfg(target_os = "linux")]
fn memory_of_machine() -> u64 {
    let machine = rustix::system::sysinfo();
    let machine = (machine.totalram as u64).saturating_mul(machine.mem_unit.into());
    let groups = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    let limits = groups.iter().filter_map(|file| {
        let limit = std::fs::read_to_string(file).ok()?;
        limit.trim().parse().ok()
    });
    limits.fold(machine, u64::min)
}

#[cfg(not(target_os = "linux"))]
fn memory_of_machine() -> u64 {
    u64::MAX
}

#[cfg(unix)]
fn address_space() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As);
    let limit = limit.current;
    limit.map_or(u64::MAX, |limit| {
        limit.saturating_sub(mapped().saturating_add(RESERVED))
    })
}

/// Returns the size of the address space in use, in bytes: programs, libraries and stacks of threads count as well.
#[cfg(target_os = "linux")]
fn mapped() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let size = size.and_then(|size| size.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    size.unwrap_or(0).saturating_mul(1024)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn mapped() -> u64 {
    0
}

#[cfg(not(unix))]
fn address_space() -> u64 {
    u64::MAX
}

/// Returns the reason why a column that takes more memory is not re-encoded.
pub fn too_large(limit: u64) -> String {
    format!("its values take more memory than {}", limit_text(limit))
}

/// Remaining memory budget of a read. Clones share it.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limit: u64,
    left: AtomicU64,
}

impl Budget {
    /// Creates a budget of `limit` bytes.
    pub fn new(limit: u64) -> Self {
        let left = limit.into();
        Self(Arc::new(Shared { limit, left }))
    }

    /// Creates an empty reservation.
    pub fn reservation(&self) -> Reservation {
        Reservation {
            budget: self.clone(),
            bytes: Cell::new(0),
        }
    }

    fn take(&self, bytes: u64) -> Result<()> {
        let Shared { limit, left } = &*self.0;
        let taken = left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(bytes)
        });
        match taken {
            Ok(_) => Ok(()),
            Err(_) => Err(Problem::MemoryLimit { limit: *limit }.into()),
        }
    }
}

/// Reserved part of a budget. Dropping it returns the bytes.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    bytes: Cell<u64>,
}

impl Reservation {
    /// Changes the reservation to this number of bytes. Does nothing on error.
    pub(crate) fn resize(&self, bytes: u64) -> Result<()> {
        let reserved = self.bytes.get();
        match bytes.checked_sub(reserved) {
            Some(0) => {}
            Some(more) => self.budget.take(more)?,
            None => {
                let left = &self.budget.0.left;
                left.fetch_add(reserved - bytes, Ordering::Relaxed);
            }
        }
        self.bytes.set(bytes);
        Ok(())
    }

    /// Grows the reservation if it is smaller than this.
    pub(crate) fn cover(&self, bytes: u64) -> Result<()> {
        if bytes > self.bytes.get() {
            self.resize(bytes)
        } else {
            Ok(())
        }
    }

    /// Grows the reservation by this number of bytes.
    pub fn add(&self, bytes: u64) -> Result<()> {
        self.resize(self.bytes.get().saturating_add(bytes))
    }

    /// Returns all reserved bytes to the budget.
    pub(crate) fn release(&self) {
        let bytes = self.bytes.replace(0);
        self.budget.0.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release();
    }
}

/// Returns whether the values that a chunk claims fit into a limit. This is known before any of them is read.
pub fn has_room_for(limit: u64, chunk: &ColumnChunkMetaData) -> bool {
    let width = match chunk.column_type() {
        Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(chunk.column_descr().type_length()),
        _ => Ok(VALUE),
    };
    let values = u64::try_from(chunk.num_values());
    let (width, values) = (width.unwrap_or(0), values.unwrap_or(0));
    values.saturating_mul(width.max(VALUE)) <= limit
}

/// Returns the batch size for columns whose values may be wide. A page can declare any number of values null,
/// and an array still has room for each of them.
///
/// Batches of many columns have fewer rows, too, so that a quarter of a memory limit is enough for their
/// numbers.
pub fn batch_rows<'a>(
    wanted: usize,
    leaves: impl Iterator<Item = &'a ColumnDescPtr>,
    limit: u64,
) -> usize {
    let (mut widest, mut all) = (0, 0_u64);
    for leaf in leaves {
        let width = usize::try_from(leaf.type_length()).unwrap_or(0);
        widest = width.max(widest);
        all = all.saturating_add((width as u64).max(SMALL_VALUE));
    }
    let most = if widest > WIDE {
        wanted.min(BATCH_BYTES / widest)
    } else {
        wanted
    };
    let fit = usize::try_from(limit / 4 / all.max(1));
    most.min(fit.unwrap_or(usize::MAX)).max(1)
}

/// Returns an error if values are wider than is possible in a file of this size.
pub fn check_widths<'a>(
    mut leaves: impl Iterator<Item = &'a ColumnDescPtr>,
    file_bytes: u64,
) -> Result<()> {
    let most = file_bytes
        .saturating_mul(EACH)
        .saturating_add(BATCH_BYTES as u64);
    let width = |leaf: &&ColumnDescPtr| u64::try_from(leaf.type_length()).unwrap_or(0);
    match leaves.find(|leaf| width(leaf) > most) {
        None => Ok(()),
        Some(leaf) => Err(Error::corrupt(format!(
            "values of {} bytes, in a file of {file_bytes}",
            leaf.type_length()
        ))
        .in_column(leaf.path().string())),
    }
}

/// Returns the size of values in bytes. Values that share memory are all counted.
pub fn extent(values: &dyn Array) -> u64 {
    let strings: u64 = match values.data_type() {
        DataType::Utf8View => values.as_string_view().lengths().map(u64::from).sum(),
        DataType::BinaryView => values.as_binary_view().lengths().map(u64::from).sum(),
        DataType::Utf8 => span(values.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => span(values.as_string::<i64>().value_offsets()),
        DataType::Binary => span(values.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => span(values.as_binary::<i64>().value_offsets()),
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

/// Returns the number of bytes between the first offset and the last one.
fn span<O: OffsetSizeTrait>(offsets: &[O]) -> u64 {
    match offsets {
        [first, .., last] => (last.as_usize() - first.as_usize()) as u64,
        _ => 0,
    }
}

/// Returns the size of values in bytes, in which an entry of a dictionary counts each time that it occurs, on average.
fn expanded(values: &dyn Array) -> u64 {
    let Some(dictionary) = values.as_any_dictionary_opt() else {
        return extent(values);
    };
    let entries = dictionary.values();
    let bytes = u128::from(extent(entries)) * values.len() as u128 / entries.len().max(1) as u128;
    extent(dictionary.keys()).saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// Returns the number of rows that a batch counts as: rows with values of more than 64 bytes in each column take longer,
/// and count several times.
pub fn rows_of(batch: &RecordBatch) -> i64 {
    rows_of_columns(batch.columns(), batch.num_rows())
}

/// Returns the same number for columns of a batch.
pub fn rows_of_columns(columns: &[ArrayRef], rows: usize) -> i64 {
    let bytes: u64 = columns.iter().map(|it| expanded(it)).sum();
    let rows = (bytes / columns.len().max(1) as u64 / ROW_BYTES).max(rows as u64);
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Returns a field with strings as views: repeated entries of a dictionary then take the memory of one.
pub fn with_views(field: &FieldRef) -> FieldRef {
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
