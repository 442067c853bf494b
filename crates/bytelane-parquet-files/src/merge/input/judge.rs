//! Decides whether a page of a damaged file is intact.

use crate::check::claims::{Claims, PageRange, page_ranges};
use crate::merge::join::codec::compression_of;
use crate::merge::join::entry::editor;
use crate::merge::join::{Entries, dictionary_of};
use crate::merge::leaf::{Leaf, StoredPage};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::format::{self, ColumnIndex, PageHeader, PageType, Statistics};
use bytelane_parquet::page::{
    CodeReplacer, DataPage, DenseValues, LevelBytes, LevelLayout, PageEditor, PageGatherer,
    PageKind, PageRows, Parts, ValueEncoding, left_of_runs, read_header,
};
use bytelane_parquet::types::physical;
use bytelane_parquet::{Error, Result};
use parquet::basic::Compression;
use parquet::schema::types::ColumnDescriptor;

/// Decodes the pages of a chunk, and compares their values with what the file says about them.
pub(super) struct Judge {
    editor: PageEditor,
    gatherer: PageGatherer,
    replacer: CodeReplacer,
    claims: Claims,
    /// Size of a value in bytes, if it is the same for all.
    width: Option<usize>,
    has_lists: bool,
    /// Number of bits of a repetition and a definition level.
    level_bits: [u32; 2],
    is_compressed: bool,
    /// Set if PLAIN values must take all bytes of their page.
    are_sizes_exact: bool,
    /// Ranges and numbers of nulls of the pages according to the column index.
    index: Option<(Vec<PageRange>, Option<Vec<i64>>)>,
    dictionary: Option<Dictionary>,
    /// Number of values according to the footer, and in all pages, and number of nulls in all pages.
    claimed: i64,
    values: i64,
    nulls: i64,
}

/// Entries of a dictionary, and the facts that each contradicts.
struct Dictionary {
    entries: Entries,
    problems: Vec<Option<&'static str>>,
}

/// Facts about the values of a page.
struct PageClaims {
    ranges: Vec<PageRange>,
    nulls: Vec<i64>,
}

impl Judge {
    pub(super) fn new(leaf: &Leaf, column: &ColumnDescriptor, claims: Claims) -> Result<Self> {
        let compression = compression_of(leaf.metadata().codec)?;
        Ok(Self {
            editor: editor(leaf, column)?,
            replacer: leaf
                .code_replacer(compression.unwrap_or(Compression::UNCOMPRESSED), column)?,
            gatherer: PageGatherer::new(column, &leaf.limits().0)?,
            claims,
            width: physical::width(column),
            has_lists: column.max_rep_level() > 0,
            level_bits: [column.max_rep_level(), column.max_def_level()]
                .map(|greatest| i16::BITS - greatest.leading_zeros()),
            is_compressed: leaf.metadata().codec != format::CompressionCodec::Uncompressed,
            are_sizes_exact: false,
            index: indexed(leaf),
            dictionary: None,
            claimed: leaf.metadata().num_values,
            values: 0,
            nulls: 0,
        })
    }

    /// Refuses pages and dictionaries with bytes after their PLAIN values: those of another type often have some.
    pub(super) fn with_exact_sizes(mut self) -> Self {
        self.are_sizes_exact = true;
        self
    }

    /// Reads the dictionary, or symbols. Returns whether it is intact; otherwise, so is no page that needs it.
    pub(super) fn dictionary(&mut self, page: &StoredPage) -> bool {
        if page.page.header.page_type == PageType::SymbolTablePage {
            return catch_panic(|| page.clone().without_codes(&mut self.replacer)).is_ok();
        }
        let dictionary = catch_panic(|| self.entries(page));
        self.dictionary = dictionary.ok();
        self.dictionary.is_some()
    }

    fn entries(&mut self, page: &StoredPage) -> Result<Dictionary> {
        self.check_size(&page.page.header)?;
        let (bytes, count) = dictionary_of(page, &mut self.editor)?;
        let entries = Entries::new(bytes.clone(), count, self.width)?;
        if self.are_sizes_exact {
            let length = |entry: &[u8]| entry.len() + self.width.map_or(size_of::<u32>(), |_| 0);
            check_taken(entries.iter().map(length).sum(), bytes.len())?;
        }
        let contradicted: Vec<_> = entries
            .iter()
            .map(|entry| self.claims.contradicted(entry))
            .collect();
        if contradicted.iter().any(|it| it.text) {
            return Err(Error::corrupt("an entry of the dictionary is not UTF-8"));
        }
        let problems = contradicted.into_iter().map(|it| it.problem());
        Ok(Dictionary {
            problems: problems.collect(),
            entries,
        })
    }

