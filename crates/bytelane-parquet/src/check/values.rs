//! Checks the values of a row group against its metadata.

use super::index::compare_of;
use super::outcome::Findings;
use crate::budget::MemoryLimit;
use crate::chunk::{Chunk, Stored, stored_range};
use crate::format::{self, ColumnChunk, ColumnIndex, Statistics};
use crate::input::{InputFile, bytes_at};
use crate::rewrite::source::{Column, Root, Source};
use crate::statistics::Compare;
use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use bytes::Bytes;
use half::f16;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::bloom_filter::Sbbf;
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Checks all columns of a row group. Calls `report`, which may cancel the work, for each batch.
pub(super) fn check(
    source: &Source<InputFile>,
    index: usize,
    memory: MemoryLimit,
    findings: &mut Findings,
    report: &impl Fn() -> Result<()>,
) -> Result<()> {
    for root in &source.roots {
        findings.enter_column(root.in_file().name().to_owned());
        let (checked, mut leaves) = match leaves_of(source, index, root) {
            Ok(leaves) => (Ok(()), leaves),
            Err(error) => (Err(error), Vec::new()),
        };
        let checked = checked.and_then(|()| {
            each_batch(source, index, root, memory, |array| {
                report()?;
                let mut arrays = Vec::new();
                flatten(array, &mut arrays);
                for (leaf, array) in leaves.iter_mut().zip(&arrays) {
                    leaf.add(array);
                }
                Ok(())
            })
        });
        match checked {
            Ok(()) => leaves.iter().for_each(|leaf| leaf.finish(findings)),
            Err(error) => findings.add_error(error)?,
        }
    }
    Ok(())
}

/// Calls a function with the values of a column, batch by batch.
pub(super) fn each_batch(
    source: &Source<InputFile>,
    index: usize,
    root: &Root,
    memory: MemoryLimit,
    mut take: impl FnMut(&ArrayRef) -> Result<()>,
) -> Result<()> {
    let read = root.read().as_ref();
    let read = read.map_err(|why| Error::from(Problem::Unsupported(why.clone())))?;
    let row_group = source.row_group(index)?;
    let part = source.part(&row_group, root)?;
    let ranges = part
        .chunks
        .iter()
        .map(|chunk| stored_range(chunk, source.reader.len()));
    let ranges = ranges.collect::<Result<Vec<_>>>()?;
    let column = Column {
        row_group: &row_group,
        root,
        part: &part,
        ranges: &ranges,
    };
    let rows = column.batch_rows().min(1 << 16);
    for array in source.rows(column, read, None, memory, rows)? {
        take(&array?)?;
    }
    Ok(())
}

/// Appends the leaves of an array, in column order.
fn flatten(array: &ArrayRef, to: &mut Vec<ArrayRef>) {
    match array.data_type() {
        DataType::List(_) => flatten(array.as_list::<i32>().values(), to),
        DataType::LargeList(_) => flatten(array.as_list::<i64>().values(), to),
        DataType::Map(..) => {
            let entries = array.as_map().entries();
            entries.columns().iter().for_each(|it| flatten(it, to));
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns();
            columns.iter().for_each(|it| flatten(it, to));
        }
        _ => to.push(ArrayRef::clone(array)),
    }
}

/// Calls a function with the slot number and the stored bytes of each value.
pub(super) fn each_value(array: &ArrayRef, mut take: impl FnMut(usize, &[u8])) {
    let nulls = array.logical_nulls();
    let valid = |slot: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*slot));
    let slots = (0..array.len()).filter(valid);
    macro_rules! numbers {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>().values();
            slots.for_each(|slot| take(slot, &values[slot].to_le_bytes()))
        }};
    }
    match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean();
            slots.for_each(|slot| take(slot, &[u8::from(values.value(slot))]));
        }
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Timestamp(TimeUnit::Millisecond, _) => numbers!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => numbers!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => numbers!(TimestampNanosecondType),
        DataType::BinaryView => {
            let values = array.as_binary_view();
            slots.for_each(|slot| take(slot, values.value(slot)));
        }
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            slots.for_each(|slot| take(slot, values.value(slot)));
        }
        _ => {}
    }
}

/// Compares two values. Zeros are equal, and NaN is equal to everything.
fn compare_values(compare: Compare, one: &[u8], other: &[u8]) -> Ordering {
    let float = |bytes: &[u8]| match *bytes {
        [a, b] => Some(f16::from_le_bytes([a, b]).to_f64()),
        [a, b, c, d] => Some(f64::from(f32::from_le_bytes([a, b, c, d]))),
        _ => bytes.first_chunk().map(|bytes| f64::from_le_bytes(*bytes)),
    };
    match compare {
        Compare::Float | Compare::Half => float(one)
            .zip(float(other))
            .and_then(|(one, other)| one.partial_cmp(&other))
            .unwrap_or(Ordering::Equal),
        _ => compare.values(one, other),
    }
}

/// First row of a page, and its bounds, according to both indexes; no bounds if all values are
/// null.
type IndexedPage = (i64, Option<(Bytes, Bytes)>);

/// Leaf whose values are being read.
struct Leaf {
    column: String,
    compare: Option<Compare>,
    is_text: bool,
    statistics: Option<Statistics>,
    /// Number of values, nulls included, according to the footer.
    values: i64,
    filter: Option<Sbbf>,
    /// Pages of flat columns.
    pages: Vec<IndexedPage>,
    // Numbers of values and nulls found.
    valid: i64,
    slots: i64,
    below: bool,
    above: bool,
    not_text: u64,
    not_in_filter: u64,
    outside: Vec<usize>,
}

