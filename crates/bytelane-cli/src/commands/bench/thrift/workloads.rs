//! Structs with their data.

use super::messages::Messages;
use super::structs::*;
use bytelane_measure::data::{Dataset, ElementType};
use rand_mt::Mt;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the data of the published benchmark.
const PUBLISHED: &str = "published";

/// Struct with its value.
#[derive(Debug)]
pub struct Workload {
    /// Name in ProtocolBench, or a similar one.
    pub name: &'static str,
    /// Name of a data set, or [`PUBLISHED`].
    pub data: &'static str,
    /// Number of values: bytes, elements, fields or leaves.
    pub values: usize,
    make: Make,
}

/// Size limit of unnamed workloads: a larger one takes longer than all others together.
const MOST_VALUES_UNNAMED: usize = 50_000;

/// All workloads. To add one, add a row here.
pub static WORKLOADS: &[Workload] = &[
    published("SmallInt", 1, |_| one::<Int, _>(5)),
    published("BigInt", 1, |_| one::<BigInt, _>(0x1234_5678_90ab_cdef)),
    published("SmallString", 12, |_| {
        one::<Text, _>("small string".to_owned())
    }),
    published("BigString", 10_000, |of| {
        one::<Text, _>("a".repeat(of.values))
    }),
    // ProtocolBench leaves these bytes uninitialised.
    published("SmallBinary", 12, |of| many::<Binary, _>(of, |n| n as u8)),
    published("BigBinary", 10_000, |of| many::<Binary, _>(of, |n| n as u8)),
    published("LargeBinary", 10_000_000, |of| {
        many::<Binary, _>(of, |n| n as u8)
    }),
    published("Mixed", 4, |_| one::<Mixed, _>(mixed())),
    published("LargeMixed", 100, |_| {
        one::<LargeMixed, _>(LargeMixed::filled())
    }),
    published("SmallListInt", 10, |of| {
        many::<ListInt, _>(of, u32::cast_signed)
    }),
    published("BigListByte", 10_000, |of| {
        many::<ListByte, _>(of, |n| n as i8)
    }),
    published("BigListShort", 10_000, |of| {
        many::<ListShort, _>(of, |n| n as i16)
    }),
    published("BigListInt", 10_000, |of| {
        many::<ListInt, _>(of, u32::cast_signed)
    }),
    published("BigListBigInt", 10_000, |of| {
        many::<ListBigInt, _>(of, i64::from)
    }),
    published("BigListFloat", 10_000, |of| {
        many::<ListFloat, _>(of, |n| n as f32)
    }),
    published("BigListDouble", 10_000, |of| {
        many::<ListDouble, _>(of, f64::from)
    }),
    published("BigListMixed", 10_000, |of| {
        one::<ListMixed, _>(vec![mixed(); of.values])
    }),
    published("LargeListMixed", 1_000_000, |of| {
        one::<ListMixed, _>(vec![mixed(); of.values])
    }),
    published("LargeMapInt", 1_000_000, |of| {
        let values = twisted(of, u32::cast_signed).rev();
        one::<MapInt, _>((0..).zip(values).collect::<BTreeMap<_, _>>())
    }),
    published("LargeSetInt", 1_000_000, |of| {
        one::<SetInt, _>(twisted(of, u32::cast_signed).collect::<BTreeSet<_>>())
    }),
    published("NestedMap", 100_000, |_| one::<NestedMap, _>(nested_map())),
    text("BigString", "prose"),
    text("BigString", "escapes_1"),
    text("BigString", "escapes_10"),
    text("BigString", "cjk"),
    text("BigString", "emoji"),
    shorts(16),
    shorts(100),
    shorts(12_345),
    ints("random", 16),
    ints("random", 100),
    ints("random", 12_345),
    longs("random", 16),
    longs("random", 100),
    longs("random", 12_345),
    doubles(16),
    doubles(100),
    doubles(12_345),
    ints("one_byte", 12_345),
    ints("two_bytes", 12_345),
    ints("mixed_widths", 12_345),
    longs("all_widths", 12_345),
];

