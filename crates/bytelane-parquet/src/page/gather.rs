//! Decodes rows of several data pages, and encodes them as one page.

use super::edit::decoded_indices;
use super::encode::{Definition, DenseValues, PageEncoder, PageValues, Repetition, SlotLevels};
use super::header::{DataPage, ValueEncoding};
use super::levels::{LeafLevels, PageLevels};
use super::parts::Parts;
use super::values::{ArrayDecoder, Slots, decoder_of};
use crate::budget::{Budget, Reservation};
use crate::types::bare::bare_leaf;
use crate::types::physical;
use crate::{Error, Result};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use bytelane::Detected;
use parquet::basic::Type;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};
use std::ops::Range;
use std::sync::Arc;

/// Size of the levels and the index of a slot in bytes, before and after they are gathered.
const PER_SLOT: u64 = 12;

/// Selection of rows of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRows {
    /// Set if the slots before the first new row of the page are selected. They are the end of a row of the
    /// previous page.
    pub begun: bool,
    /// Selected rows among those that begin in the page, counted from 0. The ranges ascend and do not overlap.
    pub ranges: Vec<Range<usize>>,
}

impl PageRows {
    /// Returns the selection of all rows.
    #[must_use]
    pub fn all() -> Self {
        Self {
            begun: true,
            ranges: Vec::from_iter(std::iter::once(0..usize::MAX)),
        }
    }

    /// Returns the selection of all other rows.
    #[must_use]
    pub fn others(&self) -> Self {
        let starts = std::iter::once(0).chain(self.ranges.iter().map(|rows| rows.end));
        let ends = self.ranges.iter().map(|rows| rows.start);
        let ranges = starts.zip(ends.chain([usize::MAX]));
        Self {
            begun: !self.begun,
            ranges: ranges
                .map(|(start, end)| start..end)
                .filter(|rows| !rows.is_empty())
                .collect(),
        }
    }
}

/// Values of a page to skip, and values to take after them.
struct Run {
    skip: usize,
    take: usize,
}

/// Slots of a new page, and their counts.
#[derive(Debug, Default)]
pub struct Gathered {
    pub slots: usize,
    pub nulls: usize,
    /// Number of slots with each level; empty for columns without such levels.
    pub repetition: Vec<i64>,
    pub definition: Vec<i64>,
    /// Size of the strings in bytes; `None` for dictionary indices, and for other types.
    pub string_bytes: Option<i64>,
}

/// Gatherer of rows from pages of a column.
pub struct PageGatherer {
    levels: PageLevels,
    decoder: Option<Box<dyn ArrayDecoder>>,
    column: ColumnDescPtr,
    budget: Budget,
    /// Memory of the levels and indices of a page.
    memory: Reservation,
    greatest: (u16, u16),
    /// Size of a value in bytes, if it is the same for all.
    width: Option<usize>,
    encoding: Option<ValueEncoding>,
    all: SlotLevels,
    repetition: Vec<u16>,
    /// Definition levels; empty as long as all slots have a value.
    definition: Vec<u16>,
    page_indices: Vec<u32>,
    indices: Vec<u32>,
    fixed: Vec<u8>,
}

impl PageGatherer {
    pub fn new(column: &ColumnDescriptor, budget: &Budget) -> Result<Self> {
        let level = |greatest: i16| u8::try_from(greatest).unwrap_or(u8::MAX);
        let of = LeafLevels {
            max_definition: level(column.max_def_level()),
            max_repetition: level(column.max_rep_level()),
            slot: 0,
            // Request levels instead of bits.
            is_nested: true,
        };
        let bare = bare_leaf(
            column.self_type(),
            column.physical_type(),
            column.type_length(),
        )?;
        let (definition, repetition) = (column.max_def_level(), column.max_rep_level());
        let path = column.path().clone();
        Ok(Self {
            levels: PageLevels::new(Detected::active(), of, budget),
            decoder: None,
            width: physical::width(column),
            greatest: (definition.cast_unsigned(), repetition.cast_unsigned()),
            column: Arc::new(ColumnDescriptor::new(bare, definition, repetition, path)),
            budget: budget.clone(),
            memory: budget.reservation(),
            encoding: None,
            all: SlotLevels::default(),
            repetition: Vec::new(),
            definition: Vec::new(),
            page_indices: Vec::new(),
            indices: Vec::new(),
            fixed: Vec::new(),
        })
    }

