//! Reads values from those of serde.

use super::BASE64;
use crate::dynamic::{List, Map, Schema, Struct, StructType, Value, ValueType};
use crate::{Field, Uuid};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Reads a value of a type from a self-describing format of serde, such as JSON.
///
/// It returns the value that `Serialize` of [`Value`] wrote. Numbers of enums are read as well as
/// names. A field that is null is left out.
///
/// ```
/// use bytelane_thrift::dynamic::{FieldType, Schema, StructType, ValueType};
/// use bytelane_thrift::Compact;
/// use serde::de::DeserializeSeed;
///
/// let x = FieldType::new(1, "x", ValueType::I32);
/// let schema = Schema::new(vec![StructType::new("Point", vec![x])], vec![]);
/// let point = schema.parse_type("Point")?;
/// let mut json = serde_json::Deserializer::from_str(r#"{"x": 5}"#);
/// let value = schema.seed(&point).deserialize(&mut json)?;
/// assert_eq!(value.encode::<Compact>()?, [0x15, 10, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Seed<'a> {
    schema: &'a Schema,
    ty: &'a ValueType,
}

impl Schema {
    /// Returns serde's seed of a value of a type of this schema.
    #[must_use]
    pub fn seed<'a>(&'a self, ty: &'a ValueType) -> Seed<'a> {
        Seed { schema: self, ty }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Seed<'_> {
    fn integer<E: Error>(&self, number: i64) -> Result<Value, E> {
        let range = |_| E::custom(format_args!("{number} is out of the range of {}", self.ty));
        Ok(match self.ty {
            ValueType::I8 => Value::I8(number.try_into().map_err(range)?),
            ValueType::I16 => Value::I16(number.try_into().map_err(range)?),
            ValueType::I32 => Value::I32(number.try_into().map_err(range)?),
            ValueType::I64 => Value::I64(number),
            ValueType::Enum(index) => {
                let number = number.try_into().map_err(range)?;
                match self.schema.enums()[*index].variant(number) {
                    Some(name) => Value::Enum { number, name },
                    None => Value::I32(number),
                }
            }
            ValueType::Float => Value::Float(number as f32),
            ValueType::Double => Value::Double(number as f64),
            _ => return Err(self.unexpected(number)),
        })
    }

    #[cold]
    fn unexpected<E: Error>(&self, found: impl fmt::Display) -> E {
        E::custom(format_args!("expected {}, found {found}", Expected(self)))
    }

    fn list<'de, A: SeqAccess<'de>>(
        self,
        element: &ValueType,
        mut of: A,
    ) -> Result<List, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = of.next_element_seed(self.schema.seed(element))? {
            values.push(value);
        }
        let element = element.kind();
        Ok(List { element, values })
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Expected(self))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        match self.ty {
            ValueType::Bool => Ok(Value::Bool(value)),
            _ => Err(self.unexpected(value)),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.integer(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.integer(value),
            Err(_) => self.visit_f64(value as f64),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        match self.ty {
            ValueType::Float => Ok(Value::Float(value as f32)),
            ValueType::Double => Ok(Value::Double(value)),
            _ => Err(self.unexpected(value)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        let unexpected = || self.unexpected(format_args!("{text:?}"));
        Ok(match self.ty {
            ValueType::String => Value::String(text.to_owned()),
            ValueType::Binary => {
                Value::Binary(BASE64.decode_to_vec(text).map_err(|_| unexpected())?)
            }
            ValueType::Uuid => Value::Uuid(text.parse::<Uuid>().map_err(E::custom)?),
            ValueType::Enum(index) => match self.schema.enums()[*index].number(text) {
                Some(number) => self.integer(i64::from(number))?,
                None => self.integer(text.parse().map_err(|_| unexpected())?)?,
            },
            // Keys of maps are text, and so are numbers that JSON does not have.
            ValueType::Bool => Value::Bool(text.parse().map_err(|_| unexpected())?),
            ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 => {
                self.integer(text.parse().map_err(|_| unexpected())?)?
            }
            ValueType::Float => Value::Float(text.parse().map_err(|_| unexpected())?),
            ValueType::Double => Value::Double(text.parse().map_err(|_| unexpected())?),
            _ => return Err(unexpected()),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut of: A) -> Result<Value, A::Error> {
        Ok(match self.ty {
            ValueType::List(element) => Value::List(self.list(element, of)?),
            ValueType::Set(element) => Value::Set(self.list(element, of)?),
            ValueType::Map(key, value) => {
                let mut entries = Vec::new();
                let pair = || Pair(self.schema.seed(key), self.schema.seed(value));
                while let Some(entry) = of.next_element_seed(pair())? {
                    entries.push(entry);
                }
                let (key, value) = (key.kind(), value.kind());
                Value::Map(Map {
                    key,
                    value,
                    entries,
                })
            }
            _ => return Err(self.unexpected("a sequence")),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut of_map: A) -> Result<Value, A::Error> {
        match self.ty {
            ValueType::Map(key, value) => {
                let mut entries = Vec::new();
                while let Some(key) = of_map.next_key_seed(self.schema.seed(key))? {
                    entries.push((key, of_map.next_value_seed(self.schema.seed(value))?));
                }
                let (key, value) = (key.kind(), value.kind());
                Ok(Value::Map(Map {
                    key,
                    value,
                    entries,
                }))
            }
            ValueType::Struct(_) | ValueType::AnyStruct => {
                let schema = self.schema;
                let of = match self.ty {
                    ValueType::Struct(index) => Some(&schema.structs()[*index]),
                    _ => None,
                };
                Fields { schema, of }.visit_map(of_map).map(Value::Struct)
            }
            _ => Err(self.unexpected("a map")),
        }
    }
}

/// Reads the fields of a struct with its declaration, if it has one.
pub(super) struct Fields<'a> {
    pub schema: &'a Schema,
    pub of: Option<&'a StructType>,
}

impl Fields<'_> {
    /// Returns the field and the type that a key stands for.
    fn field<E: Error>(&self, key: &str) -> Result<(Field, ValueType), E> {
        let declared = self.of.map_or(&[][..], StructType::fields);
        if let Some(found) = declared.iter().find(|found| found.field.name == key) {
            return Ok((found.field, found.ty.clone()));
        }
        if let Some((id, ty)) = key.split_once(':') {
            let id = id.trim().parse().map_err(|_| {
                E::custom(format_args!(
                    "the key `{key}` is not of the form `id: type`"
                ))
            })?;
            let ty = self.schema.parse_type(ty.trim()).map_err(E::custom)?;
            return Ok((Field::new(id, "", ty.kind()), ty));
        }
        let names: Vec<_> = declared.iter().map(|found| found.field.name).collect();
        Err(E::custom(match &names[..] {
            [] => format!("the key `{key}` is not of the form `id: type`"),
            names => format!(
                "`{key}` is not a field; the fields are {}",
                names.join(", ")
            ),
        }))
    }

    /// Checks that required fields are there, and that a union has one field.
    fn check<E: Error>(&self, fields: &[(Field, Value)]) -> Result<(), E> {
        let Some(declared) = self.of else {
            return Ok(());
        };
        if declared.is_union() && fields.len() != 1 {
            let (name, found) = (declared.name(), fields.len());
            return Err(E::custom(format_args!(
                "the union `{name}` has {found} fields, and must have one"
            )));
        }
        let mut required = declared.fields().iter().filter(|field| field.is_required);
        match required.find(|field| !fields.iter().any(|(found, _)| *found == field.field)) {
            Some(field) => Err(E::custom(format_args!(
                "the required field `{}` is missing",
                field.field.name
            ))),
            None => Ok(()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Struct;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Struct, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Struct;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            Some(of) => write!(f, "the struct {}", of.name()),
            None => f.write_str("a struct"),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Struct, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let (field, ty) = self.field(&key)?;
            if let Some(value) = map.next_value_seed(Nullable(self.schema.seed(&ty)))? {
                fields.push((field, value));
            }
        }
        self.check(&fields)?;
        Ok(Struct { fields })
    }
}

/// Type of a seed, in the words of an error.
struct Expected<'a>(&'a Seed<'a>);

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seed { schema, ty } = self.0;
        match ty {
            ValueType::Struct(index) => write!(f, "the struct {}", schema.structs()[*index].name()),
            ValueType::Enum(index) => {
                let of = &schema.enums()[*index];
                let names: Vec<_> = of.variants().iter().map(|variant| variant.0).collect();
                write!(f, "a variant of {}: {}", of.name(), names.join(", "))
            }
            ValueType::Binary => f.write_str("binary in base64"),
            ty => write!(f, "a value of the type {ty}"),
        }
    }
}

/// Reads a value that may be null.
struct Nullable<'a>(Seed<'a>);

impl<'de> DeserializeSeed<'de> for Nullable<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Nullable<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(deserializer).map(Some)
    }
}

/// Reads the entry of a map whose keys are structs or containers.
struct Pair<'a>(Seed<'a>, Seed<'a>);

impl<'de> DeserializeSeed<'de> for Pair<'_> {
    type Value = (Value, Value);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Pair<'_> {
    type Value = (Value, Value);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key and a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut of: A) -> Result<Self::Value, A::Error> {
        let missing = |length| A::Error::invalid_length(length, &"a key and a value");
        let key = of.next_element_seed(self.0)?.ok_or_else(|| missing(0))?;
        let value = of.next_element_seed(self.1)?.ok_or_else(|| missing(1))?;
        Ok((key, value))
    }
}
