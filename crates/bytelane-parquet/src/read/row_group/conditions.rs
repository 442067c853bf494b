//! Evaluates predicates on some columns before the other columns are read.

use super::super::input::Input;
use super::super::rows::Ranges;
use super::super::schema::Plan;
use crate::{Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::take::take;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowPredicate;
use parquet::file::metadata::{FileMetaData, RowGroupMetaData};
use std::sync::{Arc, Mutex, PoisonError};

/// Predicate on rows.
pub(crate) trait Condition: Send + Sync {
    /// Returns the mask of the rows of a batch for which it is true.
    fn evaluate(&self, batch: RecordBatch) -> Result<BooleanBuffer>;

    /// Returns whether it may be evaluated on rows that earlier predicates exclude.
    fn is_total(&self) -> bool;

    /// Returns the estimated share of the rows for which it is true.
    fn selectivity(&self) -> f64;

    /// Returns whether it accepts dictionary arrays in place of a column's values.
    fn takes_dictionaries(&self) -> bool;

    /// Returns the rows of a row group for which it may be true, according to statistics and
    /// indexes.
    fn candidates(
        &self,
        input: &Input,
        file: &FileMetaData,
        of: &RowGroupMetaData,
    ) -> Result<Ranges>;
}

/// Predicate and the leaves that it needs.
#[derive(Clone)]
pub(crate) struct Conditional {
    pub(crate) projection: ProjectionMask,
    pub(crate) condition: Arc<dyn Condition>,
}

impl Conditional {
    /// Wraps a predicate of the crate `parquet`.
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

    fn selectivity(&self) -> f64 {
        0.5
    }

    fn takes_dictionaries(&self) -> bool {
        false
    }

    fn candidates(&self, _: &Input, _: &FileMetaData, of: &RowGroupMetaData) -> Result<Ranges> {
        Ok(Ranges::all(usize::try_from(of.num_rows()).unwrap_or(0)))
    }
}

/// Batch to assemble from columns that have been read.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) schema: SchemaRef,
    /// Numbers of its columns in the plan, where groups may have more fields.
    pub(crate) columns: Vec<usize>,
}

impl View {
    /// Returns the columns of a plan with leaves in a projection; `schema` is the projection's
    /// schema.
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

    /// Assembles a batch of `rows` rows from the columns' arrays, which are in the same order.
    /// Keys of dictionaries that replace values are looked up unless `takes_keys` is set.
    pub(super) fn batch(
        &self,
        arrays: Vec<ArrayRef>,
        rows: usize,
        takes_keys: bool,
    ) -> Result<RecordBatch> {
        let columns = arrays.into_iter().zip(self.schema.fields());
        let columns = columns.map(|(array, field)| match array.as_any_dictionary_opt() {
            Some(keys) if !takes_keys && keys.data_type() != field.data_type() => {
                Ok(take(keys.values(), keys.keys(), None)?)
            }
            _ => fitted(array, field.data_type()),
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = self.schema_of(&columns);
        Ok(RecordBatch::try_new_with_options(
            schema, columns, &options,
        )?)
    }

    /// Returns the schema, with dictionary types for columns that were read as dictionaries.
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

/// Returns an array without the struct fields that a type lacks.
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

/// Returns the arrays of the wanted fields, in the same order, with only the wanted fields within
/// them.
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
