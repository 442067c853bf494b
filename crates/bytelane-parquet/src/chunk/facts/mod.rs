//! Facts about a column chunk that a file states several times. `check`, filters, `merge`, `rewrite` and `repair`
//! compare them by the same rules.

mod bounds;
mod contents;
mod metadata;
mod pages;
mod table;

pub use pages::PageFacts;
pub use table::{Fact, Reaction, Verb};

use super::{Chunk, Page};
use crate::budget::{Budget, MemoryLimit};
use crate::format::{self, ColumnIndex, ColumnMetaData, OffsetIndex, Statistics};
use crate::input::bytes_at;
use crate::page::{PageEditor, PageKind, codec_in_parquet, read_header};
use crate::statistics::Compare;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnDescriptor;
use std::collections::BTreeSet;

/// Facts about a column chunk. Those that are unknown contradict nothing.
pub struct Facts<'a> {
    pub column: &'a ColumnDescriptor,
    /// Number of rows of its row group.
    pub rows: i64,
    /// Number of values according to the footer.
    pub values: i64,
    /// Data pages; `None` for those whose headers cannot be read.
    pub pages: &'a [Option<PageFacts>],
    pub offset_index: Option<&'a OffsetIndex>,
    pub column_index: Option<&'a ColumnIndex>,
    pub statistics: ChunkFacts,
    /// Order of the bounds, if it is known.
    pub compare: Option<Compare>,
    /// Metadata of the chunk in the footer, if it is to be compared.
    pub metadata: Option<&'a ColumnMetaData>,
}

/// Statistics of a chunk.
#[derive(Clone, Debug, Default)]
pub struct ChunkFacts {
    pub nulls: Option<i64>,
    /// Smallest and largest value, if both are exact.
    pub range: Option<(Bytes, Bytes)>,
}

impl ChunkFacts {
    /// Returns the facts of statistics.
    pub fn of(statistics: Option<&Statistics>) -> Self {
        let Some(statistics) = statistics else {
            return Self::default();
        };
        let are_exact = statistics.is_min_value_exact != Some(false)
            && statistics.is_max_value_exact != Some(false);
        let bounds = statistics.min_value.clone();
        Self {
            nulls: statistics.null_count,
            range: bounds
                .zip(statistics.max_value.clone())
                .filter(|_| are_exact),
        }
    }
}

/// Two facts that disagree.
#[derive(Clone, Debug)]
pub struct Contradiction {
    pub fact: Fact,
    /// Number of the data page, if a page is concerned.
    pub page: Option<usize>,
    pub problem: String,
}

impl Facts<'_> {
    /// Returns all contradictions. One of the number of pages hides those of single pages.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let mut found = Vec::new();
        self.check_values(&mut found);
        self.check_offset_index(&mut found);
        self.check_column_index(&mut found);
        self.check_metadata(&mut found);
        found
    }

    fn check_values(&self, found: &mut Vec<Contradiction>) {
        let values = self.pages.iter().flatten().map(|page| page.values);
        let values = values.fold(0, i64::saturating_add);
        let all_known = self.pages.iter().all(Option::is_some);
        let mut add = |fact, problem| {
            found.push(Contradiction {
                fact,
                page: None,
                problem,
            });
        };
        if all_known && values != self.values {
            let claimed = self.values;
            let problem = format!("the footer says {claimed} values, but its pages have {values}");
            add(Fact::Values, problem);
        }
        // Some writers count the rows of lists that continue on the next page twice. Their levels are decisive.
        if all_known && !self.is_list() && values != self.rows {
            let claimed = self.rows;
            let problem = format!("it has {values} values, but its row group has {claimed} rows");
            add(Fact::ColumnRows, problem);
        }
    }

    fn is_list(&self) -> bool {
        self.column.max_rep_level() > 0
    }

    /// Returns the number of rows of a page according to its header, or to the level histograms of the column
    /// index.
    fn rows_of(&self, page: usize) -> Option<i64> {
        let header = self.pages.get(page)?.as_ref().and_then(|it| it.rows);
        header.or_else(|| self.histogram(page, 0)?.first().copied())
    }

    /// Returns the number of slots of a page at each repetition level (0) or definition level (1).
    fn histogram(&self, page: usize, which: usize) -> Option<&[i64]> {
        let index = self.column_index?;
        let (all, greatest) = match which {
            0 => (
                &index.repetition_level_histograms,
                self.column.max_rep_level(),
            ),
            _ => (
                &index.definition_level_histograms,
                self.column.max_def_level(),
            ),
        };
        let levels = usize::try_from(greatest).ok()? + 1;
        let all = all.as_ref()?;
        let is_whole = all.len() == levels * self.pages.len();
        is_whole.then(|| all.get(page * levels..(page + 1) * levels))?
    }

    /// Returns whether the first rows of the offset index are those of the pages. Pages with unreadable headers
    /// prove nothing, and nor do pages of lists whose rows no fact states.
    pub(crate) fn has_right_rows(&self) -> bool {
        let mut found = Vec::new();
        self.check_offset_index(&mut found);
        let mut pages = self.pages.iter().enumerate();
        found.is_empty() && pages.all(|(page, it)| it.is_none() || self.rows_of(page).is_some())
    }
}

