//! Writes parts of a column in one layout after another.

use super::candidates::{LARGEST_PAGE, PAGES_GAIN, SMALL_PAGE_BYTES, layout};
use super::chosen::Choice;
use super::distinct::{Distinct, leaf_arrays};
use super::encoders::Encoders;
use super::goal::{DOUBT, Estimate, best};
use super::leaf::{Leaf, Turn, Written, not_clearly_larger};
use super::pieces::{is_glanced, rows_of, spread};
use super::size::Size;
use crate::chunk::{Column, EncodedLeaf, Layout, PageSizes};
use crate::types::physical;
use crate::{Encoding, Goal, Result};
use arrow_array::ArrayRef;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use std::sync::Arc;

/// Maximum size of a column that every candidate writes as a whole.
const SMALL: usize = 256 << 10;
/// Number of bytes of a small piece.
const PIECE: usize = 32 << 10;
/// Ratios of all bytes to those that are written to screen the candidates, and to weigh the
/// remaining ones.
const SCREENED: usize = 16;
const WEIGHED: usize = 8;
/// Minimum and maximum number of bytes, and minimum number of pages, that are weighed.
const WEIGHED_BYTES: (usize, usize) = (1 << 20, 4 << 20);
const FEWEST_PAGES: usize = 3;
/// Minimum and maximum number of bytes that are screened.
const SCREENED_BYTES: (usize, usize) = (128 << 10, 2 << 20);

/// Column of a row group, and encoders to write parts of it.
pub(super) struct Trials<'a> {
    column: &'a Column,
    pub(super) arrays: &'a [ArrayRef],
    encoders: &'a mut Encoders,
    pub(super) rows: usize,
    pub(super) leaves: Vec<Leaf>,
    /// Number of bytes per row of the largest leaf in PLAIN.
    row_bytes: f64,
}

impl<'a> Trials<'a> {
    /// Prepares to try these layouts, at least one per leaf.
    pub(super) fn new(
        column: &'a Column,
        arrays: &'a [ArrayRef],
        encoders: &'a mut Encoders,
        layouts: Vec<Vec<Layout>>,
    ) -> Self {
        let rows = arrays.iter().map(|array| array.len()).sum();
        let of_leaves = leaves_of(arrays, column.leaves().len());
        let largest = of_leaves.iter().map(|arrays| bytes_of(arrays)).max();
        let options = Arc::clone(&encoders.of_columns);
        let options = options.as_ref();
        let leaves = column.leaves().iter().zip(of_leaves).zip(layouts);
        let leaves = leaves.map(|((leaf, arrays), layouts)| Leaf {
            compression: options.compression_of(leaf.path().clone()),
            distinct: None,
            value_bytes: value_bytes(leaf, &arrays),
            screened: Vec::new(),
            glanced: Vec::new(),
            has_open_pages: options.leaves_pages_open()
                && options.own(leaf.path(), |it| it.page_rows).is_none(),
            idle: layout(leaf, Encoding::Plain, options),
            choice: Choice {
                layout: layouts[0].clone(),
                candidates: Vec::new(),
                encoded: None,
            },
            encoded: Vec::new(),
            layouts,
            column: ColumnDescPtr::clone(leaf),
        });
        Self {
            leaves: leaves.collect(),
            column,
            arrays,
            encoders,
            rows,
            row_bytes: largest.unwrap_or(0) as f64 / rows.max(1) as f64,
        }
    }

    /// Returns the approximate number of rows that have this many bytes.
    fn rows_with(&self, bytes: usize) -> usize {
        ((bytes as f64 / self.row_bytes.max(0.125)) as usize).max(1)
    }

    fn bytes(&self) -> usize {
        (self.row_bytes * self.rows as f64) as usize
    }

    /// Writes pieces of the rows in each wanted layout of each leaf. Returns the sizes, scaled to
    /// all rows.
    pub(super) fn write_pieces(
        &mut self,
        pieces: &[Range<usize>],
        wanted: impl Fn(&Leaf) -> Vec<Layout>,
    ) -> Result<Vec<Vec<Written>>> {
        let wanted = self.leaves.iter().map(wanted).collect();
        self.write_layouts(pieces, wanted)
    }

