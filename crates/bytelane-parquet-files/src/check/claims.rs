//! Compares the values of a chunk with the facts that its file states about them.

pub(crate) use super::index::compare_of;
use bytelane_parquet::chunk::{Chunk, Stored, facts};
use bytelane_parquet::format::{self, BloomFilterHeader, ColumnIndex, ColumnOrder, Statistics};
use bytelane_parquet::input::bytes_at;
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{Error, Result};
use bytes::Bytes;
use half::f16;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::bloom_filter::Sbbf;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Number of bytes of a block of a Bloom filter.
const BLOCK: usize = 32;

/// Smallest and largest value of a page; `None` if all are null.
pub(crate) type PageRange = Option<(Bytes, Bytes)>;

/// Facts about the values of a chunk, from the footer and the Bloom filter.
pub(crate) struct Claims {
    compare: Option<Compare>,
    is_text: bool,
    statistics: Option<Statistics>,
    filter: Option<Sbbf>,
    /// Reason why the Bloom filter cannot be used.
    pub(crate) damaged_filter: Option<Error>,
}

/// Facts that a value contradicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contradicted {
    pub(crate) minimum: bool,
    pub(crate) maximum: bool,
    pub(crate) text: bool,
    pub(crate) filter: bool,
}

impl Contradicted {
    /// Describes the first fact that is contradicted.
    pub(crate) fn problem(self) -> Option<&'static str> {
        let problems = [
            (
                self.minimum,
                "a value is below the minimum of the statistics",
            ),
            (
                self.maximum,
                "a value is above the maximum of the statistics",
            ),
            (self.text, "a value of a string column is not UTF-8"),
            (self.filter, "the Bloom filter does not have a value"),
        ];
        let mut problems = problems.into_iter();
        problems.find_map(|(is_so, problem)| is_so.then_some(problem))
    }
}

impl Claims {
    pub(crate) fn new(
        reader: &impl ChunkReader,
        chunk: &Chunk,
        column: &ColumnDescriptor,
        order: Option<&ColumnOrder>,
    ) -> Result<Self> {
        // Bounds that cannot be values contradict nothing.
        let mut metadata = chunk.metadata().clone();
        let compare = compare_of(column, order);
        facts::correct(&mut metadata, (column, compare), &[])?;
        let statistics = metadata.statistics.as_ref();
        let is_text = match column.logical_type_ref() {
            Some(logical) => matches!(logical, LogicalType::String),
            None => column.converted_type() == ConvertedType::UTF8,
        };
        let is_known = column.physical_type() != Type::INT96;
        let (filter, damaged_filter) = match chunk.bloom_filter().filter(|_| is_known) {
            None => (None, None),
            Some(stored) => match bloom_filter(reader, stored) {
                Ok(filter) => (Some(filter), None),
                Err(error) => (None, Some(error)),
            },
        };
        Ok(Self {
            compare,
            is_text: is_text && column.physical_type() == Type::BYTE_ARRAY,
            statistics: statistics.map(|it| it.decode()).transpose()?,
            filter,
            damaged_filter,
        })
    }

    /// Returns the number of nulls according to the statistics.
    pub(crate) fn nulls(&self) -> Option<i64> {
        self.statistics.as_ref()?.null_count
    }

    /// Returns the facts about the chunk that a value contradicts.
    pub(crate) fn contradicted(&self, value: &[u8]) -> Contradicted {
        let statistics = self.statistics.as_ref();
        let least = statistics.and_then(|it| it.min_value.as_ref());
        let most = statistics.and_then(|it| it.max_value.as_ref());
        let lacks = |filter: &Sbbf| !filter.check(value);
        Contradicted {
            minimum: least.is_some_and(|least| self.is(value, least, Ordering::Less)),
            maximum: most.is_some_and(|most| self.is(value, most, Ordering::Greater)),
            text: self.is_text && std::str::from_utf8(value).is_err(),
            filter: self.filter.as_ref().is_some_and(lacks),
        }
    }

    /// Returns whether a value is outside the range of its page.
    pub(crate) fn is_outside(&self, value: &[u8], page: &PageRange) -> bool {
        let Some((least, most)) = page else {
            return self.compare.is_some();
        };
        self.is(value, least, Ordering::Less) || self.is(value, most, Ordering::Greater)
    }

    fn is(&self, value: &[u8], bound: &[u8], unwanted: Ordering) -> bool {
        let order = self.compare.map(|it| compare_values(it, value, bound));
        order == Some(unwanted)
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

/// Reads a Bloom filter. Its size must be a multiple of a block, and match what its header says.
fn bloom_filter(reader: &impl ChunkReader, stored: &Stored) -> Result<Sbbf> {
    let Stored::File(range) = stored else {
        return Err(Error::corrupt("the Bloom filter is not in the file"));
    };
    let bytes = bytes_at(reader, range.clone())?;
    let header = format::decode_prefix::<BloomFilterHeader>(&bytes);
    let (header, length) = header.map_err(|error| {
        Error::corrupt(format!(
            "the header of the Bloom filter is damaged: {error}"
        ))
    })?;
    let (claimed, blocks) = (header.num_bytes, &bytes[length..]);
    let size = usize::try_from(claimed).ok();
    let size = size.filter(|size| *size > 0 && size.is_multiple_of(BLOCK));
    let Some(size) = size else {
        return Err(Error::corrupt(format!(
            "the Bloom filter says that it has {claimed} bytes, which is not a multiple of {BLOCK}"
        )));
    };
    let found = blocks.len();
    let blocks = blocks.get(..size).ok_or_else(|| {
        Error::corrupt(format!(
            "the Bloom filter says that it has {claimed} bytes, but the footer gives it {found}"
        ))
    })?;
    Ok(Sbbf::new(blocks))
}

/// Returns the range of each page according to a column index, which must have this number of pages.
pub(crate) fn page_ranges(index: &ColumnIndex, pages: usize) -> Option<Vec<PageRange>> {
    let lengths = [
        index.null_pages.len(),
        index.min_values.len(),
        index.max_values.len(),
    ];
    let bounds = index.min_values.iter().zip(&index.max_values);
    let bounds = bounds.zip(&index.null_pages);
    let ranges =
        bounds.map(|((least, most), is_null)| (!is_null).then(|| (least.clone(), most.clone())));
    (lengths == [pages; 3]).then(|| ranges.collect())
}
