//! Counts distinct values: all of them, or a sample selected by hash, so that either every
//! occurrence of a value is counted or none.

use crate::types::hash::{for_each_hash, mix};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_schema::DataType;
use arrow_select::take::take;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Number of occurrences that suffice for an estimate.
const ENOUGH: usize = 1 << 15;
/// Number of values in a sample that shows whether there are few distinct values or too many.
const SAMPLE: usize = 1 << 16;
/// Number of values in a sample that is compared with that of another row group.
const SMALL_SAMPLE: usize = 1 << 14;
/// Maximum number of values that occur once in a sample, if it has seen nearly all distinct values.
const ONCE: usize = SAMPLE / 100;
/// Number of values that are hashed between two checks whether there are too many.
const STEP: usize = 1 << 16;

/// Estimated number of distinct values.
#[derive(Default)]
pub(crate) struct Distinct {
    /// Number of values that were read.
    values: usize,
    /// Inverse of the fraction of distinct values that was followed.
    share: u64,
    /// Number of distinct values among those followed.
    seen: usize,
}

impl Distinct {
    /// Counts the distinct values of arrays that are not nested; nulls count as one value. Returns
    /// `None` for types whose values are not stored as bytes, such as booleans.
    pub(crate) fn among(arrays: &[ArrayRef]) -> Option<Self> {
        let values: usize = arrays.iter().map(|array| array.len()).sum();
        let share = (values / ENOUGH).max(1) as u64;
        let mut followed = Followed::new(share);
        arrays.iter().try_for_each(|array| followed.add(array))?;
        Some(Self {
            values,
            share,
            seen: followed.set.len(),
        })
    }

    /// Estimates the number of distinct values. If there are more than `most`, counts all values as
    /// distinct.
    ///
    /// A sample nearly always suffices: the number of values that occur only once in it shows
    /// whether others are missing.
    pub(crate) fn up_to(most: f64, arrays: &[ArrayRef]) -> Option<Self> {
        let values: usize = arrays.iter().map(|array| array.len()).sum();
        let counted = |seen| Some(Self::exactly(values, seen));
        if values <= 2 * SAMPLE {
            return Self::among(arrays);
        }
        let sample = sampled(arrays, values, SAMPLE)?;
        let Sample {
            taken, seen, once, ..
        } = sample;
        // A sample of D distinct values has about taken² / 2D repetitions, or half as many if each value
        // occurs only twice in all rows; frequent values add some. If there are fewer than half of
        // those that `most` distinct values would give, there are more distinct values.
        let repeated = (taken - seen) as f64;
        let fewest = taken as f64 * taken as f64 / (4.0 * most);
        if seen as f64 > most || repeated < fewest {
            return counted(values);
        }
        if once <= ONCE {
            return counted(sample.with_unseen());
        }
        let share = (values / ENOUGH).max(1) as u64;
        let mut followed = Followed::new(share);
        for array in arrays {
            for start in (0..array.len()).step_by(STEP) {
                let part = array.slice(start, STEP.min(array.len() - start));
                followed.add(&part)?;
                if (followed.set.len() as u64 * share) as f64 > most {
                    return counted(values);
                }
            }
        }
        Some(Self {
            values,
            share,
            seen: followed.set.len(),
        })
    }

    /// Estimates the number of distinct values from a small sample.
    pub(crate) fn roughly(arrays: &[ArrayRef]) -> Option<Self> {
        let values: usize = arrays.iter().map(|array| array.len()).sum();
        if values <= 2 * SMALL_SAMPLE {
            return Self::among(arrays);
        }
        let sample = sampled(arrays, values, SMALL_SAMPLE)?;
        Some(Self::exactly(values, sample.with_unseen()))
    }

    fn exactly(values: usize, seen: usize) -> Self {
        Self {
            values,
            share: 1,
            seen,
        }
    }

    /// Returns the number of distinct values.
    pub(crate) fn count(&self) -> f64 {
        (self.seen as f64 * self.share as f64).min(self.values as f64)
    }

    /// Returns the number of distinct values divided by the number of values.
    pub(crate) fn share(&self) -> f64 {
        self.count() / self.values.max(1) as f64
    }
}

/// Hashes of a sample of the distinct values.
struct Followed {
    limit: u64,
    set: HashSet<u64, BuildHasherDefault<Hashed>>,
}

