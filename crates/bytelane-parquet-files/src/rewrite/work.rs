//! Processes the columns of row groups on several threads.

use super::encode::Encoded;
use super::int96::Int96Unit;
use super::options::RewriteOptions;
use super::outcome::{ColumnState, Moved};
use super::plan::{NewIndex, Old, Plan, Request};
use super::source::{Column, Part, Root, RowGroup, Source};
use crate::opened::Reopen;
use bytelane_parquet::budget::{MemoryLimit, has_room_for, too_large};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::chunk::facts::{self, Verb};
use bytelane_parquet::chunk::{
    Chunk, PageSummary, Pages, encoding_name, stored_dictionary, with_checksums,
};
use bytelane_parquet::format::{ColumnChunk, Encoded as Coded, Encoding as Coding, PageType};
use bytelane_parquet::options::codec_name;
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{Problem, Result, WriterOptions, compression_name};
use parquet::basic::Type;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::ColumnChunkMetaData;
use std::ops::Range;
use std::sync::Arc;

/// Size of the columns of a unit of work, in bytes.
const UNIT: u64 = 64 << 10;

/// Some columns of a row group.
#[derive(Debug)]
pub(super) struct Unit {
    pub row_group: Arc<RowGroup>,
    /// Range of columns at the top level of the schema.
    pub roots: Range<usize>,
    /// Their size in the file, in bytes.
    pub stored: u64,
}

/// Returns all columns of all row groups, each unit with the memory that its values take.
pub(super) fn units<R: Reopen>(
    source: &Source<R>,
) -> impl Iterator<Item = (u64, Result<Unit>)> + use<'_, R> {
    (0..source.row_groups()).flat_map(|index| match units_of(source, index) {
        Ok(units) => units,
        Err(error) => vec![(0, Err(error.in_row_group(index)))],
    })
}

fn units_of<R: Reopen>(source: &Source<R>, index: usize) -> Result<Vec<(u64, Result<Unit>)>> {
    let row_group = Arc::new(source.row_group(index)?);
    let sizes = row_group.sizes()?;
    let mut units = Vec::new();
    let (mut start, mut stored, mut raw) = (0, 0_u64, 0_u64);
    for (at, root) in source.roots.iter().enumerate() {
        for size in &sizes[root.leaves.clone()] {
            stored = stored.saturating_add(size.stored);
            raw = raw.saturating_add(size.raw);
        }
        if stored >= UNIT || at + 1 == source.roots.len() {
            let unit = Unit {
                row_group: Arc::clone(&row_group),
                roots: start..at + 1,
                stored,
            };
            units.push((raw, Ok(unit)));
            (start, stored, raw) = (at + 1, 0, 0);
        }
    }
    if source.roots.is_empty() {
        let (roots, stored) = (0..0, 0);
        let unit = Unit {
            row_group,
            roots,
            stored,
        };
        units.push((0, Ok(unit)));
    }
    Ok(units)
}

/// Work on the units.
pub(super) struct Work<'a, R> {
    pub source: &'a Source<R>,
    pub plan: &'a Plan<'a>,
    pub options: &'a RewriteOptions,
}

