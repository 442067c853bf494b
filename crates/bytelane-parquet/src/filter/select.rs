//! Reads the rows of a file that satisfy a predicate.

use super::column::list_of;
use super::prune::Candidate;
use super::{Comparison, Filter, Predicate, Value};
use crate::budget::{DecodedRows, RowLimit, rows_of};
use crate::caller::Setting;
use crate::options::find_leaves;
use crate::read::{Condition, Conditional, Input, Ranges};
use crate::{Metrics, Problem, Reader, ReaderBuilder, Result};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, UInt32Array,
};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::take::take;
use parquet::arrow::ProjectionMask;
use parquet::file::metadata::{FileMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::SchemaDescriptor;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Columns and rows to read from a file.
///
/// ```
/// use arrow_array::{Float64Array, Int64Array, RecordBatch};
/// use bytelane_parquet::filter::Selection;
/// use bytelane_parquet::{Reader, Writer, WriterOptions};
/// use bytes::Bytes;
/// use std::sync::Arc;
///
/// let ids = Int64Array::from_iter_values(0..1000);
/// let prices = Float64Array::from_iter_values((0..1000).map(f64::from));
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(ids) as _), ("price", Arc::new(prices) as _)])?;
/// let mut file = Vec::new();
/// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
/// writer.write(&batch)?;
/// writer.close()?;
///
/// let selection = Selection::default().with_columns(["id"]).with_filter("price >= 998".parse()?);
/// let mut rows = selection.read(Reader::builder(Bytes::from(file))?)?;
/// assert_eq!(rows.next().transpose()?, Some(batch.slice(998, 2).project(&[0])?));
/// assert!(rows.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    columns: Option<Vec<String>>,
    excluded: Vec<String>,
    filter: Option<Predicate>,
    row_groups: Option<Vec<usize>>,
    constants: Vec<(FieldRef, ArrayRef)>,
    /// Order of the columns by their names, if all are returned.
    names: Vec<String>,
    row_limit: RowLimit,
}

