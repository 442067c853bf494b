//! Remembers choices from one row group of a file to the next.

use super::{Choice, Estimate};
use parquet::schema::types::ColumnPath;
use std::collections::HashMap;

/// Maximum factor between the screening results of similar row groups.
const ALIKE: f64 = 1.08;

/// Screening results of a leaf in a row group.
pub(super) struct Screened {
    pub(super) path: ColumnPath,
    pub(super) rows: usize,
    pub(super) candidates: Vec<Estimate>,
}

impl Screened {
    /// Returns the size of the other row group relative to this one, by the estimate of each
    /// candidate. Returns `None` if their values differ too much.
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

/// Leaf of an earlier row group, and the choice for it.
struct Known {
    screened: Screened,
    choice: Choice,
}

/// Choices for earlier row groups.
#[derive(Default)]
pub(crate) struct Learned(HashMap<ColumnPath, Known>);

impl Learned {
    /// Remembers the choices for the leaves of a column, replacing older ones.
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

    /// Returns the choices for the leaves of a column, if all of them resemble those of an earlier
    /// row group.
    pub(super) fn choices(&self, screened: &[Screened]) -> Option<Vec<Choice>> {
        let choices = screened.iter().map(|now| {
            // All candidates were written as a whole: no guess is needed.
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
