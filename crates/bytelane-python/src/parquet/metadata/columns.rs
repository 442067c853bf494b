//! Columns of a file, as Parquet describes them.

use super::{check, hash};
use bytelane_parquet::parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use bytelane_parquet::parquet::file::metadata::ParquetMetaData;
use bytelane_parquet::parquet::schema::printer::print_schema;
use bytelane_parquet::parquet::schema::types::ColumnDescriptor;
use pyo3::prelude::*;
use std::sync::Arc;

/// Leaf columns of a file, without conversion to Arrow's types.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> parquet.write_table(pa.table({"name": ["a", "b"]}), "names.parquet")
/// >>> schema = parquet.read_metadata("names.parquet").schema
/// >>> schema.names, schema.column(0).physical_type, schema.column(0).logical_type
/// (['name'], 'BYTE_ARRAY', 'String')
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct ParquetSchema(pub Arc<ParquetMetaData>);

#[pymethods]
impl ParquetSchema {
    /// Names of the leaf columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        let columns = self.0.file_metadata().schema_descr().columns();
        columns
            .iter()
            .map(|column| column.name().to_owned())
            .collect()
    }

    /// Returns the leaf column with this index.
    fn column(&self, i: i64) -> PyResult<ColumnSchema> {
        let index = check(i, self.__len__(), "columns")?;
        Ok(ColumnSchema {
            file: Arc::clone(&self.0),
            index,
        })
    }

    /// Returns whether another file has the same columns.
    fn equals(&self, other: &Self) -> bool {
        self.has_columns_of(other)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.equals(other)
    }

    pub fn __hash__(&self) -> u64 {
        // Equal columns have equal descriptions.
        let fields = self.0.file_metadata().schema_descr().root_schema();
        hash(&format!("{:?}", fields.get_fields()))
    }

    fn __getitem__(&self, i: i64) -> PyResult<ColumnSchema> {
        self.column(i)
    }

    fn __len__(&self) -> usize {
        self.0.file_metadata().schema_descr().num_columns()
    }

    fn __repr__(&self) -> String {
        let mut text = Vec::new();
        print_schema(&mut text, self.0.file_metadata().schema());
        format!(
            "<bytelane.parquet.ParquetSchema>\n{}",
            String::from_utf8_lossy(&text).trim_end()
        )
    }
}

impl ParquetSchema {
    pub fn has_columns_of(&self, other: &Self) -> bool {
        let [own, other] = [self, other].map(|it| it.0.file_metadata().schema_descr());
        own.root_schema().get_fields() == other.root_schema().get_fields()
    }
}

/// Leaf column of a file.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct ColumnSchema {
    file: Arc<ParquetMetaData>,
    index: usize,
}

#[pymethods]
impl ColumnSchema {
    /// Name of the column.
    #[getter]
    fn name(&self) -> &str {
        self.column().name()
    }

    /// Path of the column, with names joined by dots.
    #[getter]
    fn path(&self) -> String {
        self.column().path().string()
    }

    /// Definition level of a value.
    #[getter]
    fn max_definition_level(&self) -> i16 {
        self.column().max_def_level()
    }

    /// Number of lists around a value.
    #[getter]
    fn max_repetition_level(&self) -> i16 {
        self.column().max_rep_level()
    }

    /// Physical type of the values.
    #[getter]
    fn physical_type(&self) -> String {
        self.column().physical_type().to_string()
    }

    /// Logical type of the values, in pyarrow's words.
    #[getter]
    fn logical_type(&self) -> String {
        self.column()
            .logical_type_ref()
            .map_or("None".to_owned(), logical_type_name)
    }

    /// Logical type of the values in old files: `NONE` if there is none.
    #[getter]
    fn converted_type(&self) -> Option<String> {
        let converted = self.column().converted_type();
        Some(converted.to_string()).filter(|_| converted != ConvertedType::NONE)
    }

    /// Length of values of a fixed length.
    #[getter]
    fn length(&self) -> i32 {
        self.column().type_length()
    }

    /// Number of digits of a decimal.
    #[getter]
    fn precision(&self) -> i32 {
        self.column().type_precision()
    }

    /// Number of digits of a decimal after the point.
    #[getter]
    fn scale(&self) -> i32 {
        self.column().type_scale()
    }

    /// Returns whether another column is the same.
    fn equals(&self, other: &Self) -> bool {
        self.column() == other.column()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.equals(other)
    }

    fn __hash__(&self) -> u64 {
        hash(&(self.path(), self.physical_type()))
    }

    fn __repr__(&self) -> String {
        let (path, physical, logical) = (self.path(), self.physical_type(), self.logical_type());
        format!("<bytelane.parquet.ColumnSchema {path:?}: {physical}, {logical}>")
    }
}

impl ColumnSchema {
    fn column(&self) -> &ColumnDescriptor {
        let schema = self.file.file_metadata().schema_descr();
        &schema.columns()[self.index]
    }
}

fn logical_type_name(logical: &LogicalType) -> String {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => "milliseconds",
        TimeUnit::MICROS => "microseconds",
        TimeUnit::NANOS => "nanoseconds",
    };
    match logical {
        LogicalType::Decimal(it) => {
            format!("Decimal(precision={}, scale={})", it.precision, it.scale)
        }
        LogicalType::Time(it) => {
            let is_utc = it.is_adjusted_to_u_t_c;
            format!(
                "Time(isAdjustedToUTC={is_utc}, timeUnit={})",
                unit(&it.unit)
            )
        }
        LogicalType::Timestamp(it) => {
            let is_utc = it.is_adjusted_to_u_t_c;
            format!(
                "Timestamp(isAdjustedToUTC={is_utc}, timeUnit={})",
                unit(&it.unit)
            )
        }
        LogicalType::Integer(it) => {
            format!("Int(bitWidth={}, isSigned={})", it.bit_width, it.is_signed)
        }
        LogicalType::Json => "JSON".to_owned(),
        LogicalType::Bson => "BSON".to_owned(),
        LogicalType::Uuid => "UUID".to_owned(),
        LogicalType::Unknown => "Null".to_owned(),
        other => {
            let text = format!("{other:?}");
            text.split(['(', ' ', '{'])
                .next()
                .unwrap_or_default()
                .to_owned()
        }
    }
}