impl Selection {
    /// Sets the columns to return, by the paths of leaves or groups; all by default. Batches have
    /// them in this order; members of a group stay in the order of the file. The filter may use other columns.
    #[must_use]
    pub fn with_columns<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(paths.into_iter().map(Into::into).collect());
        self
    }

    /// Adds columns to those that [`with_columns`](Self::with_columns) has set; does nothing if all are returned.
    #[must_use]
    pub fn and_columns<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        if let Some(columns) = &mut self.columns {
            columns.extend(paths.into_iter().map(Into::into));
        }
        self
    }

    /// Sets columns that are not returned, by the paths of leaves or groups. The filter may still use them.
    #[must_use]
    pub fn with_excluded<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.excluded = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the condition on the rows to return; all by default. Row groups that statistics exclude
    /// are not read.
    #[must_use]
    pub fn with_filter(mut self, filter: Predicate) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Sets the maximum number of rows of a file that a condition is tested on. By default, it is 64 Mi plus 1 Ki for each
    /// byte of the file; wide values count as several rows.
    #[must_use]
    pub fn with_row_limit(mut self, rows: u64) -> Self {
        self.row_limit = RowLimit(Some(rows));
        self
    }

    /// Returns whether there is a condition on the rows to return.
    #[must_use]
    pub fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Sets the row groups to read, in this order; all by default.
    #[must_use]
    pub fn with_row_groups(mut self, row_groups: Vec<usize>) -> Self {
        self.row_groups = Some(row_groups);
        self
    }

    /// Adds a column with the same value in all rows, such as that of a directory `year=2024/`, as
    /// an array with one value. It follows the columns of the file. A column of the file with the
    /// same name must have the same value in all rows, or the null type: [`read`](Self::read) checks it.
    ///
    /// # Errors
    ///
    /// [`Problem::Input`] if the array does not have one value of the field's type.
    pub fn with_constant(mut self, field: FieldRef, value: ArrayRef) -> Result<Self> {
        if value.len() != 1 || value.data_type() != field.data_type() {
            let problem = format!(
                "the column {} needs one value of the type {}",
                field.name(),
                field.data_type()
            );
            return Err(Problem::Input(problem).into());
        }
        self.constants.push((field, value));
        Ok(self)
    }

    /// Sets the order of the columns by their names, if all are returned.
    pub(crate) fn with_order_of(mut self, schema: &Schema) -> Self {
        let names = schema.fields().iter().map(|field| field.name().clone());
        self.names = names.collect();
        self
    }

    /// Opens a file to read this selection. If columns are set, all others are skipped in the footer,
    /// except those of the filter: [`ReaderBuilder::try_new_with_columns`].
    ///
    /// # Errors
    ///
    /// Same errors as [`ReaderBuilder::try_new`], and [`Problem::NoSuchColumn`].
    pub fn open<T: ChunkReader + 'static>(&self, input: T) -> Result<ReaderBuilder<T>> {
        let Some(columns) = &self.columns else {
            return ReaderBuilder::try_new(input);
        };
        let of_filter = self.filter.iter().flat_map(Predicate::columns);
        let of_filter: Vec<&str> = of_filter.collect();
        // A name may also look like the element of a list.
        if of_filter.iter().any(|path| list_of(path) != *path) {
            return ReaderBuilder::try_new(input);
        }
        let paths = columns.iter().map(String::as_str).chain(of_filter);
        let paths: Vec<&str> = paths.collect();
        // The file may have columns with the names of constants, which are compared with them.
        if paths.is_empty() || !self.constants.is_empty() {
            return ReaderBuilder::try_new(input);
        }
        ReaderBuilder::try_new_with_columns(input, paths)
    }

    /// Creates a reader. The batch size, the threads and the memory limit are those of `reader`;
    /// its selection is replaced by this one.
    ///
    /// # Errors
    ///
    /// [`Problem::NoSuchColumn`]; [`Problem::Option`] for a condition that does not fit a column's type, and for a row group
    /// that does not exist; [`Problem::Input`] if a column of the file contradicts a constant; [`Problem::TooManyRows`].
    pub fn read<T: ChunkReader + 'static>(&self, reader: ReaderBuilder<T>) -> Result<SelectedRows> {
        self.check_constants(&reader)?;
        let reader = self.choose(reader)?.build()?;
        let constants = self.constants.iter();
        let constants = constants.filter(|(field, _)| self.is_returned(field.name()));
        let constants: Vec<_> = constants.cloned().collect();
        let in_file = reader.schema();
        let fields = in_file.fields().iter();
        let fields = fields.chain(constants.iter().map(|(field, _)| field));
        let read = Schema::new(fields.cloned().collect::<Vec<_>>());
        let order = self.order_of(&read);
        Ok(SelectedRows {
            schema: Arc::new(read.project(&order)?),
            reader,
            constants,
            order,
        })
    }

    /// Returns the indices of the columns that were read, in the order in which they were asked for.
    fn order_of(&self, read: &Schema) -> Vec<usize> {
        let mut positions = HashMap::new();
        let wanted = self.columns.as_ref().unwrap_or(&self.names);
        for (position, path) in wanted.iter().enumerate() {
            let groups = path.match_indices('.').map(|(end, _)| &path[..end]);
            for name in groups.chain([path.as_str()]) {
                positions.entry(name).or_insert(position);
            }
        }
        let mut order: Vec<usize> = (0..read.fields().len()).collect();
        order.sort_by_key(|column| positions.get(read.field(*column).name().as_str()));
        order
    }

    /// Checks that columns of the file with the names of constants have their values in all rows.
    #[doc(hidden)]
    pub fn check_constants<T: ChunkReader + 'static>(
        &self,
        reader: &ReaderBuilder<T>,
    ) -> Result<()> {
        for (field, value) in &self.constants {
            let name = field.name();
            let Ok(own) = reader.schema().field_with_name(name) else {
                continue;
            };
            let is_known = || {
                self.constants
                    .iter()
                    .filter(|(it, _)| it.name() == name)
                    .count()
                    > 1
            };
            if own.data_type().is_null() || is_known() {
                continue;
            }
            let text = text_of(value)?;
            let others = others(name, text.as_deref());
            let schema = reader.schema();
            let mut fitting = others
                .into_iter()
                .filter(|it| Filter::try_new(it, schema).is_ok());
            let has_others = match fitting.next() {
                Some(others) => {
                    let mut others = Self::default().with_columns::<&str>([]).with_filter(others);
                    others.row_limit = self.row_limit;
                    others.read(reader.clone())?.next().transpose()?.is_some()
                }
                None => true,
            };
            if has_others {
                let text = text.as_deref().unwrap_or("null");
                let hint = if is_text(own.data_type()) && !is_text(field.data_type()) {
                    let option = Setting::PartitionTypes;
                    format!(", or set the type of the column to string with {option}")
                } else {
                    String::new()
                };
                let problem = format!(
                    "the column {name} has other values than {text}, which the name of a directory above the file says; rename the \
                     directory, or read the file by itself{hint}"
                );
                return Err(Problem::Input(problem).into());
            }
        }
        Ok(())
    }

    /// Sets the columns, row groups and predicates of a reader. Columns with the same value in all
    /// rows are not added to its batches.
    ///
    /// # Errors
    ///
    /// Same errors as [`read`](Self::read), except for row groups, which [`ReaderBuilder::build`]
    /// checks.
    pub fn choose<T: ChunkReader + 'static>(
        &self,
        reader: ReaderBuilder<T>,
    ) -> Result<ReaderBuilder<T>> {
        let returned = self.returned_leaves(reader.parquet_schema())?;
        let projection = ProjectionMask::leaves(reader.parquet_schema(), returned);
        let conditions = self.conditions(&reader)?;
        let reader = reader
            .with_projection(projection)
            .with_conditions(conditions);
        Ok(match &self.row_groups {
            Some(row_groups) => reader.with_row_groups(row_groups.clone()),
            None => reader,
        })
    }

    /// Returns the conjuncts of the condition.
    fn conditions<T: ChunkReader + 'static>(
        &self,
        reader: &ReaderBuilder<T>,
    ) -> Result<Vec<Conditional>> {
        let Some(filter) = &self.filter else {
            return Ok(Vec::new());
        };
        let (in_file, leaves) = (reader.schema(), reader.parquet_schema());
        let is_constant = |name: &str| self.constants.iter().any(|(field, _)| field.name() == name);
        let own = in_file
            .fields()
            .iter()
            .filter(|field| !is_constant(field.name()));
        let constants = self.constants.iter().map(|(field, _)| field);
        let whole = Schema::new(own.chain(constants).cloned().collect::<Vec<_>>());
        let filter = Filter::try_new(filter, &whole)?.with_constants(&self.constants)?;
        let filters = filter.conjuncts().into_iter();
        let decoded = || DecodedRows::new(self.row_limit, reader.file_bytes());
        let conditions = filters.map(|filter| conditional(filter, decoded(), leaves));
        Ok(conditions.collect())
    }

    /// Returns the leaves of the columns to return.
    fn returned_leaves(&self, schema: &SchemaDescriptor) -> Result<Vec<usize>> {
        let is_constant = |name: &str| self.constants.iter().any(|(field, _)| field.name() == name);
        let mut returned = match &self.columns {
            None => (0..schema.num_columns()).collect(),
            Some(columns) => {
                let own = columns.iter().map(String::as_str);
                find_leaves(schema, own.filter(|path| !is_constant(path)))?
            }
        };
        let excluded = self.excluded.iter().map(String::as_str);
        let excluded = find_leaves(schema, excluded.filter(|path| !is_constant(path)))?;
        returned.retain(|leaf| !is_constant(&schema.column(*leaf).path().parts()[0]));
        returned.retain(|leaf| !excluded.contains(leaf));
        Ok(returned)
    }

    /// Returns the columns of a table that this selection returns, with the members of structs that it returns.
    #[doc(hidden)]
    #[must_use]
    pub fn narrowed(&self, schema: &Schema) -> SchemaRef {
        let fields = schema.fields().iter();
        let fields = fields.filter_map(|field| self.narrowed_field(field.name(), field));
        let metadata = schema.metadata().clone();
        Arc::new(Schema::new_with_metadata(
            fields.collect::<Vec<_>>(),
            metadata,
        ))
    }

    fn narrowed_field(&self, path: &str, field: &FieldRef) -> Option<FieldRef> {
        if self.excluded.iter().any(|group| is_within(path, group)) {
            return None;
        }
        match field.data_type() {
            DataType::Struct(members) if !members.is_empty() => {
                let members = members.iter().filter_map(|member| {
                    self.narrowed_field(&format!("{path}.{}", member.name()), member)
                });
                let members: Fields = members.collect();
                let is_empty = members.is_empty();
                let narrowed = Field::clone(field).with_data_type(DataType::Struct(members));
                (!is_empty).then(|| Arc::new(narrowed))
            }
            _ => {
                let mut columns = self.columns.iter().flatten();
                let is_returned = self.columns.is_none()
                    || columns.any(|it| is_within(path, it) || is_within(it, path));
                is_returned.then(|| Arc::clone(field))
            }
        }
    }

    fn is_returned(&self, constant: &String) -> bool {
        let is_among = |paths: &[String]| paths.contains(constant);
        let is_wanted = self.columns.as_deref().is_none_or(is_among);
        is_wanted && !is_among(&self.excluded)
    }
}

