//! Reads JSON.

use super::text::{Text, parse_integer};
use super::{VERSION, kind};
use crate::input::{Input, Mark};
use crate::protocol::Reader;
use crate::unknown::Encoding;
use crate::{
    Envelope, Error, ErrorKind, Field, FieldHeader, Frame, Items, MessageKind, Type, UnknownField,
    Uuid,
};
use bytelane::base64::{self, DecodePadding, Engine};
use std::borrow::Cow;

/// Reads [`Json`](crate::Json), or [`SimpleJson`](crate::SimpleJson) if `SIMPLE`.
#[derive(Debug)]
pub struct JsonReader<'de, const SIMPLE: bool> {
    pub(super) text: Text<'de>,
    /// True if the next value is the key of a map, and so in quotes, unless it contains others.
    pub(super) key: bool,
}

/// Some writers pad, others do not.
const BASE64: Engine = base64::STANDARD.with_decode_padding(DecodePadding::Either);

/// Minimum size of an element with its separator, and of an entry of a map.
const SMALLEST_ELEMENT: usize = 2;
const SMALLEST_ENTRY: usize = 5;

impl<'de, const SIMPLE: bool> JsonReader<'de, SIMPLE> {
    #[inline]
    pub(super) fn new(input: Input<'de>) -> Self {
        Self {
            text: Text {
                input,
                separator: 0,
            },
            key: false,
        }
    }

    /// Starts a value that contains others. If it is a key, the values in it are none.
    #[inline]
    fn open(&mut self, bracket: u8, name: &'static str) -> Result<(), Error> {
        self.key = false;
        self.text.open(bracket, name)
    }

    /// Reads the name of a type.
    #[inline]
    fn kind(&mut self) -> Result<Type, Error> {
        let start = self.text.input;
        match self.text.word()?.and_then(kind) {
            Some(kind) => Ok(kind),
            None => Err(start.error(ErrorKind::Syntax {
                expected: "the name of a type",
            })),
        }
    }

    /// Reads the header of a field, with any whitespace.
    #[cold]
    fn any_header(&mut self) -> Result<FieldHeader, Error> {
        let start = self.text.input;
        let id = parse_integer(self.text.word()?.unwrap_or_default());
        let id = id.map_err(|kind| start.error(kind))?;
        let id = i16::try_from(id).map_err(|_| start.error(ErrorKind::InvalidFieldId))?;
        self.text.separator = b':';
        self.text.open(b'{', "`{`")?;
        let kind = self.kind()?;
        self.text.separator = b':';
        Ok(FieldHeader { id, kind })
    }

    /// Reads the size of a container.
    #[inline]
    fn size(&mut self) -> Result<usize, Error> {
        self.text.separate()?;
        let size = self.text.integer()?;
        match u32::try_from(size) {
            Ok(size) => self.text.input.size(size),
            Err(_) => Err(self.text.input.error(ErrorKind::InvalidSize(size))),
        }
    }

    /// Enters a container whose size is not in the format.
    #[inline]
    fn enter_unsized(&mut self, types: (Type, Type)) -> Result<Items, Error> {
        let mut items = self.text.input.enter_items(0, types, 0, 0)?;
        items.left = Items::UNKNOWN;
        Ok(items)
    }

    /// Reads binary in base64, reusing the memory of another value.
    fn decode_base64(&mut self, value: &mut Vec<u8>) -> Result<(), Error> {
        let start = self.text.input;
        let text = self.text.string()?;
        let most = text.len() / 4 * 3 + 3;
        self.text.input.charge(most)?;
        value.clear();
        value.reserve_exact(most);
        match BASE64.decode_append(text.as_bytes(), value) {
            Ok(_) => Ok(()),
            Err(error) => {
                let is_plain = matches!(text, Cow::Borrowed(_));
                Err(base64_error(&start, error.offset().filter(|_| is_plain)))
            }
        }
    }
}

/// Returns the error for a text that starts, with whitespace and a quote, at `start`; `offset` is
/// the offset in the text, if it is valid in the message as well.
#[cold]
fn base64_error(start: &Input<'_>, offset: Option<usize>) -> Error {
    let quote = start.rest.iter().position(|&byte| byte == b'"');
    let error = start.error(ErrorKind::InvalidBase64);
    error.behind(quote.unwrap_or(0) + offset.map_or(0, |offset| offset + 1))
}

