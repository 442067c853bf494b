//! Computes bounds of values for pages, chunks and indexes.

use crate::format::Statistics;
use crate::page::DenseValues;
use crate::statistics::{Bound, Bounds, Order, shorten};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;

/// Returns the bounds of values.
pub(super) fn bounds_of(values: DenseValues<'_>, order: Order) -> Bounds {
    match values {
        DenseValues::Fixed(bytes, width) => order.bounds(bytes, width),
        DenseValues::Strings(strings) => order.bounds_of_strings(strings.iter().copied()),
        DenseValues::Bits(bits) => {
            let ones = bits.count_set_bits();
            let (has_false, has_true) = (ones < bits.len(), ones > 0);
            let range = (vec![u8::from(!has_false)], vec![u8::from(has_true)]);
            Bounds {
                range: (!bits.is_empty()).then_some(range),
                nans: 0,
            }
        }
        DenseValues::Indices(_) => Bounds::default(),
    }
}

/// Returns whether the values are UTF-8.
fn is_text(column: &ColumnDescriptor) -> bool {
    column.physical_type() == Type::BYTE_ARRAY
        && match column.logical_type_ref() {
            Some(logical) => matches!(logical, LogicalType::String | LogicalType::Json),
            None => matches!(
                column.converted_type(),
                ConvertedType::UTF8 | ConvertedType::JSON
            ),
        }
}

/// Returns the bounds for an index, with long strings shortened to `length` bytes.
pub(super) fn shortened(
    bounds: &Bounds,
    column: &ColumnDescriptor,
    order: Order,
    length: usize,
) -> Option<[Bound; 2]> {
    let (least, most) = bounds.range.clone()?;
    Some(shorten(least, most, order, is_text(column), length))
}

/// Returns the statistics of a page or a chunk. Bounds of a fixed length are never shortened,
/// because readers do not expect it: pyarrow 26 terminates the process.
pub(super) fn described(
    bounds: &Bounds,
    column: &ColumnDescriptor,
    order: Order,
    nulls: usize,
    length: usize,
) -> Statistics {
    let range = match column.physical_type() {
        Type::BYTE_ARRAY => shortened(bounds, column, order, length),
        _ => bounds.range.clone().map(|(least, most)| {
            [least, most].map(|bytes| Bound {
                bytes,
                is_exact: true,
            })
        }),
    };
    let mut statistics = Statistics {
        null_count: Some(nulls as i64),
        nan_count: bounds.nan_count(order).map(|nans| nans as i64),
        ..Default::default()
    };
    if let Some([least, most]) = range {
        statistics.is_min_value_exact = Some(least.is_exact);
        statistics.is_max_value_exact = Some(most.is_exact);
        let (least, most) = (least.bytes.into(), most.bytes.into());
        if order.is_signed() {
            statistics.min = Some(bytes::Bytes::clone(&least));
            statistics.max = Some(bytes::Bytes::clone(&most));
        }
        statistics.min_value = Some(least);
        statistics.max_value = Some(most);
    }
    statistics
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::schema::types::{ColumnPath, Type as SchemaType};

    #[test]
    fn nulls_without_values_are_counted() {
        let column = SchemaType::primitive_type_builder("x", Type::DOUBLE);
        let column = column.build().expect("a type").into();
        let column = ColumnDescriptor::new(column, 1, 0, ColumnPath::from("x"));
        let statistics = described(&Bounds::default(), &column, Order::Float64, 7, 64);
        assert_eq!(statistics.null_count, Some(7));
        assert_eq!((statistics.min_value, statistics.max_value), (None, None));
    }
}