impl<R: Reopen> Work<'_, R> {
    /// Returns the chunks of a unit, re-encoded where that is better.
    pub fn done(&self, unit: &Unit) -> Result<Vec<Moved>> {
        let row_group = &unit.row_group;
        let mut moved = Vec::new();
        for root in &self.source.roots[unit.roots.clone()] {
            let name = root.in_file().name();
            let chunks = self
                .moved_column(row_group, root)
                .map_err(|error| error.in_column(name).in_row_group(row_group.index))?;
            moved.extend(chunks);
        }
        Ok(moved)
    }

    fn moved_column(&self, row_group: &RowGroup, root: &Root) -> Result<Vec<Moved>> {
        let part = self.source.part(row_group, root)?;
        let chunks = part.described.iter().zip(&part.chunks);
        let olds = chunks.zip(root.leaves.clone());
        let olds = olds.map(|((described, chunk), leaf)| {
            self.old(described, chunk.clone(), leaf, row_group.rows)
                .map_err(|error| error.in_column(described.column_path().string()))
        });
        let mut olds = olds.collect::<Result<Vec<_>>>()?;
        let rows = usize::try_from(row_group.rows).unwrap_or(0);
        let Some(options) = self.plan.writer(&olds, rows) else {
            return olds.into_iter().map(|old| self.kept(old)).collect();
        };
        match self.encoded(row_group, root, &part, &olds, options)? {
            Encoded::Chunks(new) => {
                let pairs = olds.into_iter().zip(new);
                pairs.map(|(old, new)| self.moved(old, new)).collect()
            }
            Encoded::Obstacle(why) => {
                for old in &mut olds {
                    refuse(&mut old.request, &why)?;
                }
                olds.into_iter().map(|old| self.kept(old)).collect()
            }
        }
    }

    /// Reads an existing chunk and decides what to do with it.
    fn old(
        &self,
        described: &ColumnChunkMetaData,
        chunk: ColumnChunk,
        leaf: usize,
        rows: i64,
    ) -> Result<Old> {
        let reader = &self.source.file.reader;
        let (mut summary, range) = PageSummary::of(reader, described, MemoryLimit::NONE)?;
        if self.options.compression.is_none() {
            let (range, memory) = (range.clone(), self.options.memory());
            summary = summary.with_level(reader, described, range, memory)?;
        }
        let column = described.column_descr();
        let compare = Compare::of(column, self.source.file_metadata().column_order(leaf));
        let mut chunk = Chunk::open(reader, chunk, range.clone())?;
        let pages = Pages::new(reader, range.clone()).collect::<ParquetResult<Vec<_>>>()?;
        let data = pages.iter().filter(|page| page.is_data());
        facts::reconcile(
            reader,
            &mut chunk,
            pages.iter(),
            (column, compare),
            rows,
            Verb::Rewrite,
        )?;
        if column.max_rep_level() > 0 {
            facts::check_list_rows(reader, &chunk, data, column, rows)?;
        }
        let entries = if self.plan.has_order(described, &summary) {
            let metadata = chunk.metadata();
            stored_dictionary(
                reader,
                metadata,
                range.clone(),
                column,
                self.options.memory(),
            )?
        } else {
            None
        };
        Ok(Old {
            leaf,
            entries,
            request: self.plan.request(described, &summary),
            summary,
            pages: range.clone(),
            chunk,
            described: described.clone(),
        })
    }

    /// Re-encodes the chunks of a column in a row group, or returns the reason why that fails.
    fn encoded(
        &self,
        row_group: &RowGroup,
        root: &Root,
        part: &Part,
        olds: &[Old],
        options: WriterOptions,
    ) -> Result<Encoded> {
        let bytes = olds.iter().map(|old| old.chunk.bytes()).sum();
        let limit = self.options.memory().of_column(bytes);
        let fits =
            |old: &Old| has_room_for(limit, &old.described) && old.summary.uncompressed <= limit;
        if !olds.iter().all(fits) {
            return Ok(Encoded::Obstacle(too_large(limit)));
        }
        let ranges: Vec<Range<u64>> = olds.iter().map(|old| old.pages.clone()).collect();
        catch_panic(|| {
            let (source, convert) = (self.source, self.convert(root));
            let column = Column {
                row_group,
                root,
                part,
                ranges: &ranges,
            };
            source.encode(column, self.options.memory(), limit, options, convert)
        })
    }

    /// Returns the unit to which INT96 leaves of a column are converted.
    fn convert(&self, root: &Root) -> Option<Int96Unit> {
        self.options.convert_int96.filter(|_| root.has_int96())
    }

    /// Returns the new chunk of a leaf if it is to replace the old one, and the old one otherwise.
    fn moved(&self, mut old: Old, new: Chunk) -> Result<Moved> {
        let encodings = encodings(&new)?;
        if !self.plan.takes(&old, &new, &encodings) {
            return self.kept(old);
        }
        let new = if old.summary.checksums {
            with_checksums(new)?
        } else {
            new
        };
        let before = state(&old);
        let compression = self.plan.compression(&old.described, &old.summary);
        let after = ColumnState {
            bytes: new.bytes(),
            encodings: encodings.into_iter().map(encoding_name).collect(),
            compressions: vec![compression_name(compression)],
        };
        if matches!(old.request, Request::Convert(_)) {
            old.chunk.take_converted(new);
        } else {
            let column_index = match self.plan.column_index(&old, &new)? {
                NewIndex::Of(index) => index,
                NewIndex::Obstacle(obstacle) => {
                    old.request = Request::Cannot(obstacle.to_owned());
                    return self.kept(old);
                }
            };
            old.chunk.take_pages(new, column_index);
        }
        Ok(Moved {
            leaf: old.leaf,
            chunk: old.chunk,
            is_new: true,
            before,
            after,
            obstacle: None,
        })
    }

    /// Returns a chunk that is copied.
    fn kept(&self, mut old: Old) -> Result<Moved> {
        let state = state(&old);
        if self.options.convert_int96.is_some() && old.described.column_type() == Type::INT96 {
            old.chunk.convert_empty();
        }
        Ok(Moved {
            leaf: old.leaf,
            chunk: old.chunk,
            is_new: false,
            before: state.clone(),
            after: state,
            obstacle: match old.request {
                Request::Cannot(why) => Some(why),
                _ => None,
            },
        })
    }
}

/// Marks a chunk to be kept; returns an error if it cannot be.
fn refuse(request: &mut Request, obstacle: &str) -> Result<()> {
    match request {
        Request::Convert(_) => {
            let problem = format!("its INT96 values cannot be converted: {obstacle}");
            Err(Problem::Unsupported(problem).into())
        }
        _ => {
            *request = Request::Cannot(obstacle.to_owned());
            Ok(())
        }
    }
}

fn state(old: &Old) -> ColumnState {
    ColumnState {
        bytes: old.chunk.bytes(),
        encodings: old.summary.names().collect(),
        compressions: vec![codec_name(old.described.compression_codec()).to_owned()],
    }
}

/// Returns the encodings of the data pages of a chunk, as its metadata counts them.
fn encodings(chunk: &Chunk) -> Result<Vec<Coding>> {
    let counts = chunk.metadata().encoding_stats.as_ref();
    let counts = counts.map(Coded::decode).transpose()?.unwrap_or_default();
    let of_data = counts
        .iter()
        .filter(|pages| pages.page_type != PageType::DictionaryPage);
    Ok(of_data.map(|pages| pages.encoding).collect())
}
