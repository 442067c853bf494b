//! Writes JSON and SimpleJSON for generated code.

use super::{apache_error, from_apache, invalid, message_kind, not_implemented};
use crate::json::{JsonProtocol, JsonWriter};
use crate::protocol::{Protocol, Writer};
use crate::{Envelope, Error, Frame, Limits, Type};
use std::io::Write;
use thrift::protocol::{
    TFieldIdentifier, TListIdentifier, TMapIdentifier, TMessageIdentifier, TOutputProtocol,
    TOutputProtocolFactory, TSetIdentifier, TStructIdentifier, TType,
};
use thrift::transport::TWriteTransport;

/// Apache's JSON protocol, as an output protocol of the crate `thrift`.
pub type TJsonOutputProtocol<T> = JsonOutputProtocol<T, false>;

/// SimpleJSON, as an output protocol of the crate `thrift`.
pub type TSimpleJsonOutputProtocol<T> = JsonOutputProtocol<T, true>;

/// [`TJsonOutputProtocol`], or [`TSimpleJsonOutputProtocol`] if `SIMPLE`.
///
/// A message, or a struct outside of one, is written to the transport when it ends.
#[derive(Debug)]
pub struct JsonOutputProtocol<T, const SIMPLE: bool> {
    transport: T,
    writer: JsonWriter<Vec<u8>, SIMPLE>,
    /// Levels around the next value, outermost first.
    levels: Vec<Level>,
}

#[derive(Debug)]
enum Level {
    Message,
    Struct(Frame),
    List,
    /// A map, and whether a key is next.
    Map(bool),
}

fn new_writer<const SIMPLE: bool>() -> JsonWriter<Vec<u8>, SIMPLE> {
    JsonProtocol::<SIMPLE>::writer(Vec::new(), &Limits::default())
}

impl<T: Write, const SIMPLE: bool> JsonOutputProtocol<T, SIMPLE> {
    /// Writes to a transport.
    pub fn new(transport: T) -> Self {
        Self {
            transport,
            writer: new_writer(),
            levels: Vec::new(),
        }
    }

    /// Writes a value.
    fn value<V>(
        &mut self,
        write: impl FnOnce(&mut JsonWriter<Vec<u8>, SIMPLE>) -> Result<V, Error>,
    ) -> thrift::Result<V> {
        if let Some(Level::Map(key_is_next)) = self.levels.last_mut() {
            if *key_is_next {
                self.writer.key_begin();
            } else {
                self.writer.value_begin();
            }
            *key_is_next = !*key_is_next;
        }
        write(&mut self.writer).map_err(apache_error)
    }

    /// Writes the message to the transport, if the level that ended was the outermost one.
    fn left(&mut self) -> thrift::Result<()> {
        if self.levels.is_empty() {
            let writer = std::mem::replace(&mut self.writer, new_writer());
            self.transport.write_all(&writer.finish())?;
        }
        Ok(())
    }

    fn list_begin(&mut self, kind: Type, element: TType, size: i32) -> thrift::Result<()> {
        let (element, len) = (from_apache(element)?, len(size)?);
        self.value(|writer| writer.list_begin(kind, element, len))?;
        self.levels.push(Level::List);
        Ok(())
    }

    fn list_end(&mut self) -> thrift::Result<()> {
        match self.levels.pop() {
            Some(Level::List) => self.writer.list_end(),
            _ => return Err(invalid("the end of a list or set outside one")),
        }
        self.left()
    }
}

fn len(size: i32) -> thrift::Result<usize> {
    usize::try_from(size).map_err(|_| invalid("a container cannot have a negative size"))
}

impl<T: Write, const SIMPLE: bool> TOutputProtocol for JsonOutputProtocol<T, SIMPLE> {
    fn write_message_begin(&mut self, identifier: &TMessageIdentifier) -> thrift::Result<()> {
        let envelope = Envelope {
            name: (&*identifier.name).into(),
            kind: message_kind(identifier.message_type),
            sequence: identifier.sequence_number,
        };
        self.value(|writer| writer.message_begin(&envelope))?;
        self.levels.push(Level::Message);
        Ok(())
    }

    fn write_message_end(&mut self) -> thrift::Result<()> {
        match self.levels.pop() {
            Some(Level::Message) => self.writer.message_end(),
            _ => return Err(invalid("the end of a message outside of one")),
        }
        self.left()
    }

    fn write_struct_begin(&mut self, _: &TStructIdentifier) -> thrift::Result<()> {
        let frame = self.value(|writer| writer.struct_begin())?;
        self.levels.push(Level::Struct(frame));
        Ok(())
    }