impl Followed {
    fn new(share: u64) -> Self {
        Self {
            limit: u64::MAX / share,
            set: HashSet::default(),
        }
    }

    fn add(&mut self, array: &ArrayRef) -> Option<()> {
        for_each_hash(array, |hash| {
            if hash <= self.limit {
                self.set.insert(hash);
            }
        })
    }
}

/// Numbers of values in a sample.
struct Sample {
    taken: usize,
    /// Number of distinct values.
    seen: usize,
    /// Numbers of values that occur once and twice.
    once: usize,
    twice: usize,
}

impl Sample {
    /// Returns Chao's estimate of the number of distinct values, including those that were not seen.
    fn with_unseen(&self) -> usize {
        self.seen + self.once * self.once / (2 * self.twice.max(1))
    }
}

/// Reads about `wanted` values out of many, at irregular distances, so that neither sorted nor
/// periodic values mislead it.
fn sampled(arrays: &[ArrayRef], values: usize, wanted: usize) -> Option<Sample> {
    let mut times = Times::new(wanted);
    // Twice the mean distance, so that distances from 1 to this are equally likely.
    let longest = (2 * values / wanted) as u64;
    let (mut state, mut next) = (1_u64, 0);
    for array in arrays {
        let mut indices = Vec::with_capacity(wanted);
        while next < array.len() {
            indices.push(next as u32);
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
            next += 1 + (((state >> 32) * longest) >> 32) as usize;
        }
        next -= array.len();
        let some = take(array, &UInt32Array::from(indices), None).ok()?;
        for_each_hash(&some, |hash| times.add(hash))?;
    }
    Some(times.sample())
}

/// Number of occurrences of each hash: a table with linear probing that fits into the second-level cache.
struct Times {
    /// Upper half of a hash, and its occurrences. Their number is a power of two.
    slots: Vec<(u32, u32)>,
    bits: u32,
    taken: usize,
    seen: usize,
}

impl Times {
    /// Creates a table for about this many values.
    fn new(values: usize) -> Self {
        let bits = (2 * values).max(2).ilog2();
        Self {
            slots: vec![(0, 0); 1 << bits],
            bits,
            taken: 0,
            seen: 0,
        }
    }

    #[inline]
    fn add(&mut self, hash: u64) {
        let key = (hash >> 32) as u32;
        self.taken += 1;
        let mut at = (hash >> (u64::BITS - self.bits)) as usize;
        loop {
            let (other, times) = &mut self.slots[at];
            if *times == 0 {
                (*other, *times) = (key, 1);
                self.seen += 1;
                return self.grow();
            }
            if *other == key {
                *times += 1;
                return;
            }
            at = (at + 1) & ((1 << self.bits) - 1);
        }
    }

    /// Keeps a quarter of the slots free.
    fn grow(&mut self) {
        if 4 * self.seen <= 3 * self.slots.len() {
            return;
        }
        self.bits += 1;
        let before = std::mem::replace(&mut self.slots, vec![(0, 0); 1 << self.bits]);
        for (key, times) in before.into_iter().filter(|(_, times)| *times > 0) {
            let mut at = (key >> (u32::BITS - self.bits)) as usize;
            while self.slots[at].1 > 0 {
                at = (at + 1) & ((1 << self.bits) - 1);
            }
            self.slots[at] = (key, times);
        }
    }

    fn sample(&self) -> Sample {
        let occur = |wanted| {
            self.slots
                .iter()
                .filter(|(_, times)| *times == wanted)
                .count()
        };
        Sample {
            taken: self.taken,
            seen: self.seen,
            once: occur(1),
            twice: occur(2),
        }
    }
}

/// Number of distinct non-null values of any number of arrays.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Largest hash that is followed. Starts at the maximum, and is halved when there are too many
    /// values.
    limit: u64,
    seen: HashSet<u64, BuildHasherDefault<Hashed>>,
    /// Number of values that were read, including nulls.
    values: u64,
    /// Number of nulls among the values.
    nulls: u64,
    /// Set if the values of all arrays could be compared.
    is_known: bool,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            limit: u64::MAX,
            seen: HashSet::default(),
            values: 0,
            nulls: 0,
            is_known: true,
        }
    }
}

