//! Columns that are re-encoded only to see how large they become.

use super::plan::Plan;
use super::source::Source;
use super::work::{Unit, Work};
use super::{RewriteOptions, RewrittenColumn};
use crate::Result;
use crate::input::InputFile;
use std::fmt;
use std::sync::Arc;

/// A file whose columns are re-encoded as [`rewrite`](super::rewrite) does it, one at a time and without a new file.
pub(crate) struct Measured(Source<InputFile>);

impl Measured {
    pub(crate) fn open(file: InputFile) -> Result<Self> {
        Source::open(file).map(Self)
    }

    pub(crate) fn row_groups(&self) -> usize {
        self.0.row_groups()
    }

    /// The outcome for the leaves of a column at the schema's outermost level, in one row group.
    pub(crate) fn column(
        &self,
        row_group: usize,
        column: usize,
        options: &RewriteOptions,
    ) -> Result<Vec<RewrittenColumn>> {
        let Self(source) = self;
        let plan = Plan::new(source.file_metadata(), options)?;
        let work = Work {
            source,
            plan: &plan,
            options,
        };
        let unit = Unit {
            row_group: Arc::new(source.row_group(row_group)?),
            roots: column..column + 1,
            stored: 0,
        };
        let names = source.roots[column].schema.columns().iter();
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

impl fmt::Debug for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Measured").finish_non_exhaustive()
    }
}
