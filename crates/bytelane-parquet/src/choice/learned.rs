//! Remembers choices from one row group of a file to the next.

use super::chosen::Choice;
use super::goal::{DOUBT, Estimate};
use crate::Encoding;
use parquet::schema::types::ColumnPath;
use std::collections::HashMap;

/// Maximum factor by which the size of a candidate may change relative to that of the chosen one
/// in similar row groups, and minimum size relative to the chosen one, which is then kept.
const ALIKE: f64 = 1.1;
const LITTLE_BETTER: f64 = 0.96;
/// Maximum factor by which the size of the chosen candidate itself may change per row. Beyond it, other
/// page sizes may be better.
const ALIKE_PER_ROW: f64 = 1.5;
/// Size of a measured candidate relative to that of the chosen one above which it is not better, for equal
/// samples, and the share of a change by which it must be larger.
const NO_BETTER: f64 = 0.99;
const UNSURE: f64 = 0.25;

/// Estimates of a leaf's candidates from a small sample of a row group. They do not include a
/// dictionary that was chosen, since its chunk tells more.
pub(super) struct Glance {
    pub(super) path: ColumnPath,
    pub(super) rows: usize,
    pub(super) candidates: Vec<Estimate>,
}

impl Glance {
    fn bytes(&self, encoding: Encoding) -> Option<f64> {
        bytes_of(&self.candidates, encoding)
    }
}

fn bytes_of(candidates: &[Estimate], encoding: Encoding) -> Option<f64> {
    let mut all = candidates.iter();
    let found = all.find(|it| it.layout.encoding == encoding);
    found.map(|it| it.bytes.max(1.0))
}

/// Leaf of an earlier row group, and the choice for it.
pub(super) struct Known {
    glance: Glance,
    pub(super) choice: Choice,
}

impl Known {
    /// Returns the choice for a row group of which a small sample was written, and if `written` is
    /// given, all rows in the chosen layout, which take that many bytes. Returns `None` if another
    /// candidate may be better.
    pub(super) fn repeat(&self, now: &Glance, written: Option<f64>) -> Option<Choice> {
        let (before, choice) = (&self.glance, &self.choice);
        let chosen = choice.layout.encoding;
        let scale = |encoding| Some(now.bytes(encoding)? / before.bytes(encoding)?);
        let own = match written {
            Some(bytes) => bytes / choice.bytes().max(1.0),
            None => scale(chosen)?,
        };
        let rows = now.rows as f64 / before.rows as f64;
        let is_alike = |factor: f64, most: f64| (1.0 / most..most).contains(&factor);
        if !is_alike(own / rows, ALIKE_PER_ROW) {
            return None;
        }
        let is_worse = |bytes: f64, doubt: f64| bytes > doubt * own * choice.bytes();
        let mut new = now.candidates.iter().filter(|it| {
            let encoding = it.layout.encoding;
            encoding != chosen && bytes_of(&choice.candidates, encoding).is_none()
        });
        if !new.all(|it| is_worse(it.bytes, DOUBT)) {
            return None;
        }
        let candidates = choice.candidates.iter().map(|it| {
            let encoding = it.layout.encoding;
            // A dictionary that has become useless has no estimate.
            let scale = match scale(encoding) {
                Some(scale) if encoding != chosen => scale,
                _ => own,
            };
            let (bytes, change) = (it.bytes * scale, scale / own);
            let doubt = if it.is_measured {
                NO_BETTER + UNSURE * change.ln().abs()
            } else {
                DOUBT
            };
            let is_close = is_alike(change, ALIKE) && is_worse(bytes, LITTLE_BETTER);
            let is_known = is_close || is_worse(bytes, doubt);
            is_known.then(|| Estimate {
                bytes,
                write: it.write * scale,
                read: it.read * scale,
                ..it.clone()
            })
        });
        Some(Choice {
            layout: choice.layout.clone(),
            candidates: candidates.collect::<Option<_>>()?,
            encoded: None,
        })
    }
}

/// Choices for earlier row groups.
#[derive(Default)]
pub struct Learned {
    leaves: HashMap<ColumnPath, Known>,
    /// Set if there are no more row groups after this one.
    is_last: bool,
}

impl Learned {
    /// Notes that the next row group is the last one, from which nothing needs to be learned.
    pub(crate) fn expect_last(&mut self) {
        self.is_last = true;
    }

    pub(super) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Remembers the choices for the leaves of a column, replacing older ones.
    pub(super) fn add(&mut self, glances: Vec<Glance>, choices: &[Choice]) {
        for (glance, choice) in glances.into_iter().zip(choices) {
            let choice = Choice {
                layout: choice.layout.clone(),
                candidates: choice.candidates.clone(),
                encoded: None,
            };
            self.leaves
                .insert(glance.path.clone(), Known { glance, choice });
        }
    }

    /// Returns a leaf of an earlier row group.
    pub(super) fn of(&self, path: &ColumnPath) -> Option<&Known> {
        self.leaves.get(path)
    }
}