impl Tally {
    pub fn add(&mut self, array: &ArrayRef) {
        self.values += array.len() as u64;
        self.nulls += array.null_count() as u64;
        if let Some(bits) = array.as_boolean_opt() {
            let counts = [bits.false_count(), bits.true_count()];
            let found = (0..).zip(counts).filter(|(_, count)| *count > 0);
            found.for_each(|(bit, _)| self.see(spread(bit)));
            return;
        }
        // Keys of a dictionary are not valid in another array.
        let is_dictionary = matches!(array.data_type(), DataType::Dictionary(..));
        let mut index = 0;
        let counted = for_each_hash(array, |hash| {
            if array.is_valid(index) {
                self.see(spread(hash));
            }
            index += 1;
        });
        self.is_known &= counted.is_some() && !is_dictionary;
    }

    fn see(&mut self, hash: u64) {
        if hash <= self.limit {
            self.seen.insert(hash);
            if self.seen.len() > ENOUGH {
                self.limit >>= 1;
                let limit = self.limit;
                self.seen.retain(|hash| *hash <= limit);
            }
        }
    }

    /// Returns the number of nulls, if exactly `values` values were read.
    pub fn nulls(&self, values: u64) -> Option<u64> {
        (self.values == values).then_some(self.nulls)
    }

    /// Returns the number of distinct values, and whether it is exact, if exactly `values` values
    /// were read.
    pub fn count(&self, values: u64) -> Option<(u64, bool)> {
        let seen = self.seen.len() as u64;
        let count = seen << self.limit.leading_zeros();
        let is_known = self.is_known && self.values == values;
        is_known.then_some((count, self.limit == u64::MAX))
    }
}

/// Mixes a hash so that all of its bits depend on all bits of the input.
fn spread(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// Hasher for keys that are already hashes.
#[derive(Clone, Copy, Default, Debug)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        // Keys were selected by their uppermost bits, which are also the bits that the set compares
        // first.
        self.0.rotate_left(32)
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Collects the arrays of the leaves below an array, in schema order.
pub fn leaf_arrays(array: &ArrayRef, leaves: &mut Vec<ArrayRef>) {
    match array.data_type() {
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            columns.for_each(|column| leaf_arrays(column, leaves));
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let (start, end) = ends(list.value_offsets());
            leaf_arrays(&list.values().slice(start, end - start), leaves);
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let (start, end) = ends(list.value_offsets());
            leaf_arrays(&list.values().slice(start, end - start), leaves);
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let (start, end) = ends(map.value_offsets());
            let entries = map.entries().slice(start, end - start);
            entries
                .columns()
                .iter()
                .for_each(|column| leaf_arrays(column, leaves));
        }
        DataType::FixedSizeList(..) => leaf_arrays(array.as_fixed_size_list().values(), leaves),
        DataType::ListView(_) => leaf_arrays(array.as_list_view::<i32>().values(), leaves),
        DataType::LargeListView(_) => leaf_arrays(array.as_list_view::<i64>().values(), leaves),
        _ => leaves.push(ArrayRef::clone(array)),
    }
}

