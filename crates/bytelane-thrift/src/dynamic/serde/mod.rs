//! Serde's traits for values.
//!
//! | value | as a value of serde |
//! |---|---|
//! | numbers, bool, string | the same; `"NaN"`, `"Infinity"` and `"-Infinity"` |
//! | binary | base64 |
//! | uuid | its canonical form |
//! | enum | the name of the variant; its number, if it has no name |
//! | list, set | sequence |
//! | map | map whose keys are text; sequence of pairs, if the keys are structs or containers |
//! | struct | map of the names of its fields; an undeclared field has the key `id: type` |

mod calls;
mod seed;

pub use calls::CallSeed;
pub use seed::Seed;

use super::{List, Map, Struct, Value, ValueType};
use crate::Type;
use bytelane::base64::{self, DecodePadding, Engine};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

const BASE64: Engine = base64::STANDARD.with_decode_padding(DecodePadding::Either);

/// A value that is shown as a value of a type: text among binary is shown as binary.
struct Shown<'a> {
    value: &'a Value,
    ty: Option<&'a ValueType>,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (value, ty) = (self, self.value_type());
        Shown {
            value,
            ty: Some(&ty),
        }
        .serialize(serializer)
    }
}

impl Serialize for Struct {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (field, value) in &self.fields {
            match field.name {
                "" => {
                    let ty = value.value_type();
                    let shown = Shown {
                        value,
                        ty: Some(&ty),
                    };
                    map.serialize_entry(&format_args!("{}: {ty}", field.id), &shown)?;
                }
                name => map.serialize_entry(name, &Shown { value, ty: None })?,
            }
        }
        map.end()
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::I8(value) => serializer.serialize_i8(*value),
            Value::I16(value) => serializer.serialize_i16(*value),
            Value::I32(value) => serializer.serialize_i32(*value),
            Value::I64(value) => serializer.serialize_i64(*value),
            Value::Float(value) if value.is_finite() => serializer.serialize_f32(*value),
            Value::Double(value) if value.is_finite() => serializer.serialize_f64(*value),
            Value::List(list) => self.elements(list, serializer),
            Value::Set(set) => self.elements(set, serializer),
            Value::Map(map) => self.entries(map, serializer),
            Value::Struct(value) => value.serialize(serializer),
            _ => serializer.serialize_str(&self.text()),
        }
    }
}

impl Shown<'_> {
    /// Returns the value as text, as the key of a map is shown.
    fn text(&self) -> String {
        match self.value {
            Value::String(text) if self.ty == Some(&ValueType::Binary) => {
                BASE64.encode_to_string(text)
            }
            Value::String(text) => text.clone(),
            Value::Binary(bytes) => BASE64.encode_to_string(bytes),
            Value::Uuid(uuid) => uuid.to_string(),
            Value::Enum { name, .. } => (*name).to_owned(),
            Value::Float(value) if value.is_finite() => value.to_string(),
            Value::Float(value) => special(f64::from(*value)).to_owned(),
            Value::Double(value) if value.is_finite() => value.to_string(),
            Value::Double(value) => special(*value).to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::I8(value) => value.to_string(),
            Value::I16(value) => value.to_string(),
            Value::I32(value) => value.to_string(),
            Value::I64(value) => value.to_string(),
            Value::List(_) | Value::Set(_) | Value::Map(_) | Value::Struct(_) => {
                unreachable!("containers and structs are shown as sequences and maps")
            }
        }
    }

    fn elements<S: Serializer>(&self, list: &List, serializer: S) -> Result<S::Ok, S::Error> {
        let ty = match self.ty {
            Some(ValueType::List(element) | ValueType::Set(element)) => Some(&**element),
            _ => None,
        };
        serializer.collect_seq(list.values.iter().map(|value| Shown { value, ty }))
    }

    fn entries<S: Serializer>(&self, map: &Map, serializer: S) -> Result<S::Ok, S::Error> {
        let (key_type, value_type) = match self.ty {
            Some(ValueType::Map(key, value)) => (Some(&**key), Some(&**value)),
            _ => (None, None),
        };
        let shown = map.entries.iter().map(|(key, value)| {
            let key = Shown {
                value: key,
                ty: key_type,
            };
            (
                key,
                Shown {
                    value,
                    ty: value_type,
                },
            )
        });
        if has_text(map.key) {
            serializer.collect_map(shown.map(|(key, value)| (key.text(), value)))
        } else {
            let mut pairs = serializer.serialize_seq(Some(map.entries.len()))?;
            for (key, value) in shown {
                pairs.serialize_element(&(key, value))?;
            }
            pairs.end()
        }
    }
}

/// Returns whether the keys of a map are shown as text.
fn has_text(key: Type) -> bool {
    !matches!(key, Type::List | Type::Set | Type::Map | Type::Struct)
}

/// Returns the name of a number that JSON does not have.
fn special(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}
