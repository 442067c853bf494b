//! Values of Arrow arrays as Python objects, the same as those of pyarrow's `to_pylist`.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, IntervalDayTimeType, IntervalMonthDayNanoType,
    IntervalYearMonthType,
};
use arrow_array::{Array, ArrayRef, UInt64Array, downcast_dictionary_array, downcast_run_array};
use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, TimeUnit};
use pyo3::BoundObject;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

type Objects<'py> = Vec<Bound<'py, PyAny>>;

/// Returns the values of an array; null is `None`.
pub fn objects<'py>(py: Python<'py>, array: &ArrayRef, field: &Field) -> PyResult<Objects<'py>> {
    if field.extension_type_name() == Some("arrow.uuid") {
        let uuid = py.import("uuid")?.getattr("UUID")?;
        let bytes = array.as_fixed_size_binary();
        return each(py, array, |row| {
            uuid.call1((py.None(), PyBytes::new(py, bytes.value(row))))
        });
    }
    let numbers = |kind: &str, unit: &TimeUnit| times(py, array, kind, unit, None);
    match array.data_type() {
        DataType::Null => Ok(vec![py.None().into_bound(py); array.len()]),
        DataType::Boolean => {
            let values = array.as_boolean();
            each(py, array, |row| {
                Ok(values.value(row).into_pyobject(py)?.to_owned().into_any())
            })
        }
        DataType::Utf8 => text(py, array, |row| array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => text(py, array, |row| array.as_string::<i64>().value(row)),
        DataType::Utf8View => text(py, array, |row| array.as_string_view().value(row)),
        DataType::Binary => bytes(py, array, |row| array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => bytes(py, array, |row| array.as_binary::<i64>().value(row)),
        DataType::BinaryView => bytes(py, array, |row| array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => {
            bytes(py, array, |row| array.as_fixed_size_binary().value(row))
        }
        DataType::Date32 | DataType::Date64 => numbers("date", &TimeUnit::Second),
        DataType::Time32(unit) | DataType::Time64(unit) => numbers("time", unit),
        DataType::Duration(unit) => numbers("duration", unit),
        DataType::Timestamp(unit, zone) => times(py, array, "timestamp", unit, zone.as_deref()),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(py, array, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(py, array, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(py, array, *scale),
        DataType::Decimal256(_, scale) => decimals::<Decimal256Type>(py, array, *scale),
        DataType::Interval(unit) => intervals(py, array, unit),
        DataType::Float16 => {
            let values = array.as_primitive::<Float16Type>();
            each(py, array, |row| {
                Ok(f64::from(values.value(row)).into_pyobject(py)?.into_any())
            })
        }
        DataType::Int8 => numeric::<arrow_array::types::Int8Type>(py, array),
        DataType::Int16 => numeric::<arrow_array::types::Int16Type>(py, array),
        DataType::Int32 => numeric::<arrow_array::types::Int32Type>(py, array),
        DataType::Int64 => numeric::<arrow_array::types::Int64Type>(py, array),
        DataType::UInt8 => numeric::<arrow_array::types::UInt8Type>(py, array),
        DataType::UInt16 => numeric::<arrow_array::types::UInt16Type>(py, array),
        DataType::UInt32 => numeric::<arrow_array::types::UInt32Type>(py, array),
        DataType::UInt64 => numeric::<arrow_array::types::UInt64Type>(py, array),
        DataType::Float32 => numeric::<arrow_array::types::Float32Type>(py, array),
        DataType::Float64 => numeric::<arrow_array::types::Float64Type>(py, array),
        _ => nested(py, array),
    }
}

fn each<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    value: impl Fn(usize) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Objects<'py>> {
    let rows = 0..array.len();
    rows.map(|row| {
        if array.is_null(row) {
            Ok(py.None().into_bound(py))
        } else {
            value(row)
        }
    })
    .collect()
}

fn text<'py, 'a>(
    py: Python<'py>,
    array: &ArrayRef,
    value: impl Fn(usize) -> &'a str,
) -> PyResult<Objects<'py>> {
    each(
        py,
        array,
        |row| Ok(PyString::new(py, value(row)).into_any()),
    )
}

fn bytes<'py, 'a>(
    py: Python<'py>,
    array: &ArrayRef,
    value: impl Fn(usize) -> &'a [u8],
) -> PyResult<Objects<'py>> {
    each(py, array, |row| Ok(PyBytes::new(py, value(row)).into_any()))
}

fn numeric<'py, T: ArrowPrimitiveType>(py: Python<'py>, array: &ArrayRef) -> PyResult<Objects<'py>>
where
    T::Native: IntoPyObject<'py, Error: Into<PyErr>>,
{
    let values = array.as_primitive::<T>();
    each(py, array, |row| {
        let value = values.value(row).into_pyobject(py);
        Ok(value.map_err(Into::into)?.into_any().into_bound())
    })
}

fn decimals<'py, T: DecimalType + ArrowPrimitiveType>(
    py: Python<'py>,
    array: &ArrayRef,
    scale: i8,
) -> PyResult<Objects<'py>>
where
    T::Native: std::fmt::Display,
{
    let decimal = py.import("decimal")?.getattr("Decimal")?;
    let values = array.as_primitive::<T>();
    each(py, array, |row| {
        decimal.call1((format!("{}E{}", values.value(row), -i32::from(scale)),))
    })
}

