//! Computes the smallest and largest values of pages and chunks, in the order that the format defines for the
//! type.
//!
//! Floats follow the rules of TYPE_DEFINED_ORDER
//! ([parquet.thrift](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift),
//! `ColumnOrder`): NaN is left out, a smallest value of 0 is written as -0.0, a largest one as +0.0. Current
//! readers prune by this order. Many ignore the IEEE 754 total order, which the crate `parquet` declares for
//! floats, and which is an option here.

mod compare;
mod lanes;
mod shorten;
mod strings;

pub use compare::Compare;
pub use shorten::{Bound, shorten};

use half::f16;
use lanes::{Extremes, Half, extremes};
use parquet::basic::{ConvertedType, LogicalType, SortOrder, Type};
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Order of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float16,
    Float32,
    Float64,
    /// Byte by byte, unsigned.
    Bytes,
    /// Big-endian two's complement.
    Decimal,
    /// Total order of IEEE 754: -0.0 is less than +0.0, and the sign of NaN decides whether it is less or
    /// greater than all numbers.
    Total16,
    Total32,
    Total64,
    /// No order is defined by the format.
    Undefined,
}

impl Order {
    /// Returns the order of a column.
    pub fn of(column: &ColumnDescriptor) -> Self {
        let unsigned = match column.logical_type_ref() {
            Some(LogicalType::Integer(integer)) => !integer.is_signed,
            Some(_) => false,
            None => matches!(
                column.converted_type(),
                ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64
            ),
        };
        let logical = column.logical_type_ref();
        match column.physical_type() {
            Type::INT32 if unsigned => Order::UInt32,
            Type::INT32 => Order::Int32,
            Type::INT64 if unsigned => Order::UInt64,
            Type::INT64 => Order::Int64,
            Type::FLOAT => Order::Float32,
            Type::DOUBLE => Order::Float64,
            Type::FIXED_LEN_BYTE_ARRAY => match (logical, column.converted_type()) {
                (Some(LogicalType::Float16), _) => Order::Float16,
                (Some(LogicalType::Decimal(_)), _) | (_, ConvertedType::DECIMAL) => Order::Decimal,
                (None | Some(LogicalType::Uuid), ConvertedType::NONE) => Order::Bytes,
                _ => Order::Undefined,
            },
            // False is less than true.
            Type::BOOLEAN => Order::Bytes,
            Type::BYTE_ARRAY => match column.sort_order() {
                SortOrder::UNSIGNED => Order::Bytes,
                SortOrder::SIGNED => Order::Decimal,
                _ => Order::Undefined,
            },
            Type::INT96 => Order::Undefined,
        }
    }

    /// Returns the IEEE 754 total order for floats, and this order for other types.
    pub(crate) fn total(self) -> Self {
        match self {
            Order::Float16 => Order::Total16,
            Order::Float32 => Order::Total32,
            Order::Float64 => Order::Total64,
            other => other,
        }
    }

    /// Returns whether NaN have a place in this order, and can be bounds.
    pub fn is_total(self) -> bool {
        matches!(self, Order::Total16 | Order::Total32 | Order::Total64)
    }

    pub(crate) fn is_float(self) -> bool {
        self.is_total() || matches!(self, Order::Float16 | Order::Float32 | Order::Float64)
    }

