//! Chooses the best way to write a column of a row group for a goal, which resolves
//! [`Encoding::Auto`].
//!
//! Only time is modelled: sizes come from writing parts of the column with the same code that will
//! write all of it. First, every candidate writes small pieces from all over the row group, and
//! those that are far behind are dropped. The others write whole pages, or the whole column for a
//! dictionary. Several page sizes are tried, too, if only the size counts or if small pieces
//! compressed better than whole pages.
//!
//! The choice depends only on the rows and the options, so that `advise` can predict what `rewrite`
//! will do. A writer of several row groups remembers its choices: as long as a few small pieces of
//! the rows give similar results, it writes nothing else to choose. If the choice was a dictionary, its chunk shows whether it still is.

mod distinct;
mod glance;
mod goal;
mod leaf;
mod learned;
mod pieces;
mod trial;

use distinct::Distinct;
pub use distinct::{Tally, leaf_arrays};
pub use goal::Estimate;
pub use pieces::rows_of;

use crate::chunk::{Column, ColumnEncoder, EncodedLeaf, Helpers, Layout, PageSizes};
use crate::compatibility::ValueType;
use crate::types::physical::has_dictionary;
use crate::{ColumnOptions, Encoding, Goal, Result, WriterOptions};
use arrow_array::ArrayRef;
pub use learned::Learned;
use parquet::basic::{Compression, Type};
use parquet::schema::types::ColumnDescriptor;
use std::sync::Arc;
use trial::Trials;

/// Maximum size of a column that every candidate writes as a whole.
const SMALL: usize = 256 << 10;
/// Maximum error factors of estimates from small pieces, for most encodings and for dictionaries.
const DOUBT: f64 = 1.3;
const DOUBT_OF_DICTIONARY: f64 = 1.7;
/// Size of a dictionary, in bytes, above which it is only written if it looks best. With 1.7 for all of
/// them, lineitem took 1.05 times as long, and no column became smaller.
const LARGE_DICTIONARY: f64 = (1 << 20) as f64;
/// Page sizes to try, in bytes, if only the size counts. Zstandard uses other parameters for inputs
/// of up to 256 KiB than for longer ones; the limit leaves room for the rows that are written
/// between two checks of a page's size.
const PAGE_BYTES: [usize; 3] = [40 << 10, 240 << 10, LARGEST_PAGE];
const LARGEST_PAGE: usize = 4 << 20;
/// Page sizes to try, in bytes, for other goals, and the fraction of the size that they must beat. The
/// second one is close to that of small pieces, which show whether it is worth a trial.
const SMALL_PAGE_BYTES: [usize; 2] = [240 << 10, 40 << 10];
const PAGES_GAIN: f64 = 0.98;
/// Page sizes to try with a dictionary, in rows.
const PAGE_ROWS: [usize; 1] = [STEP_ROWS];
/// Number of rows after which a page may end because dictionary indices become wider.
const STEP_ROWS: usize = 16_384;
/// Maximum size of a dictionary if only the size counts.
pub const DICTIONARY_BYTES: usize = 16 << 20;
/// Maximum fraction of distinct values for which a dictionary is tried. Without compression, one of
/// 70% is smaller than values of 8 bytes.
const MOST_DISTINCT: f64 = 0.9;

/// Layout for a leaf, and the candidates that it was compared with.
#[derive(Debug)]
pub struct Choice {
    /// Best layout for the goal.
    pub layout: Layout,
    /// Estimates for all encodings that were compared, for the whole chunk; empty if there was no
    /// choice.
    pub candidates: Vec<Estimate>,
    /// Encoded chunk, if all rows were written in this layout for comparison.
    encoded: Option<EncodedLeaf>,
}

impl Choice {
    /// Replaces the layout with one whose size is `by` times that of the current one.
    fn replace(&mut self, layout: &Layout, by: f64) {
        self.layout = layout.clone();
        let own = |estimate: &&mut Estimate| estimate.layout.encoding == layout.encoding;
        if let Some(estimate) = self.candidates.iter_mut().find(own) {
            estimate.bytes *= by;
            estimate.layout = layout.clone();
        }
    }

    /// Returns the estimated size of the chunk in bytes.
    pub fn bytes(&self) -> f64 {
        let own = |estimate: &&Estimate| estimate.layout.encoding == self.layout.encoding;
        let found = self.candidates.iter().find(own);
        found.map_or(0.0, |estimate| estimate.bytes)
    }
}

