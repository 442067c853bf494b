//! Prunes row groups by their Bloom filters.

use super::super::Comparison;
use super::super::bind::Leaf;
use super::super::test::Test;
use super::super::value::{Place, Value};
use crate::catch_panic::catch_panic;
use crate::read::Input;
use arrow_schema::DataType;
use parquet::basic::Type;
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::ColumnChunkMetaData;

/// Returns whether the Bloom filter of a chunk excludes all values that a leaf tests for.
pub(super) fn excludes(input: &Input, chunk: &ColumnChunkMetaData, leaf: &Leaf) -> bool {
    let values: &[Value] = match &leaf.test {
        Test::Compare(Comparison::Equal, value) => std::slice::from_ref(value),
        Test::In(values) => values,
        _ => return false,
    };
    if chunk.bloom_filter_offset().is_none_or(|offset| offset <= 0) {
        return false;
    }
    let data_type = leaf.column.field.data_type();
    let stored = values
        .iter()
        .map(|value| stored(value, data_type, chunk.column_type()));
    let Some(stored) = stored.collect::<Option<Vec<_>>>() else {
        return false;
    };
    // The crate `parquet` may panic on a damaged filter.
    let absent = catch_panic(|| {
        let filter = Sbbf::read_from_column_chunk(chunk, input)?;
        let filter = filter.filter(|filter| filter.num_blocks() > 0);
        let is_absent = |filter: Sbbf| !stored.iter().flatten().any(|it| filter.check(&it[..]));
        Ok(filter.is_some_and(is_absent))
    });
    absent.unwrap_or(false)
}

/// Returns the possible encodings of a value in the file; an empty list if no value of the type
/// equals it. `None` for types in which equal values may be stored differently.
fn stored(value: &Value, data_type: &DataType, physical: Type) -> Option<Vec<Vec<u8>>> {
    use DataType::{
        Binary, BinaryView, Dictionary, Float32, Float64, LargeBinary, LargeUtf8, Utf8, Utf8View,
    };
    match (data_type, physical) {
        (Dictionary(_, values), _) => stored(value, values, physical),
        (Utf8 | LargeUtf8 | Utf8View, Type::BYTE_ARRAY) => {
            exact(value.as_text()?, |it| vec![it.into()])
        }
        (Binary | LargeBinary | BinaryView, Type::BYTE_ARRAY) => {
            exact(value.as_bytes()?, |it| vec![it.to_vec()])
        }
        (Float64, Type::DOUBLE) => {
            let place = value.among_floats(|text| text.parse().ok())?;
            exact(place, |it| {
                zeros(it).map(|it| it.to_le_bytes().into()).into()
            })
        }
        (Float32, Type::FLOAT) => {
            let place = value.among_floats(|text| text.parse::<f32>().ok().map(f64::from))?;
            exact(place, |it| {
                let narrow = zeros(it).map(|it| it as f32);
                let equal = narrow.iter().filter(|narrow| f64::from(**narrow) == it);
                equal.map(|it| it.to_le_bytes().into()).collect()
            })
        }
        _ => integer(value, data_type, physical),
    }
}

/// Returns the stored bytes of an integer whose type has exactly the values of the physical type.
fn integer(value: &Value, data_type: &DataType, physical: Type) -> Option<Vec<Vec<u8>>> {
    let is_whole = matches!(
        (data_type, physical),
        (
            DataType::Int32 | DataType::UInt32 | DataType::Date32,
            Type::INT32
        ) | (
            DataType::Int64 | DataType::UInt64 | DataType::Timestamp(..),
            Type::INT64
        ) | (
            DataType::Decimal32(..) | DataType::Decimal128(..),
            Type::INT32
        ) | (
            DataType::Decimal64(..) | DataType::Decimal128(..),
            Type::INT64
        )
    );
    let place = value.among_integers(data_type).filter(|_| is_whole)?;
    let is_unsigned = data_type.is_unsigned_integer();
    exact(place.narrow(|it| it.to_i128()), |it| {
        let bytes = match (physical, is_unsigned) {
            (Type::INT32, false) => i32::try_from(it).map(|it| it.to_le_bytes().to_vec()),
            (Type::INT32, true) => u32::try_from(it).map(|it| it.to_le_bytes().to_vec()),
            (_, false) => i64::try_from(it).map(|it| it.to_le_bytes().to_vec()),
            (_, true) => u64::try_from(it).map(|it| it.to_le_bytes().to_vec()),
        };
        Vec::from_iter(bytes)
    })
}

/// Returns the bytes of a value that a column may have; an empty list for one between or beyond its
/// values.
fn exact<T>(place: Place<T>, bytes: impl FnOnce(T) -> Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
    Some(match place {
        Place::At(value) => bytes(value),
        _ => Vec::new(),
    })
}

/// Returns all floats equal to one: zero has two signs.
fn zeros(value: f64) -> [f64; 2] {
    if value == 0.0 {
        [0.0, -0.0]
    } else {
        [value; 2]
    }
}
