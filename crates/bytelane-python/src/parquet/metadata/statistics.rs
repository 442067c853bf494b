//! Statistics of column chunks.

use super::hash;
use crate::arrow::objects;
use arrow_array::{
    ArrayRef, Date32Array, Float16Array, Time32MillisecondArray, Time64MicrosecondArray,
    Time64NanosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray,
};
use arrow_schema::Field;
use bytelane_parquet::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use bytelane_parquet::parquet::file::metadata::ColumnChunkMetaData as Chunk;
use bytelane_parquet::parquet::file::statistics::Statistics as Stored;
use bytelane_parquet::parquet::schema::types::ColumnDescriptor;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyString};
use std::sync::Arc;

/// Statistics of a column in a row group.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> parquet.write_table(pa.table({"price": [0.5, None, 1.5]}), "trades.parquet")
/// >>> statistics = parquet.read_metadata("trades.parquet").row_group(0).column(0).statistics
/// >>> statistics.min, statistics.max, statistics.null_count
/// (0.5, 1.5, 1)
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Statistics(pub Chunk);

#[pymethods]
impl Statistics {
    /// True if both bounds are known.
    #[getter]
    fn has_min_max(&self) -> bool {
        let stored = self.stored();
        stored.is_some_and(|it| it.min_bytes_opt().is_some() && it.max_bytes_opt().is_some())
    }

    /// Lower bound of the values, in the type of the column; `None` if it is unknown.
    #[getter]
    fn min<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.bound(py, Stored::min_bytes_opt, value)
    }

    /// Upper bound of the values, in the type of the column; `None` if it is unknown.
    #[getter]
    fn max<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.bound(py, Stored::max_bytes_opt, value)
    }

    /// Lower bound as it is stored, regardless of the logical type.
    #[getter]
    fn min_raw<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.bound(py, Stored::min_bytes_opt, raw)
    }

    /// Upper bound as it is stored, regardless of the logical type.
    #[getter]
    fn max_raw<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.bound(py, Stored::max_bytes_opt, raw)
    }

    /// True if the lower bound is a value of the column; false if it may be less than all of them.
    #[getter]
    fn is_min_value_exact(&self) -> Option<bool> {
        self.stored().map(Stored::min_is_exact)
    }

    /// True if the upper bound is a value of the column; false if it may be greater than all of them.
    #[getter]
    fn is_max_value_exact(&self) -> Option<bool> {
        self.stored().map(Stored::max_is_exact)
    }

    /// True if the number of nulls is known.
    #[getter]
    fn has_null_count(&self) -> bool {
        self.null_count().is_some()
    }

    /// Number of nulls; `None` if it is unknown.
    #[getter]
    fn null_count(&self) -> Option<u64> {
        self.stored().and_then(Stored::null_count_opt)
    }

    /// True if the number of nulls is known: the format has no approximate ones.
    #[getter]
    fn is_null_count_exact(&self) -> bool {
        self.has_null_count()
    }

    /// True if the number of distinct values is known.
    #[getter]
    fn has_distinct_count(&self) -> bool {
        self.distinct_count().is_some()
    }

    /// Number of distinct values; `None` if it is unknown.
    #[getter]
    fn distinct_count(&self) -> Option<u64> {
        self.stored().and_then(Stored::distinct_count_opt)
    }

    /// Number of values that are not null.
    #[getter]
    fn num_values(&self) -> i64 {
        let nulls = self.null_count().and_then(|it| i64::try_from(it).ok());
        self.0.num_values().saturating_sub(nulls.unwrap_or(0))
    }

    /// Physical type of the values.
    #[getter]
    fn physical_type(&self) -> String {
        self.0.column_type().to_string()
    }

    /// Returns all of these as a dictionary, as in pyarrow.
    pub fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("has_min_max", self.has_min_max())?;
        all.set_item("min", self.min(py)?)?;
        all.set_item("max", self.max(py)?)?;
        all.set_item("null_count", self.null_count())?;
        all.set_item("distinct_count", self.distinct_count())?;
        all.set_item("num_values", self.num_values())?;
        all.set_item("physical_type", self.physical_type())?;
        Ok(all)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.stored() == other.stored() && self.num_values() == other.num_values()
    }

    fn __hash__(&self) -> u64 {
        hash(&(self.null_count(), self.num_values()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (min, max) = (self.min(py)?, self.max(py)?);
        let text = |it: Option<Bound<'_, PyAny>>| match it {
            Some(value) => Ok(value.repr()?.to_string()),
            None => PyResult::Ok("unknown".to_owned()),
        };
        let nulls = self
            .null_count()
            .map_or("unknown".to_owned(), |it| it.to_string());
        let (min, max) = (text(min)?, text(max)?);
        Ok(format!(
            "<bytelane.parquet.Statistics: min {min}, max {max}, nulls {nulls}>"
        ))
    }
}

