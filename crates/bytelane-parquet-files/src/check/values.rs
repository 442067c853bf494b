//! Checks the values of a row group against its metadata.

use super::claims::{Claims, PageRange, page_ranges};
use super::geo::{Described, Geometries};
use super::outcome::Findings;
use crate::rewrite::source::{Column, Root, Source};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use bytelane_parquet::budget::{DecodedRows, MemoryLimit, rows_of_columns};
use bytelane_parquet::chunk::{Chunk, stored_range};
use bytelane_parquet::format::{self, ColumnChunk, ColumnIndex};
use bytelane_parquet::input::InputFile;
use bytelane_parquet::{Error, Problem, Result};
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescriptor;
use std::collections::HashMap;
use std::slice;

/// Checks all columns of a row group. Calls `report`, which may cancel the work, for each batch. `decoded` counts the rows
/// of each column.
pub(super) fn check(
    source: &Source<InputFile>,
    index: usize,
    geo: &Described,
    memory: MemoryLimit,
    decoded: &mut [DecodedRows],
    findings: &mut Findings,
    report: &impl Fn() -> Result<()>,
) -> Result<()> {
    for (root, decoded) in source.roots.iter().zip(decoded) {
        findings.enter_column(root.in_file().name().to_owned());
        let (checked, mut leaves) = match leaves_of(source, index, root, geo) {
            Ok(leaves) => (Ok(()), leaves),
            Err(error) => (Err(error), Vec::new()),
        };
        let checked = checked.and_then(|()| {
            each_batch(source, index, root, memory, |array| {
                report()?;
                decoded.add(rows_of_columns(slice::from_ref(array), array.len()))?;
                let mut arrays = Vec::new();
                flatten(array, &mut arrays);
                for (leaf, array) in leaves.iter_mut().zip(&arrays) {
                    leaf.add(array);
                }
                Ok(())
            })
        });
        match checked {
            Ok(()) => {
                for leaf in &mut leaves {
                    leaf.finish(findings)?;
                }
            }
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
        .map(|chunk| stored_range(chunk, source.file.reader.len()));
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

/// Size of values, in bytes, that are judged once for each place in memory.
const LONG: usize = 128;

/// First row of a page, and its range, according to both indexes.
type IndexedPage = (i64, PageRange);

/// Leaf whose values are being read.
struct Leaf {
    column: String,
    claims: Claims,
    /// Number of values, nulls included, according to the footer.
    values: i64,
    /// Pages of flat columns.
    pages: Vec<IndexedPage>,
    geometries: Option<Geometries>,
    // Numbers of values and nulls found.
    valid: i64,
    slots: i64,
    below: bool,
    above: bool,
    not_text: u64,
    not_in_filter: u64,
    outside: Vec<usize>,
}

fn leaves_of(
    source: &Source<InputFile>,
    index: usize,
    root: &Root,
    geo: &Described,
) -> Result<Vec<Leaf>> {
    let row_group = source.row_group(index)?;
    let part = source.part(&row_group, root)?;
    let columns = root.schema.columns().iter();
    let chunks = part
        .chunks
        .into_iter()
        .zip(columns)
        .zip(root.leaves.clone());
    let leaves = chunks.map(|((chunk, column), leaf)| Leaf::new(source, chunk, column, leaf, geo));
    leaves.collect()
}

impl Leaf {
    fn new(
        source: &Source<InputFile>,
        chunk: ColumnChunk,
        column: &ColumnDescriptor,
        leaf: usize,
        geo: &Described,
    ) -> Result<Self> {
        let orders = source.file.footer.column_orders.as_ref();
        let order = orders.and_then(|orders| orders.get(leaf));
        let values = chunk.meta_data.num_values;
        let range = stored_range(&chunk, source.file.reader.len())?;
        let of_geometries = chunk.meta_data.geospatial_statistics.as_ref();
        let of_geometries = of_geometries.map(|it| it.decode()).transpose()?;
        let chunk = Chunk::open(&source.file.reader, chunk, range)?;
        Ok(Self {
            column: column.path().string(),
            claims: Claims::new(&source.file.reader, &chunk, column, order)?,
            values,
            pages: match column.max_rep_level() {
                0 => pages_of(&chunk).unwrap_or_default(),
                _ => Vec::new(),
            },
            geometries: Geometries::new(geo, column, of_geometries.as_ref()),
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
        let first = self.slots;
        // A dictionary may have a long value once that a batch has many times.
        let mut judged = HashMap::new();
        each_value(array, |slot, value| {
            self.valid += 1;
            let row = first + slot as i64;
            let after = self.pages.partition_point(|(start, _)| *start <= row);
            let page = after.saturating_sub(1);
            let (claims, pages, geometries) = (&self.claims, &self.pages, &self.geometries);
            let judge = || {
                let range = pages.get(page);
                let is_outside = range.is_some_and(|(_, it)| claims.is_outside(value, it));
                let of_geometry = geometries.as_ref().map(|it| it.judge(value));
                (claims.contradicted(value), is_outside, of_geometry)
            };
            let (contradicted, is_outside, of_geometry) = if value.len() < LONG {
                judge()
            } else {
                let key = (value.as_ptr(), value.len(), page);
                *judged.entry(key).or_insert_with(judge)
            };
            if let (Some(geometries), Some(judged)) = (&mut self.geometries, of_geometry) {
                geometries.count(judged);
            }
            self.below |= contradicted.minimum;
            self.above |= contradicted.maximum;
            self.not_text += u64::from(contradicted.text);
            self.not_in_filter += u64::from(contradicted.filter);
            if is_outside && self.outside.last() != Some(&page) {
                self.outside.push(page);
            }
        });
        self.slots += array.len() as i64;
    }

    fn finish(&mut self, findings: &mut Findings) -> Result<()> {
        findings.enter_column(self.column.clone());
        if let Some(error) = self.claims.damaged_filter.take() {
            findings.add_error(error)?;
        }
        if self.below {
            findings.error("a value is below the minimum of the statistics");
        }
        if self.above {
            findings.error("a value is above the maximum of the statistics");
        }
        let nulls = self.values - self.valid;
        let claimed = self.claims.nulls();
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
        if let Some(geometries) = &self.geometries {
            geometries.finish(findings);
        }
        for page in &self.outside {
            findings.error_in_page(*page, "a value is outside the bounds of the column index");
        }
        Ok(())
    }
}

/// Returns the first row and the range of each page, according to both indexes.
fn pages_of(chunk: &Chunk) -> Option<Vec<IndexedPage>> {
    let index: ColumnIndex = format::decode(chunk.column_index()?).ok()?;
    let starts = chunk.page_starts()?;
    let ranges = page_ranges(&index, starts.len())?;
    Some(starts.into_iter().zip(ranges).collect())
}