    /// Writes pieces of the rows in the wanted layouts of each leaf.
    fn write_layouts(
        &mut self,
        pieces: &[Range<usize>],
        wanted: Vec<Vec<Layout>>,
    ) -> Result<Vec<Vec<Written>>> {
        let mut written = vec![Vec::new(); wanted.len()];
        let rows: usize = pieces.iter().map(Range::len).sum();
        let scale = self.rows as f64 / rows.max(1) as f64;
        let is_whole = rows == self.rows;
        let few = (0..pieces.len()).filter(|number| is_glanced(*number, pieces.len()));
        let few: usize = few.map(|number| pieces[number].len()).sum();
        let of_few = self.rows as f64 / few.max(1) as f64;
        let turns = wanted.iter().map(Vec::len).max().unwrap_or(0);
        for turn in 0..turns {
            // A leaf without further layouts repeats one, and the result is ignored.
            let now = wanted.iter().zip(&self.leaves).map(|(layouts, leaf)| {
                let last = layouts.last().unwrap_or(&leaf.idle);
                layouts.get(turn).unwrap_or(last).clone()
            });
            let now: Vec<Layout> = now.collect();
            let mut sums = vec![[Size::default(); 2]; wanted.len()];
            for (number, piece) in pieces.iter().enumerate() {
                if is_whole && self.has(&now) {
                    continue;
                }
                let leaves = self.write(rows_of(self.arrays, piece), &now, is_whole)?;
                for (leaf, [sum, glance]) in leaves.iter().zip(&mut sums) {
                    let size = Size::of(leaf.chunk.metadata());
                    sum.add(size);
                    if is_glanced(number, pieces.len()) {
                        glance.add(size);
                    }
                }
                if is_whole && pieces.len() == 1 {
                    self.keep(leaves, now.clone());
                }
            }
            for (sums, (leaf, layout)) in sums.iter_mut().zip(self.leaves.iter().zip(&now)) {
                let mut kept = leaf.encoded.iter();
                if is_whole && let Some((_, kept)) = kept.find(|(other, _)| other == layout) {
                    *sums = [Size::of(kept.chunk.metadata()); 2];
                }
            }
            for ((written, layouts), [sum, glance]) in written.iter_mut().zip(&wanted).zip(sums) {
                written.extend(layouts.get(turn).map(|layout| Written {
                    layout: layout.clone(),
                    size: sum.scaled(scale),
                    glance: glance.scaled(of_few),
                }));
            }
        }
        Ok(written)
    }

    /// Returns whether the chunks of all leaves are kept in these layouts.
    fn has(&self, layouts: &[Layout]) -> bool {
        let mut pairs = self.leaves.iter().zip(layouts);
        pairs.all(|(leaf, layout)| leaf.encoded.iter().any(|(other, _)| other == layout))
    }

    /// Writes some rows, or all of them.
    pub(super) fn write(
        &mut self,
        arrays: Vec<ArrayRef>,
        layouts: &[Layout],
        is_whole: bool,
    ) -> Result<Vec<EncodedLeaf>> {
        let encoder = if is_whole {
            self.encoders.of_columns()
        } else {
            self.encoders.of_parts()
        };
        encoder.encode(self.column, arrays, layouts)
    }

    /// Keeps the chunks of all rows, because one of them may be chosen.
    pub(super) fn keep(&mut self, encoded: Vec<EncodedLeaf>, layouts: Vec<Layout>) {
        let chunks = encoded.into_iter().zip(layouts);
        for (leaf, (chunk, layout)) in self.leaves.iter_mut().zip(chunks) {
            if leaf.encoded.iter().all(|(other, _)| *other != layout) {
                leaf.encoded.push((layout, chunk));
            }
        }
    }

    /// Estimates all candidates of each leaf from small pieces. Candidates that are far behind keep
    /// these estimates.
    pub(super) fn screen(&mut self) -> Result<()> {
        let pieces = self.small_pieces();
        let is_whole = self.is_all(&pieces);
        let of_leaves = leaves_of(self.arrays, self.leaves.len());
        for (leaf, arrays) in self.leaves.iter_mut().zip(of_leaves) {
            leaf.distinct = distinct(&leaf.column, &arrays, &leaf.layouts);
        }
        // Separate dictionaries of pieces do not predict a dictionary for all rows.
        let mut written = self.write_pieces(&pieces, |leaf| {
            let mut layouts = leaf.layouts.clone();
            layouts.retain(|it| is_whole || it.encoding != Encoding::Dictionary);
            layouts
        })?;
        if !is_whole {
            let guesses = self.guess_dictionaries(&pieces)?;
            let pairs = written.iter_mut().zip(guesses);
            pairs.for_each(|(written, guess)| written.extend(guess));
        }
        for (leaf, written) in self.leaves.iter_mut().zip(written) {
            let glanced = written.iter().map(|it| leaf.glance(it));
            leaf.glanced = glanced.collect();
            let estimates = written.into_iter().map(|it| leaf.estimate(it, is_whole));
            let mut estimates: Vec<Estimate> = estimates.collect();
            estimates.sort_by_key(|estimate| estimate.layout.encoding);
            leaf.screened.clone_from(&estimates);
            leaf.choice.candidates = estimates;
        }
        Ok(())
    }

