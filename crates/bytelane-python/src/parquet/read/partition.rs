//! Splits tables by the values of columns, for directories such as `year=2024`.

use crate::parquet::error::of_arrow;
use crate::parquet::table::rows::Table;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, UInt32Array};
use arrow_cast::cast;
use arrow_schema::{DataType, SchemaRef};
use arrow_select::take::take_record_batch;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Texts of the values of the columns.
type Key = Vec<Option<String>>;

/// Returns the rows with equal values in the columns at these indices, without these columns, along with the texts of the values,
/// in the order in which they occur.
#[pyfunction]
pub fn partition(py: Python<'_>, table: &Table, by: Vec<usize>) -> PyResult<Vec<(Key, Table)>> {
    py.detach(|| {
        let (schema, batches) = (&table.schema, &table.batches);
        let rest = (0..schema.fields().len()).filter(|index| !by.contains(index));
        let rest: Vec<usize> = rest.collect();
        let schema: SchemaRef = Arc::new(schema.project(&rest).map_err(of_arrow)?);
        let mut parts: Vec<(Key, Table)> = Vec::new();
        let mut places = HashMap::new();
        for batch in batches {
            for (key, rows) in rows_by_key(batch, &by)? {
                let rows = take_record_batch(batch, &UInt32Array::from(rows));
                let rows = rows
                    .and_then(|rows| rows.project(&rest))
                    .map_err(of_arrow)?;
                let place = *places.entry(key.clone()).or_insert_with(|| {
                    let schema = SchemaRef::clone(&schema);
                    let batches = Vec::new();
                    parts.push((key, Table { schema, batches }));
                    parts.len() - 1
                });
                parts[place].1.batches.push(rows);
            }
        }
        Ok(parts)
    })
}

/// Returns the rows of each combination of values, in the order of the first ones.
fn rows_by_key(batch: &RecordBatch, by: &[usize]) -> PyResult<Vec<(Key, Vec<u32>)>> {
    let texts = by
        .iter()
        .map(|index| cast(batch.column(*index), &DataType::Utf8));
    let texts = texts.collect::<Result<Vec<_>, _>>().map_err(of_arrow)?;
    let mut found: Vec<(Key, Vec<u32>)> = Vec::new();
    let mut places = HashMap::new();
    for row in 0..batch.num_rows() {
        let value = |column: &Arc<dyn Array>| {
            let column = column.as_string::<i32>();
            column.is_valid(row).then(|| column.value(row).to_owned())
        };
        let key: Key = texts.iter().map(value).collect();
        let place = *places.entry(key.clone()).or_insert_with(|| {
            found.push((key, Vec::new()));
            found.len() - 1
        });
        found[place].1.push(row as u32);
    }
    Ok(found)
}
