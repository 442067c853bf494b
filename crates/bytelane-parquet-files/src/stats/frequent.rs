//! Finds frequent values.

use super::described::Count;
use crate::diff::hash::Hash;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrow_select::take::take;
use bytelane_parquet::Result;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Number of values that are counted at a time.
const COUNTERS: usize = 1024;

/// Counters of values: exact as long as there are enough, and otherwise lower bounds that miss no value with more than one
/// of [`COUNTERS`] rows: Misra, Gries, "Finding repeated elements", 1982.
#[derive(Default)]
pub struct Frequent {
    counters: HashMap<Hash, Counter>,
    /// Number by which counts may be too low.
    lost: u64,
}

struct Counter {
    count: u64,
    value: Value,
}

enum Value {
    /// Row of the current batch.
    Row(u64),
    Known(ArrayRef),
}

impl Frequent {
    /// Counts the value of a row, which some rows have.
    pub fn add(&mut self, hash: Hash, row: usize, mut rows: u64) {
        if let Some(counter) = self.counters.get_mut(&hash) {
            counter.count += rows;
            return;
        }
        if self.counters.len() == COUNTERS {
            let counts = self.counters.values().map(|counter| counter.count);
            let lost = counts.min().map_or(rows, |least| least.min(rows));
            self.lost += lost;
            self.counters.retain(|_, counter| {
                counter.count -= lost;
                counter.count > 0
            });
            rows -= lost;
        }
        if rows > 0 {
            let value = Value::Row(row as u64);
            let counter = Counter { count: rows, value };
            self.counters.insert(hash, counter);
        }
    }

    /// Copies the values of the batch that are still counted.
    pub fn keep(&mut self, batch: &ArrayRef) -> Result<()> {
        for counter in self.counters.values_mut() {
            if let Value::Row(row) = counter.value {
                counter.value = Value::Known(one(batch, row)?);
            }
        }
        Ok(())
    }

    /// Returns the values with the highest counts. Those whose count may be too low by more than half are left out, and those
    /// with a single row if there are more of them than fit.
    pub fn most(self, number: usize) -> Vec<(ArrayRef, Count)> {
        let lost = self.lost;
        let least = u64::from(self.counters.len() > number) + 1;
        let mut most: Vec<(Hash, u64, ArrayRef)> = self
            .counters
            .into_iter()
            .filter_map(|(hash, counter)| match counter.value {
                Value::Known(value) if counter.count > lost && counter.count >= least => {
                    Some((hash, counter.count, value))
                }
                _ => None,
            })
            .collect();
        most.sort_by_key(|(hash, count, _)| (Reverse(*count), *hash));
        most.truncate(number);
        let is_exact = lost == 0;
        most.into_iter()
            .map(|(_, value, array)| (array, Count { value, is_exact }))
            .collect()
    }
}

/// Returns a copy of a value that does not keep the memory of others.
pub fn one(array: &ArrayRef, row: u64) -> Result<ArrayRef> {
    let value = take(array, &UInt64Array::from(vec![row]), None)?;
    Ok(match value.data_type() {
        DataType::Utf8View => cast(&value, &DataType::LargeUtf8)?,
        DataType::BinaryView => cast(&value, &DataType::LargeBinary)?,
        DataType::Dictionary(_, values) => cast(&value, values)?,
        _ => value,
    })
}
