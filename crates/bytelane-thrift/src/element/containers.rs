//! Lists, sets and maps.

use super::Element;
use crate::protocol::{Reader, Writer};
use crate::wire::Segment;
use crate::{Error, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

impl<'de, T: Element<'de>> Element<'de> for Vec<T> {
    const TYPE: Type = Type::List;

    #[inline]
    fn room(&self) -> usize {
        5 + self.iter().map(Element::room).sum::<usize>()
    }

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.list_begin(Type::List, T::TYPE, self.len())?;
        T::write_list(self, writer)?;
        writer.list_end();
        Ok(())
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        let mut values = Vec::new();
        values.read_into(reader)?;
        Ok(values)
    }

    #[inline]
    fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
        self.clear();
        let items = reader.list_begin(Type::List, Some(T::TYPE), size_of::<T>())?;
        T::read_list(reader, items, self)
    }
}

/// The two methods that all sets have in common: writing in the order of iteration, reading by
/// insertion.
macro_rules! set {
    () => {
        const TYPE: Type = Type::Set;

        // To go through a tree or a table takes longer than to reserve memory again.
        fn room(&self) -> usize {
            5 + self.len() * size_of::<T>()
        }

        fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
            writer.list_begin(Type::Set, T::TYPE, self.len())?;
            for (i, value) in self.iter().enumerate() {
                value
                    .write(writer)
                    .map_err(|error| error.within(Segment::Index(i)))?;
            }
            writer.list_end();
            Ok(())
        }

        #[inline]
        fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
            let mut values = Self::default();
            values.read_into(reader)?;
            Ok(values)
        }

        fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
            self.clear();
            let mut items = reader.list_begin(Type::Set, Some(T::TYPE), size_of::<T>())?;
            let mut i = 0;
            while reader.next(&mut items)? {
                let value = T::read(reader).map_err(|error| error.within(Segment::Index(i)))?;
                self.insert(value);
                i += 1;
            }
            Ok(())
        }
    };
}

/// As `set!`, for maps.
macro_rules! map {
    () => {
        const TYPE: Type = Type::Map;

        fn room(&self) -> usize {
            6 + self.len() * (size_of::<K>() + size_of::<V>())
        }

        fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
            writer.map_begin(K::TYPE, V::TYPE, self.len())?;
            for (i, (key, value)) in self.iter().enumerate() {
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

        #[inline]
        fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
            let mut values = Self::default();
            values.read_into(reader)?;
            Ok(values)
        }

        fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
            self.clear();
            let mut items = reader.map_begin(Some((K::TYPE, V::TYPE)), size_of::<(K, V)>())?;
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
                self.insert(key, value);
                i += 1;
            }
            Ok(())
        }
    };
}

impl<'de, T: Element<'de> + Ord> Element<'de> for BTreeSet<T> {
    set! {}
}

impl<'de, T, S> Element<'de> for HashSet<T, S>
where
    T: Element<'de> + Eq + Hash,
    S: BuildHasher + Default,
{
    set! {}
}

impl<'de, K: Element<'de> + Ord, V: Element<'de>> Element<'de> for BTreeMap<K, V> {
    map! {}
}

impl<'de, K, V, S> Element<'de> for HashMap<K, V, S>
where
    K: Element<'de> + Eq + Hash,
    V: Element<'de>,
    S: BuildHasher + Default,
{
    map! {}
}