fn leaves_of(source: &Source<InputFile>, index: usize, root: &Root) -> Result<Vec<Leaf>> {
    let row_group = source.row_group(index)?;
    let part = source.part(&row_group, root)?;
    let columns = root.schema.columns().iter();
    let chunks = part
        .chunks
        .into_iter()
        .zip(columns)
        .zip(root.leaves.clone());
    let leaves = chunks.map(|((chunk, column), leaf)| Leaf::new(source, chunk, column, leaf));
    leaves.collect()
}

impl Leaf {
    fn new(
        source: &Source<InputFile>,
        chunk: ColumnChunk,
        column: &ColumnDescriptor,
        leaf: usize,
    ) -> Result<Self> {
        let orders = source.footer.column_orders.as_ref();
        let order = orders.and_then(|orders| orders.get(leaf));
        let statistics = chunk.meta_data.statistics.as_ref();
        let statistics = statistics.map(|it| it.decode()).transpose()?;
        let values = chunk.meta_data.num_values;
        let range = stored_range(&chunk, source.reader.len())?;
        let chunk = Chunk::open(&source.reader, chunk, range)?;
        let is_known = column.physical_type() != Type::INT96;
        let filter = match chunk.bloom_filter().filter(|_| is_known) {
            Some(Stored::File(range)) => {
                let bytes = bytes_at(&source.reader, range.clone())?;
                let header = format::decode_prefix::<format::BloomFilterHeader>(&bytes);
                let (_, length) = header.map_err(format::damaged)?;
                Some(Sbbf::new(&bytes[length..]))
            }
            _ => None,
        };
        let is_text = match column.logical_type_ref() {
            Some(logical) => matches!(logical, LogicalType::String),
            None => column.converted_type() == ConvertedType::UTF8,
        };
        Ok(Self {
            column: column.path().string(),
            compare: compare_of(column, order),
            is_text: is_text && column.physical_type() == Type::BYTE_ARRAY,
            statistics,
            values,
            filter,
            pages: match column.max_rep_level() {
                0 => pages_of(&chunk).unwrap_or_default(),
                _ => Vec::new(),
            },
            valid: 0,
            slots: 0,
            below: false,
            above: false,
            not_text: 0,
            not_in_filter: 0,
            outside: Vec::new(),
        })
    }

    fn add(&mut self, array: &ArrayRef) {
        let bounds = self.statistics.as_ref();
        let bounds = bounds.map(|it| (it.min_value.clone(), it.max_value.clone()));
        let (least, most) = bounds.unwrap_or_default();
        let first = self.slots;
        each_value(array, |slot, value| {
            self.valid += 1;
            if self.is_text && std::str::from_utf8(value).is_err() {
                self.not_text += 1;
            }
            if self
                .filter
                .as_ref()
                .is_some_and(|filter| !filter.check(value))
            {
                self.not_in_filter += 1;
            }
            let Some(compare) = self.compare else {
                return;
            };
            let is = |bound: &[u8], unwanted: Ordering| {
                compare_values(compare, value, bound) == unwanted
            };
            self.below |= least.as_ref().is_some_and(|it| is(it, Ordering::Less));
            self.above |= most.as_ref().is_some_and(|it| is(it, Ordering::Greater));
            let row = first + slot as i64;
            let after = self.pages.partition_point(|(start, _)| *start <= row);
            let page = after.saturating_sub(1);
            if let Some((_, bounds)) = self.pages.get(page) {
                let is_outside = match bounds {
                    None => true,
                    Some((least, most)) => is(least, Ordering::Less) || is(most, Ordering::Greater),
                };
                if is_outside && self.outside.last() != Some(&page) {
                    self.outside.push(page);
                }
            }
        });
        self.slots += array.len() as i64;
    }

    fn finish(&self, findings: &mut Findings) {
        findings.enter_column(self.column.clone());
        if self.below {
            findings.error("a value is below the minimum of the statistics");
        }
        if self.above {
            findings.error("a value is above the maximum of the statistics");
        }
        let nulls = self.values - self.valid;
        let claimed = self.statistics.as_ref().and_then(|it| it.null_count);
        if let Some(claimed) = claimed.filter(|claimed| *claimed != nulls) {
            findings.error(format!(
                "the statistics count {claimed} nulls, but there are {nulls}"
            ));
        }
        if self.not_text > 0 {
            let count = self.not_text;
            findings.error(format!("{count} values of a string column are not UTF-8"));
        }
        if self.not_in_filter > 0 {
            let count = self.not_in_filter;
            findings.error(format!(
                "the Bloom filter does not have {count} values of the column"
            ));
        }
        for page in &self.outside {
            findings.error_in_page(*page, "a value is outside the bounds of the column index");
        }
    }
}

/// Returns the first row and the bounds of each page, according to both indexes.
fn pages_of(chunk: &Chunk) -> Option<Vec<IndexedPage>> {
    let index: ColumnIndex = format::decode(chunk.column_index()?).ok()?;
    let starts = chunk.page_starts()?;
    let lengths = [
        index.null_pages.len(),
        index.min_values.len(),
        index.max_values.len(),
    ];
    if lengths != [starts.len(); 3] {
        return None;
    }
    let pages = starts.into_iter().enumerate().map(|(page, start)| {
        let bounds = || {
            (
                index.min_values[page].clone(),
                index.max_values[page].clone(),
            )
        };
        (start, (!index.null_pages[page]).then(bounds))
    });
    Some(pages.collect())
}
