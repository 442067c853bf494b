//! Compares a row group with an earlier one by a few small pieces.

use super::candidates::is_counted;
use super::chosen::Choice;
use super::distinct::Distinct;
use super::leaf::Written;
use super::learned::{Glance, Known, Learned};
use super::pieces::is_glanced;
use super::size::Size;
use super::trial::{Trials, leaves_of};
use crate::chunk::Layout;
use crate::{Encoding, Result};
use std::ops::Range;

impl Trials<'_> {
    /// Returns a few of the small pieces.
    fn few_pieces(&self) -> Vec<Range<usize>> {
        let pieces = self.small_pieces();
        let count = pieces.len();
        let few = pieces.into_iter().enumerate();
        let few = few.filter(|(number, _)| is_glanced(*number, count));
        few.map(|(_, piece)| piece).collect()
    }

    /// Returns the estimates from a few pieces, after all leaves have their layouts. Returns nothing if
    /// these pieces are all rows.
    pub(super) fn glances(&mut self) -> Result<Vec<Glance>> {
        let pieces = self.few_pieces();
        if self.is_all(&pieces) {
            return Ok(Vec::new());
        }
        let dictionaries = self.glance_at_dictionaries(&pieces)?;
        let leaves = self.leaves.iter().zip(dictionaries);
        let glances = leaves.map(|(leaf, dictionary)| {
            let mut candidates = leaf.glanced.clone();
            candidates.retain(|it| it.layout.encoding != Encoding::Dictionary);
            candidates.extend(dictionary.map(|it| leaf.estimate(it, false)));
            Glance {
                path: leaf.column.path().clone(),
                rows: self.rows,
                candidates,
            }
        });
        Ok(glances.collect())
    }

    /// Estimates the sizes with dictionaries from a few pieces, where these are not chosen.
    fn glance_at_dictionaries(&mut self, pieces: &[Range<usize>]) -> Result<Vec<Option<Written>>> {
        let of_leaves = leaves_of(self.arrays, self.leaves.len());
        for (leaf, arrays) in self.leaves.iter_mut().zip(of_leaves) {
            let is_open = leaf.choice.layout.encoding != Encoding::Dictionary
                && is_counted(&leaf.column)
                && leaf
                    .layouts
                    .iter()
                    .any(|it| it.encoding == Encoding::Dictionary);
            leaf.distinct = is_open.then(|| Distinct::roughly(&arrays)).flatten();
        }
        if self.leaves.iter().all(|leaf| leaf.distinct.is_none()) {
            return Ok(vec![None; self.leaves.len()]);
        }
        let mut guesses = self.guess_dictionaries(pieces)?;
        for (leaf, guess) in self.leaves.iter().zip(&mut guesses) {
            if leaf.distinct.is_none() {
                *guess = None;
            }
        }
        Ok(guesses)
    }

    /// Repeats the choices for an earlier row group, if a few small pieces and dictionaries give
    /// similar results.
    pub(super) fn repeat(&mut self, learned: &Learned) -> Result<Option<Vec<Choice>>> {
        let leaves = self.leaves.iter();
        let known = leaves.map(|leaf| learned.of(leaf.column.path()));
        let Some(known) = known.collect::<Option<Vec<&Known>>>() else {
            return Ok(None);
        };
        let pieces = self.few_pieces();
        // All candidates will be written as a whole: no guess is needed.
        if self.is_all(&pieces) {
            return Ok(None);
        }
        for (leaf, known) in self.leaves.iter_mut().zip(&known) {
            leaf.choice.layout = known.choice.layout.clone();
        }
        let written = self.write_pieces(&pieces, |leaf| {
            let mut layouts = leaf.layouts.clone();
            layouts.retain(|it| it.encoding != Encoding::Dictionary);
            layouts
        })?;
        for (leaf, written) in self.leaves.iter_mut().zip(written) {
            let glanced = written.into_iter().map(|it| leaf.estimate(it, false));
            leaf.glanced = glanced.collect();
        }
        let glances = self.glances()?;
        let layouts = self.leaves.iter().map(|leaf| leaf.choice.layout.clone());
        let layouts: Vec<Layout> = layouts.collect();
        let is_dictionary = |layout: &Layout| layout.encoding == Encoding::Dictionary;
        if layouts.iter().any(is_dictionary) {
            let encoded = self.write(self.arrays.to_vec(), &layouts, true)?;
            self.keep(encoded, layouts);
        }
        let leaves = self.leaves.iter().zip(&known).zip(&glances);
        let choices = leaves.map(|((leaf, known), glance)| {
            let chunk = leaf.encoded.first().filter(|(layout, chunk)| {
                is_dictionary(layout) && chunk.encoding == Encoding::Dictionary
            });
            let bytes = chunk.map(|(_, it)| Size::of(it.chunk.metadata()).compressed);
            known.repeat(glance, bytes)
        });
        let Some(mut choices) = choices.collect::<Option<Vec<Choice>>>() else {
            return Ok(None);
        };
        for (leaf, choice) in self.leaves.iter_mut().zip(&mut choices) {
            choice.encoded = leaf.encoded.pop().map(|(_, chunk)| chunk);
        }
        Ok(Some(choices))
    }
}
