//! Types as text, as an IDL writes them.

use super::{Schema, Value, ValueType};
use crate::Type;
use std::fmt;

/// Deepest nesting of the text of a type.
const DEPTH: usize = 64;

/// Error for a text that is not a type of a [`Schema`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidType(String);

impl fmt::Display for InvalidType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidType {}

impl Schema {
    /// Returns the type that a text stands for: a built-in type, `struct`, the name of a struct or
    /// enum, or `list<T>`, `set<T>` and `map<K, V>` of these.
    ///
    /// # Errors
    ///
    /// The text is not a type, or names one that the schema does not have.
    ///
    /// ```
    /// use bytelane_thrift::dynamic::{Schema, ValueType};
    ///
    /// let ty = Schema::default().parse_type("list<i32>")?;
    /// assert_eq!(ty, ValueType::List(Box::new(ValueType::I32)));
    /// # Ok::<(), bytelane_thrift::dynamic::InvalidType>(())
    /// ```
    pub fn parse_type(&self, text: &str) -> Result<ValueType, InvalidType> {
        let mut rest = text;
        let ty = self.parse(&mut rest, DEPTH);
        ty.filter(|_| rest.trim().is_empty())
            .ok_or_else(|| self.invalid(text))
    }

    /// Takes a type from the start of a text. `None` if it does not begin with one.
    fn parse(&self, text: &mut &str, depth: usize) -> Option<ValueType> {
        let depth = depth.checked_sub(1)?;
        let end = text.find(['<', '>', ',']).unwrap_or(text.len());
        let word = text[..end].trim();
        *text = &text[end..];
        if !text.starts_with('<') {
            return self.named(word);
        }
        take(text, '<')?;
        let first = Box::new(self.parse(text, depth)?);
        let ty = match word {
            "list" => ValueType::List(first),
            "set" => ValueType::Set(first),
            "map" => {
                take(text, ',')?;
                ValueType::Map(first, Box::new(self.parse(text, depth)?))
            }
            _ => return None,
        };
        take(text, '>')?;
        // Whatever follows belongs to the outer type.
        *text = text.trim_start();
        Some(ty)
    }

    fn named(&self, word: &str) -> Option<ValueType> {
        let any = || Box::new(ValueType::AnyStruct);
        Some(match word {
            "bool" => ValueType::Bool,
            "i8" | "byte" => ValueType::I8,
            "i16" => ValueType::I16,
            "i32" => ValueType::I32,
            "i64" => ValueType::I64,
            "float" => ValueType::Float,
            "double" => ValueType::Double,
            "string" => ValueType::String,
            "binary" => ValueType::Binary,
            "uuid" => ValueType::Uuid,
            "struct" => ValueType::AnyStruct,
            // Containers within others that have no elements.
            "list" => ValueType::List(any()),
            "set" => ValueType::Set(any()),
            "map" => ValueType::Map(any(), any()),
            name => {
                let of_struct = self.structs().iter().position(|of| of.name() == name);
                let of_enum = || self.enums().iter().position(|of| of.name() == name);
                of_struct
                    .map(ValueType::Struct)
                    .or_else(|| of_enum().map(ValueType::Enum))?
            }
        })
    }

    #[cold]
    fn invalid(&self, text: &str) -> InvalidType {
        let structs = self.structs().iter().map(|of| of.name());
        let names: Vec<_> = structs
            .chain(self.enums().iter().map(|of| of.name()))
            .collect();
        InvalidType(match &names[..] {
            [] => format!("`{text}` is not a type"),
            [name] => format!("`{text}` is not a type; the IDL defines {name}"),
            names => format!(
                "`{text}` is not a type; the IDL defines {}",
                names.join(", ")
            ),
        })
    }
}

/// Takes a character from the start of a text.
fn take(text: &mut &str, character: char) -> Option<()> {
    *text = text.trim_start().strip_prefix(character)?;
    Some(())
}

/// The type as an IDL writes it. Structs and enums of a schema have names only there: they are
/// `struct` and `i32` here.
impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("binary"),
            Self::List(element) => write!(f, "list<{element}>"),
            Self::Set(element) => write!(f, "set<{element}>"),
            Self::Map(key, value) => write!(f, "map<{key}, {value}>"),
            plain => plain.kind().fmt(f),
        }
    }
}

impl Value {
    /// Returns the type of the value, as far as the value itself shows it: that of elements which
    /// are empty containers is incomplete.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Binary(_) => ValueType::Binary,
            Self::List(list) => ValueType::List(Box::new(of_all(list.element, &list.values))),
            Self::Set(set) => ValueType::Set(Box::new(of_all(set.element, &set.values))),
            Self::Map(map) => {
                let keys = map.entries.iter().map(|(key, _)| key);
                let values = map.entries.iter().map(|(_, value)| value);
                let (key, value) = (of_all(map.key, keys), of_all(map.value, values));
                ValueType::Map(Box::new(key), Box::new(value))
            }
            plain => of_kind(plain.kind()),
        }
    }
}

/// Returns a type that all of the values have.
fn of_all<'a>(kind: Type, values: impl IntoIterator<Item = &'a Value>) -> ValueType {
    match kind {
        Type::String | Type::List | Type::Set | Type::Map => {}
        _ => return of_kind(kind),
    }
    let types = values.into_iter().map(Value::value_type);
    types.reduce(common).unwrap_or_else(|| of_kind(kind))
}

/// Returns the type of values that have two types: text is also binary.
fn common(one: ValueType, other: ValueType) -> ValueType {
    use ValueType::{Binary, List, Map, Set, String};
    let boxed = |one: Box<ValueType>, other: Box<ValueType>| Box::new(common(*one, *other));
    match (one, other) {
        (String, Binary) | (Binary, String) => Binary,
        (List(one), List(other)) => List(boxed(one, other)),
        (Set(one), Set(other)) => Set(boxed(one, other)),
        (Map(key, value), Map(other_key, other_value)) => {
            Map(boxed(key, other_key), boxed(value, other_value))
        }
        // An empty container shows no type of elements.
        (ValueType::AnyStruct, other) => other,
        (one, _) => one,
    }
}

fn of_kind(kind: Type) -> ValueType {
    let any = || Box::new(ValueType::AnyStruct);
    match kind {
        Type::Bool => ValueType::Bool,
        Type::I8 => ValueType::I8,
        Type::I16 => ValueType::I16,
        Type::I32 => ValueType::I32,
        Type::I64 => ValueType::I64,
        Type::Float => ValueType::Float,
        Type::Double => ValueType::Double,
        Type::String => ValueType::String,
        Type::Uuid => ValueType::Uuid,
        Type::List => ValueType::List(any()),
        Type::Set => ValueType::Set(any()),
        Type::Map => ValueType::Map(any(), any()),
        Type::Struct => ValueType::AnyStruct,
    }
}
