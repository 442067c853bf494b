//! All measurements of a report.

use super::figures::median;
use crate::commands::bench::UNVECTORISED;
use crate::commands::bench::parquet::ParquetRow;
use bytelane::Backend;
use bytelane_measure::row::Row;
use bytelane_measure::transform::{MEMCPY, NON_TEMPORAL_COPY};
use bytelane_parquet_files::advise::Advice;
use serde::Serialize;

/// Returns the speedup of a backend's row over the plain loop without options.
pub fn gain(row: &Row) -> Option<f64> {
    row.extra.get("of_plain")?.as_f64()
}

/// All measurements.
#[derive(Debug, Default, Serialize)]
pub struct Figures {
    /// Codecs and protocols.
    pub rows: Vec<Row>,
    /// Parquet columns.
    pub parquet: Vec<ParquetRow>,
    /// Advice for the user's own files.
    pub files: Vec<Advice>,
}

impl Figures {
    /// Returns the rows of a codec with these parameters, in measurement order.
    pub fn of<'a, 'b>(
        &'a self,
        codec: &'b str,
        parameters: &'b str,
        operation: &'b str,
        data: &'b str,
    ) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| {
            row.codec == codec
                && row.parameters.as_deref().unwrap_or_default() == parameters
                && row.operation == operation
                && row.data == data
        })
    }

    /// Returns the median of the rows' spreads.
    pub fn spread(&self) -> Option<f64> {
        median(self.rows.iter().filter_map(|row| row.spread))
    }

    /// Returns the names of the compared workers on values in the caches, each once. The scalar code and the
    /// loop of publications are left out unless there are no other backends, because they are slower than
    /// realistic code.
    pub fn workers(&self) -> Vec<String> {
        let mut workers: Vec<String> = Vec::new();
        for row in &self.rows {
            if !row.evicted && row.library.is_none() && !workers.contains(&row.backend) {
                workers.push(row.backend.clone());
            }
        }
        let is_slow = |name: &str| [UNVECTORISED, Backend::Scalar.name()].contains(&name);
        let is_backend = |name: &String| name.parse::<Backend>().is_ok();
        if workers
            .iter()
            .any(|name| is_backend(name) && !is_slow(name))
        {
            workers.retain(|name| !is_slow(name));
        }
        workers
    }

    /// Returns the speed of copies of uncached memory: with plain stores, and with stores that
    /// bypass the caches.
    pub fn memory_bandwidth(&self) -> Option<(f64, Option<f64>)> {
        let best = |name: &str| {
            let rows = self.rows.iter();
            let copies = rows.filter(|row| row.evicted && row.backend == name);
            copies.map(|row| row.gb_per_s).reduce(f64::max)
        };
        Some((best(MEMCPY)?, best(NON_TEMPORAL_COPY)))
    }
}
