//! Parts of a column, written in one way after the other.

use super::pieces::spread;
use super::{
    DOUBT, DOUBT_OF_DICTIONARY, Distinct, Estimate, LARGEST_PAGE, MOST_DISTINCT, PAGE_BYTES,
    PAGE_ROWS, SMALL, depends_on_pages, is_counted, layout, leaf_arrays, rows_of,
};
use crate::choice::Choice;
use crate::chunk::{Column, ColumnEncoder, Layout, PageSizes};
use crate::{Encoding, Result, WriterOptions};
use arrow_array::ArrayRef;
use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use std::ops::Range;

/// Bytes of a small piece.
const PIECE: usize = 32 << 10;
/// Of as many bytes one is written to screen the candidates, and to weigh those that are left.
const SCREENED: usize = 16;
const WEIGHED: usize = 8;
/// The fewest bytes and pages that are weighed.
const WEIGHED_BYTES: usize = 1 << 20;
const FEWEST_PAGES: usize = 3;
/// The fewest and the most bytes that are screened.
const SCREENED_BYTES: (usize, usize) = (128 << 10, 2 << 20);

/// What some rows of a leaf become.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Bytes of all pages, with their headers.
    pub(super) compressed: f64,
    /// The same before compression.
    pub(super) raw: f64,
    /// Those of the compressed bytes that are a dictionary.
    dictionary: f64,
    pub(super) values: f64,
}

impl Size {
    fn add(&mut self, other: Self) {
        self.compressed += other.compressed;
        self.raw += other.raw;
        self.dictionary += other.dictionary;
        self.values += other.values;
    }

    fn scaled(self, by: f64) -> Self {
        Self {
            compressed: self.compressed * by,
            raw: self.raw * by,
            dictionary: self.dictionary * by,
            values: self.values * by,
        }
    }

    /// The part of it that the compressor works at. In BYTE_STREAM_SPLIT it leaves whole streams as they are: as many as
    /// fit into what comes out.
    pub(super) fn without_stored_streams(self) -> Self {
        let streams = (self.raw / self.values.max(1.0)).round().max(1.0);
        let stored = (streams * self.compressed / self.raw.max(1.0))
            .floor()
            .min(streams);
        let bytes = self.raw * stored / streams;
        Self {
            raw: self.raw - bytes,
            compressed: (self.compressed - bytes).max(0.0),
            ..self
        }
    }

    /// Bytes per byte of another size.
    fn to(self, other: Self) -> f64 {
        self.compressed / other.compressed.max(1.0)
    }
}

/// A column of a row group, and what writes parts of it.
pub(super) struct Trials<'a> {
    column: &'a Column,
    arrays: &'a [ArrayRef],
    encoder: &'a mut ColumnEncoder,
    rows: usize,
    /// The different values of each leaf, where they can be counted.
    distinct: Vec<Option<Distinct>>,
    /// Bytes of a row of the largest leaf in PLAIN.
    row_bytes: f64,
    /// How a leaf is written while only others matter.
    idle: Vec<Layout>,
}

impl<'a> Trials<'a> {
    pub(super) fn new(
        column: &'a Column,
        arrays: &'a [ArrayRef],
        encoder: &'a mut ColumnEncoder,
    ) -> Self {
        let rows = arrays.iter().map(|array| array.len()).sum();
        let leaves = leaves_of(arrays, column.leaves().len());
        let largest = leaves.iter().map(|arrays| bytes_of(arrays)).max();
        let plain = column.leaves().iter();
        let idle = plain.map(|leaf| layout(leaf, Encoding::Plain, encoder.options()));
        Self {
            idle: idle.collect(),
            column,
            arrays,
            encoder,
            rows,
            distinct: leaves
                .iter()
                .map(|arrays| Distinct::among(arrays))
                .collect(),
            row_bytes: largest.unwrap_or(0) as f64 / rows.max(1) as f64,
        }
    }

    /// As many rows as have about these bytes.
    fn rows_with(&self, bytes: usize) -> usize {
        ((bytes as f64 / self.row_bytes.max(0.125)) as usize).max(1)
    }

    fn bytes(&self) -> usize {
        (self.row_bytes * self.rows as f64) as usize
    }

