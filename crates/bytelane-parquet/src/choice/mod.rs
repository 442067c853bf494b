//! The best way to write a column of a row group for a goal: what [`Encoding::Auto`] becomes.
//!
//! Nothing is modelled but time: parts of the column are written by the very code that will write all of it. First
//! every candidate writes small pieces from all over the row group, and those that are far behind drop out. The others
//! write whole pages, a dictionary all of the column. Some sizes of pages are tried, too: if only the size counts, or if small pieces
//! have become smaller than whole pages.
//!
//! The choice depends on the rows and on the options alone, so that [`advise`](crate::advise) can tell what
//! [`rewrite`](crate::rewrite) will do. A writer of several row groups remembers its choices: while small pieces of the rows look
//! the same, nothing else is written to weigh them.

mod distinct;
mod goal;
mod learned;
mod pieces;
mod trial;

use distinct::Distinct;
pub(crate) use distinct::{Tally, leaf_arrays};
pub(crate) use goal::Estimate;
pub(crate) use pieces::rows_of;

use crate::chunk::{Column, ColumnEncoder, EncodedLeaf, Layout, PageSizes};
use crate::compatibility::ValueType;
use crate::types::physical::has_dictionary;
use crate::{ColumnOptions, Encoding, Goal, Result, WriterOptions};
use arrow_array::ArrayRef;
pub(crate) use learned::Learned;
use parquet::basic::{Compression, Type};
use parquet::file::properties::EnabledStatistics;
use parquet::schema::types::ColumnDescriptor;
use trial::Trials;

/// A column up to this size is written as a whole in every way.
const SMALL: usize = 256 << 10;
/// What small pieces show of a candidate may be wrong by so much, and what they show of a dictionary.
const DOUBT: f64 = 1.3;
const DOUBT_OF_DICTIONARY: f64 = 1.7;
/// Bytes of pages that are tried if only the size counts. Zstandard compresses inputs of up to 256 KiB with other
/// parameters than longer ones; the rows that are written between two looks at a page's size belong to it, too.
const PAGE_BYTES: [usize; 3] = [40 << 10, 240 << 10, LARGEST_PAGE];
const LARGEST_PAGE: usize = 4 << 20;
/// Those that are tried if it is not only the size that counts, and the share of the size that they have to get below.
const SMALL_PAGE_BYTES: [usize; 2] = [40 << 10, 240 << 10];
const PAGES_GAIN: f64 = 0.98;
/// Rows of pages that are tried with a dictionary: the indices of its first pages are narrower.
const PAGE_ROWS: [usize; 1] = [EARLY_ROWS];
const EARLY_ROWS: usize = 16_384;
/// The largest dictionary where only the size counts.
pub(crate) const DICTIONARY_BYTES: usize = 16 << 20;
/// No dictionary is tried where more than this share of the values are different.
const MOST_DISTINCT: f64 = 0.5;

/// How to write a leaf, and what that was weighed against.
#[derive(Debug)]
pub(crate) struct Choice {
    /// The best for the goal.
    pub(crate) layout: Layout,
    /// All encodings that were weighed, with the size of the whole chunk; none where there is no choice.
    pub(crate) candidates: Vec<Estimate>,
    /// The chunk, if all rows were written in this way to weigh it.
    encoded: Option<EncodedLeaf>,
}

impl Choice {
    /// Takes another layout, of so many times the size.
    fn replace(&mut self, layout: &Layout, by: f64) {
        self.layout = layout.clone();
        let own = |estimate: &&mut Estimate| estimate.layout.encoding == layout.encoding;
        if let Some(estimate) = self.candidates.iter_mut().find(own) {
            estimate.bytes *= by;
            estimate.layout = layout.clone();
        }
    }

    /// Bytes of the chunk, as far as they were estimated.
    pub(crate) fn bytes(&self) -> f64 {
        let own = |estimate: &&Estimate| estimate.layout.encoding == self.layout.encoding;
        let found = self.candidates.iter().find(own);
        found.map_or(0.0, |estimate| estimate.bytes)
    }
}

/// The encodings that a leaf can have and the readers can read, the simplest first.
fn allowed(leaf: &ColumnDescriptor, column: &Column, options: &WriterOptions) -> Vec<Encoding> {
    let path = leaf.path();
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
    let is_readable = |encoding: Encoding| match as_dictionary {
        true if without_dictionaries => {
            let readers = &options.readers;
            readers.obstacle_to_nested_dictionaries(encoding).is_none()
        }
        true => options.readers.obstacle_to_dictionary(encoding).is_none(),
        false => options.readers.read(encoding, ValueType::of(leaf)),
    };
    let possible = options.encodings.iter().filter(|encoding| {
        encoding.exists_for(leaf.physical_type())
            && (*encoding == Encoding::Plain || is_readable(*encoding))
    });
    let possible: Vec<Encoding> = possible.collect();
    if possible.is_empty() {
        vec![Encoding::Plain]
    } else {
        possible
    }
}

