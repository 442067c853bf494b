//! How large a column chunk would be in each encoding, from a sample.

use super::pack;
use super::repeats::{Repeat, Repeats};
use super::sample::Sample;
use crate::page::Compressor;
use crate::{Result, WriterOptions};
use bytelane::byte_stream_split::Width;
use parquet::basic::Compression;
use std::rc::Rc;
use std::slice;

/// Rows in a window for compressors that look back a short way, and for those that look back a long one.
const WINDOW_ROWS: (usize, usize) = (4096, 16_384);
/// If all values are different, as many of a window are followed.
const FOLLOWED: usize = 128;
/// A stream that does not become smaller than this is stored as it is.
const STORED: f64 = 0.97;
/// The most of the stretches' size that is put down to repetitions.
const MOST_COPIES: f64 = 0.8;
/// Beyond this share of different values no dictionary is tried where there is a compressor.
const MOST_DISTINCT: f64 = 0.5;

/// Bytes of a value, on average.
#[derive(Clone, Copy, Default)]
pub(super) struct Cost {
    /// After compression.
    pub(super) compressed: f64,
    /// Before.
    pub(super) encoded: f64,
    /// Those of them that the compressor found something in.
    pub(super) worked: f64,
}

/// What the estimates are made from.
pub(super) struct Estimator<'a> {
    sample: &'a Sample,
    compression: Compression,
    compressor: &'a mut Compressor,
    options: &'a WriterOptions,
    /// How values repeat in the stretches: what the compressor sees of them here.
    near: Option<Rc<Repeats>>,
    /// How they repeat in the windows: what it would see in a page.
    far: Repeats,
    scratch: Vec<u8>,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(
        sample: &'a Sample,
        compression: Compression,
        compressor: &'a mut Compressor,
        options: &'a WriterOptions,
    ) -> Self {
        let window = window_rows(compression);
        Self {
            near: None,
            far: Repeats::among(&sample.windows, sample.width, (window / FOLLOWED) as u64),
            sample,
            compression,
            compressor,
            options,
            scratch: Vec::new(),
        }
    }

    /// Estimated different values in the column.
    pub(super) fn distinct(&self) -> f64 {
        self.far.distinct_among(self.sample.values)
    }

    fn compressed(&mut self, bytes: &[u8]) -> Result<f64> {
        self.scratch.clear();
        self.compressor.append(bytes, &mut self.scratch)?;
        Ok(self.scratch.len() as f64)
    }

    /// Some bytes for some values, compressed.
    fn cost(&mut self, bytes: &[u8], values: f64) -> Result<Cost> {
        let compressed = self.compressed(bytes)?;
        let encoded = bytes.len() as f64;
        let worked = match compressed < STORED * encoded {
            true => encoded,
            false => 0.0,
        };
        Ok(Cost {
            compressed: compressed / values,
            encoded: encoded / values,
            worked: worked / values,
        })
    }

    /// In PLAIN pages.
    ///
    /// The stretches are too short to show which values come back from further away. So what the compressor made of
    /// them is taken apart into what a new value costs and what one that repeats, and put together again with as many
    /// of either as there are in the windows.
    pub(super) fn plain(&mut self) -> Result<Cost> {
        let stretches = self.sample.stretches.clone();
        let mut cost = self.cost(&stretches, self.sample.len() as f64)?;
        let (far_share, far_cost) = self.repetition(&self.far);
        if far_share > 0.0 {
            let near = self.look_near();
            let (near_share, near_cost) = self.repetition(&near);
            let copies = near_share * near_cost;
            let copies_here = copies.min(MOST_COPIES * cost.compressed);
            let new = (cost.compressed - copies_here) / (1.0 - near_share).max(0.05);
            let new = new.min(self.sample.width as f64);
            // What is less than expected here is so there as well.
            let cheaper = if copies > 0.0 {
                copies_here / copies
            } else {
                1.0
            };
            cost.compressed = (1.0 - far_share) * new + far_share * far_cost * cheaper;
            cost.worked = cost.encoded;
        }
        Ok(cost)
    }

    /// How values repeat in the stretches; looked at only where it matters.
    fn look_near(&mut self) -> Rc<Repeats> {
        let look = || {
            Repeats::among(
                slice::from_ref(&self.sample.stretches),
                self.sample.width,
                1,
            )
        };
        Rc::clone(self.near.get_or_insert_with(|| Rc::new(look())))
    }

    /// The share of values that repeat one within the compressor's reach, and what each of these costs.
    fn repetition(&self, values: &Repeats) -> (f64, f64) {
        let width = self.sample.width;
        let within = values.repeats.iter();
        let within = within.filter(|repeat| repeat.distance * width <= self.reach());
        let (count, cost) = within.fold((0_u32, 0.0), |(count, cost), repeat| {
            (count + 1, cost + self.copy_cost(repeat))
        });
        (
            f64::from(count) / values.followed.max(1) as f64,
            cost / f64::from(count.max(1)),
        )
    }

    fn reach(&self) -> usize {
        reach(self.compression)
    }

    /// Bytes of a value that is a copy.
    fn copy_cost(&self, repeat: &Repeat) -> f64 {
        let copy = match self.compression {
            Compression::SNAPPY | Compression::LZ4 | Compression::LZ4_RAW => 3.0,
            // The bits of the offset, and some for the codes of its size and of the two lengths.
            _ => (((repeat.distance * self.sample.width) as f64).log2() + 6.0) / 8.0,
        };
        copy / repeat.run as f64
    }

    /// In BYTE_STREAM_SPLIT pages. There a stream is long enough for tables of its own, so each is compressed alone;
    /// one that is the same as the one before it is a copy.
    pub(super) fn byte_stream_split(&mut self) -> Result<Cost> {
        let (width, count) = (self.sample.width, self.sample.len());
        let mut split = vec![0; count * width];
        let backend = self.options.backend;
        let kernel = Width::new(width).expect("no column has values of 0 bytes");
        kernel.encode_uninit_with(backend, &self.sample.stretches, &mut split[..])?;
        if self.reach() == 0 {
            return self.cost(&split, count as f64);
        }
        let mut sum = Cost::default();
        for (index, stream) in split.chunks_exact(count).enumerate() {
            let copied = index > 0 && split[(index - 1) * count..index * count] == *stream;
            let cost = match copied {
                true => Cost {
                    encoded: 1.0,
                    ..Cost::default()
                },
                false => self.cost(stream, count as f64)?,
            };
            sum.compressed += cost.compressed;
            sum.encoded += cost.encoded;
            sum.worked += cost.worked;
        }
        Ok(sum)
    }

    /// With a dictionary, its page included; in PLAIN pages from where it becomes too large. Nothing where that is
    /// hopeless.
    pub(super) fn dictionary(&mut self, plain: Cost) -> Result<Option<Cost>> {
        if self.reach() > 0 && self.distinct() > MOST_DISTINCT * self.sample.values as f64 {
            return Ok(None);
        }
        let (width, count) = (self.sample.width, self.sample.len());
        let stretches = self.sample.stretches.clone();
        let near = self.look_near();
        let seen = near.distinct as f64;
        let mut different = Vec::new();
        for (value, number) in stretches.chunks_exact(width).zip(&near.numbers) {
            if *number as usize == different.len() / width {
                different.extend_from_slice(value);
            }
        }
        let distinct = self.distinct().max(seen);
        // As far apart as in the whole column, in the order of their appearance.
        let apart = distinct / seen;
        let indices: Vec<u64> = near
            .numbers
            .iter()
            .map(|number| (*number as f64 * apart) as u64)
            .collect();
        let mut packed = Vec::new();
        pack::append_runs(
            &indices,
            pack::bits(distinct as u64 - 1).max(1),
            &mut packed,
        );
        let index = self.cost(&packed, count as f64)?;
        let entry = self.cost(&different, seen)?;

        let share = self.options.dictionary_page_bytes as f64 / (distinct * width as f64);
        let share = share.min(1.0);
        let entries = share * distinct / self.sample.values.max(1) as f64;
        let sum = |part: fn(Cost) -> f64| {
            share * part(index) + entries * part(entry) + (1.0 - share) * part(plain)
        };
        Ok(Some(Cost {
            compressed: sum(|cost| cost.compressed),
            encoded: sum(|cost| cost.encoded),
            worked: sum(|cost| cost.worked),
        }))
    }

    /// In DELTA_BINARY_PACKED pages, for integers.
    pub(super) fn delta_binary_packed(&mut self) -> Result<Cost> {
        let stretches = self.sample.stretches.clone();
        let mut packed = Vec::new();
        match self.sample.width {
            4 => {
                let values = stretches.as_chunks().0.iter();
                let values = values.map(|bytes| i64::from(i32::from_le_bytes(*bytes)));
                pack::append_differences(values, &mut packed);
            }
            _ => {
                let values = stretches.as_chunks().0.iter();
                pack::append_differences(
                    values.map(|bytes| i64::from_le_bytes(*bytes)),
                    &mut packed,
                );
            }
        }
        self.cost(&packed, self.sample.len() as f64)
    }
}

/// How many bytes back a compressor finds a value again, about.
fn reach(compression: Compression) -> usize {
    match compression {
        Compression::UNCOMPRESSED => 0,
        Compression::GZIP(_) => 32 << 10,
        // Their tables forget sooner than their windows end.
        Compression::ZSTD(level) if level.compression_level() < 3 => 64 << 10,
        Compression::SNAPPY | Compression::LZ4 | Compression::LZ4_RAW => 64 << 10,
        Compression::ZSTD(_) | Compression::BROTLI(_) | Compression::LZO => 4 << 20,
    }
}

/// How many rows to see together, so that what the compressor would find again is among them.
pub(super) fn window_rows(compression: Compression) -> usize {
    let (short, long) = WINDOW_ROWS;
    match reach(compression) {
        // Only the dictionary's size counts.
        0 => long,
        near if near <= 64 << 10 => short,
        _ => long,
    }
}