/// Compares the facts of a chunk before it is copied, with the pages of its range. Puts its metadata right, and removes
/// indexes that contradict its pages.
///
/// # Errors
///
/// A contradiction that the verb refuses.
pub fn reconcile<'a>(
    reader: &impl ChunkReader,
    chunk: &mut Chunk,
    pages: impl Iterator<Item = &'a Page>,
    (column, compare): (&ColumnDescriptor, Option<Compare>),
    rows: i64,
    verb: Verb,
) -> Result<()> {
    let pages: Vec<&Page> = pages.collect();
    let found = contradictions(chunk, &pages, (column, compare), rows)?;
    let refused_one = found
        .iter()
        .find(|it| it.fact.reaction(verb) == Reaction::Refuses);
    if let Some(it) = refused_one {
        return Err(refused(&it.problem));
    }
    let is_of_levels = |it: &&Contradiction| matches!(it.fact, Fact::NullCounts | Fact::FirstRows);
    let numbers = found.iter().filter(is_of_levels).filter_map(|it| it.page);
    // A wrong first row may come from the page before.
    let numbers = numbers.flat_map(|page| [page.saturating_sub(1), page]);
    let mut numbers: BTreeSet<usize> = numbers.collect();
    // These do not say which page may be wrong.
    let is_of_all = |it: &Contradiction| {
        matches!(
            it.fact,
            Fact::PagePlaces | Fact::IndexedPages | Fact::ChunkNulls
        )
    };
    if found.iter().any(is_of_all) {
        numbers.extend(0..pages.len());
    }
    contents::check(reader, chunk, &pages, column, &numbers)?;
    replace(chunk, &found, &pages, column, verb)
}

/// Leaves out bounds in the metadata of a chunk that cannot be values of its column, and, if there are pages, names the
/// encodings of those.
pub fn correct(
    metadata: &mut ColumnMetaData,
    (column, compare): (&ColumnDescriptor, Option<Compare>),
    pages: &[&Page],
) -> Result<()> {
    let data = pages.iter().filter(|page| page.is_data());
    let data: Vec<_> = data.map(|page| Some(PageFacts::of(page, column))).collect();
    let old = metadata.clone();
    let facts = Facts {
        column,
        rows: 0,
        values: old.num_values,
        pages: &data,
        offset_index: None,
        column_index: None,
        statistics: ChunkFacts::default(),
        compare,
        metadata: Some(&old),
    };
    let mut found = Vec::new();
    facts.check_metadata(&mut found);
    for it in found {
        let is_known = match it.fact {
            Fact::BoundSizes => true,
            Fact::Encodings => !pages.is_empty(),
            _ => false,
        };
        if is_known {
            metadata::replace(metadata, it.fact, pages, column)?;
        }
    }
    Ok(())
}