/// Returns whether a path is that of a group, or of a part of it.
fn is_within(path: &str, group: &str) -> bool {
    let rest = path.strip_prefix(group);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        other => matches!(
            other,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        ),
    }
}

/// Returns the text of a constant; `None` for null.
fn text_of(value: &ArrayRef) -> Result<Option<String>> {
    let texts = arrow_cast::cast(value, &DataType::Utf8)?;
    let texts = texts.as_string::<i32>();
    Ok(texts.is_valid(0).then(|| texts.value(0).to_owned()))
}

/// Returns conditions for other values than this one, for columns of numbers, Booleans and texts.
fn others(column: &str, text: Option<&str>) -> Vec<Predicate> {
    let column = || column.to_owned();
    let is_null = || Predicate::IsNull { column: column() };
    let Some(text) = text else {
        return vec![Predicate::Not(Box::new(is_null()))];
    };
    let integer = text.parse().ok().map(Value::Integer);
    let boolean = text.parse().ok().map(Value::Boolean);
    let float = text.parse().ok().map(Value::Float);
    let text = Some(Value::Text(text.to_owned()));
    let values = [integer, boolean, float, text].into_iter().flatten();
    let other = |value| {
        let column = column();
        let comparison = Comparison::NotEqual;
        let other = Predicate::Compare {
            column,
            comparison,
            value,
        };
        Predicate::Or(vec![other, is_null()])
    };
    values.map(other).collect()
}