/// Returns the encodings that a leaf can have and its readers support, the simplest first.
fn allowed(leaf: &ColumnDescriptor, column: &Column, options: &WriterOptions) -> Vec<Encoding> {
    let path = leaf.path();
    let has_order = |column: &ColumnOptions| column.entries.as_ref().map(|_| ());
    let is_ordered = column.is_ordered(leaf) || options.own(path, has_order).is_some();
    if is_ordered && Encoding::Dictionary.exists_for(leaf.physical_type()) {
        // Readers take the order of the entries from the dictionary.
        return vec![Encoding::Dictionary];
    }
    let wanted = options.encoding_of(path.clone());
    if wanted != Encoding::Auto && wanted.exists_for(leaf.physical_type()) {
        return vec![wanted];
    }
    let as_dictionary = leaf.physical_type() == Type::BYTE_ARRAY
        && (has_dictionary(column.field().data_type())
            || options
                .own(path, |column| column.as_dictionary.then_some(()))
                .is_some());
    let without_dictionaries = options
        .own(path, |column| column.without_dictionaries.then_some(()))
        .is_some();
    let readers = &options.readers;
    let is_readable = |encoding: Encoding| {
        if !as_dictionary {
            readers.read(encoding, ValueType::of(leaf))
        } else if without_dictionaries {
            readers.obstacle_to_nested_dictionaries(encoding).is_none()
        } else {
            readers.obstacle_to_dictionary(encoding).is_none()
        }
    };
    let possible = options.encodings.iter().filter(|encoding| {
        encoding.exists_for(leaf.physical_type())
            && (*encoding == Encoding::Plain || is_readable(*encoding))
    });
    let possible: Vec<Encoding> = possible.collect();
    // Without compression, BYTE_STREAM_SPLIT takes as many bytes as PLAIN, which any reader copies.
    let is_plain_best = possible.contains(&Encoding::Plain)
        && options.compression_of(path.clone()) == Compression::UNCOMPRESSED;
    let possible = possible
        .into_iter()
        .filter(|encoding| !is_plain_best || *encoding != Encoding::ByteStreamSplit);
    let possible: Vec<Encoding> = possible.collect();
    if possible.is_empty() {
        vec![Encoding::Plain]
    } else {
        possible
    }
}

/// Returns the layout of a leaf in an encoding, with the usual page size.
fn layout(leaf: &ColumnDescriptor, encoding: Encoding, options: &WriterOptions) -> Layout {
    let path = leaf.path();
    let (rows, bytes) = options.page_limits();
    Layout {
        encoding,
        pages: match options.own(path, |column| column.page_rows) {
            own if let Some(content) = options.content_defined_pages => PageSizes::of_content(
                content,
                own.or(options.max_rows_per_page).unwrap_or(usize::MAX),
            ),
            _ if tries_pages(options) => PageSizes::of_bytes(bytes, leaf),
            Some(rows) => PageSizes::of_rows(rows),
            None => PageSizes {
                rows,
                bytes,
                step_rows: options.leaves_pages_open().then_some(STEP_ROWS),
                content: None,
            },
        },
        dictionary_bytes: match options.goal {
            Goal::Size if options.encoding_of(path.clone()) == Encoding::Auto => {
                options.dictionary_pagesize_limit.max(DICTIONARY_BYTES)
            }
            _ => options.dictionary_pagesize_limit,
        },
    }
}

/// Chooses the layouts of columns, and writes them. Reuses contexts and buffers from one column to
/// the next.
pub struct Chooser {
    options: WriterOptions,
    encoders: Encoders,
    /// Choices for earlier row groups, if they are remembered.
    learned: Option<Learned>,
}

/// Encoder that writes columns for comparison, with one set of buffers.
struct Encoders {
    encoder: ColumnEncoder,
    /// Options for parts of columns, without statistics.
    of_parts: Arc<WriterOptions>,
    /// Options for whole columns.
    of_columns: Arc<WriterOptions>,
}

impl Encoders {
    /// Returns the encoder for parts of columns.
    fn of_parts(&mut self) -> &mut ColumnEncoder {
        self.encoder.set_options(&self.of_parts);
        &mut self.encoder
    }

    /// Returns the encoder for whole columns.
    fn of_columns(&mut self) -> &mut ColumnEncoder {
        self.encoder.set_options(&self.of_columns);
        &mut self.encoder
    }
}

impl Chooser {
    /// Creates a chooser for a writer with these options.
    pub fn new(options: &WriterOptions) -> Self {
        let columns = options.columns.iter().map(|(path, column)| {
            let column = ColumnOptions {
                compression: column.compression,
                entries: column.entries.clone(),
                ..ColumnOptions::default()
            };
            (path.clone(), column)
        });
        Self {
            encoders: Encoders {
                encoder: ColumnEncoder::new(options.clone()),
                of_parts: Arc::new(WriterOptions {
                    columns: columns.collect(),
                    write_statistics: false,
                    bloom_filter: None,
                    ..options.clone()
                }),
                of_columns: Arc::new(options.clone()),
            },
            options: options.clone(),
            learned: None,
        }
    }

