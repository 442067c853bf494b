//! Reads JSON for generated code.

use super::{apache_error, from_apache, invalid, message_type, not_implemented, to_apache};
use crate::json::{End, JsonReader, Place};
use crate::protocol::Reader;
use crate::{Error, Frame, Items, Limits, Options, Type};
use std::io::Read;
use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TInputProtocolFactory, TListIdentifier, TMapIdentifier,
    TMessageIdentifier, TSetIdentifier, TStructIdentifier, TType,
};
use thrift::transport::TReadTransport;
use thrift::{ProtocolErrorKind, TransportErrorKind, new_protocol_error, new_transport_error};

/// Apache's JSON protocol, as an input protocol of the crate `thrift`.
///
/// A message, or a struct outside of one, is read from the transport as a whole;
/// [`Limits::total_allocation`] limits its size. Bytes that the transport returns beyond its end
/// are kept for the next message.
#[derive(Debug)]
pub struct TJsonInputProtocol<T> {
    transport: T,
    options: Options,
    /// Bytes from the transport, from the start of a message on.
    buffer: Vec<u8>,
    /// Length of the message being read, and the position in it.
    len: usize,
    place: Place,
    /// Levels around the current position, outermost first.
    levels: Vec<Level>,
}

#[derive(Debug)]
enum Level {
    Message,
    /// A struct, and whether one of its fields has begun.
    Struct(bool),
    List(Items),
    /// A map, and whether a key is next.
    Map(Items, bool),
}

impl<T: Read> TJsonInputProtocol<T> {
    /// Reads from a transport, within the default [`Limits`].
    pub fn new(transport: T) -> Self {
        Self::with_limits(transport, Limits::default())
    }

    /// Reads from a transport, within limits of the caller's choice.
    pub fn with_limits(transport: T, limits: Limits) -> Self {
        Self::with_options(transport, limits)
    }

    /// Reads from a transport, with [`Options`] or [`Limits`] of the caller's choice.
    pub fn with_options(transport: T, options: impl Into<Options>) -> Self {
        let options = options.into();
        Self {
            transport,
            options,
            buffer: Vec::new(),
            len: 0,
            place: Place::start(&options),
            levels: Vec::new(),
        }
    }

    /// Reads a message from the transport: up to the bracket that closes the first one.
    fn load(&mut self) -> thrift::Result<()> {
        let mut end = End::default();
        let mut seen = 0;
        loop {
            if let Some(len) = end.find(&self.buffer[seen..]) {
                self.len = seen + len;
                self.place = Place::start(&self.options);
                return Ok(());
            }
            seen = self.buffer.len();
            if seen > self.options.limits.total_allocation {
                let message = format!("a message of more than {seen} bytes");
                return Err(new_protocol_error(ProtocolErrorKind::SizeLimit, message));
            }
            let mut part = [0; 4096];
            match self.transport.read(&mut part)? {
                0 => {
                    let message = "the transport ends within the message";
                    return Err(new_transport_error(TransportErrorKind::EndOfFile, message));
                }
                read => self.buffer.extend_from_slice(&part[..read]),
            }
        }
    }