    /// Returns a page, the number of rows that begin in it (`known`, if given), and whether the page
    /// begins with a new row; an error if it is not intact. `number` is its number in the column
    /// index.
    pub(super) fn judge(
        &mut self,
        stored: StoredPage,
        number: Option<usize>,
        known: Option<u64>,
    ) -> Result<(StoredPage, u64, bool)> {
        let judged = catch_panic(|| {
            let stored = stored.without_codes(&mut self.replacer)?;
            let stored = stored.ok_or_else(|| Error::corrupt("a page without data"))?;
            let (rows, begins) = self.look(&stored, number)?;
            Ok((stored, rows, begins))
        });
        // The next page must not depend on this one.
        self.gatherer.clear();
        let (stored, rows, begins) = judged?;
        if known.is_some_and(|known| known != rows) {
            let known = known.unwrap_or(0);
            return Err(Error::corrupt(format!(
                "the page has {rows} rows instead of {known}"
            )));
        }
        Ok((stored, rows, begins))
    }

    fn look(&mut self, stored: &StoredPage, number: Option<usize>) -> Result<(u64, bool)> {
        let (checked, body) = (read_header(&stored.page.header)?, stored.body());
        checked.check(&body)?;
        self.check_size(&stored.page.header)?;
        let PageKind::Data(header) = checked.kind else {
            return Err(Error::corrupt("a page without data"));
        };
        let (rows, begins) = self.editor.rows(&header, &body)?;
        let parts = self.editor.open(&header, &body)?;
        let (size, runs) = (parts.values.len(), parts.clone());
        self.gatherer.add(&header, parts, &PageRows::all(), None)?;
        self.check_runs(&header, &runs)?;
        let dictionary = match &self.dictionary {
            dictionary if stored.uses_dictionary() => {
                let dictionary = dictionary.as_ref();
                Some(dictionary.ok_or_else(|| Error::corrupt("its dictionary is damaged"))?)
            }
            _ => None,
        };
        let nulls = self.gatherer.nulls() as i64;
        let said = PageClaims::new(&stored.page.header, self.index.as_ref(), number);
        let page = Said {
            claims: &self.claims,
            page: &said,
            dictionary,
        };
        let is_exact = self.are_sizes_exact && header.encoding == ValueEncoding::Plain;
        self.gatherer.with_values(|values| {
            if is_exact {
                check_taken(plain_size(values), size)?;
            }
            page.check(values)
        })?;
        let claimed = said.nulls.iter().find(|claimed| **claimed != nulls);
        if let Some(claimed) = claimed.filter(|_| !self.has_lists) {
            return Err(Error::corrupt(format!(
                "the page has {nulls} nulls, but its statistics count {claimed}"
            )));
        }
        self.values += header.slots as i64;
        self.nulls += nulls;
        Ok((rows as u64, begins))
    }

    /// Returns an error if a run of levels or indices claims more bytes than there are, which pyarrow refuses, or if
    /// levels of version 2 take fewer bytes than the header says.
    fn check_runs(&self, page: &DataPage, parts: &Parts) -> Result<()> {
        let levels = [&parts.repetition, &parts.definition];
        let mut levels = levels.into_iter().zip(self.level_bits);
        // The lengths in headers of version 2 alone say where the values begin.
        let is_exact = matches!(page.levels, LevelLayout::Before { .. });
        let are_levels_whole = levels.all(|(levels, bits)| match levels {
            LevelBytes::Rle(bytes) if bits > 0 => {
                let left = left_of_runs(bytes, bits, page.slots);
                left.is_some_and(|left| left == 0 || !is_exact)
            }
            _ => true,
        });
        let valid = page.slots - self.gatherer.nulls();
        let are_indices_whole = match (page.encoding, parts.values.split_first()) {
            (ValueEncoding::Dictionary, Some((width, runs))) => {
                left_of_runs(runs, u32::from(*width), valid).is_some()
            }
            (ValueEncoding::Rle, _) => {
                let runs = parts.values.get(size_of::<u32>()..);
                left_of_runs(runs.unwrap_or_default(), 1, valid).is_some()
            }
            _ => true,
        };
        if are_levels_whole && are_indices_whole {
            Ok(())
        } else {
            Err(Error::corrupt(
                "its runs take another number of bytes than the page has for them",
            ))
        }
    }

    /// Returns an error if a page that is not compressed has two sizes.
    fn check_size(&self, header: &PageHeader) -> Result<()> {
        if self.is_compressed && header.is_compressed() {
            return Ok(());
        }
        header.check_equal_sizes()
    }