/// Conversion of the bytes of a bound to an object.
type Conversion<'py> = fn(Python<'py>, &ColumnDescriptor, &[u8]) -> PyResult<Bound<'py, PyAny>>;

impl Statistics {
    fn stored(&self) -> Option<&Stored> {
        self.0.statistics()
    }

    fn bound<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Stored) -> Option<&[u8]>,
        convert: Conversion<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let bytes = self.stored().and_then(of);
        bytes
            .map(|bytes| convert(py, self.0.column_descr(), bytes))
            .transpose()
    }
}

/// Returns a value as it is stored.
fn raw<'py>(
    py: Python<'py>,
    column: &ColumnDescriptor,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let int = || i64::from_le_bytes(extended(bytes));
    Ok(match column.physical_type() {
        Type::BOOLEAN => (bytes.first() == Some(&1))
            .into_pyobject(py)?
            .to_owned()
            .into_any(),
        Type::INT32 | Type::INT64 => int().into_pyobject(py)?.into_any(),
        Type::FLOAT => f64::from(f32::from_le_bytes(first(bytes)))
            .into_pyobject(py)?
            .into_any(),
        Type::DOUBLE => f64::from_le_bytes(first(bytes))
            .into_pyobject(py)?
            .into_any(),
        Type::INT96 | Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => {
            PyBytes::new(py, bytes).into_any()
        }
    })
}

/// Returns a value in the logical type of its column.
fn value<'py>(
    py: Python<'py>,
    column: &ColumnDescriptor,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let int = i64::from_le_bytes(extended(bytes));
    let array: ArrayRef = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Decimal(_)), _) | (_, ConvertedType::DECIMAL) => {
            return decimal(py, column, bytes);
        }
        (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => {
            Arc::new(Date32Array::from(vec![int as i32]))
        }
        (Some(LogicalType::Time(time)), _) => match time.unit {
            TimeUnit::MILLIS => Arc::new(Time32MillisecondArray::from(vec![int as i32])),
            TimeUnit::MICROS => Arc::new(Time64MicrosecondArray::from(vec![int])),
            TimeUnit::NANOS => Arc::new(Time64NanosecondArray::from(vec![int])),
        },
        (Some(LogicalType::Timestamp(time)), _) if column.physical_type() == Type::INT64 => {
            let zone = time.is_adjusted_to_u_t_c.then_some("UTC");
            match time.unit {
                TimeUnit::MILLIS => {
                    let times = TimestampMillisecondArray::from(vec![int]);
                    Arc::new(times.with_timezone_opt(zone))
                }
                TimeUnit::MICROS => {
                    let times = TimestampMicrosecondArray::from(vec![int]);
                    Arc::new(times.with_timezone_opt(zone))
                }
                TimeUnit::NANOS => {
                    let times = TimestampNanosecondArray::from(vec![int]);
                    Arc::new(times.with_timezone_opt(zone))
                }
            }
        }
        (Some(LogicalType::Float16), _) => {
            let half = half::f16::from_le_bytes(first(bytes));
            Arc::new(Float16Array::from(vec![half]))
        }
        (_, ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32) => {
            return Ok((int as u32).into_pyobject(py)?.into_any());
        }
        (_, ConvertedType::UINT_64) => return Ok((int as u64).into_pyobject(py)?.into_any()),
        (_, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON) => {
            // A shortened bound, or one of a careless writer, need not be UTF-8.
            return match std::str::from_utf8(bytes) {
                Ok(text) => Ok(PyString::new(py, text).into_any()),
                Err(_) => raw(py, column, bytes),
            };
        }
        _ => return raw(py, column, bytes),
    };
    let field = Field::new("", array.data_type().clone(), true);
    Ok(objects(py, &array, &field)?.swap_remove(0))
}

fn decimal<'py>(
    py: Python<'py>,
    column: &ColumnDescriptor,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let order = match column.physical_type() {
        Type::INT32 | Type::INT64 => "little",
        _ => "big",
    };
    let signed = PyDict::new(py);
    signed.set_item("signed", true)?;
    let int = py.get_type::<PyInt>();
    let digits = int.call_method(
        "from_bytes",
        (PyBytes::new(py, bytes), order),
        Some(&signed),
    )?;
    let text = format!("{digits}E{}", -column.type_scale());
    py.import("decimal")?.call_method1("Decimal", (text,))
}

/// Returns the first bytes; zeros if there are fewer.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// Returns a little-endian integer of up to 8 bytes with 8 bytes.
fn extended(bytes: &[u8]) -> [u8; 8] {
    let negative = bytes.last().is_some_and(|it| *it >= 0x80);
    let mut all = [if negative { 0xff } else { 0 }; 8];
    let length = bytes.len().min(8);
    all[..length].copy_from_slice(&bytes[..length]);
    all
}
