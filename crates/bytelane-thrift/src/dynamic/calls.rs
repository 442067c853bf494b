//! Calls and replies of services: messages in envelopes.

use super::{FieldType, FunctionType, Schema, Struct, StructType, ValueType};
use crate::input::Input;
use crate::protocol::{Protocol, Reader};
use crate::{Envelope, Error, Limits, MessageKind, Options};
use std::borrow::Cow;

/// Call of a function, or the answer to one.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Name of the function, as in the message: behind that of the service and a colon, if several services
    /// share a connection.
    pub name: String,
    /// Kind of message.
    pub kind: MessageKind,
    /// Number that a call and its answer have in common.
    pub sequence: i32,
    /// Arguments or result. An answer of the kind [`Exception`](MessageKind::Exception) has a `message`
    /// and a `type`.
    pub body: Struct,
}

impl Call {
    /// Encodes the message: its envelope and its body.
    ///
    /// # Errors
    ///
    /// The same as [`Value::encode`](super::Value::encode).
    pub fn encode<P: Protocol>(&self) -> Result<Vec<u8>, Error> {
        let envelope = Envelope {
            name: Cow::Borrowed(&self.name),
            kind: self.kind,
            sequence: self.sequence,
        };
        envelope.encode::<P, _>(&self.body)
    }
}

impl Schema {
    /// Returns this schema with other functions.
    #[must_use]
    pub fn with_functions(mut self, functions: Vec<FunctionType>) -> Self {
        self.functions = functions;
        self
    }

    /// Returns the functions of all services; a service has those of its parents as well.
    #[must_use]
    pub fn functions(&self) -> &[FunctionType] {
        &self.functions
    }

    /// Reads a call or an answer, with its envelope, at the start of `bytes`. Returns its length as well.
    ///
    /// The name in the envelope finds the function: in the given service, in the one that the name
    /// itself has, or else in any. Without one, all fields of the body are undeclared.
    ///
    /// # Errors
    ///
    /// The bytes do not begin with an envelope; the same as [`decode`](Self::decode).
    ///
    /// ```
    /// use bytelane_thrift::dynamic::{Schema, Value};
    /// use bytelane_thrift::{Binary, MessageKind, Options};
    ///
    /// let bytes = b"\x80\x01\0\x01\0\0\0\x03add\0\0\0\x07\x08\0\x01\0\0\0\x05\0";
    /// let schema = Schema::default();
    /// let (call, length) = schema.decode_call::<Binary>(None, bytes, Options::default())?;
    /// assert_eq!((&*call.name, call.kind, call.sequence), ("add", MessageKind::Call, 7));
    /// assert_eq!((call.body.by_id(1), length), (Some(&Value::I32(5)), bytes.len()));
    /// # Ok::<(), bytelane_thrift::Error>(())
    /// ```
    pub fn decode_call<P: Protocol>(
        &self,
        service: Option<&str>,
        bytes: &[u8],
        options: impl Into<Options>,
    ) -> Result<(Call, usize), Error> {
        let mut reader = P::reader(Input::new(bytes, options));
        let envelope = reader.message_begin()?;
        let name = envelope.name.into_owned();
        let kind = envelope.kind;
        let declared = self.body_type(service, &name, kind);
        let body = self.read_struct(declared.as_deref(), &mut reader)?;
        reader.message_end()?;
        let sequence = envelope.sequence;
        let call = Call {
            name,
            kind,
            sequence,
            body,
        };
        Ok((call, reader.finish().offset()))
    }

    /// Adds the default values of the IDL to the body of a call or answer, as
    /// [`add_defaults`](Self::add_defaults) does.
    ///
    /// # Errors
    ///
    /// The same as [`add_defaults`](Self::add_defaults).
    pub fn add_defaults_of_call(
        &self,
        service: Option<&str>,
        call: &mut Call,
        limits: &Limits,
    ) -> Result<(), Error> {
        match self.body_type(service, &call.name, call.kind) {
            Some(declared) => self.add_defaults_of_fields(&declared, &mut call.body, limits),
            None => Ok(()),
        }
    }

    /// Returns the type of the body behind an envelope.
    pub(super) fn body_type(
        &self,
        service: Option<&str>,
        name: &str,
        kind: MessageKind,
    ) -> Option<Cow<'_, StructType>> {
        match kind {
            MessageKind::Exception => Some(Cow::Owned(failure_type())),
            MessageKind::Reply => {
                let result = self.function(service, name)?.result.as_ref();
                result.map(Cow::Borrowed)
            }
            MessageKind::Call | MessageKind::Oneway => {
                Some(Cow::Borrowed(&self.function(service, name)?.arguments))
            }
        }
    }

    /// Returns the function with the name in an envelope.
    fn function(&self, service: Option<&str>, name: &str) -> Option<&FunctionType> {
        let (prefix, name) = match name.rsplit_once(':') {
            Some((prefix, name)) => (Some(prefix), name),
            None => (None, name),
        };
        let named = || self.functions.iter().filter(|it| it.name == name);
        match service {
            Some(service) => named().find(|it| it.service == service),
            // The services of a connection may have names of their own.
            None => named()
                .find(|it| Some(&*it.service) == prefix)
                .or_else(|| named().next()),
        }
    }
}

/// Returns the type of the body of an exception.
fn failure_type() -> StructType {
    let message = FieldType::new(1, "message", ValueType::String);
    let kind = FieldType::new(2, "type", ValueType::I32);
    StructType::exception("TApplicationException", vec![message, kind])
}
