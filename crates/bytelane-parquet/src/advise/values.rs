//! Properties of the values of a sample.

use super::source::Sampled;
use crate::choice::Distinct as Followed;
use crate::page::dense;
use crate::{Result, physical};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use parquet::schema::types::ColumnDescriptor;
use std::collections::HashMap;

/// How many values there are of what.
pub(super) struct Values {
    /// Null ones in the sample.
    pub(super) nulls: usize,
    /// The zero-order entropy in bits per value.
    pub(super) entropy: Option<f64>,
    distinct: Distinct,
}

enum Distinct {
    Unknown,
    /// Counted in the sample, of so many.
    Counted(usize, usize),
    Followed(Followed),
}

impl Values {
    pub(super) fn of(sampled: &Sampled, leaf: &ColumnDescriptor) -> Result<Self> {
        let arrays = sampled.arrays();
        let nulls = arrays.iter().map(|array| array.null_count()).sum();
        let mut counts = Counts::default();
        if physical::is_flat(sampled.data_type(), leaf)
            && let Some(width) = physical::width(leaf)
        {
            for array in &arrays {
                let values = physical::to_physical(array, leaf)?;
                dense(&values, width, array.nulls(), &mut Vec::new())
                    .chunks_exact(width)
                    .for_each(|value| counts.add(value));
            }
            let followed = Followed::among(&arrays);
            return Ok(Self {
                nulls,
                entropy: Some(counts.entropy()),
                distinct: followed.map_or(Distinct::Unknown, Distinct::Followed),
            });
        }
        for array in &arrays {
            match sampled.data_type() {
                DataType::Utf8 => array
                    .as_string::<i32>()
                    .iter()
                    .flatten()
                    .for_each(|text| counts.add(text.as_bytes())),
                DataType::LargeUtf8 => array
                    .as_string::<i64>()
                    .iter()
                    .flatten()
                    .for_each(|text| counts.add(text.as_bytes())),
                DataType::Utf8View => array
                    .as_string_view()
                    .iter()
                    .flatten()
                    .for_each(|text| counts.add(text.as_bytes())),
                DataType::Binary => array
                    .as_binary::<i32>()
                    .iter()
                    .flatten()
                    .for_each(|bytes| counts.add(bytes)),
                DataType::LargeBinary => array
                    .as_binary::<i64>()
                    .iter()
                    .flatten()
                    .for_each(|bytes| counts.add(bytes)),
                DataType::BinaryView => array
                    .as_binary_view()
                    .iter()
                    .flatten()
                    .for_each(|bytes| counts.add(bytes)),
                DataType::Boolean => array
                    .as_boolean()
                    .iter()
                    .flatten()
                    .for_each(|bit| counts.add(&[u8::from(bit)])),
                _ => {}
            }
        }
        Ok(match counts.total {
            0 => Self {
                nulls,
                entropy: None,
                distinct: Distinct::Unknown,
            },
            total => Self {
                nulls,
                entropy: Some(counts.entropy()),
                distinct: Distinct::Counted(counts.of.len(), total),
            },
        })
    }

    /// Estimated different values in a column of so many that are not null.
    pub(super) fn distinct(&self, values: u64) -> Option<u64> {
        match &self.distinct {
            Distinct::Unknown => None,
            // None that repeats: all of them, probably.
            Distinct::Counted(distinct, total) if distinct == total => Some(values),
            Distinct::Counted(distinct, _) => Some(*distinct as u64),
            Distinct::Followed(_) if values == 0 => Some(0),
            Distinct::Followed(followed) => Some(followed.among_all(values as usize) as u64),
        }
    }
}

#[derive(Default)]
struct Counts {
    of: HashMap<Box<[u8]>, u64>,
    total: usize,
}

impl Counts {
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