    /// Adds rows of a page, given its decompressed parts. If there is a `map`, indices are replaced by its
    /// entries. All pages have the same encoding.
    pub fn add(
        &mut self,
        page: &DataPage,
        parts: Parts,
        wanted: &PageRows,
        map: Option<&[u32]>,
    ) -> Result<()> {
        if self.encoding.is_some_and(|it| it != page.encoding) {
            return Err(Error::corrupt("pages of several encodings"));
        }
        self.encoding = Some(page.encoding);
        let Parts {
            repetition,
            definition,
            values,
        } = parts;
        self.levels.open(page, repetition, definition)?;
        let valid = self.levels.valid();
        self.memory.cover(PER_SLOT * page.slots as u64)?;
        let runs = if !self.levels.has_lists() && valid == page.slots {
            self.add_full(wanted, valid)
        } else {
            self.add_levels(wanted)?
        };
        match (page.encoding, self.width) {
            (ValueEncoding::Dictionary, _) => {
                decoded_indices(&values, valid, &mut self.page_indices)?;
                let mut at = 0;
                for run in &runs {
                    let wanted = at + run.skip..at + run.skip + run.take;
                    at = wanted.end;
                    let wanted = &mut self.page_indices[wanted];
                    if let Some(map) = map {
                        super::edit::look_up(wanted, map)?;
                    }
                    self.indices.extend_from_slice(wanted);
                }
            }
            (ValueEncoding::Plain, Some(width)) => {
                let mut at = 0;
                for run in &runs {
                    let wanted = at + run.skip * width..at + (run.skip + run.take) * width;
                    at = wanted.end;
                    let bytes = values.get(wanted);
                    let bytes = bytes
                        .ok_or_else(|| Error::corrupt("the page has fewer values than it says"))?;
                    self.fixed.extend_from_slice(bytes);
                }
            }
            (encoding, _) => {
                let decoder = match &mut self.decoder {
                    Some(decoder) => decoder,
                    None => {
                        let (column, budget) = (&self.column, &self.budget);
                        let decoder =
                            decoder_of(Detected::active(), &bare_type(column)?, column, budget)?;
                        self.decoder.insert(decoder)
                    }
                };
                decoder.open_page(encoding, values, valid)?;
                for run in &runs {
                    decoder.skip(run.skip)?;
                    decoder.append(Slots::Valid(run.take))?;
                }
                decoder.close_page();
            }
        }
        Ok(())
    }

    /// Adds rows of the open page, of which each has a value. Returns these.
    fn add_full(&mut self, wanted: &PageRows, count: usize) -> Vec<Run> {
        let (mut runs, mut row) = (Vec::with_capacity(wanted.ranges.len()), 0);
        let before = self.all.slots;
        for range in &wanted.ranges {
            let (start, end) = (range.start.min(count), range.end.min(count));
            let (skip, take) = (start - row, end - start);
            runs.push(Run { skip, take });
            self.all.slots += take;
            row = end;
        }
        let taken = self.all.slots - before;
        self.all.rows += taken;
        self.all.values += taken;
        if !self.definition.is_empty() {
            self.definition.resize(self.all.slots, self.greatest.0);
        }
        runs
    }

    /// Adds the levels of rows of the open page. Returns the values that these rows have.
    fn add_levels(&mut self, wanted: &PageRows) -> Result<Vec<Run>> {
        let (begun, _) = self.levels.rows(0);
        let first = if wanted.begun {
            let take = self.take_levels(begun, 0)?;
            Run { skip: 0, take }
        } else {
            let skip = self.levels.skip(begun)?;
            Run { skip, take: 0 }
        };
        let (mut runs, mut row) = (vec![first], 0);
        for range in &wanted.ranges {
            let (levels, _) = self.levels.rows(range.start - row);
            let skip = self.levels.skip(levels)?;
            let (levels, rows) = self.levels.rows(range.end - range.start);
            let take = self.take_levels(levels, rows)?;
            runs.push(Run { skip, take });
            row = range.end;
        }
        Ok(runs)
    }

    /// Adds the next levels, in which this many rows begin. Returns the number of values that they have.
    fn take_levels(&mut self, levels: usize, rows: usize) -> Result<usize> {
        let taken = match self.levels.take(levels)? {
            Slots::Valid(_) if self.greatest.0 == 0 => levels,
            _ => 0,
        };
        let taken = match self.levels.last(levels) {
            None => taken,
            Some([repetition, definition]) => {
                self.repetition
                    .extend(repetition.iter().map(|level| u16::from(*level)));
                // Each slot before these has a level.
                self.definition.resize(self.all.slots, self.greatest.0);
                self.definition
                    .extend(definition.iter().map(|level| u16::from(*level)));
                let greatest = self.greatest.0;
                let is_valid = |level: &&u8| u16::from(**level) == greatest;
                definition.iter().filter(is_valid).count()
            }
        };
        self.all.slots += levels;
        self.all.rows += rows;
        self.all.values += taken;
        Ok(taken)
    }