    /// Returns whether the deprecated fields of the statistics, which use signed order, mean the same.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Order::Int32 | Order::Int64)
    }

    /// Returns the bounds of values of `width` bytes each.
    pub fn bounds(self, values: &[u8], width: usize) -> Bounds {
        fn numbers<const WIDTH: usize>((range, nans): (Extremes<WIDTH>, u64)) -> Bounds {
            Bounds {
                range: range.map(|(least, most)| (least.to_vec(), most.to_vec())),
                nans,
            }
        }
        match self {
            Order::Int32 => numbers(extremes::<i32, 4>(values)),
            Order::UInt32 => numbers(extremes::<u32, 4>(values)),
            Order::Int64 => numbers(extremes::<i64, 8>(values)),
            Order::UInt64 => numbers(extremes::<u64, 8>(values)),
            Order::Float16 => numbers(extremes::<Half, 2>(values)).with_both_zeros(self),
            Order::Float32 => numbers(extremes::<f32, 4>(values)).with_both_zeros(self),
            Order::Float64 => numbers(extremes::<f64, 8>(values)).with_both_zeros(self),
            Order::Total16 => numbers(extremes::<Half, 2>(values)).in_total_order(self, values),
            Order::Total32 => numbers(extremes::<f32, 4>(values)).in_total_order(self, values),
            Order::Total64 => numbers(extremes::<f64, 8>(values)).in_total_order(self, values),
            Order::Bytes | Order::Decimal => self.bounds_of_strings(values.chunks_exact(width)),
            Order::Undefined => Bounds::default(),
        }
    }

    /// Returns the bounds of strings, or of other values stored as bytes.
    pub fn bounds_of_strings<'a>(self, values: impl Iterator<Item = &'a [u8]>) -> Bounds {
        let range = match self {
            Order::Undefined => None,
            Order::Bytes => strings::extremes(values),
            _ => values.fold(None, |range, value| {
                let (least, most) = range.unwrap_or((value, value));
                Some(match self.compare(value, least) {
                    Ordering::Less => (value, most),
                    _ if self.compare(value, most) == Ordering::Greater => (least, value),
                    _ => (least, most),
                })
            }),
        };
        Bounds {
            range: range.map(|(least, most)| (least.to_vec(), most.to_vec())),
            nans: 0,
        }
    }

    fn is_nan(self, value: &[u8]) -> bool {
        let infinity = match self {
            Order::Total16 => f16::INFINITY.to_le_bytes().to_vec(),
            Order::Total32 => f32::INFINITY.to_le_bytes().to_vec(),
            _ => f64::INFINITY.to_le_bytes().to_vec(),
        };
        let mut magnitude = value.to_vec();
        magnitude
            .last_mut()
            .into_iter()
            .for_each(|last| *last &= 0x7f);
        self.compare(&magnitude, &infinity) == Ordering::Greater
    }

    /// Compares two values. Neither is NaN, except in the total order.
    pub(crate) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        fn numbers<T: PartialOrd, const WIDTH: usize>(
            a: &[u8],
            b: &[u8],
            read: fn([u8; WIDTH]) -> T,
        ) -> Ordering {
            let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| read(*bytes));
            number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal)
        }
        match self {
            Order::Int32 => numbers(a, b, i32::from_le_bytes),
            Order::UInt32 => numbers(a, b, u32::from_le_bytes),
            Order::Int64 => numbers(a, b, i64::from_le_bytes),
            Order::UInt64 => numbers(a, b, u64::from_le_bytes),
            Order::Float16 => numbers(a, b, f16::from_le_bytes),
            Order::Float32 => numbers(a, b, f32::from_le_bytes),
            Order::Float64 => numbers(a, b, f64::from_le_bytes),
            Order::Total16 => total(a, b, f16::from_le_bytes, |a, b| a.total_cmp(b)),
            Order::Total32 => total(a, b, f32::from_le_bytes, f32::total_cmp),
            Order::Total64 => total(a, b, f64::from_le_bytes, f64::total_cmp),
            Order::Bytes | Order::Undefined => a.cmp(b),
            Order::Decimal => compare_decimals(a, b),
        }
    }
}

/// Compares floats in their total order.
fn total<T, const WIDTH: usize>(
    a: &[u8],
    b: &[u8],
    read: fn([u8; WIDTH]) -> T,
    compare: fn(&T, &T) -> Ordering,
) -> Ordering {
    let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| read(*bytes));
    let pair = number(a).zip(number(b));
    pair.map_or(Ordering::Equal, |(a, b)| compare(&a, &b))
}

