//! Collects index data of data pages.

use super::bounds;
use crate::merge::leaf::{Entry, Leaf, PageBounds};
use bytelane_parquet::chunk::facts::refused;
use bytelane_parquet::format::{self, ColumnIndex, CompressionCodec};
use bytelane_parquet::page::{Gathered, PageEditor, PageKind, codec_in_parquet, read_header};
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{Error, Result};
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;

impl Entry {
    /// Describes a page of nulls at the outermost level.
    pub(in crate::merge) fn of_nulls(column: &ColumnDescriptor, rows: u64) -> Self {
        Self {
            rows: Some(rows),
            bounds: Some(PageBounds {
                range: None,
                nulls: Some(rows as i64),
                nans: None,
            }),
            levels: greatest(column).map(|it| (it > 0).then(|| levels_of_nulls(it, rows))),
            string_bytes: (column.physical_type() == Type::BYTE_ARRAY).then_some(0),
        }
    }

    /// Describes a page with rows of other pages, whose bounds cover its values.
    pub(in crate::merge) fn of_gathered(
        gathered: Gathered,
        rows: Option<u64>,
        bounds: Option<PageBounds>,
    ) -> Self {
        let some = |levels: Vec<i64>| Some(levels).filter(|it| !it.is_empty());
        let nulls = gathered.nulls;
        Self {
            rows,
            bounds: bounds.map(|bounds| PageBounds {
                range: bounds.range.filter(|_| nulls < gathered.slots),
                nulls: Some(nulls as i64),
                nans: bounds.nans,
            }),
            levels: [some(gathered.repetition), some(gathered.definition)],
            string_bytes: gathered.string_bytes,
        }
    }

    /// Joins the index data of several pages, except for their rows.
    pub(in crate::merge) fn joined(entries: &[Self], compare: Option<Compare>) -> Self {
        let sum = |of: fn(&Self) -> Option<i64>| entries.iter().map(of).sum::<Option<i64>>();
        let bounds = entries.iter().map(|it| it.bounds.as_ref());
        let bounds = bounds.collect::<Option<Vec<_>>>().zip(compare);
        Self {
            rows: entries.iter().map(|it| it.rows).sum(),
            bounds: bounds.and_then(|(all, compare)| bounds::of_all(&all, compare)),
            levels: [0, 1].map(|which| added(entries, which)),
            string_bytes: sum(|it| it.string_bytes),
        }
    }
}

/// Adds up the histograms of repetition or definition levels.
fn added(entries: &[Entry], which: usize) -> Option<Vec<i64>> {
    let mut all: Option<Vec<i64>> = None;
    for entry in entries {
        let levels = entry.levels[which].as_ref()?;
        match &mut all {
            None => all = Some(levels.clone()),
            Some(all) => all
                .iter_mut()
                .zip(levels)
                .for_each(|(sum, level)| *sum = sum.saturating_add(*level)),
        }
    }
    all
}

/// Returns the maximum repetition and definition level.
pub(in crate::merge) fn greatest(column: &ColumnDescriptor) -> [i16; 2] {
    [column.max_rep_level(), column.max_def_level()]
}

/// Returns the histogram of levels for rows that are all null at the outermost level.
pub(super) fn levels_of_nulls(greatest: i16, rows: u64) -> Vec<i64> {
    let mut levels = vec![0; usize::try_from(greatest).unwrap_or(0) + 1];
    levels[0] = rows as i64;
    levels
}

/// Returns the index data of each data page of a chunk, from its indexes and headers.
pub(in crate::merge) fn of_leaf(leaf: &Leaf, column: &ColumnDescriptor) -> Result<Vec<Entry>> {
    Ok(of_pages(leaf, column, rows(leaf, column)?))
}