    /// Appends all gathered rows as one page with its header, and starts a new one.
    /// `look` sees the values.
    pub fn finish(
        &mut self,
        encoder: &mut PageEncoder,
        to: &mut Vec<u8>,
        look: impl FnOnce(DenseValues<'_>),
    ) -> Result<Gathered> {
        let (definition, repetition) = self.greatest;
        let mut levels = std::mem::take(&mut self.all);
        if definition > 0 {
            levels.definition = match std::mem::take(&mut self.definition) {
                none if none.is_empty() && levels.slots > 0 => Definition::Full(definition),
                levels => Definition::Levels(levels),
            };
        }
        if repetition > 0 {
            levels.repetition = Repetition::Levels(std::mem::take(&mut self.repetition));
        }
        let histogram = |greatest: u16, count: &dyn Fn() -> Vec<i64>| match greatest {
            0 => Vec::new(),
            _ => count(),
        };
        let mut gathered = Gathered {
            slots: levels.slots,
            nulls: levels.slots - levels.values,
            repetition: histogram(repetition, &|| levels.repetition_histogram(repetition)),
            definition: histogram(definition, &|| levels.definition_histogram(definition)),
            string_bytes: None,
        };
        let encoding = self.encoding.unwrap_or(ValueEncoding::Plain);
        self.with_values(|values| {
            look(values);
            if let DenseValues::Strings(strings) = values {
                gathered.string_bytes = Some(strings.iter().map(|it| it.len() as i64).sum());
            }
            let page = PageValues {
                encoding,
                values,
                symbols: None,
                memory: None,
                levels: &levels,
                greatest: (definition, repetition),
                statistics: None,
            };
            encoder.append(&page, to).map(drop)
        })?;
        Ok(gathered)
    }

    /// Calls a function with the values so far, without nulls, and starts a new page.
    pub fn with_values<T>(&mut self, then: impl FnOnce(DenseValues<'_>) -> Result<T>) -> Result<T> {
        let encoding = self.encoding.take().unwrap_or(ValueEncoding::Plain);
        self.all = SlotLevels::default();
        self.repetition.clear();
        self.definition.clear();
        let done = match (encoding, self.width) {
            (ValueEncoding::Dictionary, _) => then(DenseValues::Indices(&self.indices)),
            (ValueEncoding::Plain, Some(width)) => then(DenseValues::Fixed(&self.fixed, width)),
            _ => {
                let decoder = self.decoder.as_mut();
                let decoder = decoder.ok_or_else(|| Error::corrupt("no values"))?;
                let array = decoder.finish(None)?;
                decoder.release();
                match (self.column.physical_type(), self.width) {
                    (Type::BOOLEAN, _) => then(DenseValues::Bits(array.as_boolean().values())),
                    (_, Some(width)) => {
                        let values = physical::to_physical(&array, &self.column)?;
                        then(DenseValues::Fixed(&values, width))
                    }
                    _ => {
                        let array = array.as_binary_view();
                        let strings: Vec<&[u8]> =
                            (0..array.len()).map(|at| array.value(at)).collect();
                        then(DenseValues::Strings(&strings))
                    }
                }
            }
        };
        self.indices.clear();
        self.fixed.clear();
        done
    }

    /// Discards everything gathered; also used after an error.
    pub fn clear(&mut self) {
        self.encoding = None;
        self.decoder = None;
        self.all = SlotLevels::default();
        self.repetition.clear();
        self.definition.clear();
        self.indices.clear();
        self.fixed.clear();
    }

    /// Returns the number of nulls so far.
    pub fn nulls(&self) -> usize {
        self.all.slots - self.all.values
    }

    /// Returns the indices so far.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }
}

/// Returns the Arrow type for the values of a column in their stored form.
fn bare_type(column: &ColumnDescriptor) -> Result<DataType> {
    Ok(match column.physical_type() {
        Type::BOOLEAN => DataType::Boolean,
        Type::INT32 => DataType::Int32,
        Type::INT64 => DataType::Int64,
        Type::FLOAT => DataType::Float32,
        Type::DOUBLE => DataType::Float64,
        Type::BYTE_ARRAY => DataType::BinaryView,
        Type::FIXED_LEN_BYTE_ARRAY => DataType::FixedSizeBinary(column.type_length()),
        Type::INT96 => return Err(physical::not_convertible(&DataType::Null, column)),
    })
}