/// Smallest and largest value, as the page stores them, and the number of NaN values. NaN is a bound only in
/// the total order, and only if there is nothing else.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bounds {
    pub(crate) range: Option<(Vec<u8>, Vec<u8>)>,
    pub nans: u64,
}

impl Bounds {
    /// Returns the smallest and the largest value.
    pub fn range(&self) -> Option<(&[u8], &[u8])> {
        let (least, most) = self.range.as_ref()?;
        Some((least, most))
    }

    /// Extends bounds that are zero, because -0.0 and +0.0 are equal and a reader may look for either.
    fn with_both_zeros(mut self, order: Order) -> Self {
        if let Some((least, most)) = &mut self.range {
            let last = least.len() - 1;
            let mut zero = vec![0; least.len()];
            if order.compare(most, &zero) == Ordering::Equal {
                most.copy_from_slice(&zero);
            }
            if order.compare(least, &zero) == Ordering::Equal {
                zero[last] = 0x80;
                least.copy_from_slice(&zero);
            }
        }
        self
    }

    /// Replaces zeros by the one that is among the values, and bounds the NaN values if there are no others.
    fn in_total_order(mut self, order: Order, values: &[u8]) -> Self {
        let width = match order {
            Order::Total16 => 2,
            Order::Total32 => 4,
            _ => 8,
        };
        let values = values.chunks_exact(width);
        let Some((least, most)) = &mut self.range else {
            for value in values {
                let bounds = (value.to_vec(), value.to_vec());
                let one = Bounds {
                    range: Some(bounds),
                    nans: 0,
                };
                self.merge(&one, order);
            }
            return self;
        };
        let positive = vec![0; width];
        let mut negative = positive.clone();
        negative[width - 1] = 0x80;
        let is_among = |zero: &[u8]| values.clone().any(|value| value == zero);
        if *least == positive && is_among(&negative) {
            least.clone_from(&negative);
        }
        if *most == negative && is_among(&positive) {
            most.clone_from(&positive);
        }
        self
    }

    /// Extends these bounds by those of other values.
    pub fn merge(&mut self, other: &Bounds, order: Order) {
        self.nans += other.nans;
        let Some((least, most)) = &other.range else {
            return;
        };
        if let Some((own, _)) = &self.range
            && order.is_total()
        {
            match (order.is_nan(own), order.is_nan(least)) {
                (false, true) => return,
                (true, false) => self.range = None,
                _ => {}
            }
        }
        match &mut self.range {
            Some((all_least, all_most)) => {
                if order.compare(least, all_least) == Ordering::Less {
                    all_least.clone_from(least);
                }
                if order.compare(most, all_most) == Ordering::Greater {
                    all_most.clone_from(most);
                }
            }
            none => *none = Some((least.clone(), most.clone())),
        }
    }

    /// Returns the number of NaN values, for types that have them.
    pub(crate) fn nan_count(&self, order: Order) -> Option<u64> {
        order.is_float().then_some(self.nans)
    }
}

