//! Reading code shared by the binary and the compact protocol: a byte ends a struct, sizes precede
//! what they count, and lists of numbers are contiguous.

use crate::input::Input;
use crate::protocol::Reader;
use crate::unknown::Encoding;
use crate::{
    Envelope, Error, ErrorKind, Field, FieldHeader, Frame, Items, Outlines, Type, UnknownField,
};
use std::borrow::Cow;
use std::fmt::Debug;

/// Differences between the two protocols. A value of it holds the state that the reader needs.
pub trait Layout: Debug + Default {
    /// Encoding of its bytes.
    const ENCODING: Encoding;

    /// Largest byte that is a bool in a list. Only 1 is true.
    const LARGEST_BOOL: u8;

    /// Reads the envelope before a message.
    fn envelope<'de>(input: &mut Input<'de>) -> Result<Envelope<'de>, Error>;

    /// Reads the number of bytes or elements that follow.
    fn size(input: &mut Input<'_>) -> Result<usize, Error>;

    /// Reads the header of a field, after its first byte.
    fn field(
        &mut self,
        input: &mut Input<'_>,
        frame: &mut Frame,
        first: u8,
    ) -> Result<FieldHeader, Error>;

    /// Reads the header of a list or set: the number and the type of its elements. Any type if
    /// there are none.
    fn list(input: &mut Input<'_>) -> Result<(usize, Type), Error>;

    /// Reads the header of a map: the number of entries, and the types of key and value. Any types
    /// if there are none.
    fn map(input: &mut Input<'_>) -> Result<(usize, Type, Type), Error>;

    /// Returns the minimum size in bytes of a value of a type.
    fn smallest(kind: Type) -> usize;

    /// Returns whether all values of a type have the same number of bytes, and any bytes are valid.
    fn has_one_length(_: Type) -> bool {
        false
    }

    /// Returns the bytes after those fields at the start which a predicate does not select, as long as they are
    /// quickly skipped: valid ones with strings of up to `strings` bytes, and no containers.
    fn behind_fields<'de>(
        rest: &'de [u8],
        strings: usize,
        frame: &mut Frame,
        selects: impl Fn(i16) -> bool,
    ) -> &'de [u8];

    /// Returns the bytes after a value, if they are quickly found.
    fn behind<'de>(_: &Input<'de>, _: Type) -> Option<&'de [u8]> {
        None
    }

    /// Returns the bytes after a struct of a list, given the outlines of the structs before it.
    fn behind_alike<'de>(input: &Input<'de>, _: &mut Outlines) -> Option<&'de [u8]> {
        Self::behind(input, Type::Struct)
    }

    fn bool(&mut self, input: &mut Input<'_>) -> Result<bool, Error>;

    fn i16(input: &mut Input<'_>) -> Result<i16, Error>;

    fn i32(input: &mut Input<'_>) -> Result<i32, Error>;

    fn i64(input: &mut Input<'_>) -> Result<i64, Error>;

    fn double(input: &mut Input<'_>) -> Result<f64, Error>;

    /// Appends `count` elements. When the list began, it was checked that the input has their
    /// minimum size.
    fn i16s(input: &mut Input<'_>, count: usize, values: &mut Vec<i16>) -> Result<(), Error>;

    fn i32s(input: &mut Input<'_>, count: usize, values: &mut Vec<i32>) -> Result<(), Error>;

    fn i64s(input: &mut Input<'_>, count: usize, values: &mut Vec<i64>) -> Result<(), Error>;

    fn doubles(input: &mut Input<'_>, count: usize, values: &mut Vec<f64>) -> Result<(), Error>;
}

/// Reads [`Binary`](crate::Binary) or [`Compact`](crate::Compact).
#[derive(Debug)]
pub struct LayoutReader<'de, L> {
    input: Input<'de>,
    layout: L,
}

impl<'de, L: Layout> LayoutReader<'de, L> {
    #[inline]
    pub(crate) fn new(input: Input<'de>) -> Self {
        let layout = L::default();
        Self { input, layout }
    }

    #[inline]
    fn bytes(&mut self) -> Result<&'de [u8], Error> {
        let len = L::size(&mut self.input)?;
        self.input.take_string(len)
    }

    /// Appends the elements of a list, which ends after them.
    #[inline]
    fn elements<T>(
        &mut self,
        items: Items,
        values: &mut Vec<T>,
        append: impl FnOnce(&mut Input<'de>, usize, &mut Vec<T>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        items.reserve(values);
        append(&mut self.input, items.left, values)?;
        self.input.leave();
        Ok(())
    }
}

impl<'de, L: Layout> Reader<'de> for LayoutReader<'de, L> {
    #[inline]
    fn input(&mut self) -> &mut Input<'de> {
        &mut self.input
    }

    #[inline]
    fn finish(self) -> Input<'de> {
        self.input
    }

    fn message_begin(&mut self) -> Result<Envelope<'de>, Error> {
        L::envelope(&mut self.input)
    }

    fn message_end(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn struct_begin(&mut self) -> Result<Frame, Error> {
        self.input.enter()?;
        Ok(Frame::default())
    }

    // Inlined: a result that is stored in pieces and loaded in one is slow.
    #[inline(always)]
    fn field_begin(
        &mut self,
        frame: &mut Frame,
        _: &[Field],
    ) -> Result<Option<FieldHeader>, Error> {
        let first = self.input.byte()?;
        if first == 0 {
            self.input.leave();
            return Ok(None);
        }
        self.layout.field(&mut self.input, frame, first).map(Some)
    }

    #[inline]
    fn selected_field_begin(
        &mut self,
        frame: &mut Frame,
        fields: &[Field],
        selects: impl Fn(i16) -> bool,
    ) -> Result<Option<FieldHeader>, Error> {
        loop {
            let strings = self.input.limits().string;
            self.input.rest = L::behind_fields(self.input.rest, strings, frame, &selects);
            match self.field_begin(frame, fields)? {
                Some(header) if !selects(header.id) => self.skip(header.kind)?,
                found => return Ok(found),
            }
        }
    }

    #[inline]
    fn field_end(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self, _: Type, element: Option<Type>, cost: usize) -> Result<Items, Error> {
        let (len, kind) = L::list(&mut self.input)?;
        if len > 0 {
            self.input.expect(element, kind)?;
        }
        self.input
            .enter_items(len, (kind, kind), L::smallest(kind), cost)
    }

    #[inline]
    fn map_begin(&mut self, types: Option<(Type, Type)>, cost: usize) -> Result<Items, Error> {
        let (len, key, value) = L::map(&mut self.input)?;
        if len > 0 {
            self.input.expect(types.map(|types| types.0), key)?;
            self.input.expect(types.map(|types| types.1), value)?;
        }
        let smallest = L::smallest(key) + L::smallest(value);
        let mut items = self.input.enter_items(len, (key, value), smallest, cost)?;
        items.map = true;
        Ok(items)
    }

    #[inline]
    fn next(&mut self, items: &mut Items) -> Result<bool, Error> {
        Ok(self.input.next(items))
    }

    #[inline]
    fn bool(&mut self) -> Result<bool, Error> {
        self.layout.bool(&mut self.input)
    }

    #[inline]
    fn i8(&mut self) -> Result<i8, Error> {
        self.input.byte().map(u8::cast_signed)
    }

    #[inline]
    fn i16(&mut self) -> Result<i16, Error> {
        L::i16(&mut self.input)
    }

    #[inline]
    fn i32(&mut self) -> Result<i32, Error> {
        L::i32(&mut self.input)
    }

    #[inline]
    fn i64(&mut self) -> Result<i64, Error> {
        L::i64(&mut self.input)
    }

    #[inline]
    fn double(&mut self) -> Result<f64, Error> {
        L::double(&mut self.input)
    }

    #[inline]
    fn float(&mut self) -> Result<f32, Error> {
        self.input.array().map(f32::from_be_bytes)
    }

    #[inline]
    fn uuid(&mut self) -> Result<[u8; 16], Error> {
        self.input.array()
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'de, str>, Error> {
        let len = L::size(&mut self.input)?;
        self.input.take_text(len).map(Cow::Borrowed)
    }

    #[inline]
    fn binary(&mut self) -> Result<Cow<'de, [u8]>, Error> {
        self.bytes().map(Cow::Borrowed)
    }

    #[inline]
    fn bools(&mut self, items: Items, values: &mut Vec<bool>) -> Result<(), Error> {
        self.elements(items, values, |input, count, values| {
            let start = *input;
            let bytes = input.take(count)?;
            // Without branches, so that it is vectorised.
            if bytes.iter().fold(0, |largest, byte| largest.max(*byte)) > L::LARGEST_BOOL {
                let mut invalid = bytes.iter().zip(1..);
                return match invalid.find(|(byte, _)| **byte > L::LARGEST_BOOL) {
                    Some((byte, end)) => {
                        Err(start.error(ErrorKind::InvalidBool(*byte)).behind(end))
                    }
                    None => Ok(()),
                };
            }
            values.extend(bytes.iter().map(|byte| *byte == 1));
            Ok(())
        })
    }

    #[inline]
    fn i8s(&mut self, items: Items, values: &mut Vec<i8>) -> Result<(), Error> {
        self.elements(items, values, Input::big_endian)
    }

    #[inline]
    fn i16s(&mut self, items: Items, values: &mut Vec<i16>) -> Result<(), Error> {
        self.elements(items, values, L::i16s)
    }

    #[inline]
    fn i32s(&mut self, items: Items, values: &mut Vec<i32>) -> Result<(), Error> {
        self.elements(items, values, L::i32s)
    }

    #[inline]
    fn i64s(&mut self, items: Items, values: &mut Vec<i64>) -> Result<(), Error> {
        self.elements(items, values, L::i64s)
    }

    #[inline]
    fn doubles(&mut self, items: Items, values: &mut Vec<f64>) -> Result<(), Error> {
        self.elements(items, values, L::doubles)
    }

    #[inline]
    fn floats(&mut self, items: Items, values: &mut Vec<f32>) -> Result<(), Error> {
        self.elements(items, values, Input::big_endian)
    }

    fn skip(&mut self, kind: Type) -> Result<(), Error> {
        // The value of a bool may be in the header of its field.
        if matches!(kind, Type::Struct | Type::List | Type::Set)
            && let Some(rest) = L::behind(&self.input, kind)
        {
            self.input.rest = rest;
            return Ok(());
        }
        self.skip_slowly(kind)
    }

    #[inline]
    fn skip_alike(&mut self, kind: Type, outlines: &mut Outlines) -> Result<(), Error> {
        if kind == Type::Struct
            && let Some(rest) = L::behind_alike(&self.input, outlines)
        {
            self.input.rest = rest;
            return Ok(());
        }
        self.skip_slowly(kind)
    }

    fn has_one_length(&self, kind: Type) -> bool {
        L::has_one_length(kind)
    }

    fn skip_elements(&mut self, mut items: Items) -> Result<(), Error> {
        if L::has_one_length(items.element) {
            // The presence of these bytes was checked when the list began.
            self.input.take(items.left * L::smallest(items.element))?;
            items.left = 0;
        }
        while self.next(&mut items)? {
            self.skip_slowly(items.element)?;
        }
        Ok(())
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        self.bytes().map(drop)
    }

    fn unknown_field(&mut self, header: FieldHeader) -> Result<UnknownField, Error> {
        let start = self.input.rest;
        let bool;
        let bytes = if header.kind == Type::Bool {
            // Compact stores the value in the header.
            bool = [self.bool()?.into()];
            &bool[..]
        } else {
            self.skip(header.kind)?;
            &start[..start.len() - self.input.rest.len()]
        };
        self.input.charge(bytes.len())?;
        let FieldHeader { id, kind } = header;
        Ok(UnknownField::new(id, kind, L::ENCODING, bytes))
    }
}