/// Returns the first and the last offset.
fn ends<T: Copy + TryInto<usize>>(offsets: &[T]) -> (usize, usize) {
    let end = |offset: Option<&T>| {
        offset
            .and_then(|offset| (*offset).try_into().ok())
            .unwrap_or(0)
    };
    (end(offsets.first()), end(offsets.last()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{
        BooleanArray, Float64Array, Int64Array, ListArray, StringArray, StructArray,
    };
    use std::sync::Arc;

    fn of(values: impl Iterator<Item = i64>) -> Distinct {
        let array = Int64Array::from_iter_values(values);
        let halves = [
            array.slice(0, array.len() / 3),
            array.slice(array.len() / 3, array.len() - array.len() / 3),
        ];
        Distinct::among(&halves.map(|half| Arc::new(half) as ArrayRef)).unwrap()
    }

    #[test]
    fn a_tally_is_exact_until_there_are_many_and_near_then() {
        for (values, is_exact) in [(1868_i64, true), (30_000, true), (400_000, false)] {
            let mut tally = Tally::default();
            for start in [0, values / 2] {
                // Runs of equal values, and nulls.
                let numbers = (start..values).flat_map(|value| [Some(1000 * value); 3]);
                let numbers: Int64Array = numbers.chain([None]).collect();
                tally.add(&(Arc::new(numbers) as ArrayRef));
            }
            let (count, exact) = tally.count(tally.values).unwrap();
            assert_eq!(exact, is_exact, "{values}");
            let error = (count as f64 / values as f64 - 1.0).abs();
            assert!(
                error <= if is_exact { 0.0 } else { 0.03 },
                "{count} of {values}"
            );
        }
        let mut tally = Tally::default();
        tally.add(&(Arc::new(BooleanArray::from(vec![Some(true), None])) as ArrayRef));
        assert_eq!(tally.count(2), Some((1, true)));
        assert_eq!(tally.count(3), None);
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
        tally.add(&(Arc::new(list) as ArrayRef));
        assert_eq!(tally.count(3), None);
    }

    #[test]
    fn few_values_are_counted_and_many_are_estimated() {
        assert_eq!(of((0..1000).map(|i| i % 7)).count(), 7.0);
        let all = of(0..1_000_000);
        assert!((0.95..=1.0).contains(&all.share()), "{}", all.share());
        let some = of((0..1_000_000).map(|i| i * i % 300_007)).count();
        let exact: HashSet<i64> = (0..1_000_000_i64).map(|i| i * i % 300_007).collect();
        let ratio = some / exact.len() as f64;
        assert!((0.95..1.05).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_sample_tells_few_values_and_many() {
        let of = |most: f64, values: &mut dyn Iterator<Item = i64>| {
            let array = Int64Array::from_iter_values(values);
            let parts = [
                array.slice(0, 70_000),
                array.slice(70_000, array.len() - 70_000),
            ];
            let counted = Distinct::up_to(most, &parts.map(|part| Arc::new(part) as ArrayRef));
            counted.unwrap().count()
        };
        let random = |below: u64| {
            let numbers = (0..1_000_000_u64).map(spread);
            numbers.map(move |it| (it % below).cast_signed())
        };
        // Few distinct values in any order, including periodic and sorted ones; then more, all of
        // which are read.
        for count in [2, 15, 30, 1500, 9000, 100_000] {
            let sorted = |row: i64| row * count / 1_000_000;
            let found = [
                of(2e5, &mut random(count.cast_unsigned())),
                of(2e5, &mut (0..1_000_000).map(|row| row % count)),
                of(2e5, &mut (0..1_000_000).map(sorted)),
            ];
            let count = count as f64;
            let is_near = |found: &f64| (found / count - 1.0).abs() < 0.05;
            assert!(found.iter().all(is_near), "{found:?} of {count}");
        }
        for most in [1e4, 1.5e5] {
            assert_eq!(of(most, &mut random(200_000)), 1e6);
            assert_eq!(of(most, &mut (0..1_000_000)), 1e6);
        }
    }

    #[test]
    fn every_type_that_can_have_a_dictionary_is_counted() {
        let of = |array: ArrayRef| Distinct::among(&[array]).map(|distinct| distinct.count());
        assert_eq!(
            of(Arc::new(StringArray::from(vec!["a", "b", "a"]))),
            Some(2.0)
        );
        assert_eq!(of(Arc::new(Float64Array::from(vec![0.0, -0.0]))), Some(2.0));
        assert_eq!(of(Arc::new(BooleanArray::from(vec![true]))), None);
    }

    #[test]
    fn leaves_in_the_order_of_the_schema() {
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
            Some(vec![Some(1), Some(2)]),
            Some(vec![Some(3)]),
        ]);
        let field = |name, array: &ArrayRef| {
            Arc::new(arrow_schema::Field::new(
                name,
                array.data_type().clone(),
                true,
            ))
        };
        let (list, text): (ArrayRef, ArrayRef) = (
            Arc::new(lists.slice(1, 1)),
            Arc::new(StringArray::from(vec!["x"])),
        );
        let both = StructArray::from(vec![
            (field("l", &list), list.clone()),
            (field("t", &text), text),
        ]);
        let mut leaves = Vec::new();
        leaf_arrays(&(Arc::new(both) as ArrayRef), &mut leaves);
        let lengths: Vec<usize> = leaves.iter().map(|leaf| leaf.len()).collect();
        assert_eq!(lengths, [1, 1]);
        assert_eq!(leaves[0].as_primitive::<Int32Type>().values(), &[3]);
    }
}
