//! The two text protocols: JSON, with field ids and types, and SimpleJSON, with field names.

mod decimals;
mod digits;
mod end;
mod names;
mod numbers;
#[cfg(feature = "apache")]
mod place;
mod read;
mod text;
mod write;

pub(crate) use end::End;
#[cfg(feature = "apache")]
pub(crate) use place::Place;
pub use read::JsonReader;
pub use write::JsonWriter;

use crate::input::Input;
use crate::output::Output;
use crate::protocol::{Protocol, WriteLimits};
use crate::{Limits, Type};

/// The JSON protocol: Apache's `TJSONProtocol`, fbthrift's `JSONProtocol`. Fields have ids and
/// types: `{"1":{"i32":5},"2":{"lst":["str",2,"a","b"]}}`.
///
/// Keys of maps are in quotes, except structs and containers: `{{"1":{"i32":5}}:"a"}`. With such a
/// key, a message is not valid JSON, but Apache's libraries write and read it.
///
/// Strings go through [`json_string`](bytelane::json_string), binary through
/// [`base64`](bytelane::base64): it is written without padding, and read with or without. Doubles
/// have the fewest digits that are read as the same number. Whitespace is skipped.
pub type Json = JsonProtocol<false>;

/// fbthrift's SimpleJSON protocol: `{"number":5,"names":["a","b"]}`.
///
/// Fields have names but no types: these come from the Rust type. `null` marks an absent field.
/// Strings, binary, doubles and keys are as in [`Json`].
pub type SimpleJson = JsonProtocol<true>;

/// [`Json`], or [`SimpleJson`] if `SIMPLE`.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonProtocol<const SIMPLE: bool>;

/// Version of the protocol, with which messages start.
const VERSION: i64 = 1;

impl<const SIMPLE: bool> Protocol for JsonProtocol<SIMPLE> {
    type Writer<O: Output> = JsonWriter<O, SIMPLE>;
    type Reader<'de> = JsonReader<'de, SIMPLE>;
    type Buffer = Vec<u8>;
    const IS_JSON: bool = true;

    #[inline]
    fn writer<O: Output>(output: O, limits: &Limits) -> Self::Writer<O> {
        JsonWriter::new(output, WriteLimits::new(limits))
    }

    #[inline]
    fn reader(input: Input<'_>) -> Self::Reader<'_> {
        JsonReader::new(input)
    }
}

/// Returns the name of a type in [`Json`].
fn name(kind: Type) -> &'static str {
    match kind {
        Type::Bool => "tf",
        Type::I8 => "i8",
        Type::I16 => "i16",
        Type::I32 => "i32",
        Type::I64 => "i64",
        Type::Double => "dbl",
        Type::String => "str",
        Type::Struct => "rec",
        Type::Map => "map",
        Type::Set => "set",
        Type::List => "lst",
        Type::Uuid => "uid",
        Type::Float => "flt",
    }
}

/// Returns the type with this name.
fn kind(name: &[u8]) -> Option<Type> {
    Some(match name {
        b"tf" => Type::Bool,
        b"i8" => Type::I8,
        b"i16" => Type::I16,
        b"i32" => Type::I32,
        b"i64" => Type::I64,
        b"dbl" => Type::Double,
        b"str" => Type::String,
        b"rec" => Type::Struct,
        b"map" => Type::Map,
        b"set" => Type::Set,
        b"lst" => Type::List,
        b"uid" => Type::Uuid,
        b"flt" => Type::Float,
        _ => return None,
    })
}
