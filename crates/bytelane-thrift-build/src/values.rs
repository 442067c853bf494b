//! Constants and default values as expressions of Rust.

use crate::program::{DefinitionId, FileId, Resolved};
use crate::source::Error;
use crate::syntax::*;
use crate::types::{Scope, Types, variant_names};

/// A value that is still to be written: what it says and where, and what it shall become.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Where the expression is written.
    pub(crate) scope: Scope,
    /// Where the value stands.
    pub(crate) file: FileId,
    pub(crate) value: &'a Value,
    /// The type, and the file in which that stands.
    pub(crate) type_file: FileId,
    pub(crate) ty: &'a Type,
    /// Whether doubles have an order here.
    pub(crate) ordered: bool,
}

impl Types<'_> {
    /// An expression for a value. Names of constants are replaced by what they stand for, so that
    /// the value takes the type that is wanted here.
    pub(crate) fn value(&self, wanted: Wanted<'_>) -> Result<String, Error> {
        let Wanted { file, value, .. } = wanted;
        let (type_file, resolved) = self.program.resolve(wanted.type_file, wanted.ty)?;
        let inside = |value, ty, ordered| Wanted {
            value,
            ty,
            type_file,
            ordered,
            ..wanted
        };
        if let Literal::Name(name) = &value.kind
            && let Some(id) = self.program.find(file, name)
            && let Kind::Const(_, meant) = &self.program.definition(id).kind
        {
            if id.0 == file && meant.place >= value.place {
                return self
                    .program
                    .error(file, value.place, format!("`{name}` is defined later"));
            }
            return self.value(Wanted {
                file: id.0,
                value: meant,
                ..wanted
            });
        }
        match (resolved, &value.kind) {
            (Resolved::Base(base), _) => self.base_value(wanted, base),
            (Resolved::Enum(id, variants), literal) => {
                let path = self.path(wanted.scope, id);
                let meant = |variant: &Variant| match literal {
                    Literal::Integer(number) => i64::from(variant.value) == *number,
                    // `Color.RED`, `shared.Color.RED` or `RED`
                    Literal::Name(name) => name.rsplit('.').next() == Some(&variant.name.text),
                    _ => false,
                };
                match (variants.iter().position(meant), literal) {
                    (Some(place), _) => Ok(format!("{path}::{}", variant_names(variants)[place])),
                    (None, Literal::Integer(number)) => Ok(format!("{path}::Unknown({number})")),
                    _ => self.mismatch(wanted, "a number of the enum"),
                }
            }
            (Resolved::List(element), Literal::List(values)) => {
                let values = values
                    .iter()
                    .map(|value| inside(value, element, wanted.ordered));
                Ok(format!("vec![{}]", self.values(values)?))
            }
            (Resolved::Set(element), Literal::List(values)) => {
                let values = values.iter().map(|value| inside(value, element, true));
                Ok(format!(
                    "std::collections::BTreeSet::from([{}])",
                    self.values(values)?
                ))
            }
            (Resolved::Map(key_type, value_type), Literal::Map(entries)) => {
                let mut pairs = Vec::new();
                for (key, value) in entries {
                    let key = self.value(inside(key, key_type, true))?;
                    let value = self.value(inside(value, value_type, wanted.ordered))?;
                    pairs.push(format!("({key}, {value})"));
                }
                Ok(format!(
                    "std::collections::BTreeMap::from([{}])",
                    pairs.join(", ")
                ))
            }
            // An empty map may be written as an empty list, and the other way round.
            (Resolved::List(_) | Resolved::Set(_), Literal::Map(entries)) if entries.is_empty() => {
                Ok("Default::default()".to_owned())
            }
            (Resolved::Map(..), Literal::List(values)) if values.is_empty() => {
                Ok("Default::default()".to_owned())
            }
            (Resolved::Struct(id, shape, fields), Literal::Map(entries)) => {
                let ordered = self.is_ordered(id);
                let names = self.field_names(shape, fields);
                let mut written = Vec::new();
                for (key, value) in entries {
                    let Literal::String(name) = &key.kind else {
                        return self.mismatch(
                            Wanted {
                                value: key,
                                ..wanted
                            },
                            "the name of a field",
                        );
                    };
                    // The compiler of Apache ignores names that are none of a field's.
                    let Some(place) = fields.iter().position(|field| field.name.text == *name)
                    else {
                        continue;
                    };
                    let field = &fields[place];
                    let wanted = Wanted {
                        type_file: id.0,
                        ..inside(value, &field.ty, ordered)
                    };
                    let held = self.held(Some(id), id.0, shape, field)?;
                    written.push((&*names[place], held.value(self.value(wanted)?)));
                }
                self.structure(wanted, id, shape, &written, fields.len())
            }
            (Resolved::List(_), _) => self.mismatch(wanted, "a list"),
            (Resolved::Set(_), _) => self.mismatch(wanted, "a list for a set"),
            (Resolved::Map(..), _) => self.mismatch(wanted, "a map"),
            (Resolved::Struct(..), _) => {
                self.mismatch(wanted, "a map from names of fields to values")
            }
        }
    }

    fn values<'a>(&self, values: impl Iterator<Item = Wanted<'a>>) -> Result<String, Error> {
        let written: Result<Vec<_>, _> = values.map(|value| self.value(value)).collect();
        Ok(written?.join(", "))
    }

    fn structure(
        &self,
        wanted: Wanted<'_>,
        id: DefinitionId,
        shape: Shape,
        written: &[(&str, String)],
        fields: usize,
    ) -> Result<String, Error> {
        let path = self.path(wanted.scope, id);
        if shape == Shape::Union {
            let [(name, value)] = written else {
                return self.mismatch(wanted, "exactly one field of the union");
            };
            return Ok(format!("{path}::{name}({value})"));
        }
        let mut parts: Vec<String> = written
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        if parts.len() < fields || self.style.keeps_unknown {
            parts.push("..Default::default()".to_owned());
        }
        Ok(format!("{path} {{ {} }}", parts.join(", ")))
    }

    fn base_value(&self, wanted: Wanted<'_>, base: Base) -> Result<String, Error> {
        let integer = |least: i64, most: i64, what: &str| match wanted.value.kind {
            Literal::Integer(number) if (least..=most).contains(&number) => Ok(number.to_string()),
            // The number of an enum stands for an integer too.
            Literal::Name(ref name) => match self.enum_number(wanted.file, name) {
                Some(number) if (least..=most).contains(&i64::from(number)) => {
                    Ok(number.to_string())
                }
                _ => self.mismatch(wanted, what),
            },
            _ => self.mismatch(wanted, what),
        };
        match base {
            Base::Bool => match &wanted.value.kind {
                Literal::Name(word) if word == "true" || word == "false" => Ok(word.clone()),
                // As the compiler of Apache does.
                Literal::Integer(number) => Ok((*number != 0).to_string()),
                _ => self.mismatch(wanted, "true or false"),
            },
            Base::I8 => integer(i8::MIN.into(), i8::MAX.into(), "an integer of 8 bits"),
            Base::I16 => integer(i16::MIN.into(), i16::MAX.into(), "an integer of 16 bits"),
            Base::I32 => integer(i32::MIN.into(), i32::MAX.into(), "an integer of 32 bits"),
            Base::I64 => integer(i64::MIN, i64::MAX, "an integer"),
            Base::Double => {
                let number = match &wanted.value.kind {
                    Literal::Integer(number) => *number as f64,
                    Literal::Double(text) => text.parse().unwrap_or(f64::INFINITY),
                    _ => return self.mismatch(wanted, "a number"),
                };
                if !number.is_finite() {
                    return self.mismatch(wanted, "a number that a double can represent");
                }
                let number = format!("{number:?}");
                let double = format!("{}::Double::from({number})", self.style.runtime);
                Ok(if wanted.ordered { double } else { number })
            }
            Base::String => match &wanted.value.kind {
                Literal::String(text) => Ok(format!("{text:?}.to_owned()")),
                _ => self.mismatch(wanted, "a text"),
            },
            Base::Binary => match &wanted.value.kind {
                Literal::String(text) => {
                    Ok(format!("b\"{}\".to_vec()", text.as_bytes().escape_ascii()))
                }
                _ => self.mismatch(wanted, "a string for the bytes"),
            },
            Base::Uuid => match &wanted.value.kind {
                Literal::String(text) => match uuid_bytes(text) {
                    Some(bytes) => Ok(format!("{}::Uuid({bytes:?})", self.style.runtime)),
                    None => self.mismatch(wanted, "32 hexadecimal digits"),
                },
                _ => self.mismatch(wanted, "a string with a UUID"),
            },
        }
    }

    /// The number that a name such as `Color.RED` stands for.
    fn enum_number(&self, file: FileId, name: &str) -> Option<i32> {
        let (enumeration, number) = name.rsplit_once('.')?;
        let id = self.program.find(file, enumeration)?;
        let Kind::Enum(variants) = &self.program.definition(id).kind else {
            return None;
        };
        variants
            .iter()
            .find(|variant| variant.name.text == number)
            .map(|variant| variant.value)
    }

    fn mismatch<T>(&self, wanted: Wanted<'_>, what: &str) -> Result<T, Error> {
        self.program
            .error(wanted.file, wanted.value.place, format!("expected {what}"))
    }
}

/// The bytes of `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, with or without hyphens and braces.
fn uuid_bytes(text: &str) -> Option<[u8; 16]> {
    let digits: String = text
        .chars()
        .filter(|c| !matches!(c, '-' | '{' | '}'))
        .collect();
    let all_digits = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u128::from_str_radix(&digits, 16)
        .ok()
        .filter(|_| all_digits)?;
    Some(number.to_be_bytes())
}