    /// What each leaf becomes in each of its layouts: all rows, from some pieces of them.
    fn sizes(
        &mut self,
        pieces: &[Range<usize>],
        layouts: &[Vec<Layout>],
    ) -> Result<Vec<Vec<Size>>> {
        let mut sizes: Vec<Vec<Size>> = vec![Vec::new(); layouts.len()];
        let turns = layouts.iter().map(Vec::len).max().unwrap_or(0);
        for turn in 0..turns {
            // A leaf that has had its turns takes another one, which is not looked at.
            let now = layouts.iter().zip(&self.idle).map(|(layouts, idle)| {
                let last = layouts.last().unwrap_or(idle);
                layouts.get(turn).unwrap_or(last).clone()
            });
            let now: Vec<Layout> = now.collect();
            let mut sums = vec![Size::default(); layouts.len()];
            for piece in pieces {
                let sizes = self.write(rows_of(self.arrays, piece), &now)?;
                sums.iter_mut()
                    .zip(sizes)
                    .for_each(|(sum, size)| sum.add(size));
            }
            let written: usize = pieces.iter().map(Range::len).sum();
            let scale = self.rows as f64 / written.max(1) as f64;
            for ((sizes, sum), layouts) in sizes.iter_mut().zip(sums).zip(layouts) {
                if turn < layouts.len() {
                    sizes.push(sum.scaled(scale));
                }
            }
        }
        Ok(sizes)
    }

    /// Writes rows, and looks at what they have become.
    fn write(&mut self, arrays: Vec<ArrayRef>, layouts: &[Layout]) -> Result<Vec<Size>> {
        let chunks = self.encoder.encode(self.column, arrays, layouts)?;
        let sizes = chunks.iter().map(|chunk| {
            let metadata = chunk.metadata();
            Size {
                compressed: metadata.compressed_size() as f64,
                raw: metadata.uncompressed_size() as f64,
                dictionary: dictionary_bytes(metadata) as f64,
                values: metadata.num_values() as f64,
            }
        });
        Ok(sizes.collect())
    }

    /// Estimates for all candidates of each leaf; for those that are far behind, these remain the only ones.
    pub(super) fn screen(
        &mut self,
        candidates: &[Vec<Layout>],
        options: &WriterOptions,
    ) -> Result<Vec<Vec<Estimate>>> {
        let (least, most) = SCREENED_BYTES;
        let wanted = (self.bytes() / SCREENED).clamp(least, most);
        let pieces = match self.bytes() <= SMALL {
            true => spread(self.rows, self.rows, self.rows),
            false => spread(self.rows, self.rows_with(PIECE), self.rows_with(wanted)),
        };
        let is_whole = pieces.len() == 1 && pieces[0].len() == self.rows;
        // A dictionary that each piece has of its own says nothing of one for all rows.
        let others: Vec<Vec<Layout>> = candidates
            .iter()
            .map(|layouts| {
                let others = layouts.iter();
                let others = others.filter(|it| is_whole || it.encoding != Encoding::Dictionary);
                others.cloned().collect()
            })
            .collect();
        let sizes = self.sizes(&pieces, &others)?;
        let dictionaries = match is_whole {
            true => vec![None; candidates.len()],
            false => self.guess_dictionaries(&pieces, candidates)?,
        };
        let estimates = others.iter().zip(sizes).zip(dictionaries).enumerate();
        let estimates = estimates.map(|(leaf, ((layouts, sizes), dictionary))| {
            let compression = self.compression(leaf, options);
            let physical = self.column.leaves()[leaf].physical_type();
            let sized = layouts.iter().cloned().zip(sizes).chain(dictionary);
            let mut estimates: Vec<Estimate> = sized
                .map(|(layout, size)| Estimate::new(layout, compression, physical, size, is_whole))
                .collect();
            estimates.sort_by_key(|estimate| estimate.layout.encoding);
            estimates
        });
        Ok(estimates.collect())
    }

    fn compression(&self, leaf: usize, options: &WriterOptions) -> Compression {
        options.compression_of(self.column.leaves()[leaf].path().clone())
    }