/// Compares numbers of any length in big-endian two's complement.
fn compare_decimals(a: &[u8], b: &[u8]) -> Ordering {
    let is_negative = |bytes: &[u8]| bytes.first().is_some_and(|first| *first >= 0x80);
    let by_sign = is_negative(b).cmp(&is_negative(a));
    if by_sign != Ordering::Equal || a.len() == b.len() {
        return by_sign.then_with(|| a.cmp(b));
    }
    let fill = if is_negative(a) { 0xff } else { 0 };
    let length = a.len().max(b.len());
    let extended = |bytes: &[u8]| {
        let mut extended = vec![fill; length - bytes.len()];
        extended.extend_from_slice(bytes);
        extended
    };
    extended(a).cmp(&extended(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bounds of doubles, as their bits, and the number of NaN values.
    fn of_doubles(values: &[f64]) -> (Option<(u64, u64)>, u64) {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let bounds = Order::Float64.bounds(&bytes, 8);
        let bits = |bytes: Vec<u8>| u64::from_le_bytes(*bytes.first_chunk().expect("8 bytes"));
        let range = bounds.range.map(|(least, most)| (bits(least), bits(most)));
        (range, bounds.nans)
    }

    fn bits(least: f64, most: f64) -> Option<(u64, u64)> {
        Some((least.to_bits(), most.to_bits()))
    }

    #[test]
    fn what_is_not_a_number_is_no_bound() {
        for at in 0..70 {
            let mut values = vec![1.5; 70];
            values[at] = if at % 2 == 0 { f64::NAN } else { -f64::NAN };
            assert_eq!(of_doubles(&values), (bits(1.5, 1.5), 1), "{at}");
        }
        assert_eq!(of_doubles(&[f64::NAN; 40]), (None, 40));
        let infinite = [f64::NEG_INFINITY, f64::NAN, f64::INFINITY];
        let want = bits(f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(of_doubles(&infinite), (want, 1));
    }

    #[test]
    fn a_bound_of_zero_is_the_one_that_excludes_neither() {
        for zeros in [&[0.0][..], &[-0.0], &[0.0, -0.0], &[-0.0; 50]] {
            assert_eq!(of_doubles(zeros), (bits(-0.0, 0.0), 0), "{zeros:?}");
        }
        assert_eq!(of_doubles(&[0.0, 2.0]), (bits(-0.0, 2.0), 0));
        assert_eq!(of_doubles(&[-2.0, -0.0]), (bits(-2.0, 0.0), 0));
        let half = |value: f64| f16::from_f64(value).to_le_bytes().to_vec();
        let bounds = Order::Float16.bounds(&half(0.0), 2);
        assert_eq!(bounds.range, Some((half(-0.0), half(0.0))));
    }

    #[test]
    fn no_values_have_no_bounds() {
        let orders = [
            (Order::Int32, 4),
            (Order::UInt32, 4),
            (Order::Int64, 8),
            (Order::UInt64, 8),
            (Order::Float16, 2),
            (Order::Float32, 4),
            (Order::Float64, 8),
            (Order::Bytes, 5),
            (Order::Decimal, 16),
            (Order::Undefined, 12),
        ];
        for (order, width) in orders {
            assert_eq!(order.bounds(&[], width), Bounds::default(), "{order:?}");
            // Nor does merging them change other bounds.
            let mut bounds = order.bounds(&vec![1; 3 * width], width);
            let before = bounds.clone();
            bounds.merge(&Bounds::default(), order);
            assert_eq!(bounds, before, "{order:?}");
            let mut none = Bounds::default();
            none.merge(&before, order);
            assert_eq!(none, before, "{order:?}");
        }
    }

    #[test]
    fn bytes_and_decimals_have_orders_of_their_own() {
        let values = [[0x7f, 0x01], [0x80, 0x00], [0xff, 0xff], [0x00, 0x00]].concat();
        let range = |order: Order| order.bounds(&values, 2).range;
        let pair = |least: [u8; 2], most: [u8; 2]| Some((least.to_vec(), most.to_vec()));
        assert_eq!(range(Order::Bytes), pair([0, 0], [0xff, 0xff]));
        assert_eq!(range(Order::Decimal), pair([0x80, 0], [0x7f, 1]));
    }

    #[test]
    fn decimals_of_different_lengths_are_compared() {
        let ascending: [&[u8]; 7] = [
            &[0x80, 0],
            &[0xff, 0],
            &[0x80],
            &[0xff, 0xff],
            &[],
            &[0x7f],
            &[0, 0x80],
        ];
        for (i, one) in ascending.iter().enumerate() {
            for (j, other) in ascending.iter().enumerate() {
                assert_eq!(compare_decimals(one, other), i.cmp(&j), "{one:?} {other:?}");
            }
        }
        let bounds = Order::Decimal.bounds_of_strings(ascending.into_iter());
        assert_eq!(bounds.range, Some((vec![0x80, 0], vec![0, 0x80])));
    }
}
