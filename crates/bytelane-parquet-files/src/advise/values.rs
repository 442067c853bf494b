//! Computes properties of the values of a sample.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use bytelane_parquet::Result;
use bytelane_parquet::types::physical::{self, has_dictionary, in_parquet};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};
use std::collections::HashMap;
use std::sync::Arc;

/// Counts of values in a sample.
pub(super) struct Values {
    /// Number of nulls in the sample.
    pub(super) nulls: usize,
    /// Zero-order entropy in bits per value.
    pub(super) entropy: Option<f64>,
    /// Number of distinct values in the sample, apart from null; unknown for nested columns.
    pub(super) distinct: Option<u64>,
}

impl Values {
    pub(super) fn of(sampled: &Sampled, leaf: &ColumnDescriptor) -> Result<Self> {
        let arrays = sampled.arrays();
        let mut counts = Counts::default();
        for array in &arrays {
            counts.add_all(array, leaf)?;
        }
        Ok(Self {
            nulls: arrays.iter().map(|array| array.null_count()).sum(),
            entropy: (counts.total > 0).then(|| counts.entropy()),
            distinct: (counts.total > 0).then_some(counts.of.len() as u64),
        })
    }
}

#[derive(Default)]
struct Counts {
    of: HashMap<Box<[u8]>, u64>,
    total: usize,
}

impl Counts {
    /// Adds the values of an array, unless it is nested.
    fn add_all(&mut self, array: &ArrayRef, leaf: &ColumnDescriptor) -> Result<()> {
        match array.data_type() {
            data_type if physical::is_flat(data_type, leaf) => {
                if let Some(width) = physical::width(leaf) {
                    let values = physical::to_physical(array, leaf)?;
                    let values = values.chunks_exact(width).enumerate();
                    let valid = values.filter(|(index, _)| array.is_valid(*index));
                    valid.for_each(|(_, value)| self.add(value));
                }
            }
            DataType::Utf8 => self.add_each(array.as_string::<i32>()),
            DataType::LargeUtf8 => self.add_each(array.as_string::<i64>()),
            DataType::Utf8View => self.add_each(array.as_string_view()),
            DataType::Binary => self.add_each(array.as_binary::<i32>()),
            DataType::LargeBinary => self.add_each(array.as_binary::<i64>()),
            DataType::BinaryView => self.add_each(array.as_binary_view()),
            DataType::Boolean => {
                let bits = array.as_boolean().iter().flatten();
                bits.for_each(|bit| self.add(&[u8::from(bit)]));
            }
            _ => {}
        }
        Ok(())
    }

    fn add_each<T: AsRef<[u8]>>(&mut self, values: impl IntoIterator<Item = Option<T>>) {
        let values = values.into_iter().flatten();
        values.for_each(|value| self.add(value.as_ref()));
    }

    fn add(&mut self, value: &[u8]) {
        self.total += 1;
        match self.of.get_mut(value) {
            Some(count) => *count += 1,
            None => drop(self.of.insert(value.into(), 1)),
        }
    }

    fn entropy(&self) -> f64 {
        let bits = self.of.values().map(|count| {
            let share = *count as f64 / self.total as f64;
            -share * share.log2()
        });
        bits.sum::<f64>().max(0.0)
    }
}

/// Sampled rows of a column.
pub(super) struct Sampled {
    pub(super) batches: Vec<RecordBatch>,
    pub(super) schema: SchemaRef,
    /// Leaves of the column in Parquet.
    pub(super) leaves: Vec<ColumnDescPtr>,
    pub(super) rows: usize,
    /// Set if readers turn the column, or a part of it, into an Arrow dictionary.
    pub(super) has_dictionary: bool,
}

impl Sampled {
    pub(super) fn new(field: FieldRef, arrays: Vec<ArrayRef>) -> Result<Self> {
        let has_dictionary = has_dictionary(field.data_type());
        let schema: SchemaRef = Arc::new(Schema::new(vec![field]));
        let leaves = in_parquet(&schema)?.columns().to_vec();
        let rows = arrays.iter().map(|array| array.len()).sum();
        let batches = arrays
            .into_iter()
            .map(|array| RecordBatch::try_new(Arc::clone(&schema), vec![array]));
        Ok(Self {
            batches: batches.collect::<std::result::Result<_, _>>()?,
            schema,
            leaves,
            rows,
            has_dictionary,
        })
    }

    /// Returns a sample with about `rows` rows from the front of each batch, but at least one.
    pub(super) fn front(&self, rows: usize) -> Self {
        let share = (rows.max(1) as f64 / self.rows.max(1) as f64).min(1.0);
        let front = |batch: &RecordBatch| {
            let rows = (batch.num_rows() as f64 * share).ceil() as usize;
            batch.slice(0, rows)
        };
        let batches: Vec<RecordBatch> = self.batches.iter().map(front).collect();
        Self {
            rows: batches.iter().map(RecordBatch::num_rows).sum(),
            batches,
            schema: SchemaRef::clone(&self.schema),
            leaves: self.leaves.clone(),
            has_dictionary: self.has_dictionary,
        }
    }

    /// Returns the arrays.
    pub(super) fn arrays(&self) -> Vec<ArrayRef> {
        self.batches
            .iter()
            .map(|batch| Arc::clone(batch.column(0)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_of_coins_and_of_constants() {
        let mut coins = Counts::default();
        (0..100_u8).for_each(|index| coins.add(&[index % 2]));
        assert!((coins.entropy() - 1.0).abs() < 1e-9);
        let mut same = Counts::default();
        (0..100).for_each(|_| same.add(b"same"));
        assert_eq!(same.entropy(), 0.0);
        assert_eq!(Counts::default().entropy(), 0.0);
    }
}
