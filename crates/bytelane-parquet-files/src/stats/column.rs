//! Describes the values of one column.

use super::described::{ColumnStats, StatsOptions};
use super::distinct::Distinct;
use super::frequent::{Frequent, one};
use super::sample::{Sample, histogram, quantiles};
use crate::diff::hash::of_rows;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array};
use arrow_cast::cast;
use arrow_ord::sort::{SortOptions, sort_to_indices};
use arrow_schema::DataType;
use arrow_select::concat::concat;
use arrow_select::nullif::nullif;
use bytelane_parquet::Result;
use std::sync::Arc;

/// Column whose values are added batch by batch.
pub struct Column {
    path: String,
    /// Type of the values, also of those of a dictionary.
    data_type: DataType,
    rows: u64,
    nulls: u64,
    nans: u64,
    bounds: Option<[ArrayRef; 2]>,
    sum: f64,
    numbers: Numbers,
    distinct: Distinct,
    frequent: Frequent,
}

/// Sample of a column.
enum Numbers {
    None,
    Floats(Sample<f64>),
    Integers(Sample<i64>),
}

impl Column {
    pub fn new(path: &str, data_type: &DataType, kept: usize) -> Self {
        let data_type = match data_type {
            DataType::Dictionary(_, values) => (**values).clone(),
            other => other.clone(),
        };
        let numbers = match &data_type {
            DataType::UInt64 => Numbers::Floats(Sample::new(kept)),
            integer if integer.is_integer() || integer.is_temporal() => {
                Numbers::Integers(Sample::new(kept))
            }
            number if number.is_numeric() => Numbers::Floats(Sample::new(kept)),
            _ => Numbers::None,
        };
        Self {
            path: path.to_owned(),
            data_type,
            rows: 0,
            nulls: 0,
            nans: 0,
            bounds: None,
            sum: 0.0,
            numbers,
            distinct: Distinct::new(kept),
            frequent: Frequent::default(),
        }
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn add(&mut self, array: &ArrayRef) -> Result<()> {
        let array = match array.data_type() {
            DataType::Dictionary(_, values) => &cast(array, values)?,
            _ => array,
        };
        let nulls = array.logical_null_count();
        self.rows += array.len() as u64;
        self.nulls += nulls as u64;
        if nulls == array.len() {
            return Ok(());
        }
        let valid = if array.data_type().is_floating() {
            &self.without_nan(array)?
        } else {
            array
        };
        self.add_bounds(valid)?;
        self.add_numbers(valid)?;
        self.count(array)
    }

    /// Replaces NaN by nulls, and counts it.
    fn without_nan(&mut self, array: &ArrayRef) -> Result<ArrayRef> {
        let floats = cast(array, &DataType::Float64)?;
        let floats = floats.as_primitive::<Float64Type>();
        let is_nan = BooleanArray::from_unary(floats, f64::is_nan);
        self.nans += is_nan.true_count() as u64;
        Ok(nullif(array, &is_nan)?)
    }

    fn add_bounds(&mut self, array: &ArrayRef) -> Result<()> {
        if array.data_type().is_nested() || array.logical_null_count() == array.len() {
            return Ok(());
        }
        let mut bounds = Vec::new();
        for (at, descending) in [false, true].into_iter().enumerate() {
            let own = first(array, descending)?;
            bounds.push(match &self.bounds {
                Some(known) => first(&concat(&[&own, &known[at]])?, descending)?,
                None => own,
            });
        }
        self.bounds = bounds.try_into().ok();
        Ok(())
    }

    fn add_numbers(&mut self, array: &ArrayRef) -> Result<()> {
        if array.data_type().is_numeric() {
            let numbers = cast(array, &DataType::Float64)?;
            let numbers = numbers.as_primitive::<Float64Type>();
            self.sum += numbers.iter().flatten().sum::<f64>();
        }
        match &mut self.numbers {
            Numbers::None => {}
            Numbers::Floats(sample) => {
                let floats = cast(array, &DataType::Float64)?;
                let floats = floats.as_primitive::<Float64Type>();
                floats.iter().flatten().for_each(|value| sample.add(value));
            }
            Numbers::Integers(sample) => {
                let integers = cast(array, &DataType::Int64)?;
                let integers = integers.as_primitive::<Int64Type>();
                integers
                    .iter()
                    .flatten()
                    .for_each(|value| sample.add(value));
            }
        }
        Ok(())
    }

    /// Counts distinct and frequent values.
    fn count(&mut self, array: &ArrayRef) -> Result<()> {
        if let Some(booleans) = array.as_boolean_opt() {
            return self.count_booleans(booleans, array);
        }
        let hashes = of_rows(&[hashable(array)?])?;
        let nulls = array.logical_nulls();
        let is_valid = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let mut row = 0;
        // Equal values that follow each other are counted at once.
        for run in hashes.chunk_by(|one, other| one == other) {
            let end = row + run.len();
            let valid = (row..end).filter(|row| is_valid(*row)).count() as u64;
            if let Some(first) = (row..end).find(|row| is_valid(*row)) {
                self.distinct.add(run[0]);
                self.frequent.add(run[0], first, valid);
            }
            row = end;
        }
        self.frequent.keep(array)
    }

    /// Counts both values at once: a few bytes of a file can be many booleans.
    fn count_booleans(&mut self, booleans: &BooleanArray, array: &ArrayRef) -> Result<()> {
        let both: ArrayRef = Arc::new(BooleanArray::from(vec![false, true]));
        let hashes = of_rows(&[both])?;
        for (value, hash) in [!booleans.values(), booleans.values().clone()]
            .iter()
            .zip(hashes)
        {
            let rows = match booleans.nulls() {
                Some(nulls) => value & nulls.inner(),
                None => value.clone(),
            };
            if let Some(row) = rows.set_indices().next() {
                self.distinct.add(hash);
                let count = rows.count_set_bits() as u64;
                self.frequent.add(hash, row, count);
            }
        }
        self.frequent.keep(array)
    }

    pub fn finish(self, options: &StatsOptions) -> Result<ColumnStats> {
        let counted = (self.rows - self.nulls - self.nans) as f64;
        let has_mean = self.data_type.is_numeric() && counted > 0.0;
        let (mut bars, mut quarters, mut is_all) = (Vec::new(), None, true);
        match self.numbers {
            Numbers::None => {}
            Numbers::Floats(sample) => {
                is_all = sample.is_all();
                let sorted = sample.into_sorted();
                bars = histogram(sorted.iter().copied(), usize::from(options.bars).max(1));
                let typed =
                    |value| typed(Arc::new(Float64Array::from(vec![value])), &self.data_type);
                quarters = quantiles(&sorted).map(|values| values.map(typed));
            }
            Numbers::Integers(sample) => {
                is_all = sample.is_all();
                let sorted = sample.into_sorted();
                bars = histogram(
                    sorted.iter().map(|value| *value as f64),
                    usize::from(options.bars).max(1),
                );
                let typed = |value| typed(Arc::new(Int64Array::from(vec![value])), &self.data_type);
                quarters = quantiles(&sorted).map(|values| values.map(typed));
            }
        }
        let quantiles = match quarters {
            Some([one, two, three]) => Some([one?, two?, three?]),
            None => None,
        };
        Ok(ColumnStats {
            path: self.path,
            data_type: self.data_type,
            rows: self.rows,
            nulls: self.nulls,
            nans: self.nans,
            distinct: self.distinct.count(),
            bounds: self.bounds,
            mean: has_mean.then(|| self.sum / counted),
            quantiles,
            histogram: bars,
            is_all,
            frequent: self.frequent.most(options.top),
        })
    }
}

/// Returns the first value in an order.
pub fn first(array: &ArrayRef, descending: bool) -> Result<ArrayRef> {
    let options = SortOptions {
        descending,
        nulls_first: false,
    };
    let first = sort_to_indices(array, Some(options), Some(1))?;
    one(
        array,
        first.values().first().map_or(0, |row| u64::from(*row)),
    )
}

/// Converts a number of a sample back to the type of the column.
fn typed(value: ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    let value = match data_type {
        // These are stored as 32-bit integers.
        DataType::Date32 | DataType::Time32(_) => cast(&value, &DataType::Int32)?,
        _ => value,
    };
    Ok(cast(&value, data_type)?)
}

/// Returns values in a form that can be hashed. All NaN are one value, and so are both zeros.
fn hashable(array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8View | DataType::LargeUtf8 => {
            cast(&cast(array, &DataType::LargeBinary)?, &DataType::BinaryView)?
        }
        DataType::LargeBinary => cast(array, &DataType::BinaryView)?,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            let floats = cast(array, &DataType::Float64)?;
            let floats = floats.as_primitive::<Float64Type>();
            let normal = |value: f64| {
                if value.is_nan() {
                    f64::NAN
                } else {
                    value + 0.0
                }
            };
            Arc::new(floats.unary::<_, Float64Type>(normal))
        }
        _ => Arc::clone(array),
    })
}
