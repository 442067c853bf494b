//! Takes samples from rows in memory.

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, SchemaRef};
use bytelane_parquet::choice::rows_of;
use bytelane_parquet::types::stored::{stored_schema, to_stored};
use bytelane_parquet::{Problem, Result};
use std::ops::Range;
use std::sync::Arc;

/// Number of ranges that a sample is taken from.
const STRETCHES: usize = 8;

/// Record batches with the same columns, in the types that are stored.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: usize,
}

impl Table {
    pub(super) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        let other = |batch: &&RecordBatch| batch.schema_ref().fields() != schema.fields();
        if let Some(batch) = batches.iter().find(other) {
            let problem = format!(
                "a batch has the columns {}, but the table has {}",
                batch.schema_ref().fields().len(),
                schema.fields().len()
            );
            return Err(Problem::Input(problem).into());
        }
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let stored = stored_schema(&schema);
        let batches = batches.into_iter().map(|batch| {
            let columns = batch.columns().iter().zip(stored.fields());
            let columns = columns.map(|(array, field)| {
                to_stored(array, field.data_type()).map_err(|error| error.in_column(field.name()))
            });
            let columns = columns.collect::<Result<_>>()?;
            let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let schema = Arc::clone(&stored);
            Ok(RecordBatch::try_new_with_options(schema, columns, &rows)?)
        });
        Ok(Self {
            batches: batches.collect::<Result<_>>()?,
            schema: stored,
            rows,
        })
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows as u64
    }

    /// Returns the average memory that a row of a column takes, in bytes.
    pub(super) fn bytes_of_row(&self, column: usize) -> f64 {
        let has = |batch: &&RecordBatch| column < batch.num_columns();
        let arrays = self.batches.iter().filter(has);
        let bytes: usize = arrays
            .map(|batch| batch.column(column).get_buffer_memory_size())
            .sum();
        bytes as f64 / self.rows.max(1) as f64
    }

    /// Samples up to about `most` rows of a column from the whole table.
    pub(super) fn sample(&self, column: usize, most: usize) -> Vec<ArrayRef> {
        let stretches = if self.rows <= most { 1 } else { STRETCHES };
        let count = (most.min(self.rows) / stretches).max(1).min(self.rows);
        let starts =
            (0..stretches).map(|index| (self.rows - count) * index / (stretches - 1).max(1));
        starts
            .flat_map(|start| self.stretch(column, start, count))
            .collect()
    }

    /// Returns a range of rows of a column.
    pub(super) fn rows_of(&self, column: usize, rows: Range<u64>) -> Vec<ArrayRef> {
        self.stretch(
            column,
            rows.start as usize,
            (rows.end - rows.start) as usize,
        )
    }

    fn stretch(&self, column: usize, start: usize, count: usize) -> Vec<ArrayRef> {
        let arrays = self.batches.iter();
        let arrays: Vec<ArrayRef> = arrays
            .map(|batch| Arc::clone(batch.column(column)))
            .collect();
        rows_of(&arrays, &(start..start + count))
    }
}

/// Returns the field with the format's names for the parts of lists and maps. Most writers use these names
/// whatever Arrow's are.
pub(super) fn with_names_of_format(field: &FieldRef) -> FieldRef {
    let named = |field: &FieldRef, name: &str| {
        let field = with_names_of_format(field).as_ref().clone();
        Arc::new(field.with_name(name))
    };
    let data_type = match field.data_type() {
        DataType::List(item) => DataType::List(named(item, "element")),
        DataType::LargeList(item) => DataType::LargeList(named(item, "element")),
        DataType::FixedSizeList(item, size) => {
            DataType::FixedSizeList(named(item, "element"), *size)
        }
        DataType::ListView(item) => DataType::ListView(named(item, "element")),
        DataType::LargeListView(item) => DataType::LargeListView(named(item, "element")),
        DataType::Map(entries, sorted) => DataType::Map(entries_of_format(entries), *sorted),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(with_names_of_format).collect())
        }
        _ => return Arc::clone(field),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

fn entries_of_format(entries: &FieldRef) -> FieldRef {
    let DataType::Struct(fields) = entries.data_type() else {
        return Arc::clone(entries);
    };
    let fields = fields.iter().zip(["key", "value"]).map(|(field, name)| {
        let field: Field = with_names_of_format(field).as_ref().clone();
        Arc::new(field.with_name(name))
    });
    let fields = DataType::Struct(fields.collect());
    let entries = entries.as_ref().clone().with_data_type(fields);
    Arc::new(entries.with_name("key_value"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::{Array, Int32Array};
    use arrow_schema::Schema;

    fn table(lengths: &[usize]) -> Table {
        let field = Field::new("a", DataType::Int32, false);
        let schema = Arc::new(Schema::new(vec![field]));
        let mut next = 0..;
        let batches = lengths.iter().map(|length| {
            let values: Int32Array = next.by_ref().take(*length).collect();
            RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(values)]).unwrap()
        });
        let batches = batches.collect();
        Table::new(schema, batches).unwrap()
    }

    fn values(arrays: &[ArrayRef]) -> Vec<i32> {
        let arrays = arrays.iter();
        arrays
            .flat_map(|array| array.as_primitive::<Int32Type>().values().to_vec())
            .collect()
    }

    #[test]
    fn a_small_table_is_its_own_sample() {
        let table = table(&[3, 0, 4]);
        assert_eq!(values(&table.sample(0, 100)), [0, 1, 2, 3, 4, 5, 6]);
        assert!(values(&self::table(&[]).sample(0, 100)).is_empty());
    }

    #[test]
    fn a_sample_has_the_first_and_the_last_rows() {
        let table = table(&[500, 1, 499]);
        let sample = table.sample(0, 80);
        let rows: usize = sample.iter().map(|array| array.len()).sum();
        assert_eq!(rows, 80);
        let values = values(&sample);
        assert_eq!((values[0], values[79]), (0, 999));
        assert!(values.is_sorted());
    }

    #[test]
    fn batches_must_have_the_columns_of_the_table() {
        let one = table(&[1]);
        let field = Field::new("b", DataType::Int64, true);
        let other = Arc::new(Schema::new(vec![field]));
        assert!(Table::new(other, one.batches).is_err());
    }

    #[test]
    fn parts_of_lists_are_called_elements() {
        let item = Arc::new(Field::new("item", DataType::Int32, true));
        let list = Arc::new(Field::new("l", DataType::List(item), true));
        let DataType::List(element) = with_names_of_format(&list).data_type().clone() else {
            panic!("still a list");
        };
        assert_eq!(element.name(), "element");
    }
}