    /// Returns an error if all pages together contradict the statistics of the chunk.
    pub(super) fn finish(&self) -> Result<()> {
        let (claimed, values, nulls) = (self.claimed, self.values, self.nulls);
        if claimed != values {
            return Err(Error::corrupt(format!(
                "the footer says {claimed} values, but its pages have {values}"
            )));
        }
        match self.claims.nulls().filter(|claimed| *claimed != nulls) {
            None => Ok(()),
            Some(claimed) => Err(Error::corrupt(format!(
                "the statistics count {claimed} nulls, but there are {nulls}"
            ))),
        }
    }
}

impl PageClaims {
    /// Collects what the header of a page and the column index say.
    fn new(
        header: &PageHeader,
        index: Option<&(Vec<PageRange>, Option<Vec<i64>>)>,
        number: Option<usize>,
    ) -> Self {
        let (one, two) = (&header.data_page_header, &header.data_page_header_v2);
        let statistics = one.as_ref().and_then(|it| it.statistics.as_ref());
        let statistics = statistics.or(two.as_ref().and_then(|it| it.statistics.as_ref()));
        let statistics: Option<Statistics> = statistics.and_then(|it| it.decode().ok());
        let (mut ranges, mut nulls) = (Vec::new(), Vec::new());
        if let Some(statistics) = statistics {
            nulls.extend(statistics.null_count);
            let range = statistics.min_value.zip(statistics.max_value);
            ranges.extend(range.map(Some));
        }
        if let (Some((indexed, counts)), Some(number)) = (index, number) {
            ranges.extend(indexed.get(number).cloned());
            nulls.extend(counts.as_ref().and_then(|it| it.get(number)));
        }
        Self { ranges, nulls }
    }
}

/// Everything that a file says about the values of a page.
struct Said<'a> {
    claims: &'a Claims,
    page: &'a PageClaims,
    dictionary: Option<&'a Dictionary>,
}

impl Said<'_> {
    /// Returns an error for the first value that contradicts it.
    fn check(&self, values: DenseValues<'_>) -> Result<()> {
        match values {
            DenseValues::Fixed(bytes, width) => bytes
                .chunks_exact(width.max(1))
                .try_for_each(|value| self.value(value)),
            DenseValues::Strings(strings) => strings.iter().try_for_each(|value| self.value(value)),
            DenseValues::Bits(bits) => bits
                .iter()
                .try_for_each(|value| self.value(&[u8::from(value)])),
            DenseValues::Indices(indices) => {
                let Some(dictionary) = self.dictionary else {
                    return Err(Error::corrupt("its dictionary is damaged"));
                };
                // Each entry is compared once.
                let mut used = vec![false; dictionary.entries.len()];
                for index in indices {
                    let used = used.get_mut(*index as usize);
                    *used.ok_or_else(|| Error::corrupt("an index outside the dictionary"))? = true;
                }
                let pairs = dictionary.entries.iter().zip(&dictionary.problems);
                let mut used = pairs.zip(used).filter(|(_, used)| *used);
                used.try_for_each(|((entry, problem), _)| self.page_value(entry, *problem))
            }
        }
    }

    fn value(&self, value: &[u8]) -> Result<()> {
        self.page_value(value, self.claims.contradicted(value).problem())
    }

    fn page_value(&self, value: &[u8], problem: Option<&'static str>) -> Result<()> {
        let is_outside = |range: &PageRange| self.claims.is_outside(value, range);
        let outside = || self.page.ranges.iter().any(is_outside);
        let outside = || outside().then_some("a value is outside the bounds of its page");
        match problem.or_else(outside) {
            None => Ok(()),
            Some(problem) => Err(Error::corrupt(problem)),
        }
    }
}

/// Returns the size of values in the encoding PLAIN, in bytes.
fn plain_size(values: DenseValues<'_>) -> usize {
    match values {
        DenseValues::Fixed(bytes, _) => bytes.len(),
        DenseValues::Bits(bits) => bits.len().div_ceil(8),
        DenseValues::Strings(strings) => strings.iter().map(|it| it.len() + size_of::<u32>()).sum(),
        DenseValues::Indices(_) => 0,
    }
}

/// Returns an error if values take fewer bytes than there are.
fn check_taken(taken: usize, size: usize) -> Result<()> {
    if taken == size {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "its values take {taken} of its {size} bytes"
    )))
}

/// Returns the ranges and numbers of nulls of all pages according to the column index.
fn indexed(leaf: &Leaf) -> Option<(Vec<PageRange>, Option<Vec<i64>>)> {
    let index: ColumnIndex = format::decode(leaf.chunk.column_index()?).ok()?;
    let pages = leaf.chunk.offset_index()?.page_locations.len();
    Some((page_ranges(&index, pages)?, index.null_counts))
}