    /// Returns small pieces from all over the rows, or all rows if they are few.
    pub(super) fn small_pieces(&self) -> Vec<Range<usize>> {
        let (least, most) = SCREENED_BYTES;
        let wanted = (self.bytes() / SCREENED).clamp(least, most);
        if self.bytes() <= SMALL {
            spread(self.rows, self.rows, self.rows)
        } else {
            spread(self.rows, self.rows_with(PIECE), self.rows_with(wanted))
        }
    }

    pub(super) fn is_all(&self, pieces: &[Range<usize>]) -> bool {
        pieces.len() == 1 && pieces[0].len() == self.rows
    }

    /// Estimates the size of each leaf with a dictionary for all rows, based on a dictionary for
    /// some pieces. Scales the entries to the number of distinct values, and the indices to the
    /// width that these need.
    pub(super) fn guess_dictionaries(
        &mut self,
        pieces: &[Range<usize>],
    ) -> Result<Vec<Option<Written>>> {
        if self.leaves.iter().all(|leaf| leaf.dictionary().is_none()) {
            return Ok(vec![None; self.leaves.len()]);
        }
        let arrays: Vec<ArrayRef> = pieces
            .iter()
            .flat_map(|piece| rows_of(self.arrays, piece))
            .collect();
        let here = self.leaves.iter();
        let here = here.map(|leaf| leaf.dictionary().unwrap_or(&leaf.layouts[0]).clone());
        let here: Vec<Layout> = here.collect();
        let chunks = self.write(arrays, &here, false)?;
        let written: usize = pieces.iter().map(Range::len).sum();
        let scale = self.rows as f64 / written.max(1) as f64;
        let leaves = self.leaves.iter().zip(&chunks);
        let guesses = leaves.map(|(leaf, written)| {
            let size = Size::of(written.chunk.metadata());
            let here = written.entries.unwrap_or(1).max(1) as f64;
            let all = leaf
                .distinct
                .as_ref()
                .map_or(1.0, Distinct::count)
                .max(here);
            let wider = (all.log2().ceil() / here.log2().ceil().max(1.0)).max(1.0);
            let dictionary = size.dictionary * all / here;
            let indices = (size.compressed - size.dictionary) * scale * wider;
            let size = Size {
                compressed: dictionary + indices,
                dictionary,
                ..size.scaled(scale)
            };
            let layout = leaf.dictionary()?.clone();
            Some(Written {
                layout,
                size,
                glance: size,
            })
        });
        Ok(guesses.collect())
    }

    /// Returns ranges of rows of whole pages.
    fn some_pages(&self) -> Vec<Range<usize>> {
        let PageSizes { rows, bytes, .. } = self.leaves[0].choice.candidates[0].layout.pages;
        let page = self.rows_with(bytes).min(rows).min(self.rows);
        let (least, most) = WEIGHED_BYTES;
        let share = (self.rows / WEIGHED).min(self.rows_with(most));
        let wanted = share.max(self.rows_with(least));
        spread(self.rows, page, wanted.max(FEWEST_PAGES * page))
    }

    /// Replaces the estimates of the candidates that are not far behind with better ones from whole
    /// pages.
    pub(super) fn weigh(&mut self) -> Result<()> {
        let pieces = self.some_pages();
        let whole = spread(self.rows, self.rows, self.rows);
        for (turn, pieces) in [
            (Turn::BestDictionary, &whole),
            (Turn::Others, &pieces),
            (Turn::Dictionary, &whole),
        ] {
            let written = if turn == Turn::Others && pieces.len() > 1 {
                self.weigh_page_first(pieces)?
            } else {
                self.write_pieces(pieces, |leaf| leaf.close(turn))?
            };
            for (leaf, written) in self.leaves.iter_mut().zip(written) {
                for written in written {
                    let better = leaf.estimate(written, true);
                    let mut candidates = leaf.choice.candidates.iter_mut();
                    let old = candidates.find(|it| it.layout == better.layout);
                    old.into_iter().for_each(|old| *old = better.clone());
                }
            }
        }
        Ok(())
    }

    /// Writes one of the pages in all layouts, and the others only in those that are not clearly larger.
    fn weigh_page_first(&mut self, pieces: &[Range<usize>]) -> Result<Vec<Vec<Written>>> {
        let middle = pieces.len() / 2;
        let (one, mut others) = ([pieces[middle].clone()], pieces.to_vec());
        others.remove(middle);
        let mut written = self.write_pieces(&one, |leaf| leaf.close(Turn::Others))?;
        let close: Vec<Vec<Layout>> = written.iter().map(|it| not_clearly_larger(it)).collect();
        let rest = self.write_layouts(&others, close)?;
        let share = 1.0 / pieces.len() as f64;
        for (written, rest) in written.iter_mut().zip(rest) {
            for more in rest {
                let mut all = written.iter_mut();
                if let Some(written) = all.find(|it| it.layout == more.layout) {
                    let mut size = more.size.scaled(1.0 - share);
                    size.add(written.size.scaled(share));
                    written.size = size;
                }
            }
        }
        Ok(written)
    }