type Make = fn(&Workload) -> anyhow::Result<Box<dyn Messages>>;

const fn published(name: &'static str, values: usize, make: Make) -> Workload {
    generated(name, PUBLISHED, values, make)
}

const fn generated(name: &'static str, data: &'static str, values: usize, make: Make) -> Workload {
    Workload {
        name,
        data,
        values,
        make,
    }
}

const fn text(name: &'static str, data: &'static str) -> Workload {
    generated(name, data, 10_000, |of| {
        one::<Text, _>(String::from_utf8(of.generate(ElementType::U8)?)?)
    })
}

const fn shorts(values: usize) -> Workload {
    generated("ListShort", "random", values, |of| {
        one::<ListShort, _>(of.numbers(ElementType::I16, i16::from_le_bytes)?)
    })
}

const fn ints(data: &'static str, values: usize) -> Workload {
    generated("ListInt", data, values, |of| {
        one::<ListInt, _>(of.numbers(ElementType::I32, i32::from_le_bytes)?)
    })
}

const fn longs(data: &'static str, values: usize) -> Workload {
    generated("ListBigInt", data, values, |of| {
        one::<ListBigInt, _>(of.numbers(ElementType::I64, i64::from_le_bytes)?)
    })
}

const fn doubles(values: usize) -> Workload {
    generated("ListDouble", "smooth", values, |of| {
        one::<ListDouble, _>(of.numbers(ElementType::F64, f64::from_le_bytes)?)
    })
}

impl Workload {
    /// Returns whether the workload is left out unless it is named.
    pub fn is_long(&self) -> bool {
        self.values > MOST_VALUES_UNNAMED
    }

    /// Returns whether this is the data of the published benchmark.
    pub fn is_published(&self) -> bool {
        self.data == PUBLISHED
    }

    /// Creates the value.
    pub fn make(&self) -> anyhow::Result<Box<dyn Messages>> {
        (self.make)(self)
    }

    /// Generates the bytes of the workload's data set.
    fn generate(&self, element: ElementType) -> anyhow::Result<Vec<u8>> {
        let dataset: &Dataset = self.data.parse()?;
        Ok(dataset.generate(element, self.values, 0))
    }

    fn numbers<T, const N: usize>(
        &self,
        element: ElementType,
        from: fn([u8; N]) -> T,
    ) -> anyhow::Result<Vec<T>> {
        let bytes = self.generate(element)?;
        Ok(bytes.as_chunks().0.iter().copied().map(from).collect())
    }
}

/// Creates a struct from its field.
fn one<S: Messages + From<T> + 'static, T>(field: T) -> anyhow::Result<Box<dyn Messages>> {
    Ok(Box::new(S::from(field)))
}

/// Creates a struct from a list of numbers, as ProtocolBench generates them.
fn many<S: Messages + From<Vec<T>> + 'static, T>(
    of: &Workload,
    from: fn(u32) -> T,
) -> anyhow::Result<Box<dyn Messages>> {
    one::<S, _>(twisted(of, from).collect::<Vec<_>>())
}

/// Returns values from ProtocolBench's generator: C++'s `mt19937` with its default seed.
fn twisted<T>(of: &Workload, from: fn(u32) -> T) -> std::vec::IntoIter<T> {
    let mut random = Mt::new_unseeded();
    let numbers = (0..of.values).map(|_| from(random.next_u32()));
    numbers.collect::<Vec<_>>().into_iter()
}

fn mixed() -> Mixed {
    Mixed {
        int32: 5,
        int64: 12345,
        b: true,
        text: "hello".repeat(4),
    }
}

/// Creates a map with ten entries on each of five levels.
fn nested_map() -> NestedMap {
    fn level<T>(of: impl Fn(i32) -> T) -> BTreeMap<i32, T> {
        (0..10).map(|key| (key, of(key))).collect()
    }
    let fifth = |_| MapInt::from(level(|key| key));
    let fourth = |_| NestedMap4::from(level(fifth));
    let third = |_| NestedMap3::from(level(fourth));
    let second = |_| NestedMap2::from(level(third));
    NestedMap::from(level(second))
}