impl<'de, const SIMPLE: bool> Reader<'de> for JsonReader<'de, SIMPLE> {
    #[inline]
    fn input(&mut self) -> &mut Input<'de> {
        &mut self.text.input
    }

    #[inline]
    fn finish(self) -> Input<'de> {
        self.text.input
    }

    fn end(&mut self) -> Result<(), Error> {
        let input = &mut self.text.input;
        input.rest = input.rest.trim_ascii_start();
        match input.rest {
            [] => Ok(()),
            _ => Err(input.error(ErrorKind::TrailingBytes)),
        }
    }

    #[inline]
    fn mark(&mut self) -> Mark<'de> {
        let mut mark = self.text.input.mark();
        (mark.separator, mark.key) = (self.text.separator, self.key);
        mark
    }

    fn reset(&mut self, mark: &Mark<'de>) {
        self.text.input.reset(mark);
        (self.text.separator, self.key) = (mark.separator, mark.key);
    }

    fn message_begin(&mut self) -> Result<Envelope<'de>, Error> {
        let start = self.text.input;
        self.open(b'[', "`[`")?;
        if self.integer::<i64>()? != VERSION {
            return Err(start.error(ErrorKind::InvalidVersion));
        }
        let name = self.string()?;
        let start = self.text.input;
        let number = self.integer::<u8>()?;
        let kind = MessageKind::from_number(number)
            .ok_or_else(|| start.error(ErrorKind::InvalidMessageKind(number)))?;
        Ok(Envelope {
            name,
            kind,
            sequence: self.i32()?,
        })
    }

    fn message_end(&mut self) -> Result<(), Error> {
        self.text.close(b']', "`]`")
    }

    #[inline]
    fn struct_begin(&mut self) -> Result<Frame, Error> {
        self.text.input.enter()?;
        self.open(b'{', "`{`")?;
        Ok(Frame::default())
    }

    // Inlined: a result that is stored in pieces and loaded in one is slow.
    #[inline(always)]
    fn field_begin(
        &mut self,
        frame: &mut Frame,
        fields: &[Field],
    ) -> Result<Option<FieldHeader>, Error> {
        if SIMPLE {
            return self.named_field(frame, fields);
        }
        if self.text.closes(b'}')? {
            self.text.input.leave();
            return Ok(None);
        }
        if let Some(header) = self.text.plain_header() {
            return Ok(Some(header));
        }
        self.any_header().map(Some)
    }

    #[inline]
    fn field_end(&mut self) -> Result<(), Error> {
        if SIMPLE {
            return Ok(());
        }
        self.text.close(b'}', "`}`")
    }

    fn list_begin(
        &mut self,
        list: Type,
        element: Option<Type>,
        cost: usize,
    ) -> Result<Items, Error> {
        self.open(b'[', "`[`")?;
        if SIMPLE {
            let element = element.unwrap_or(list);
            return self.enter_unsized((element, element));
        }
        let kind = self.kind()?;
        let len = self.size()?;
        if len > 0 {
            self.text.input.expect(element, kind)?;
        }
        let smallest = SMALLEST_ELEMENT;
        self.text
            .input
            .enter_items(len, (kind, kind), smallest, cost)
    }

    fn map_begin(&mut self, types: Option<(Type, Type)>, cost: usize) -> Result<Items, Error> {
        if SIMPLE {
            self.open(b'{', "`{`")?;
            let mut items = self.enter_unsized(types.unwrap_or((Type::Map, Type::Map)))?;
            items.map = true;
            return Ok(items);
        }
        self.open(b'[', "`[`")?;
        let (key, value) = (self.kind()?, self.kind()?);
        let len = self.size()?;
        self.open(b'{', "`{`")?;
        if len > 0 {
            self.text.input.expect(types.map(|types| types.0), key)?;
            self.text.input.expect(types.map(|types| types.1), value)?;
        }
        let mut items = self
            .text
            .input
            .enter_items(len, (key, value), SMALLEST_ENTRY, cost)?;
        items.map = true;
        Ok(items)
    }

    #[inline]
    fn next(&mut self, items: &mut Items) -> Result<bool, Error> {
        if SIMPLE {
            if self.text.closes(if items.map { b'}' } else { b']' })? {
                self.text.input.leave();
                return Ok(false);
            }
            return Ok(true);
        }
        if self.text.input.next(items) {
            return Ok(true);
        }
        if items.map {
            self.text.close(b'}', "`}`")?;
        }
        self.text.close(b']', "`]`")?;
        Ok(false)
    }

    #[inline]
    fn key_begin(&mut self) {
        self.key = true;
    }

    #[inline]
    fn value_begin(&mut self) {
        self.key = false;
        self.text.separator = b':';
    }

    #[inline]
    fn bool(&mut self) -> Result<bool, Error> {
        if !SIMPLE {
            let value = self.integer::<u8>()?;
            return match value {
                0 | 1 => Ok(value == 1),
                _ => Err(self.text.input.error(ErrorKind::InvalidBool(value))),
            };
        }
        self.text.separate()?;
        if self.key {
            self.text.expect(b'"', "`\"`")?;
        }
        let value = match self.text.peek()? {
            digit @ (b'0' | b'1') if self.text.input.lenient_json => {
                self.text.input.byte()?;
                digit == b'1'
            }
            first => {
                self.keyword(if first == b't' { "true" } else { "false" })?;
                first == b't'
            }
        };
        if self.key {
            self.text.expect(b'"', "`\"`")?;
        }
        Ok(value)
    }

    #[inline]
    fn i8(&mut self) -> Result<i8, Error> {
        self.integer()
    }

    #[inline]
    fn i16(&mut self) -> Result<i16, Error> {
        self.integer()
    }

    #[inline]
    fn i32(&mut self) -> Result<i32, Error> {
        self.integer()
    }

    #[inline]
    fn i64(&mut self) -> Result<i64, Error> {
        self.integer()
    }

    #[inline]
    fn i8s(&mut self, items: Items, values: &mut Vec<i8>) -> Result<(), Error> {
        self.integers(items, values)
    }

    #[inline]
    fn i16s(&mut self, items: Items, values: &mut Vec<i16>) -> Result<(), Error> {
        self.integers(items, values)
    }

    #[inline]
    fn i32s(&mut self, items: Items, values: &mut Vec<i32>) -> Result<(), Error> {
        self.integers(items, values)
    }

    #[inline]
    fn i64s(&mut self, items: Items, values: &mut Vec<i64>) -> Result<(), Error> {
        self.integers(items, values)
    }

    #[inline]
    fn doubles(&mut self, items: Items, values: &mut Vec<f64>) -> Result<(), Error> {
        self.decimals(items, values)
    }

    #[inline]
    fn double(&mut self) -> Result<f64, Error> {
        self.real(|value| value, |value| value.is_infinite())
    }

    fn float(&mut self) -> Result<f32, Error> {
        self.real(|value| value as f32, |value| value.is_infinite())
    }

    fn uuid(&mut self) -> Result<[u8; 16], Error> {
        let start = self.text.input;
        let text = self.text.string()?;
        match text.parse::<Uuid>() {
            Ok(uuid) => Ok(uuid.0),
            Err(_) => Err(start.error(ErrorKind::InvalidUuid)),
        }
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'de, str>, Error> {
        self.text.string()
    }

    #[inline]
    fn string_into(&mut self, value: &mut String) -> Result<(), Error> {
        self.text.string_into(value)
    }

    fn binary(&mut self) -> Result<Cow<'de, [u8]>, Error> {
        let mut value = Vec::new();
        self.decode_base64(&mut value)?;
        Ok(Cow::Owned(value))
    }

    fn binary_into(&mut self, value: &mut Vec<u8>) -> Result<(), Error> {
        self.decode_base64(value)
    }

    fn skip(&mut self, kind: Type) -> Result<(), Error> {
        match (SIMPLE, self.key) {
            // The text does not have the types of elements, but it shows where a value ends.
            (true, false) => self.skip_value(),
            (true, true) => self.skip_key(),
            (false, _) => self.skip_slowly(kind),
        }
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        self.text.string().map(drop)
    }

    fn unknown_field(&mut self, header: FieldHeader) -> Result<UnknownField, Error> {
        self.text.separate()?;
        self.text.peek()?;
        let start = self.text.input.rest;
        self.text.separator = 0;
        self.skip(header.kind)?;
        let bytes = &start[..start.len() - self.text.input.rest.len()];
        self.text.input.charge(bytes.len())?;
        let FieldHeader { id, kind } = header;
        Ok(UnknownField::new(id, kind, Encoding::Json, bytes))
    }
}