    /// Continues reading the message.
    fn read<V>(
        &mut self,
        read: impl FnOnce(&mut JsonReader<'_, false>) -> Result<V, Error>,
    ) -> thrift::Result<V> {
        let mut reader = JsonReader::resume(&self.buffer[..self.len], self.place);
        let value = read(&mut reader);
        self.place = reader.suspend();
        value.map_err(apache_error)
    }

    /// Reads a value.
    fn value<V>(
        &mut self,
        read: impl FnOnce(&mut JsonReader<'_, false>) -> Result<V, Error>,
    ) -> thrift::Result<V> {
        let is_key = match self.levels.last_mut() {
            None => {
                self.load()?;
                None
            }
            Some(Level::Map(_, key_is_next)) => {
                let is_key = *key_is_next;
                *key_is_next = !is_key;
                Some(is_key)
            }
            Some(_) => None,
        };
        self.read(|reader| {
            match is_key {
                Some(true) => reader.key_begin(),
                Some(false) => reader.value_begin(),
                None => {}
            }
            read(reader)
        })
    }

    /// Leaves a level. After the outermost one, the message has been read.
    fn leave(&mut self) {
        self.levels.pop();
        if self.levels.is_empty() {
            self.drop_message();
        }
    }

    fn drop_message(&mut self) {
        self.levels.clear();
        self.buffer.drain(..self.len);
        self.len = 0;
    }

    /// Ends the field that has begun, if one has. When generated code has a struct skipped, it may
    /// not report where its fields end.
    fn end_field(&mut self) -> thrift::Result<()> {
        match self.levels.last_mut() {
            Some(Level::Struct(begun)) => {
                if std::mem::take(begun) {
                    self.read(|reader| reader.field_end())?;
                }
                Ok(())
            }
            _ => Err(invalid("a field outside of a struct")),
        }
    }

    fn list_begin(&mut self, kind: Type) -> thrift::Result<(TType, i32)> {
        let items = self.value(|reader| reader.list_begin(kind, None, 0))?;
        self.levels.push(Level::List(items));
        Ok((to_apache(items.element)?, size(&items)))
    }

    /// Ends a list, set or map whose elements have all been read.
    fn items_end(&mut self) -> thrift::Result<()> {
        let (Some(Level::List(items)) | Some(Level::Map(items, _))) = self.levels.last() else {
            return Err(invalid("the end of a container outside of one"));
        };
        let mut items = Items { left: 0, ..*items };
        self.read(|reader| reader.next(&mut items))?;
        self.leave();
        Ok(())
    }
}

/// Returns the number of elements, which the formats limit to `i32`.
fn size(items: &Items) -> i32 {
    i32::try_from(items.left).unwrap_or(i32::MAX)
}

impl<T: Read> TInputProtocol for TJsonInputProtocol<T> {
    fn read_message_begin(&mut self) -> thrift::Result<TMessageIdentifier> {
        // Generated servers do not report where a call ends.
        self.drop_message();
        let identifier = self.value(|reader| {
            let envelope = reader.message_begin()?;
            let kind = message_type(envelope.kind);
            Ok(TMessageIdentifier::new(
                envelope.name,
                kind,
                envelope.sequence,
            ))
        })?;
        self.levels.push(Level::Message);
        Ok(identifier)
    }

    fn read_message_end(&mut self) -> thrift::Result<()> {
        self.read(|reader| reader.message_end())?;
        self.leave();
        Ok(())
    }

    fn read_struct_begin(&mut self) -> thrift::Result<Option<TStructIdentifier>> {
        self.value(|reader| reader.struct_begin())?;
        self.levels.push(Level::Struct(false));
        Ok(None)
    }

    fn read_struct_end(&mut self) -> thrift::Result<()> {
        self.leave();
        Ok(())
    }

    fn read_field_begin(&mut self) -> thrift::Result<TFieldIdentifier> {
        self.end_field()?;
        // JSON needs no state between fields.
        let header = self.read(|reader| reader.field_begin(&mut Frame::default(), &[]))?;
        let Some(header) = header else {
            return Ok(TFieldIdentifier::new::<Option<String>, String, _>(
                None,
                TType::Stop,
                None,
            ));
        };
        if let Some(Level::Struct(begun)) = self.levels.last_mut() {
            *begun = true;
        }
        let kind = to_apache(header.kind)?;
        Ok(TFieldIdentifier::new::<Option<String>, String, _>(
            None, kind, header.id,
        ))
    }

    fn read_field_end(&mut self) -> thrift::Result<()> {
        self.end_field()
    }

    fn read_bool(&mut self) -> thrift::Result<bool> {
        self.value(|reader| reader.bool())
    }

    fn read_bytes(&mut self) -> thrift::Result<Vec<u8>> {
        self.value(|reader| reader.binary().map(Into::into))
    }

    fn skip_binary(&mut self) -> thrift::Result<()> {
        self.value(|reader| reader.skip_string())
    }

    fn read_i8(&mut self) -> thrift::Result<i8> {
        self.value(|reader| reader.i8())
    }

    fn read_i16(&mut self) -> thrift::Result<i16> {
        self.value(|reader| reader.i16())
    }

    fn read_i32(&mut self) -> thrift::Result<i32> {
        self.value(|reader| reader.i32())
    }

    fn read_i64(&mut self) -> thrift::Result<i64> {
        self.value(|reader| reader.i64())
    }

    fn read_double(&mut self) -> thrift::Result<f64> {
        self.value(|reader| reader.double())
    }

    fn read_uuid(&mut self) -> thrift::Result<uuid::Uuid> {
        self.value(|reader| reader.uuid().map(uuid::Uuid::from_bytes))
    }

    fn read_string(&mut self) -> thrift::Result<String> {
        self.value(|reader| reader.string().map(Into::into))
    }

    fn read_list_begin(&mut self) -> thrift::Result<TListIdentifier> {
        let (element, size) = self.list_begin(Type::List)?;
        Ok(TListIdentifier::new(element, size))
    }

    fn read_list_end(&mut self) -> thrift::Result<()> {
        self.items_end()
    }

    fn read_set_begin(&mut self) -> thrift::Result<TSetIdentifier> {
        let (element, size) = self.list_begin(Type::Set)?;
        Ok(TSetIdentifier::new(element, size))
    }

    fn read_set_end(&mut self) -> thrift::Result<()> {
        self.items_end()
    }

    fn read_map_begin(&mut self) -> thrift::Result<TMapIdentifier> {
        let items = self.value(|reader| reader.map_begin(None, 0))?;
        self.levels.push(Level::Map(items, true));
        let (key, value) = (to_apache(items.element)?, to_apache(items.value)?);
        Ok(TMapIdentifier::new(key, value, size(&items)))
    }

    fn read_map_end(&mut self) -> thrift::Result<()> {
        self.items_end()
    }

    /// Skips within the protocol's own [`Limits`], ignoring `depth`.
    fn skip_till_depth(&mut self, kind: TType, _depth: i8) -> thrift::Result<()> {
        let kind = from_apache(kind)?;
        self.value(|reader| reader.skip(kind))
    }

    fn read_byte(&mut self) -> thrift::Result<u8> {
        Err(not_implemented(
            "JSON cannot contain single bytes".to_owned(),
        ))
    }
}

/// Creates [`TJsonInputProtocol`]s.
#[derive(Clone, Copy, Debug, Default)]
pub struct TJsonInputProtocolFactory {
    /// Limits of these protocols.
    pub limits: Limits,
}

impl TInputProtocolFactory for TJsonInputProtocolFactory {
    fn create(&self, transport: Box<dyn TReadTransport + Send>) -> Box<dyn TInputProtocol + Send> {
        Box::new(TJsonInputProtocol::with_limits(transport, self.limits))
    }
}
