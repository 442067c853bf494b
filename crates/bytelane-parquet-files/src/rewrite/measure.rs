//! Re-encodes columns only to determine their size.

use super::options::RewriteOptions;
use super::outcome::RewrittenColumn;
use super::plan::Plan;
use super::source::Source;
use super::work::{Unit, Work};
use crate::opened::Reopen;
use bytelane_parquet::Result;
use std::sync::Arc;

impl<R: Reopen> Source<R> {
    /// Returns the outcome of [`rewrite`](super::rewrite) for the leaves of a top-level column in one row
    /// group. Nothing is written.
    pub(crate) fn measure(
        &self,
        row_group: usize,
        column: usize,
        options: &RewriteOptions,
    ) -> Result<Vec<RewrittenColumn>> {
        let plan = Plan::new(self.file_metadata(), options)?;
        let work = Work {
            source: self,
            plan: &plan,
            options,
        };
        let unit = Unit {
            row_group: Arc::new(self.row_group(row_group)?),
            roots: column..column + 1,
            stored: 0,
        };
        let names = self.roots[column].schema.columns().iter();
        let moved = work.done(&unit)?.into_iter().zip(names);
        let columns = moved.map(|(moved, leaf)| {
            let mut rewritten = RewrittenColumn {
                path: leaf.path().string(),
                ..RewrittenColumn::default()
            };
            rewritten.add(&moved);
            rewritten
        });
        Ok(columns.collect())
    }
}
