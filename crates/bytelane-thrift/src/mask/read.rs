//! Reads only the parts that a mask selects.

use super::key::Key;
use super::node::Node;
use super::position::{Kind, Position};
use crate::input::{Input, Mark};
use crate::protocol::Reader;
use crate::{Envelope, Error, Field, FieldHeader, Frame, Items, Outlines, Type, UnknownField};
use std::borrow::Cow;

/// Reader that skips what a mask does not select, so that code that reads never sees it.
#[derive(Debug)]
pub(crate) struct MaskedReader<'m, R> {
    inner: R,
    at: Position<'m, Items>,
}

impl<'m, R> MaskedReader<'m, R> {
    pub(crate) fn new(inner: R, node: &'m Node) -> Self {
        Self {
            inner,
            at: Position::new(node),
        }
    }
}

impl<'m, 'de, R: Reader<'de>> MaskedReader<'m, R> {
    /// Goes to the next selected element or entry. False at the end, where the container is left.
    fn next_part(&mut self) -> Result<bool, Error> {
        let (mut items, mut index) = match self.at.level.kind {
            Kind::Part(items, index) => {
                self.at.within = 0;
                (items, index)
            }
            Kind::Container(items, index) => (items, index),
            Kind::Struct => {
                // An element of which parts are selected.
                self.at.leave();
                match self.at.level.kind {
                    Kind::Container(items, index) => (items, index),
                    _ => return Ok(false),
                }
            }
        };
        let node = self.at.level.node;
        let has_keys = node.has_keys();
        loop {
            if !self.inner.next(&mut items)? {
                self.at.leave();
                return Ok(false);
            }
            let part = match items.map {
                false => node.number(index),
                true if has_keys => {
                    let mark = self.inner.mark();
                    let part = part_with_key(&mut self.inner, node, items.element)?;
                    if !part.is_nothing() {
                        self.inner.reset(&mark);
                    }
                    part
                }
                true => node.entry(Key::Other),
            };
            index += 1;
            if !part.is_nothing() {
                self.at.level.kind = if part.is_all() {
                    Kind::Part(items, index)
                } else {
                    Kind::Container(items, index)
                };
                self.at.enter(part, Kind::Struct);
                return Ok(true);
            }
            if items.map {
                if !has_keys {
                    self.inner.key_begin();
                    self.inner.skip(items.element)?;
                }
                self.inner.value_begin();
                self.inner.skip(items.value)?;
            } else {
                self.inner.skip(items.element)?
            }
        }
    }

    /// Starts a container. If parts of it are selected, code that reads it is not told its length, so
    /// that it reserves nothing.
    fn begin(
        &mut self,
        cost: usize,
        begin: impl FnOnce(&mut R, usize) -> Result<Items, Error>,
    ) -> Result<Items, Error> {
        if self.at.is_all() {
            let items = begin(&mut self.inner, cost)?;
            self.at.within += 1;
            return Ok(items);
        }
        let items = begin(&mut self.inner, 0)?;
        self.at.enter(self.at.level.node, Kind::Container(items, 0));
        let left = Items::UNKNOWN;
        Ok(Items { left, ..items })
    }
}

/// Reads a key, and returns what is selected of its entry.
fn part_with_key<'m, 'de, R: Reader<'de>>(
    reader: &mut R,
    node: &'m Node,
    kind: Type,
) -> Result<&'m Node, Error> {
    reader.key_begin();
    let number = match kind {
        Type::I8 => reader.i8()?.into(),
        Type::I16 => reader.i16()?.into(),
        Type::I32 => reader.i32()?.into(),
        Type::I64 => reader.i64()?,
        Type::String => return Ok(node.entry(Key::Text(reader.string()?.as_bytes()))),
        other => {
            reader.skip(other)?;
            return Ok(node.entry(Key::Other));
        }
    };
    Ok(node.entry(Key::Number(number)))
}

/// Defines methods that read a value unchanged.
macro_rules! values {
    ($($method:ident $T:ty)*) => { $(
        #[inline]
        fn $method(&mut self) -> Result<$T, Error> {
            self.inner.$method()
        }
    )* };
}