    fn write_struct_end(&mut self) -> thrift::Result<()> {
        match self.levels.pop() {
            Some(Level::Struct(frame)) => self.writer.struct_end(frame),
            _ => return Err(invalid("the end of a struct outside of one")),
        }
        self.left()
    }

    fn write_field_begin(&mut self, identifier: &TFieldIdentifier) -> thrift::Result<()> {
        let kind = from_apache(identifier.field_type)?;
        let (Some(name), Some(id)) = (&identifier.name, identifier.id) else {
            return Err(invalid("a field needs a name and an id"));
        };
        self.writer.named_field_begin(id, name, kind);
        Ok(())
    }

    fn write_field_end(&mut self) -> thrift::Result<()> {
        self.writer.field_end();
        Ok(())
    }

    fn write_field_stop(&mut self) -> thrift::Result<()> {
        Ok(())
    }

    fn write_bool(&mut self, value: bool) -> thrift::Result<()> {
        self.value(|writer| {
            writer.bool(value);
            Ok(())
        })
    }

    fn write_bytes(&mut self, value: &[u8]) -> thrift::Result<()> {
        self.value(|writer| writer.binary(value))
    }

    fn write_i8(&mut self, value: i8) -> thrift::Result<()> {
        self.write_i64(value.into())
    }

    fn write_i16(&mut self, value: i16) -> thrift::Result<()> {
        self.write_i64(value.into())
    }

    fn write_i32(&mut self, value: i32) -> thrift::Result<()> {
        self.write_i64(value.into())
    }

    fn write_i64(&mut self, value: i64) -> thrift::Result<()> {
        self.value(|writer| {
            writer.i64(value);
            Ok(())
        })
    }

    fn write_double(&mut self, value: f64) -> thrift::Result<()> {
        self.value(|writer| {
            writer.double(value);
            Ok(())
        })
    }

    fn write_uuid(&mut self, value: &uuid::Uuid) -> thrift::Result<()> {
        self.value(|writer| writer.uuid(value.as_bytes()))
    }

    fn write_string(&mut self, value: &str) -> thrift::Result<()> {
        self.value(|writer| writer.string(value))
    }

    fn write_list_begin(&mut self, identifier: &TListIdentifier) -> thrift::Result<()> {
        self.list_begin(Type::List, identifier.element_type, identifier.size)
    }

    fn write_list_end(&mut self) -> thrift::Result<()> {
        self.list_end()
    }

    fn write_set_begin(&mut self, identifier: &TSetIdentifier) -> thrift::Result<()> {
        self.list_begin(Type::Set, identifier.element_type, identifier.size)
    }

    fn write_set_end(&mut self) -> thrift::Result<()> {
        self.list_end()
    }

    fn write_map_begin(&mut self, identifier: &TMapIdentifier) -> thrift::Result<()> {
        let len = len(identifier.size)?;
        // An empty map may have no types.
        let kind = |kind: Option<TType>| match kind {
            None if len > 0 => Err(invalid("a map needs the types of its keys and values")),
            kind => from_apache(kind.unwrap_or(TType::I32)),
        };
        let (key, value) = (kind(identifier.key_type)?, kind(identifier.value_type)?);
        self.value(|writer| writer.map_begin(key, value, len))?;
        self.levels.push(Level::Map(true));
        Ok(())
    }

    fn write_map_end(&mut self) -> thrift::Result<()> {
        match self.levels.pop() {
            Some(Level::Map(_)) => self.writer.map_end(),
            _ => return Err(invalid("the end of a map outside of one")),
        }
        self.left()
    }

    fn flush(&mut self) -> thrift::Result<()> {
        Ok(self.transport.flush()?)
    }

    fn write_byte(&mut self, _: u8) -> thrift::Result<()> {
        Err(not_implemented(
            "JSON cannot contain single bytes".to_owned(),
        ))
    }
}

/// Creates [`TJsonOutputProtocol`]s.
pub type TJsonOutputProtocolFactory = JsonOutputProtocolFactory<false>;

/// Creates [`TSimpleJsonOutputProtocol`]s.
pub type TSimpleJsonOutputProtocolFactory = JsonOutputProtocolFactory<true>;

/// Creates [`JsonOutputProtocol`]s.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonOutputProtocolFactory<const SIMPLE: bool>;

impl<const SIMPLE: bool> TOutputProtocolFactory for JsonOutputProtocolFactory<SIMPLE> {
    fn create(
        &self,
        transport: Box<dyn TWriteTransport + Send>,
    ) -> Box<dyn TOutputProtocol + Send> {
        Box::new(JsonOutputProtocol::<_, SIMPLE>::new(transport))
    }
}
