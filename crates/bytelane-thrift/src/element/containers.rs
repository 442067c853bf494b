//! Lists, sets and maps.

use super::{Decode, Element, Encode};
use crate::mask::{Described, Shape};
use crate::protocol::{Reader, Writer};
use crate::wire::Segment;
use crate::{Error, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

/// Returns the memory in bytes for each element of a tree or a hash table, given the element size.
/// In the worst case, a tree's nodes are half full, and there are pointers. A table has a byte for
/// each slot, is at least 7/16 full after it has grown, and coexists with its predecessor while it
/// grows. `IndexMap` also has a hash and an index for each entry.
const fn each(size: usize) -> usize {
    4 * size + 32
}

/// Returns the memory in bytes for the first node or table, which has room for at most 11 elements.
const fn first(size: usize) -> usize {
    11 * size + 32
}

impl<T: Element> Element for [T] {
    const TYPE: Type = Type::List;

    fn describe() -> Described {
        Described::List(Shape::of::<T>())
    }
}

impl<T: Encode> Encode for [T] {
    #[inline]
    fn room(&self) -> usize {
        5 + self.iter().map(Encode::room).sum::<usize>()
    }

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.list_begin(Type::List, T::TYPE, self.len())?;
        T::write_list(self, writer)?;
        writer.list_end();
        Ok(())
    }
}

impl<T: Element> Element for Vec<T> {
    const TYPE: Type = Type::List;

    fn describe() -> Described {
        Described::List(Shape::of::<T>())
    }
}

impl<T: Encode> Encode for Vec<T> {
    #[inline]
    fn room(&self) -> usize {
        self.as_slice().room()
    }

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        self.as_slice().write(writer)
    }
}

/// A container that can be read over its previous contents.
trait Fill<'de>: Default {
    /// True if its elements, keys or values are themselves containers. These can have parts whose
    /// type differs from the declared one, which is only detected after reading some of them.
    const NESTED: bool;

    /// Replaces the contents. A header with another type changes nothing.
    fn fill<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error>;
}

const fn is_container(kind: Type) -> bool {
    matches!(kind, Type::List | Type::Set | Type::Map)
}

/// Methods of [`Decode`] for a container.
macro_rules! read {
    () => {
        #[inline]
        fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
            let mut values = Self::default();
            values.fill(reader)?;
            Ok(values)
        }

        #[inline]
        fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
            if Self::NESTED {
                // A field that is skipped after all keeps its value.
                *self = Self::read(reader)?;
                return Ok(());
            }
            self.fill(reader)
        }
    };
}

impl<'de, T: Decode<'de>> Fill<'de> for Vec<T> {
    const NESTED: bool = is_container(T::TYPE);

    #[inline]
    fn fill<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
        let items = reader.list_begin(Type::List, Some(T::TYPE), size_of::<T>())?;
        self.clear();
        T::read_list(reader, items, self)
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Vec<T> {
    read! {}
}

/// Estimates the size of elements. Traversing a tree or a table is slow; numbers all have the same
/// size.
fn room<'a, T: Encode + 'a>(count: usize, values: impl Iterator<Item = &'a T>) -> usize {
    match T::TYPE {
        Type::Bool | Type::I8 => count,
        Type::I16 => 2 * count,
        Type::I32 | Type::Float => 4 * count,
        Type::I64 | Type::Double => 8 * count,
        Type::Uuid => 16 * count,
        Type::String | Type::Struct | Type::Map | Type::Set | Type::List => {
            values.map(Encode::room).sum()
        }
    }
}

/// Writes sets in the order of iteration.
macro_rules! written_set {
    () => {
        fn room(&self) -> usize {
            5 + room(self.len(), self.iter())
        }

        fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
            writer.list_begin(Type::Set, T::TYPE, self.len())?;
            for (i, value) in self.iter().enumerate() {
                if !writer.selects_next() {
                    continue;
                }
                value
                    .write(writer)
                    .map_err(|error| error.within(Segment::Index(i)))?;
            }
            writer.list_end();
            Ok(())
        }
    };
}

/// Reads sets by insertion, after reserving memory for the announced number of elements.
macro_rules! read_set {
    (|$set:ident, $count:ident| $reserve:block) => {
        const NESTED: bool = is_container(T::TYPE);

        fn fill<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
            let cost = each(size_of::<T>());
            let mut items = reader.list_begin(Type::Set, Some(T::TYPE), cost)?;
            items.pay_first(reader.input(), first(size_of::<T>()))?;
            self.clear();
            let ($set, $count) = (&mut *self, items.left().unwrap_or(0));
            $reserve
            let mut i = 0;
            while reader.next(&mut items)? {
                let value = T::read(reader).map_err(|error| error.within(Segment::Index(i)))?;
                items.pay(reader.input(), cost)?;
                self.insert(value);
                i += 1;
            }
            Ok(())
        }
    };
}

/// Same as `written_set!`, for maps.
macro_rules! written_map {
    () => {
        fn room(&self) -> usize {
            6 + room(self.len(), self.keys()) + room(self.len(), self.values())
        }

        fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
            let len = writer.selected_entries(self.len(), |selects| {
                self.keys().filter(|key| selects(key.mask_key())).count()
            });
            writer.map_begin(K::TYPE, V::TYPE, len)?;
            for (i, (key, value)) in self.iter().enumerate() {
                if !writer.selects_entry(key.mask_key()) {
                    continue;
                }
                let mut write = || {
                    writer.key_begin();
                    key.write(writer)?;
                    writer.value_begin();
                    value.write(writer)
                };
                write().map_err(|error| error.within(Segment::Index(i)))?;
            }
            writer.map_end();
            Ok(())
        }
    };
}

