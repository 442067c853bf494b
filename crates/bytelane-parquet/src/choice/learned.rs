//! Choices that are remembered from one row group of a file for the next.

use super::{Choice, Estimate};
use parquet::schema::types::ColumnPath;
use std::collections::HashMap;

/// Factor by which what small pieces show of a candidate may differ between row groups that are alike.
const ALIKE: f64 = 1.08;

/// Sizes of a leaf in small pieces of a row group.
pub(super) struct Screened {
    pub(super) path: ColumnPath,
    pub(super) rows: usize,
    pub(super) candidates: Vec<Estimate>,
}

impl Screened {
    /// Returns how many times as large the other row group is, by the estimate of each candidate; none if it is of other
    /// values.
    fn scale(&self, other: &Self) -> Option<Vec<f64>> {
        let rows = other.rows as f64 / self.rows as f64;
        if self.candidates.len() != other.candidates.len() {
            return None;
        }
        let pairs = self.candidates.iter().zip(&other.candidates);
        let scales = pairs.map(|(one, other)| {
            let scale = other.bytes / one.bytes.max(1.0);
            let is_alike = (1.0 / ALIKE..ALIKE).contains(&(scale / rows));
            (is_alike && one.layout == other.layout).then_some(scale)
        });
        scales.collect()
    }
}

/// A leaf of an earlier row group, and the choice for it.
struct Known {
    screened: Screened,
    choice: Choice,
}

/// Choices for earlier row groups.
#[derive(Default)]
pub(crate) struct Learned(HashMap<ColumnPath, Known>);

impl Learned {
    /// Remembers the choices for the leaves of a column. What was written as a whole says more than what is remembered.
    pub(super) fn add(&mut self, screened: Vec<Screened>, choices: &[Choice]) {
        for (screened, choice) in screened.into_iter().zip(choices) {
            let choice = Choice {
                layout: choice.layout.clone(),
                candidates: choice.candidates.clone(),
                encoded: None,
            };
            self.0
                .insert(screened.path.clone(), Known { screened, choice });
        }
    }

    /// Returns the choices for the leaves of a column if all of them look like those of an earlier row group.
    pub(super) fn choices(&self, screened: &[Screened]) -> Option<Vec<Choice>> {
        let choices = screened.iter().map(|now| {
            // Written as a whole: there is nothing to guess.
            if now.candidates.iter().all(|it| it.is_measured) {
                return None;
            }
            let known = self.0.get(&now.path)?;
            let scales = known.screened.scale(now)?;
            let candidates = known.choice.candidates.iter().zip(scales);
            let candidates = candidates.map(|(estimate, scale)| Estimate {
                bytes: estimate.bytes * scale,
                write: estimate.write * scale,
                read: estimate.read * scale,
                ..estimate.clone()
            });
            Some(Choice {
                layout: known.choice.layout.clone(),
                candidates: candidates.collect(),
                encoded: None,
            })
        });
        choices.collect()
    }
}