    /// Chooses the best candidate of each leaf for a goal.
    pub(super) fn choose(&mut self, goal: Goal) {
        for leaf in &mut self.leaves {
            let best = best(&leaf.choice.candidates, goal);
            leaf.choice.layout = best.layout.clone();
        }
    }

    /// Tries other page sizes for the chosen layouts.
    pub(super) fn size_pages(&mut self, goal: Goal) -> Result<()> {
        match goal {
            Goal::Size => self.find_page_sizes(),
            Goal::Balanced | Goal::Read | Goal::Write => self.shrink_pages(),
        }
    }

    /// Chooses the page sizes that compress best. With a dictionary, writes all rows.
    fn find_page_sizes(&mut self) -> Result<()> {
        let (bytes, rows) = (self.bytes(), self.rows);
        let some = spread(rows, self.rows_with(LARGEST_PAGE), rows / WEIGHED);
        let whole = spread(rows, rows, rows);
        for (of_dictionary, pieces) in [(false, some), (true, whole)] {
            let layouts = |leaf: &Leaf| leaf.page_layouts(of_dictionary, bytes, rows);
            let written = self.write_pieces(&pieces, layouts)?;
            for (leaf, written) in self.leaves.iter_mut().zip(&written) {
                let best = written
                    .iter()
                    .min_by(|one, other| one.size.compressed.total_cmp(&other.size.compressed));
                if let Some(best) = best {
                    leaf.choice
                        .replace(&best.layout, best.size.to(written[0].size));
                }
            }
        }
        Ok(())
    }

    /// Chooses smaller pages if small pieces promise a gain, and they keep the promise in the rows
    /// with which the layout was weighed.
    fn shrink_pages(&mut self) -> Result<()> {
        let (bytes, pieces) = (self.bytes(), self.some_pages());
        for page_bytes in SMALL_PAGE_BYTES {
            let layouts = |leaf: &Leaf| leaf.with_pages(page_bytes, bytes).into_iter().collect();
            let written = self.write_pieces(&pieces, layouts)?;
            for (leaf, written) in self.leaves.iter_mut().zip(&written) {
                let before = leaf.choice.bytes();
                if let Some(small) = written.first()
                    && small.size.compressed < PAGES_GAIN * before
                {
                    leaf.choice
                        .replace(&small.layout, small.size.compressed / before);
                }
            }
        }
        Ok(())
    }

    /// Returns the choices for all leaves.
    pub(super) fn finish(self) -> Vec<Choice> {
        let leaves = self.leaves.into_iter();
        let choices = leaves.map(|leaf| {
            let layout = &leaf.choice.layout;
            let mut encoded = leaf.encoded.into_iter();
            let chosen = encoded.find(|(other, _)| other == layout);
            Choice {
                encoded: chosen.map(|(_, chunk)| chunk),
                ..leaf.choice
            }
        });
        choices.collect()
    }
}

/// Returns the number of distinct values of a leaf that may get a dictionary. Counts all values as
/// distinct if the dictionary would become too large.
fn distinct(leaf: &ColumnDescPtr, arrays: &[ArrayRef], layouts: &[Layout]) -> Option<Distinct> {
    let mut layouts = layouts.iter();
    let dictionary = layouts.find(|layout| layout.encoding == Encoding::Dictionary)?;
    let most = dictionary.dictionary_bytes as f64 / value_bytes(leaf, arrays).max(1.0);
    Distinct::up_to(most * DOUBT, arrays)
}

/// Returns the mean size of a leaf's values in PLAIN, in bytes.
fn value_bytes(leaf: &ColumnDescPtr, arrays: &[ArrayRef]) -> f64 {
    let values: usize = arrays.iter().map(|array| array.len()).sum();
    match physical::width(leaf) {
        Some(width) => width as f64,
        None => bytes_of(arrays) as f64 / values.max(1) as f64,
    }
}

/// Returns the arrays of each of the `count` leaves.
pub(super) fn leaves_of(arrays: &[ArrayRef], count: usize) -> Vec<Vec<ArrayRef>> {
    let mut leaves = vec![Vec::new(); count];
    for array in arrays {
        let mut of_array = Vec::new();
        leaf_arrays(array, &mut of_array);
        let pairs = leaves.iter_mut().zip(of_array);
        pairs.for_each(|(all, leaf)| all.push(leaf));
    }
    leaves
}

/// Returns the approximate number of bytes of a leaf's values.
fn bytes_of(arrays: &[ArrayRef]) -> usize {
    let bytes = arrays.iter().map(|array| {
        let slice = array.to_data().get_slice_memory_size();
        slice.unwrap_or_else(|_| array.get_buffer_memory_size())
    });
    bytes.sum()
}
