//! The columns of row groups, on several threads.

use super::chunk::Chunk;
use super::encode::Encoded;
use super::int96::Int96Unit;
use super::kinds::PageKinds;
use super::plan::{Old, Plan, Wish};
use super::source::{Column, Part, Reopen, Root, RowGroup, Source};
use super::{ColumnState, RewriteOptions};
use crate::budget::{MemoryLimit, has_room_for, too_large};
use crate::contained::contained;
use crate::format::ColumnChunk;
use crate::options::codec_name;
use crate::{Error, Problem, Result, WriterOptions, compression_name};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::file::metadata::ColumnChunkMetaData;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of columns that are dealt with at a time.
const UNIT: u64 = 64 << 10;

/// Some columns of a row group.
#[derive(Debug)]
pub(super) struct Unit {
    pub row_group: Arc<RowGroup>,
    /// The columns of the schema's outermost level.
    pub roots: Range<usize>,
    /// Their bytes in the file.
    pub stored: u64,
}

/// All columns of all row groups, each with the memory that its values take.
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

/// A chunk on its way.
#[derive(Debug)]
pub(super) struct Moved {
    /// Its column, counted over the whole schema.
    pub leaf: usize,
    pub chunk: Chunk,
    /// What its pages are in, if not in the old file.
    pub pages: Option<Bytes>,
    pub before: ColumnState,
    pub after: ColumnState,
    /// Why it could not be re-encoded.
    pub obstacle: Option<String>,
}

/// What is done with each unit.
pub(super) struct Work<'a, R> {
    pub source: &'a Source<R>,
    pub plan: &'a Plan<'a>,
    pub options: &'a RewriteOptions,
}

impl<R: Reopen> Work<'_, R> {
    /// The chunks of a unit, or better ones in their place.
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
        let encoded = match self.encoded(row_group, root, &part, &olds, options)? {
            Ok(encoded) => encoded,
            Err(obstacle) => {
                for old in &mut olds {
                    refuse(&mut old.wish, &obstacle)?;
                }
                return olds.into_iter().map(|old| self.kept(old)).collect();
            }
        };
        let moved = olds.into_iter().enumerate();
        moved
            .map(|(index, old)| self.moved(old, &encoded, index))
            .collect()
    }

    /// A chunk as it is, and what is wanted for it.
    fn old(
        &self,
        described: &ColumnChunkMetaData,
        chunk: ColumnChunk,
        leaf: usize,
        rows: i64,
    ) -> Result<Old> {
        let reader = &self.source.reader;
        let (kinds, range) = PageKinds::of(reader, described, MemoryLimit::NONE)?;
        let (values, flat) = (
            described.num_values(),
            described.column_descr().max_rep_level() == 0,
        );
        if values < 0 || (flat && values != rows) {
            let problem =
                format!("the column has {values} values, but its row group has {rows} rows");
            return Err(Error::corrupt(problem));
        }
        Ok(Old {
            leaf,
            wish: self.plan.wish(described, &kinds),
            kinds,
            chunk: Chunk::new(chunk, range, reader)?,
            described: described.clone(),
        })
    }

    /// The re-encoded chunks of a column in a row group, or why that fails.
    fn encoded(
        &self,
        row_group: &RowGroup,
        root: &Root,
        part: &Part,
        olds: &[Old],
        options: WriterOptions,
    ) -> Result<std::result::Result<Encoded, String>> {
        let bytes = olds.iter().map(|old| old.chunk.bytes()).sum();
        let limit = self.options.memory.of_column(bytes);
        let fits =
            |old: &Old| has_room_for(limit, &old.described) && old.kinds.uncompressed <= limit;
        if !olds.iter().all(fits) {
            return Ok(Err(too_large(limit)));
        }
        let ranges: Vec<Range<u64>> = olds.iter().map(|old| old.chunk.range()).collect();
        contained(|| {
            let (source, convert) = (self.source, self.convert(root));
            let column = Column {
                row_group,
                root,
                part,
                ranges: &ranges,
            };
            source.encode(column, limit, options, convert)
        })
    }

    /// What INT96 leaves of a column become.
    fn convert(&self, root: &Root) -> Option<Int96Unit> {
        self.options.int96.filter(|_| root.has_int96())
    }

    /// The new chunk of a leaf if it is to take the place of the old one, or else that one.
    fn moved(&self, mut old: Old, encoded: &Encoded, index: usize) -> Result<Moved> {
        let new = encoded.chunk(index)?;
        if !self.plan.takes(&old, &new) {
            return self.kept(old);
        }
        let mut new = match old.kinds.checksums {
            true => new.with_checksums()?,
            false => new,
        };
        let before = state(&old.described, &old.chunk, &old.kinds);
        let mut after = state(&new.described, &new.chunk, &new.kinds);
        after.compressions = vec![compression_name(self.plan.compression(&old.described))];
        if matches!(old.wish, Wish::Convert(_)) {
            old.chunk.take_converted(new.chunk);
        } else {
            let column_index = match self.plan.column_index(&old, &new)? {
                Ok(index) => index,
                Err(obstacle) => {
                    old.wish = Wish::Cannot(obstacle.to_owned());
                    return self.kept(old);
                }
            };
            old.chunk.take_pages(new.chunk, column_index);
        }
        Ok(Moved {
            leaf: old.leaf,
            chunk: old.chunk,
            pages: Some(std::mem::take(&mut new.bytes)),
            before,
            after,
            obstacle: None,
        })
    }

    /// A chunk that is copied.
    fn kept(&self, mut old: Old) -> Result<Moved> {
        let state = state(&old.described, &old.chunk, &old.kinds);
        if self.options.int96.is_some() && old.described.column_type() == Type::INT96 {
            old.chunk.convert_empty();
        }
        Ok(Moved {
            leaf: old.leaf,
            chunk: old.chunk,
            pages: None,
            before: state.clone(),
            after: state,
            obstacle: match old.wish {
                Wish::Cannot(why) => Some(why),
                _ => None,
            },
        })
    }
}

/// Leaves a chunk as it is; an error if that cannot be.
fn refuse(wish: &mut Wish, obstacle: &str) -> Result<()> {
    match wish {
        Wish::Convert(_) => {
            let problem = format!("its INT96 values cannot be converted: {obstacle}");
            Err(Problem::Unsupported(problem).into())
        }
        _ => {
            *wish = Wish::Cannot(obstacle.to_owned());
            Ok(())
        }
    }
}

fn state(described: &ColumnChunkMetaData, chunk: &Chunk, kinds: &PageKinds) -> ColumnState {
    ColumnState {
        bytes: chunk.bytes(),
        encodings: kinds.names().collect(),
        compressions: vec![codec_name(described.compression_codec()).to_owned()],
    }
}