/// Same as `read_set!`, for maps.
macro_rules! read_map {
    (|$map:ident, $count:ident| $reserve:block) => {
        const NESTED: bool = is_container(K::TYPE) || is_container(V::TYPE);

        fn fill<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
            let cost = each(size_of::<(K, V)>());
            let mut items = reader.map_begin(Some((K::TYPE, V::TYPE)), cost)?;
            items.pay_first(reader.input(), first(size_of::<(K, V)>()))?;
            self.clear();
            let ($map, $count) = (&mut *self, items.left().unwrap_or(0));
            $reserve
            let mut i = 0;
            while reader.next(&mut items)? {
                let mut read = || {
                    reader.key_begin();
                    let key = K::read(reader)?;
                    reader.value_begin();
                    Ok((key, V::read(reader)?))
                };
                let (key, value) =
                    read().map_err(|error: Error| error.within(Segment::Index(i)))?;
                items.pay(reader.input(), cost)?;
                self.insert(key, value);
                i += 1;
            }
            Ok(())
        }
    };
}

impl<T: Element> Element for BTreeSet<T> {
    const TYPE: Type = Type::Set;

    fn describe() -> Described {
        Described::List(Shape::of::<T>())
    }
}

impl<T: Encode> Encode for BTreeSet<T> {
    written_set! {}
}

impl<'de, T: Decode<'de> + Ord> Fill<'de> for BTreeSet<T> {
    read_set! { |_set, _count| {} }
}

impl<'de, T: Decode<'de> + Ord> Decode<'de> for BTreeSet<T> {
    read! {}
}

impl<T: Element, S> Element for HashSet<T, S> {
    const TYPE: Type = Type::Set;

    fn describe() -> Described {
        Described::List(Shape::of::<T>())
    }
}

impl<T: Encode, S> Encode for HashSet<T, S> {
    written_set! {}
}

impl<'de, T, S> Fill<'de> for HashSet<T, S>
where
    T: Decode<'de> + Eq + Hash,
    S: BuildHasher + Default,
{
    read_set! { |set, count| { set.reserve(count); } }
}

impl<'de, T, S> Decode<'de> for HashSet<T, S>
where
    T: Decode<'de> + Eq + Hash,
    S: BuildHasher + Default,
{
    read! {}
}

impl<K: Element, V: Element> Element for BTreeMap<K, V> {
    const TYPE: Type = Type::Map;

    fn describe() -> Described {
        Described::Map(K::TYPE, Shape::of::<V>())
    }
}

impl<K: Encode, V: Encode> Encode for BTreeMap<K, V> {
    written_map! {}
}

impl<'de, K: Decode<'de> + Ord, V: Decode<'de>> Fill<'de> for BTreeMap<K, V> {
    read_map! { |_map, _count| {} }
}

impl<'de, K: Decode<'de> + Ord, V: Decode<'de>> Decode<'de> for BTreeMap<K, V> {
    read! {}
}

impl<K: Element, V: Element, S> Element for HashMap<K, V, S> {
    const TYPE: Type = Type::Map;

    fn describe() -> Described {
        Described::Map(K::TYPE, Shape::of::<V>())
    }
}

impl<K: Encode, V: Encode, S> Encode for HashMap<K, V, S> {
    written_map! {}
}

impl<'de, K, V, S> Fill<'de> for HashMap<K, V, S>
where
    K: Decode<'de> + Eq + Hash,
    V: Decode<'de>,
    S: BuildHasher + Default,
{
    read_map! { |map, count| { map.reserve(count); } }
}

impl<'de, K, V, S> Decode<'de> for HashMap<K, V, S>
where
    K: Decode<'de> + Eq + Hash,
    V: Decode<'de>,
    S: BuildHasher + Default,
{
    read! {}
}

#[cfg(feature = "indexmap")]
mod indexed {
    use super::*;
    use indexmap::{IndexMap, IndexSet};

    impl<T: Element, S> Element for IndexSet<T, S> {
        const TYPE: Type = Type::Set;

        fn describe() -> Described {
            Described::List(Shape::of::<T>())
        }
    }

    impl<T: Encode, S> Encode for IndexSet<T, S> {
        written_set! {}
    }

    impl<'de, T, S> Fill<'de> for IndexSet<T, S>
    where
        T: Decode<'de> + Eq + Hash,
        S: BuildHasher + Default,
    {
        read_set! { |set, count| { set.reserve(count); } }
    }

    impl<'de, T, S> Decode<'de> for IndexSet<T, S>
    where
        T: Decode<'de> + Eq + Hash,
        S: BuildHasher + Default,
    {
        read! {}
    }

    impl<K: Element, V: Element, S> Element for IndexMap<K, V, S> {
        const TYPE: Type = Type::Map;

        fn describe() -> Described {
            Described::Map(K::TYPE, Shape::of::<V>())
        }
    }

    impl<K: Encode, V: Encode, S> Encode for IndexMap<K, V, S> {
        written_map! {}
    }

    impl<'de, K, V, S> Fill<'de> for IndexMap<K, V, S>
    where
        K: Decode<'de> + Eq + Hash,
        V: Decode<'de>,
        S: BuildHasher + Default,
    {
        read_map! { |map, count| { map.reserve(count); } }
    }

    impl<'de, K, V, S> Decode<'de> for IndexMap<K, V, S>
    where
        K: Decode<'de> + Eq + Hash,
        V: Decode<'de>,
        S: BuildHasher + Default,
    {
        read! {}
    }
}