/// The layout of a leaf in an encoding, with pages of the usual size.
fn layout(leaf: &ColumnDescriptor, encoding: Encoding, options: &WriterOptions) -> Layout {
    let path = leaf.path();
    let (rows, bytes) = options.page_limits();
    Layout {
        encoding,
        pages: match options.own(path, |column| column.page_rows) {
            own if let Some(content) = options.content_defined_pages => {
                PageSizes::of_content(content, own.or(options.page_rows).unwrap_or(usize::MAX))
            }
            _ if tries_pages(options) => PageSizes::of_bytes(bytes, leaf),
            Some(rows) => PageSizes::of_rows(rows),
            None => PageSizes {
                rows,
                bytes,
                early_rows: options.leaves_pages_open().then_some(EARLY_ROWS),
                content: None,
            },
        },
        dictionary_bytes: match options.goal {
            Goal::Size if options.encoding_of(path.clone()) == Encoding::Auto => {
                options.dictionary_page_bytes.max(DICTIONARY_BYTES)
            }
            _ => options.dictionary_page_bytes,
        },
    }
}

/// Chooses how columns are written, and writes them; contexts and buffers are kept from one to the next.
pub(crate) struct Chooser {
    options: WriterOptions,
    encoders: Encoders,
    /// Choices for earlier row groups, if they are to be remembered.
    learned: Option<Learned>,
}

/// Encoders that write columns to weigh them.
struct Encoders {
    /// Writes parts of columns, without statistics.
    of_parts: ColumnEncoder,
    /// Writes whole columns.
    of_columns: ColumnEncoder,
}

impl Chooser {
    /// Chooses for a writer with these options.
    pub(crate) fn new(options: &WriterOptions) -> Self {
        let columns = options.columns.iter().map(|(path, column)| {
            let column = ColumnOptions {
                compression: column.compression,
                ..ColumnOptions::default()
            };
            (path.clone(), column)
        });
        Self {
            encoders: Encoders {
                of_parts: ColumnEncoder::new(WriterOptions {
                    columns: columns.collect(),
                    statistics: EnabledStatistics::None,
                    bloom_filter: None,
                    ..options.clone()
                }),
                of_columns: ColumnEncoder::new(options.clone()),
            },
            options: options.clone(),
            learned: None,
        }
    }

    /// The same for row groups of one file after the other: a choice is made again only where small pieces of the rows look
    /// different.
    pub(crate) fn learning(options: &WriterOptions) -> Self {
        Self {
            learned: Some(Learned::default()),
            ..Self::new(options)
        }
    }

    /// Encodes the leaves of a column in the best way.
    pub(crate) fn encode(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
    ) -> Result<Vec<EncodedLeaf>> {
        let mut choices = self.choose(column, &arrays)?;
        self.encode_chosen(column, arrays, &mut choices)
    }

    /// The same with what earlier row groups have taught of this column, and what this one teaches.
    pub(crate) fn encode_learning(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        learned: &mut Learned,
    ) -> Result<Vec<EncodedLeaf>> {
        self.learned = Some(std::mem::take(learned));
        let encoded = self.encode(column, arrays);
        *learned = self.learned.take().unwrap_or_default();
        encoded
    }

    /// Encodes the leaves of a column as was chosen.
    pub(crate) fn encode_chosen(
        &mut self,
        column: &Column,
        arrays: Vec<ArrayRef>,
        choices: &mut [Choice],
    ) -> Result<Vec<EncodedLeaf>> {
        let layouts: Vec<Layout> = choices.iter().map(|choice| choice.layout.clone()).collect();
        let encoded = choices.iter_mut().map(|choice| choice.encoded.take());
        let encoder = &mut self.encoders.of_columns;
        encoder.encode_others(column, arrays, &layouts, encoded.collect())
    }

    /// Returns the layouts of a column's leaves, with what they were weighed against: those of the options, and where these
    /// leave them open the best for the rows of all `arrays`, which are those of a row group.
    pub(crate) fn choose(&mut self, column: &Column, arrays: &[ArrayRef]) -> Result<Vec<Choice>> {
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
    trials.screen()?;
    let screened = trials.screened();
    if let Some(choices) = learned.as_ref().and_then(|it| it.choices(&screened)) {
        return Ok(choices);
    }
    trials.weigh()?;
    trials.choose(options.goal);
    if tries_pages(options) || options.leaves_pages_open() {
        trials.size_pages(options.goal)?;
    }
    let choices = trials.finish();
    if let Some(learned) = learned {
        learned.add(screened, &choices);
    }
    Ok(choices)
}

/// Whether the size of pages is a part of the choice.
fn tries_pages(options: &WriterOptions) -> bool {
    options.goal == Goal::Size && options.leaves_pages_open()
}

/// Whether a compressor does better with one size of pages than with another.
fn depends_on_pages(compression: Compression) -> bool {
    matches!(compression, Compression::ZSTD(_) | Compression::BROTLI(_))
}

/// Whether a leaf is worth a dictionary at all.
fn is_counted(leaf: &ColumnDescriptor) -> bool {
    leaf.physical_type() != Type::BOOLEAN
}