fn contradictions(
    chunk: &Chunk,
    pages: &[&Page],
    (column, compare): (&ColumnDescriptor, Option<Compare>),
    rows: i64,
) -> Result<Vec<Contradiction>> {
    let data = pages.iter().filter(|page| page.is_data());
    let data = data.map(|page| Some(PageFacts::of(page, column)));
    let data: Vec<_> = data.collect();
    let statistics = chunk.metadata().statistics.as_ref();
    let statistics = statistics.map(|it| it.decode()).transpose()?;
    let column_index = chunk.column_index().map(format::decode::<ColumnIndex>);
    let column_index = column_index.and_then(std::result::Result::ok);
    let facts = Facts {
        column,
        rows,
        values: chunk.metadata().num_values,
        pages: &data,
        offset_index: chunk.offset_index(),
        column_index: column_index.as_ref(),
        statistics: ChunkFacts::of(statistics.as_ref()),
        compare,
        metadata: Some(chunk.metadata()),
    };
    Ok(facts.contradictions())
}

/// Determines facts of a chunk again from its pages, or removes them.
fn replace(
    chunk: &mut Chunk,
    found: &[Contradiction],
    pages: &[&Page],
    column: &ColumnDescriptor,
    verb: Verb,
) -> Result<()> {
    let decoded = chunk.column_index().map(format::decode::<ColumnIndex>);
    let (mut drops_offsets, mut drops_bounds) = (false, matches!(decoded, Some(Err(_))));
    for it in found {
        match it.fact {
            Fact::PagePlaces | Fact::FirstRows => drops_offsets = true,
            Fact::IndexedPages
            | Fact::NullPages
            | Fact::NullCounts
            | Fact::PageBounds
            | Fact::ChunkBounds
            | Fact::ChunkNulls => drops_bounds = true,
            _ => {}
        }
        // `merge` and `repair` describe their columns themselves, which may have another type.
        if it.fact != Fact::Type || verb == Verb::Rewrite {
            metadata::replace(chunk.metadata_mut(), it.fact, pages, column)?;
        }
    }
    if verb == Verb::Rewrite && !pages.is_empty() {
        metadata::replace(chunk.metadata_mut(), Fact::Offsets, pages, column)?;
    }
    // `rewrite` copies pages without new indexes, and a column index alone cannot be used.
    drops_bounds |= drops_offsets && verb == Verb::Rewrite;
    chunk.forget_indexes(drops_offsets, drops_bounds);
    Ok(())
}

/// Compares the rows of a column with lists, according to its repetition levels, with those of its row group.
///
/// # Errors
///
/// They differ, or a page is damaged. Chunks in a compression that is not known are not compared.
pub fn check_list_rows<'a>(
    reader: &impl ChunkReader,
    chunk: &Chunk,
    pages: impl Iterator<Item = &'a Page>,
    column: &ColumnDescriptor,
    rows: i64,
) -> Result<()> {
    let limit = MemoryLimit::default();
    let values = u64::try_from(chunk.metadata().num_values).unwrap_or(0);
    let most = limit.of_page(chunk.bytes(), values);
    let budget = Budget::new(limit.of_read(reader.len()));
    let Ok(codec) = codec_in_parquet(chunk.metadata().codec) else {
        return Ok(());
    };
    let Ok(mut editor) = PageEditor::new(codec, column, most, &budget) else {
        return Ok(());
    };
    let mut found = 0_u64;
    for (number, page) in pages.enumerate() {
        let start = page.offset + page.header_length;
        let bytes = bytes_at(reader, start..page.offset + page.compressed())?;
        let PageKind::Data(header) = read_header(&page.header)?.kind else {
            continue;
        };
        match editor.rows(&header, &bytes) {
            Ok((begun, _)) => found = found.saturating_add(begun as u64),
            Err(error) if error.is_obstacle() => return Ok(()),
            Err(error) => return Err(error.in_page(number)),
        }
    }
    if i64::try_from(found) == Ok(rows) {
        return Ok(());
    }
    let problem = format!("it has {found} rows, but its row group has {rows} rows");
    Err(refused(&problem))
}

/// Returns the error for a contradiction that cannot be resolved.
pub fn refused(problem: &str) -> Error {
    Error::corrupt(format!(
        "{problem}; `check` lists all contradictions, `check --salvage` keeps the rows that are intact"
    ))
}