/// Defines methods that read the elements of a list: one by one, if not all are selected.
macro_rules! lists {
    ($($method:ident $one:ident $T:ty)*) => { $(
        fn $method(&mut self, mut items: Items, values: &mut Vec<$T>) -> Result<(), Error> {
            if self.at.within > 0 {
                self.inner.$method(items, values)?;
                self.at.within -= 1;
                return Ok(());
            }
            while self.next(&mut items)? {
                let value = self.inner.$one()?;
                items.make_room(self.inner.input(), values)?;
                values.push(value);
            }
            Ok(())
        }
    )* };
}

impl<'de, R: Reader<'de>> Reader<'de> for MaskedReader<'_, R> {
    #[inline]
    fn input(&mut self) -> &mut Input<'de> {
        self.inner.input()
    }

    fn finish(self) -> Input<'de> {
        self.inner.finish()
    }

    fn end(&mut self) -> Result<(), Error> {
        self.inner.end()
    }

    fn mark(&mut self) -> Mark<'de> {
        let mut mark = self.inner.mark();
        mark.level = self.at.mark();
        mark
    }

    fn reset(&mut self, mark: &Mark<'de>) {
        self.inner.reset(mark);
        self.at.reset(mark.level);
    }

    fn is_hidden(&self, id: i16) -> bool {
        self.at.within == 0 && !self.at.level.node.selects(id)
    }

    fn message_begin(&mut self) -> Result<Envelope<'de>, Error> {
        self.inner.message_begin()
    }

    fn message_end(&mut self) -> Result<(), Error> {
        self.inner.message_end()
    }

    fn struct_begin(&mut self) -> Result<Frame, Error> {
        self.inner.struct_begin()
    }

    #[inline]
    fn field_begin(
        &mut self,
        frame: &mut Frame,
        fields: &[Field],
    ) -> Result<Option<FieldHeader>, Error> {
        if self.at.is_all() {
            let header = self.inner.field_begin(frame, fields)?;
            self.at.within += u32::from(header.is_some());
            return Ok(header);
        }
        let node = self.at.level.node;
        let selects = node.selector();
        let header = self.inner.selected_field_begin(frame, fields, selects)?;
        if let Some(header) = header {
            self.at.enter(node.number(header.id.into()), Kind::Struct);
        }
        Ok(header)
    }

    #[inline]
    fn field_end(&mut self) -> Result<(), Error> {
        self.at.leave();
        self.inner.field_end()
    }

    fn list_begin(
        &mut self,
        kind: Type,
        element: Option<Type>,
        cost: usize,
    ) -> Result<Items, Error> {
        self.begin(cost, |inner, cost| inner.list_begin(kind, element, cost))
    }

    fn map_begin(&mut self, types: Option<(Type, Type)>, cost: usize) -> Result<Items, Error> {
        self.begin(cost, |inner, cost| inner.map_begin(types, cost))
    }

    fn next(&mut self, items: &mut Items) -> Result<bool, Error> {
        let is_own = match self.at.level.kind {
            Kind::Part(..) => self.at.within <= 1,
            _ => self.at.within == 0,
        };
        if is_own {
            return self.next_part();
        }
        let more = self.inner.next(items)?;
        self.at.within -= u32::from(!more);
        Ok(more)
    }

    fn key_begin(&mut self) {
        // Keys are selected as a whole.
        self.at.within += 1;
        self.inner.key_begin();
    }

    fn value_begin(&mut self) {
        self.at.within -= 1;
        self.inner.value_begin();
    }

    values! {
        bool bool
        i8 i8
        i16 i16
        i32 i32
        i64 i64
        double f64
        float f32
        uuid [u8; 16]
        string Cow<'de, str>
        binary Cow<'de, [u8]>
    }

    fn string_into(&mut self, value: &mut String) -> Result<(), Error> {
        self.inner.string_into(value)
    }

    fn binary_into(&mut self, value: &mut Vec<u8>) -> Result<(), Error> {
        self.inner.binary_into(value)
    }

    lists! {
        bools bool bool
        i8s i8 i8
        i16s i16 i16
        i32s i32 i32
        i64s i64 i64
        doubles double f64
        floats float f32
    }

    fn skip(&mut self, kind: Type) -> Result<(), Error> {
        self.inner.skip(kind)
    }

    fn skip_alike(&mut self, kind: Type, outlines: &mut Outlines) -> Result<(), Error> {
        self.inner.skip_alike(kind, outlines)
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        self.inner.skip_string()
    }

    fn unknown_field(&mut self, header: FieldHeader) -> Result<UnknownField, Error> {
        self.inner.unknown_field(header)
    }
}
