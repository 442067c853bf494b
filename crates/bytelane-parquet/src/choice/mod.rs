//! Chooses the best way to write a column of a row group for a goal, which resolves
//! [`Encoding::Auto`](crate::Encoding::Auto).
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

mod candidates;
mod chosen;
mod distinct;
mod encoders;
mod glance;
mod goal;
mod leaf;
mod learned;
mod pieces;
mod size;
mod trial;

pub use candidates::DICTIONARY_BYTES;
pub use chosen::Choice;
pub use distinct::{Tally, leaf_arrays};
pub use goal::Estimate;
pub use learned::Learned;
pub use pieces::rows_of;

use crate::chunk::{Column, EncodedLeaf, Helpers, Layout};
use crate::{Result, WriterOptions};
use arrow_array::ArrayRef;
use candidates::{allowed, layout, tries_pages};
use encoders::Encoders;
use trial::Trials;

/// Chooses the layouts of columns, and writes them. Reuses contexts and buffers from one column to
/// the next.
pub struct Chooser {
    options: WriterOptions,
    encoders: Encoders,
    /// Choices for earlier row groups, if they are remembered.
    learned: Option<Learned>,
}

impl Chooser {
    /// Creates a chooser for a writer with these options.
    pub fn new(options: &WriterOptions) -> Self {
        Self {
            encoders: Encoders::new(options),
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