/// Converts dates and times with a function of `_times.py`.
fn times<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    kind: &str,
    unit: &TimeUnit,
    zone: Option<&str>,
) -> PyResult<Objects<'py>> {
    let unit = match (array.data_type(), unit) {
        (DataType::Date32, _) => "day",
        (DataType::Date64, _) | (_, TimeUnit::Millisecond) => "ms",
        (_, TimeUnit::Second) => "s",
        (_, TimeUnit::Microsecond) => "us",
        (_, TimeUnit::Nanosecond) => "ns",
    };
    let convert = py.import("bytelane.parquet._times")?.getattr("converter")?;
    let convert = convert.call1((kind, unit, zone))?;
    let numbers = arrow_cast::cast(array, &DataType::Int64);
    let numbers = numbers.or_else(|_| {
        let narrow = arrow_cast::cast(array, &DataType::Int32)?;
        arrow_cast::cast(&narrow, &DataType::Int64)
    });
    let numbers = numbers.map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let numbers = numbers.as_primitive::<arrow_array::types::Int64Type>();
    each(py, array, |row| convert.call1((numbers.value(row),)))
}

/// Returns months, days and nanoseconds, or the parts of another interval.
fn intervals<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    unit: &IntervalUnit,
) -> PyResult<Objects<'py>> {
    each(py, array, |row| {
        Ok(match unit {
            IntervalUnit::MonthDayNano => {
                let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
                (value.months, value.days, value.nanoseconds)
                    .into_pyobject(py)?
                    .into_any()
            }
            IntervalUnit::DayTime => {
                let value = array.as_primitive::<IntervalDayTimeType>().value(row);
                (value.days, value.milliseconds)
                    .into_pyobject(py)?
                    .into_any()
            }
            IntervalUnit::YearMonth => {
                let months = array.as_primitive::<IntervalYearMonthType>().value(row);
                months.into_pyobject(py)?.into_any()
            }
        })
    })
}

fn nested<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Objects<'py>> {
    match array.data_type() {
        DataType::List(item) => lists(py, array, item, |row| array.as_list::<i32>().value(row)),
        DataType::LargeList(item) => {
            lists(py, array, item, |row| array.as_list::<i64>().value(row))
        }
        DataType::ListView(item) => lists(py, array, item, |row| {
            array.as_list_view::<i32>().value(row)
        }),
        DataType::LargeListView(item) => lists(py, array, item, |row| {
            array.as_list_view::<i64>().value(row)
        }),
        DataType::FixedSizeList(item, _) => {
            lists(py, array, item, |row| array.as_fixed_size_list().value(row))
        }
        DataType::Map(_, _) => {
            let map = array.as_map();
            let DataType::Struct(fields) = map.entries().data_type() else {
                return Err(unknown(array.data_type()));
            };
            each(py, array, |row| {
                let entries = map.value(row);
                let keys = objects(py, entries.column(0), &fields[0])?;
                let values = objects(py, entries.column(1), &fields[1])?;
                let pairs: Vec<_> = keys.into_iter().zip(values).collect();
                Ok(PyList::new(py, pairs)?.into_any())
            })
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| objects(py, column, field));
            let columns = columns.collect::<PyResult<Vec<_>>>()?;
            each(py, array, |row| {
                let members = PyDict::new(py);
                for (field, column) in fields.iter().zip(&columns) {
                    members.set_item(field.name(), &column[row])?;
                }
                Ok(members.into_any())
            })
        }
        DataType::Dictionary(_, _) => downcast_dictionary_array! {
            array => entries(py, array),
            other => Err(unknown(other)),
        },
        DataType::RunEndEncoded(_, values) => downcast_run_array! {
            array => {
                let distinct = objects(py, array.values(), values)?;
                let rows = 0..array.len();
                Ok(rows.map(|row| distinct[array.get_physical_index(row)].clone()).collect())
            },
            other => Err(unknown(other)),
        },
        other => Err(unknown(other)),
    }
}

fn lists<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    item: &FieldRef,
    values: impl Fn(usize) -> ArrayRef,
) -> PyResult<Objects<'py>> {
    each(py, array, |row| {
        Ok(PyList::new(py, objects(py, &values(row), item)?)?.into_any())
    })
}

fn entries<'py, K: ArrowDictionaryKeyType>(
    py: Python<'py>,
    array: &arrow_array::DictionaryArray<K>,
) -> PyResult<Objects<'py>> {
    let field = Field::new("", array.values().data_type().clone(), true);
    let entries = objects(py, array.values(), &field)?;
    let keys: UInt64Array = array
        .keys_iter()
        .map(|key| key.map(|it| it as u64))
        .collect();
    let null = py.None().into_bound(py);
    let key_of = |row| keys.is_valid(row).then(|| keys.value(row) as usize);
    let value_of = |row| key_of(row).map_or_else(|| null.clone(), |key| entries[key].clone());
    Ok((0..array.len()).map(value_of).collect())
}

fn unknown(data_type: &DataType) -> PyErr {
    PyTypeError::new_err(format!(
        "values of the type {data_type} have no counterpart in Python; convert the table with to_pyarrow()"
    ))
}