/// Filter that is tested on a limited number of rows.
struct Limited {
    filter: Filter,
    decoded: Mutex<DecodedRows>,
}

/// Returns a filter with the leaves of its columns.
fn conditional(filter: Filter, decoded: DecodedRows, schema: &SchemaDescriptor) -> Conditional {
    let leaves = schema.columns().iter().enumerate();
    let leaves = leaves.filter(|(_, leaf)| {
        let parts = leaf.path().parts();
        filter
            .columns()
            .iter()
            .any(|names| parts.starts_with(names))
    });
    Conditional {
        projection: ProjectionMask::leaves(schema, leaves.map(|(index, _)| index)),
        condition: Arc::new(Limited {
            filter,
            decoded: Mutex::new(decoded),
        }),
    }
}

impl Condition for Limited {
    fn evaluate(&self, batch: RecordBatch) -> Result<BooleanBuffer> {
        let mut decoded = self.decoded.lock().unwrap_or_else(PoisonError::into_inner);
        decoded.add(rows_of(&batch))?;
        drop(decoded);
        self.filter.rows(&batch)
    }

    fn is_total(&self) -> bool {
        true
    }

    fn selectivity(&self) -> f64 {
        self.filter.root.selectivity()
    }

    fn takes_dictionaries(&self) -> bool {
        self.filter.root.takes_dictionaries()
    }

    fn candidates(
        &self,
        input: &Input,
        file: &FileMetaData,
        row_group: &RowGroupMetaData,
    ) -> Result<Ranges> {
        Filter::candidates(
            &self.filter,
            Candidate {
                input,
                file,
                row_group,
            },
        )
    }
}

/// Rows of a file that match a [`Selection`], batch by batch.
pub struct SelectedRows {
    reader: Reader,
    schema: SchemaRef,
    constants: Vec<(FieldRef, ArrayRef)>,
    /// Indices of the columns, of those in the file followed by the constants.
    order: Vec<usize>,
}

impl SelectedRows {
    /// Returns the footer of the file.
    #[must_use]
    pub fn metadata(&self) -> &ParquetMetaData {
        self.reader.metadata()
    }

    /// Returns the work done so far by all threads.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.reader.metrics()
    }

    /// Adds the columns with the same value in all rows, and puts all columns in their order.
    fn completed(&self, batch: RecordBatch) -> Result<RecordBatch> {
        if self.constants.is_empty() && self.order.is_sorted() {
            return Ok(batch);
        }
        let rows = batch.num_rows();
        let (_, mut columns, _) = batch.into_parts();
        let first = UInt32Array::new(vec![0; rows].into(), None);
        for (_, value) in &self.constants {
            columns.push(take(value, &first, None)?);
        }
        let columns = self.order.iter().map(|index| Arc::clone(&columns[*index]));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(
            schema,
            columns.collect(),
            &options,
        )?)
    }
}

impl Iterator for SelectedRows {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    /// Returns the next batch that is not empty.
    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.and_then(|batch| self.completed(batch).map_err(ArrowError::from)))
    }
}

impl RecordBatchReader for SelectedRows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl std::fmt::Debug for SelectedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SelectedRows")
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}