    /// What each leaf may become with a dictionary for all of its rows, from one for some pieces of them: its entries
    /// become as many as there are different values, and its indices as wide as these need.
    fn guess_dictionaries(
        &mut self,
        pieces: &[Range<usize>],
        candidates: &[Vec<Layout>],
    ) -> Result<Vec<Option<(Layout, Size)>>> {
        let layouts: Vec<Option<&Layout>> = candidates
            .iter()
            .zip(&self.distinct)
            .zip(self.column.leaves())
            .map(|((layouts, distinct), leaf)| {
                let share = distinct.as_ref().map_or(0.0, Distinct::share);
                let is_worth_it = is_counted(leaf) && share <= MOST_DISTINCT;
                let mut all = layouts.iter();
                let found = all.find(|layout| layout.encoding == Encoding::Dictionary);
                found.filter(|_| is_worth_it || layouts.len() == 1)
            })
            .collect();
        if layouts.iter().all(Option::is_none) {
            return Ok(vec![None; candidates.len()]);
        }
        let arrays: Vec<ArrayRef> = pieces
            .iter()
            .flat_map(|piece| rows_of(self.arrays, piece))
            .collect();
        let here = layouts.iter().zip(candidates);
        let here: Vec<Layout> = here
            .map(|(layout, layouts)| layout.unwrap_or(&layouts[0]).clone())
            .collect();
        let leaves = leaves_of(&arrays, candidates.len());
        let sizes = self.write(arrays, &here)?;
        let written: usize = pieces.iter().map(Range::len).sum();
        let scale = self.rows as f64 / written.max(1) as f64;
        let guesses = layouts.into_iter().zip(sizes).enumerate();
        let guesses = guesses.map(|(leaf, (layout, size))| {
            let count =
                |distinct: Option<&Distinct>| distinct.map_or(1.0, Distinct::count).max(1.0);
            let here = count(Distinct::among(&leaves[leaf]).as_ref());
            let all = count(self.distinct[leaf].as_ref()).max(here);
            let wider = (all.log2().ceil() / here.log2().ceil().max(1.0)).max(1.0);
            let dictionary = size.dictionary * all / here;
            let indices = (size.compressed - size.dictionary) * scale * wider;
            let size = Size {
                compressed: dictionary + indices,
                dictionary,
                ..size.scaled(scale)
            };
            layout.map(|layout| (layout.clone(), size))
        });
        Ok(guesses.collect())
    }

    /// Replaces the estimates of the candidates that are not far behind by better ones, from whole pages.
    pub(super) fn weigh(
        &mut self,
        estimates: &mut [Vec<Estimate>],
        options: &WriterOptions,
    ) -> Result<()> {
        let PageSizes { rows, bytes } = estimates[0][0].layout.pages;
        let page = self.rows_with(bytes).min(rows).min(self.rows);
        let wanted = (self.rows / WEIGHED).max(self.rows_with(WEIGHED_BYTES));
        let pieces = spread(self.rows, page, wanted.max(FEWEST_PAGES * page));
        let left = |estimates: &[Estimate], of_dictionary: bool| -> Vec<usize> {
            let least = estimates
                .iter()
                .map(|it| it.bytes)
                .fold(f64::INFINITY, f64::min);
            let close = estimates.iter().enumerate().filter(|(_, it)| {
                let is_dictionary = it.layout.encoding == Encoding::Dictionary;
                let doubt = match is_dictionary {
                    true => DOUBT_OF_DICTIONARY,
                    false => DOUBT,
                };
                !it.is_measured && it.bytes <= doubt * least && is_dictionary == of_dictionary
            });
            close.map(|(index, _)| index).collect()
        };
        for of_dictionary in [false, true] {
            let chosen: Vec<Vec<usize>> = estimates
                .iter()
                .map(|estimates| left(estimates, of_dictionary))
                .collect();
            if chosen.iter().all(Vec::is_empty) {
                continue;
            }
            let layouts: Vec<Vec<Layout>> = chosen
                .iter()
                .zip(estimates.iter())
                .map(|(chosen, estimates)| {
                    let chosen = chosen.iter();
                    chosen
                        .map(|index| estimates[*index].layout.clone())
                        .collect()
                })
                .collect();
            let sizes = match of_dictionary {
                true => self.sizes(&spread(self.rows, self.rows, self.rows), &layouts)?,
                false => self.sizes(&pieces, &layouts)?,
            };
            for (leaf, (chosen, sizes)) in chosen.into_iter().zip(sizes).enumerate() {
                let compression = self.compression(leaf, options);
                let physical = self.column.leaves()[leaf].physical_type();
                for (index, size) in chosen.into_iter().zip(sizes) {
                    let layout = estimates[leaf][index].layout.clone();
                    estimates[leaf][index] =
                        Estimate::new(layout, compression, physical, size, true);
                }
            }
        }
        Ok(())
    }

