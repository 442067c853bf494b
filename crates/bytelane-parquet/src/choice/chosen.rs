//! Layout that was chosen for a leaf.

use super::goal::Estimate;
use crate::chunk::{EncodedLeaf, Layout};

/// Layout for a leaf, and the candidates that it was compared with.
#[derive(Debug)]
pub struct Choice {
    /// Best layout for the goal.
    pub layout: Layout,
    /// Estimates for all encodings that were compared, for the whole chunk; empty if there was no
    /// choice.
    pub candidates: Vec<Estimate>,
    /// Encoded chunk, if all rows were written in this layout for comparison.
    pub(super) encoded: Option<EncodedLeaf>,
}

impl Choice {
    /// Replaces the layout with one whose size is `by` times that of the current one.
    pub(super) fn replace(&mut self, layout: &Layout, by: f64) {
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
