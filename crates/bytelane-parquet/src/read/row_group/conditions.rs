//! Conditions on rows, which are evaluated on some columns before the others are read.

use super::super::input::Input;
use super::super::rows::Ranges;
use super::super::schema::Plan;
use crate::{Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowPredicate;
use parquet::file::metadata::{FileMetaData, RowGroupMetaData};
use std::sync::{Arc, Mutex, PoisonError};

/// Condition on rows.
pub(crate) trait Condition: Send + Sync {
    /// Returns for which rows of a batch of its columns it is true.
    fn evaluate(&self, batch: RecordBatch) -> Result<BooleanBuffer>;

    /// Returns whether it may be evaluated on rows that earlier conditions exclude.
    fn is_total(&self) -> bool;

    /// Returns whether it takes dictionaries of the values of a column.
    fn takes_dictionaries(&self) -> bool;

    /// Returns the rows of a row group for which it may be true, as far as the file tells without its values.
    fn candidates(
        &self,
        input: &Input,
        file: &FileMetaData,
        of: &RowGroupMetaData,
    ) -> Result<Ranges>;
}

/// Condition and the leaves that it needs.
#[derive(Clone)]
pub(crate) struct Conditional {
    pub(crate) projection: ProjectionMask,
    pub(crate) condition: Arc<dyn Condition>,
}

impl Conditional {
    /// Makes a condition of a predicate of the crate `parquet`.
    pub(crate) fn of_predicate(predicate: Box<dyn ArrowPredicate>) -> Self {
        Self {
            projection: predicate.projection().clone(),
            condition: Arc::new(Predicate(Mutex::new(predicate))),
        }
    }
}

/// Predicate of the crate `parquet`.
struct Predicate(Mutex<Box<dyn ArrowPredicate>>);

impl Condition for Predicate {
    fn evaluate(&self, batch: RecordBatch) -> Result<BooleanBuffer> {
        let rows = batch.num_rows();
        let mut predicate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let result = predicate.evaluate(batch)?;
        if result.len() != rows {
            let problem = format!(
                "a predicate returned {} results for {rows} rows",
                result.len()
            );
            return Err(Problem::Option(problem).into());
        }
        Ok(match result.into_parts() {
            (values, Some(nulls)) => &values & nulls.inner(),
            (values, None) => values,
        })
    }

    fn is_total(&self) -> bool {
        false
    }

    fn takes_dictionaries(&self) -> bool {
        false
    }

    fn candidates(&self, _: &Input, _: &FileMetaData, of: &RowGroupMetaData) -> Result<Ranges> {
        Ok(Ranges::all(usize::try_from(of.num_rows()).unwrap_or(0)))
    }
}

/// Batch that is made of columns that have been read.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) schema: SchemaRef,
    /// Its columns by their numbers in the plan, which may have more fields of a group.
    pub(crate) columns: Vec<usize>,
}

impl View {
    /// Returns the columns of a plan that have leaves of a projection, with the schema of that.
    pub(crate) fn new(plan: &Plan, projection: &ProjectionMask, schema: SchemaRef) -> Result<Self> {
        let is_in = |leaf: &usize| projection.leaf_included(plan.leaves[*leaf].column);
        let columns = plan.columns.iter().enumerate();
        let columns = columns.filter(|(_, column)| column.leaves().iter().any(is_in));
        let columns: Vec<usize> = columns.map(|(number, _)| number).collect();
        if columns.len() != schema.fields().len() {
            let problem = "columns without values cannot be read together with others".to_owned();
            return Err(Problem::Unsupported(problem).into());
        }
        Ok(Self { schema, columns })
    }

    /// Makes a batch of so many rows of the columns, whose arrays are in the same order.
    pub(super) fn batch(&self, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
        let columns = arrays.into_iter().zip(self.schema.fields());
        let columns = columns.map(|(array, field)| fitted(array, field.data_type()));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = self.schema_of(&columns);
        Ok(RecordBatch::try_new_with_options(
            schema, columns, &options,
        )?)
    }

    /// Returns the schema, with dictionaries in place of values where they have been read.
    fn schema_of(&self, columns: &[ArrayRef]) -> SchemaRef {
        let is_dictionary = |(array, field): (&ArrayRef, &FieldRef)| {
            matches!(array.data_type(), DataType::Dictionary(..))
                && array.data_type() != field.data_type()
        };
        let pairs = || columns.iter().zip(self.schema.fields());
        if !pairs().any(is_dictionary) {
            return Arc::clone(&self.schema);
        }
        let fields = pairs()
            .map(|(array, field)| Field::clone(field).with_data_type(array.data_type().clone()));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }
}

/// Returns an array without the fields of groups that a type does not have.
fn fitted(array: ArrayRef, wanted: &DataType) -> Result<ArrayRef> {
    match (array.data_type(), wanted) {
        (DataType::Struct(fields), DataType::Struct(inner)) if fields != inner => {
            let group = array.as_struct();
            let columns = subsequence(fields, group.columns(), inner)?;
            let nulls = group.nulls().cloned();
            Ok(Arc::new(StructArray::try_new_with_length(
                inner.clone(),
                columns,
                nulls,
                group.len(),
            )?))
        }
        _ => Ok(array),
    }
}

/// Returns the arrays of some of the fields, in the same order, and of some fields within them.
fn subsequence(fields: &Fields, arrays: &[ArrayRef], wanted: &Fields) -> Result<Vec<ArrayRef>> {
    let mut read = fields.iter().zip(arrays);
    let mut columns = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        // Several fields may have the same name.
        let Some((_, array)) = read.find(|(field, _)| field.name() == wanted.name()) else {
            break;
        };
        columns.push(fitted(Arc::clone(array), wanted.data_type())?);
    }
    Ok(columns)
}