    /// Tries other sizes of pages for what was chosen: of dictionaries with all rows.
    pub(super) fn size_pages(
        &mut self,
        choices: &mut [Choice],
        options: &WriterOptions,
    ) -> Result<()> {
        for of_dictionary in [false, true] {
            let layouts: Vec<Vec<Layout>> = choices
                .iter()
                .enumerate()
                .map(|(leaf, choice)| {
                    let is_dictionary = choice.layout.encoding == Encoding::Dictionary;
                    let is_now = is_dictionary == of_dictionary;
                    let compression = self.compression(leaf, options);
                    let sizes = self.page_sizes(leaf, choice, compression);
                    let sizes = sizes.into_iter().filter(|_| is_now);
                    let others = sizes.map(|pages| Layout {
                        pages,
                        ..choice.layout.clone()
                    });
                    let others: Vec<Layout> = others.collect();
                    match others.is_empty() {
                        true => others,
                        false => std::iter::once(choice.layout.clone())
                            .chain(others)
                            .collect(),
                    }
                })
                .collect();
            if layouts.iter().all(Vec::is_empty) {
                continue;
            }
            let page = self.rows_with(LARGEST_PAGE);
            let pieces = match of_dictionary {
                true => spread(self.rows, self.rows, self.rows),
                false => spread(self.rows, page, self.rows / WEIGHED),
            };
            let sizes = self.sizes(&pieces, &layouts)?;
            for ((choice, layouts), sizes) in choices.iter_mut().zip(&layouts).zip(&sizes) {
                let sized = layouts.iter().zip(sizes);
                let best =
                    sized.min_by(|one, other| one.1.compressed.total_cmp(&other.1.compressed));
                if let Some((layout, size)) = best {
                    choice.replace(layout, size.to(sizes[0]));
                }
            }
        }
        Ok(())
    }

    /// Sizes of pages that may be better than the usual one.
    fn page_sizes(&self, leaf: usize, choice: &Choice, compression: Compression) -> Vec<PageSizes> {
        let column = &self.column.leaves()[leaf];
        let smaller = |bytes: &&usize| **bytes < self.bytes();
        match choice.layout.encoding {
            _ if compression == Compression::UNCOMPRESSED => Vec::new(),
            Encoding::Dictionary => {
                let rows = PAGE_ROWS.iter().filter(|rows| **rows < self.rows);
                rows.map(|rows| PageSizes::of_rows(*rows)).collect()
            }
            _ if !depends_on_pages(compression) => Vec::new(),
            _ => {
                let sizes = PAGE_BYTES.iter().filter(smaller);
                sizes
                    .map(|bytes| PageSizes::of_bytes(*bytes, column))
                    .collect()
            }
        }
    }
}

/// Bytes of the dictionary of a chunk, which the crate `parquet` finishes after the pages that use it.
fn dictionary_bytes(metadata: &ColumnChunkMetaData) -> i64 {
    match metadata.dictionary_page_offset() {
        None => 0,
        Some(after) if after > metadata.data_page_offset() => {
            metadata.compressed_size() - (after - metadata.data_page_offset())
        }
        Some(before) => metadata.data_page_offset() - before,
    }
}

/// The arrays of each of the `count` leaves.
fn leaves_of(arrays: &[ArrayRef], count: usize) -> Vec<Vec<ArrayRef>> {
    let mut leaves = vec![Vec::new(); count];
    for array in arrays {
        let mut of_array = Vec::new();
        leaf_arrays(array, &mut of_array);
        let pairs = leaves.iter_mut().zip(of_array);
        pairs.for_each(|(all, leaf)| all.push(leaf));
    }
    leaves
}

/// Bytes of the values of a leaf, about.
fn bytes_of(arrays: &[ArrayRef]) -> usize {
    let bytes = arrays.iter().map(|array| {
        let slice = array.to_data().get_slice_memory_size();
        slice.unwrap_or_else(|_| array.get_buffer_memory_size())
    });
    bytes.sum()
}
