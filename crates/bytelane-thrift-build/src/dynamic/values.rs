//! Constants and default values as [`Value`]s.

use super::loading::Loading;
use crate::idl::program::{FileId, Resolved};
use crate::idl::source::Error;
use crate::idl::syntax::{Base, Literal, Shape, Type, Value as Written, Variant};
use crate::idl::typed::is_named;
use crate::values::uuid_bytes;
use bytelane_thrift::dynamic::{FieldType, List, Map, Struct, Value};
use bytelane_thrift::{Field, Uuid};

/// Maximum number of values in all constants and defaults, with the constants that they refer to:
/// each of a chain of constants can have the previous one several times.
const VALUES: usize = 1 << 20;

/// Maximum nesting depth of a value. Readers have the same limit.
const DEPTH: usize = 64;

/// A value in the IDL, and its file.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) file: FileId,
    pub(super) value: &'a Written,
}

/// Evaluates values, within a budget.
pub(super) struct Evaluation<'a> {
    loading: &'a Loading<'a>,
    left: usize,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(loading: &'a Loading<'a>) -> Self {
        let left = VALUES;
        Self { loading, left }
    }

    /// Returns the value of a type, which is written in `file`.
    pub(super) fn value(
        &mut self,
        source: Source<'_>,
        file: FileId,
        ty: &Type,
    ) -> Result<Value, Error> {
        self.nested(source, file, ty, DEPTH)
    }

    fn nested(
        &mut self,
        source: Source<'_>,
        file: FileId,
        ty: &Type,
        depth: usize,
    ) -> Result<Value, Error> {
        let program = self.loading.program;
        let mut source = source;
        while let Some((id, value)) = program.constant(source.file, source.value) {
            source = Source { file: id.0, value };
        }
        let Some(depth) = depth.checked_sub(1) else {
            return self.error(source, format!("nested more than {DEPTH} deep"));
        };
        let Some(left) = self.left.checked_sub(1) else {
            return self.error(
                source,
                format!("the constants and defaults have more than {VALUES} values"),
            );
        };
        self.left = left;
        let kind = self.loading.value_type(file, ty)?.kind();
        let (file, resolved) = program.resolve(file, ty)?;
        let inside = |value| Source { value, ..source };
        Ok(match (resolved, &source.value.kind) {
            (Resolved::Base(base), _) => self.base(source, base)?,
            (Resolved::Enum(id, variants), literal) => {
                let number = match literal {
                    Literal::Integer(number) => i32::try_from(*number).ok(),
                    // `Color.RED`, `shared.Color.RED` or `RED`, or one of these as a text.
                    Literal::Name(name) => number_of(variants, name),
                    _ => source
                        .value
                        .text()
                        .and_then(|name| number_of(variants, name)),
                };
                let Some(number) = number else {
                    let name = &program.definition(id).name.text;
                    return self.error(source, format!("expected a number of the enum `{name}`"));
                };
                match self.loading.enum_type(id, variants).variant(number) {
                    Some(name) => Value::Enum { number, name },
                    None => Value::I32(number),
                }
            }
            (Resolved::List(element) | Resolved::Set(element), literal) => {
                let values = match literal {
                    Literal::List(values) => &values[..],
                    Literal::Map(entries) if entries.is_empty() => &[],
                    _ => return self.error(source, "expected a list"),
                };
                let element_type = self.loading.value_type(file, element)?.kind();
                let values = values.iter();
                let values = values.map(|value| self.nested(inside(value), file, element, depth));
                let list = List {
                    element: element_type,
                    values: values.collect::<Result<_, _>>()?,
                };
                match kind {
                    bytelane_thrift::Type::Set => Value::Set(list),
                    _ => Value::List(list),
                }
            }
            (Resolved::Map(key_type, value_type), literal) => {
                let entries = match literal {
                    Literal::Map(entries) => &entries[..],
                    Literal::List(values) if values.is_empty() => &[],
                    _ => return self.error(source, "expected a map"),
                };
                let entries = entries.iter().map(|(key, value)| {
                    let key = self.nested(inside(key), file, key_type, depth)?;
                    Ok((key, self.nested(inside(value), file, value_type, depth)?))
                });
                let entries = entries.collect::<Result<_, _>>()?;
                Value::Map(Map {
                    key: self.loading.value_type(file, key_type)?.kind(),
                    value: self.loading.value_type(file, value_type)?.kind(),
                    entries,
                })
            }
            (
                Resolved::Struct(id, shape, fields),
                Literal::Map(entries) | Literal::Struct(_, entries),
            ) => {
                if shape == Shape::Union && entries.len() != 1 {
                    return self.error(source, "expected one field of the union");
                }
                let mut values = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let Some(field) = fields.iter().find(|field| is_named(key, &field.name)) else {
                        let name = &program.definition(id).name.text;
                        let message = format!("expected the name of a field of `{name}`");
                        return self.error(inside(key), message);
                    };
                    let value = self.nested(inside(value), id.0, &field.ty, depth)?;
                    let ty = self.loading.value_type(id.0, &field.ty)?;
                    values.push((FieldType::new(field.id, &field.name.text, ty).field, value));
                }
                // Writers of the compact protocol expect ascending ids.
                values.sort_by_key(|(field, _): &(Field, _)| field.id);
                Value::Struct(Struct { fields: values })
            }
            (Resolved::Struct(..), _) => {
                return self.error(source, "expected a map from names of fields to values");
            }
        })
    }

    fn base(&self, source: Source<'_>, base: Base) -> Result<Value, Error> {
        let literal = &source.value.kind;
        let bytes = match literal {
            Literal::String(bytes) => Some(bytes),
            _ => None,
        };
        let number = || match literal {
            Literal::Integer(number) => Some(*number),
            // The name of an enum variant can also be used for an integer.
            Literal::Name(name) => {
                let program = self.loading.program;
                program.variant(source.file, name).map(i64::from)
            }
            _ => None,
        };
        let (value, wanted) = match base {
            Base::Bool => {
                let value = match literal {
                    Literal::Name(word) if word == "true" => Some(true),
                    Literal::Name(word) if word == "false" => Some(false),
                    // Any number except 0 is true, as in Apache's compiler.
                    Literal::Integer(number) => Some(*number != 0),
                    _ => None,
                };
                (value.map(Value::Bool), "true or false")
            }
            Base::I8 => (fitting(number()).map(Value::I8), "an integer of 8 bits"),
            Base::I16 => (fitting(number()).map(Value::I16), "an integer of 16 bits"),
            Base::I32 => (fitting(number()).map(Value::I32), "an integer of 32 bits"),
            Base::I64 => (number().map(Value::I64), "an integer"),
            Base::Double | Base::Float => {
                let value = match literal {
                    Literal::Integer(number) => Some(*number as f64),
                    Literal::Double(text) => text.parse().ok(),
                    _ => None,
                };
                let value = match base {
                    Base::Float => value.map(|value| Value::Float(value as f32)),
                    _ => value.map(Value::Double),
                };
                (value, "a number")
            }
            Base::String => {
                let text = bytes.and_then(|bytes| String::from_utf8(bytes.clone()).ok());
                (text.map(Value::String), "a text in UTF-8")
            }
            Base::Binary => (bytes.cloned().map(Value::Binary), "a string for the bytes"),
            Base::Uuid => {
                let bytes = bytes.and_then(|text| uuid_bytes(&String::from_utf8_lossy(text)));
                let uuid = bytes.map(|bytes| Value::Uuid(Uuid(bytes)));
                (uuid, "a string with the 32 hexadecimal digits of a UUID")
            }
        };
        match value {
            Some(value) => Ok(value),
            None => self.error(source, format!("expected {wanted}")),
        }
    }

    fn error<T>(&self, source: Source<'_>, message: impl Into<String>) -> Result<T, Error> {
        let program = self.loading.program;
        program.error(source.file, source.value.place, message)
    }
}

/// Returns the number of a variant's name, behind dots or not.
fn number_of(variants: &[Variant], name: &str) -> Option<i32> {
    let name = name.rsplit('.').next();
    let mut variants = variants.iter();
    variants
        .find(|variant| Some(&*variant.name.text) == name)
        .map(|variant| variant.value)
}

fn fitting<T: TryFrom<i64>>(number: Option<i64>) -> Option<T> {
    T::try_from(number?).ok()
}
