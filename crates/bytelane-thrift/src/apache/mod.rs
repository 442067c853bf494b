//! JSON for code that Apache's compiler generated: protocols for the crate [`thrift`], which only
//! has Binary and Compact.
//!
//! [`TJsonInputProtocol`] and [`TJsonOutputProtocol`] are Apache's JSON protocol,
//! [`TSimpleJsonOutputProtocol`] is SimpleJSON, which can only be written: its bytes contain
//! neither the ids nor the types of fields, which generated code asks the protocol for. The
//! factories are for servers.
//!
//! ```
//! use bytelane_thrift::apache::{TJsonInputProtocol, TJsonOutputProtocol};
//! use thrift::protocol::{TFieldIdentifier, TInputProtocol, TOutputProtocol};
//! use thrift::protocol::{TStructIdentifier, TType};
//!
//! // What generated code does for a struct with one field, `1: string text`.
//! let mut bytes = Vec::new();
//! let mut output = TJsonOutputProtocol::new(&mut bytes);
//! output.write_struct_begin(&TStructIdentifier::new("Note"))?;
//! output.write_field_begin(&TFieldIdentifier::new("text", TType::String, 1))?;
//! output.write_string("\"here\"")?;
//! output.write_field_end()?;
//! output.write_field_stop()?;
//! output.write_struct_end()?;
//! assert_eq!(bytes, br#"{"1":{"str":"\"here\""}}"#);
//!
//! let mut input = TJsonInputProtocol::new(&bytes[..]);
//! input.read_struct_begin()?;
//! assert_eq!(input.read_field_begin()?.id, Some(1));
//! assert_eq!(input.read_string()?, "\"here\"");
//! # Ok::<(), thrift::Error>(())
//! ```

mod input;
mod output;

pub use input::{TJsonInputProtocol, TJsonInputProtocolFactory};
pub use output::{
    JsonOutputProtocol, JsonOutputProtocolFactory, TJsonOutputProtocol, TJsonOutputProtocolFactory,
    TSimpleJsonOutputProtocol, TSimpleJsonOutputProtocolFactory,
};

use crate::{Error, ErrorKind, MessageKind, Type};
use thrift::protocol::{TMessageType, TType};
use thrift::{ProtocolErrorKind, new_protocol_error};

fn apache_error(error: Error) -> thrift::Error {
    let kind = match error.kind() {
        ErrorKind::InvalidSize(_) => ProtocolErrorKind::NegativeSize,
        ErrorKind::ContainerLimit(_) | ErrorKind::StringLimit(_) | ErrorKind::AllocationLimit => {
            ProtocolErrorKind::SizeLimit
        }
        ErrorKind::DepthLimit => ProtocolErrorKind::DepthLimit,
        ErrorKind::InvalidVersion => ProtocolErrorKind::BadVersion,
        ErrorKind::Unsupported(_) => ProtocolErrorKind::NotImplemented,
        _ => ProtocolErrorKind::InvalidData,
    };
    new_protocol_error(kind, error.to_string())
}

fn invalid(message: &str) -> thrift::Error {
    new_protocol_error(ProtocolErrorKind::InvalidData, message)
}

fn not_implemented(message: String) -> thrift::Error {
    new_protocol_error(ProtocolErrorKind::NotImplemented, message)
}

fn from_apache(kind: TType) -> thrift::Result<Type> {
    Ok(match kind {
        TType::Bool => Type::Bool,
        TType::I08 => Type::I8,
        TType::I16 => Type::I16,
        TType::I32 => Type::I32,
        TType::I64 => Type::I64,
        TType::Double => Type::Double,
        TType::String | TType::Utf7 => Type::String,
        TType::Struct => Type::Struct,
        TType::Map => Type::Map,
        TType::Set => Type::Set,
        TType::List => Type::List,
        TType::Uuid => Type::Uuid,
        TType::Stop | TType::Void => {
            return Err(not_implemented(format!(
                "values of the type {kind} are not supported"
            )));
        }
    })
}

fn to_apache(kind: Type) -> thrift::Result<TType> {
    Ok(match kind {
        Type::Bool => TType::Bool,
        Type::I8 => TType::I08,
        Type::I16 => TType::I16,
        Type::I32 => TType::I32,
        Type::I64 => TType::I64,
        Type::Double => TType::Double,
        Type::String => TType::String,
        Type::Struct => TType::Struct,
        Type::Map => TType::Map,
        Type::Set => TType::Set,
        Type::List => TType::List,
        Type::Uuid => TType::Uuid,
        Type::Float => {
            return Err(not_implemented(
                "Apache Thrift has no type float".to_owned(),
            ));
        }
    })
}

fn message_kind(kind: TMessageType) -> MessageKind {
    match kind {
        TMessageType::Call => MessageKind::Call,
        TMessageType::Reply => MessageKind::Reply,
        TMessageType::Exception => MessageKind::Exception,
        TMessageType::OneWay => MessageKind::Oneway,
    }
}

fn message_type(kind: MessageKind) -> TMessageType {
    match kind {
        MessageKind::Call => TMessageType::Call,
        MessageKind::Reply => TMessageType::Reply,
        MessageKind::Exception => TMessageType::Exception,
        MessageKind::Oneway => TMessageType::OneWay,
    }
}