/// Same as `of_leaf`, with the rows of each page given.
pub(in crate::merge) fn of_pages(
    leaf: &Leaf,
    column: &ColumnDescriptor,
    rows: Vec<Option<u64>>,
) -> Vec<Entry> {
    let count = leaf.data_pages().count();
    let index = leaf.chunk.column_index();
    let index = index.and_then(|it| format::decode::<ColumnIndex>(it).ok());
    let levels = [
        index
            .as_ref()
            .and_then(|it| it.repetition_level_histograms.as_ref()),
        index
            .as_ref()
            .and_then(|it| it.definition_level_histograms.as_ref()),
    ];
    let of_page = |which: usize, page: usize| {
        let greatest = usize::try_from(greatest(column)[which]).unwrap_or(0);
        let all = levels[which].filter(|it| greatest > 0 && it.len() == count * (greatest + 1));
        all.map(|all| all[page * (greatest + 1)..][..=greatest].to_vec())
    };
    let sizes = leaf.chunk.offset_index();
    let sizes = sizes.and_then(|it| it.unencoded_byte_array_data_bytes.as_ref());
    let sizes = sizes.filter(|sizes| sizes.len() == count);
    let bounds = bounds::of_pages(leaf, index.as_ref());
    let pages = rows.into_iter().zip(bounds).enumerate();
    let entries = pages.map(|(page, (rows, bounds))| Entry {
        rows,
        bounds,
        levels: [of_page(0, page), of_page(1, page)],
        string_bytes: sizes.map(|sizes| sizes[page]),
    });
    entries.collect()
}

/// Returns the number of rows of each page, where known.
fn rows(leaf: &Leaf, column: &ColumnDescriptor) -> Result<Vec<Option<u64>>> {
    if column.max_rep_level() == 0 {
        let values = leaf
            .data_pages()
            .map(|page| u64::try_from(page.page.values()).ok());
        return Ok(values.collect());
    }
    if leaf.metadata().codec == CompressionCodec::Lzo {
        return Ok(vec![None; leaf.data_pages().count()]);
    }
    let begun = rows_begun(leaf, column)?;
    let all = begun.iter().map(|(rows, _)| *rows);
    let all = all.fold(0, u64::saturating_add);
    if all != leaf.rows {
        let rows = leaf.rows;
        let problem = format!("it has {all} rows, but its row group has {rows} rows");
        return Err(refused(&problem));
    }
    let rows = begun
        .into_iter()
        .map(|(rows, begins)| begins.then_some(rows));
    Ok(rows.collect())
}

/// Returns the number of rows that begin in each data page, and whether the page begins with a new
/// row.
pub(in crate::merge) fn rows_begun(
    leaf: &Leaf,
    column: &ColumnDescriptor,
) -> Result<Vec<(u64, bool)>> {
    let mut editor = editor(leaf, column)?;
    let pages = leaf.data_pages().enumerate();
    let rows = pages.map(|(number, page)| {
        if page.bytes.is_empty() {
            // A damaged page: its placeholder has the number of rows.
            return Ok((page.page.values().unsigned_abs(), true));
        }
        let header = read_header(&page.page.header)?;
        let PageKind::Data(header) = header.kind else {
            return Err(Error::corrupt("a page without data"));
        };
        let rows = editor.rows(&header, &page.body());
        let (rows, begins) = rows.map_err(|error| error.in_page(number))?;
        Ok((rows as u64, begins))
    });
    rows.collect()
}

/// Returns an editor for the pages of a chunk.
pub(in crate::merge) fn editor(leaf: &Leaf, column: &ColumnDescriptor) -> Result<PageEditor> {
    let metadata = leaf.metadata();
    let (budget, most) = leaf.limits();
    PageEditor::new(codec_in_parquet(metadata.codec)?, column, most, &budget)
}

/// Editor for the pages of several chunks of a column, one after the other. It keeps its buffers and, while the
/// codec stays the same, its contexts.
pub(super) struct Editors<'a> {
    column: &'a ColumnDescriptor,
    /// Number of the open chunk, and its editor.
    open: Option<(usize, PageEditor)>,
}

impl<'a> Editors<'a> {
    pub(super) fn new(column: &'a ColumnDescriptor) -> Self {
        Self { column, open: None }
    }

    /// Returns an editor for the pages of a chunk.
    pub(super) fn of(&mut self, number: usize, leaf: &Leaf) -> Result<&mut PageEditor> {
        let editor = match self.open.take() {
            Some((same, editor)) if same == number => editor,
            Some((_, mut editor)) => {
                let (budget, most) = leaf.limits();
                let codec = codec_in_parquet(leaf.metadata().codec)?;
                editor.next_chunk(codec, self.column, most, &budget)?;
                editor
            }
            None => editor(leaf, self.column)?,
        };
        Ok(&mut self.open.insert((number, editor)).1)
    }
}