    /// Creates a chooser for consecutive row groups of one file. It repeats a choice only if small
    /// pieces of the rows give different results.
    pub fn learning(options: &WriterOptions) -> Self {
        Self {
            learned: Some(Learned::default()),
            ..Self::new(options)
        }
    }

    /// Chooses the layouts of a column's leaves, and encodes them.
    pub fn encode(&mut self, column: &Column, arrays: Vec<ArrayRef>) -> Result<Vec<EncodedLeaf>> {
        self.encode_helped(column, arrays, None)
    }

    fn encode_helped(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        helpers: Option<&Helpers>,
    ) -> Result<Vec<EncodedLeaf>> {
        let mut choices = self.choose(column, &arrays)?;
        self.encode_chosen(column, arrays, &mut choices, helpers)
    }

    /// Helps with the columns that other threads encode, until all of these are complete.
    pub(crate) fn help(&mut self, helpers: &Helpers) -> Result<()> {
        self.encoders.of_columns().help(helpers)
    }

    /// Chooses and encodes with the choices learned from earlier row groups of this column, and
    /// updates them. Helpers may encode some of the pages.
    pub fn encode_learning(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        learned: &mut Learned,
        helpers: Option<&Helpers>,
    ) -> Result<Vec<EncodedLeaf>> {
        self.learned = Some(std::mem::take(learned));
        let encoded = self.encode_helped(column, arrays, helpers);
        *learned = self.learned.take().unwrap_or_default();
        encoded
    }

    /// Encodes the leaves of a column in the chosen layouts. Helpers may encode some of the pages.
    pub fn encode_chosen(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        choices: &mut [Choice],
        helpers: Option<&Helpers>,
    ) -> Result<Vec<EncodedLeaf>> {
        let layouts: Vec<Layout> = choices.iter().map(|choice| choice.layout.clone()).collect();
        let encoded = choices.iter_mut().map(|choice| choice.encoded.take());
        let encoder = self.encoders.of_columns();
        encoder.encode_others(column, arrays, &layouts, encoded.collect(), helpers)
    }

    /// Returns the layouts of a column's leaves, and the candidates that they were compared with.
    /// Choices that the options leave open are made for the rows of all `arrays`, which form a row
    /// group.
    pub fn choose(&mut self, column: &Column, arrays: &[ArrayRef]) -> Result<Vec<Choice>> {
        let (encoders, learned) = (&mut self.encoders, self.learned.as_mut());
        let choices = choose(column, arrays, &self.options, encoders, learned);
        choices.map_err(|error| error.in_column(column.field().name()))
    }
}

fn choose(
    column: &Column,
    arrays: &[ArrayRef],
    options: &WriterOptions,
    encoders: &mut Encoders,
    learned: Option<&mut Learned>,
) -> Result<Vec<Choice>> {
    let leaves = column.leaves();
    let candidates: Vec<Vec<Layout>> = leaves
        .iter()
        .map(|leaf| {
            let encodings = allowed(leaf, column, options).into_iter();
            encodings
                .map(|encoding| layout(leaf, encoding, options))
                .collect()
        })
        .collect();
    let is_settled = candidates.iter().all(|layouts| layouts.len() == 1);
    let rows: usize = arrays.iter().map(|array| array.len()).sum();
    if rows == 0 || (is_settled && !tries_pages(options)) {
        let first = candidates.into_iter().map(|layouts| Choice {
            layout: layouts[0].clone(),
            candidates: Vec::new(),
            encoded: None,
        });
        return Ok(first.collect());
    }
    let mut trials = Trials::new(column, arrays, encoders, candidates);
    if let Some(learned) = &learned
        && let Some(choices) = trials.repeat(learned)?
    {
        return Ok(choices);
    }
    trials.screen()?;
    trials.weigh()?;
    trials.choose(options.goal);
    if tries_pages(options) || options.leaves_pages_open() {
        trials.size_pages(options.goal)?;
    }
    let learned = learned.filter(|learned| !learned.is_last());
    let glances = learned.as_ref().map(|_| trials.glances()).transpose()?;
    let choices = trials.finish();
    if let Some((learned, glances)) = learned.zip(glances) {
        learned.add(glances, &choices);
    }
    Ok(choices)
}

/// Returns whether the page size is part of the choice.
fn tries_pages(options: &WriterOptions) -> bool {
    options.goal == Goal::Size && options.leaves_pages_open()
}

/// Returns whether the compression ratio of a codec depends on the page size.
fn depends_on_pages(compression: Compression) -> bool {
    matches!(compression, Compression::ZSTD(_) | Compression::BROTLI(_))
}

/// Returns whether a dictionary may pay off for a leaf.
fn is_counted(leaf: &ColumnDescriptor) -> bool {
    leaf.physical_type() != Type::BOOLEAN
}
