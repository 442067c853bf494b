//! Generates constants and default values as Rust expressions.

use crate::idl::program::{DefinitionId, Resolved};
use crate::idl::source::Error;
use crate::idl::syntax::*;
use crate::idl::typed::is_named;
use crate::names::similar;
use crate::options::{Asked, MAP, SET};
use crate::types::{Types, variant_names};
use crate::wanted::Wanted;

/// Expected item if the value of a union has no member.
pub(crate) const NO_MEMBER: &str = "a field of the union";

/// Maximum nesting depth of a value, with the constants in it that need another type.
const DEPTH: usize = 200;

impl Types<'_> {
    /// Returns an expression for a value.
    pub(crate) fn value(&self, wanted: Wanted<'_>) -> Result<String, Error> {
        if self.state.borrow().depth == DEPTH {
            let message = format!("nested more than {DEPTH} deep, with its constants");
            return self.program.error(wanted.file, wanted.value.place, message);
        }
        self.state.borrow_mut().depth += 1;
        let written = self.nested_value(wanted);
        self.state.borrow_mut().depth -= 1;
        written
    }

    fn nested_value(&self, wanted: Wanted<'_>) -> Result<String, Error> {
        let Wanted { file, value, .. } = wanted;
        if let Some((id, _)) = self.program.constant(file, value) {
            return self.reference(wanted, id);
        }
        let (type_file, resolved) = self.program.resolve(wanted.type_file, wanted.ty)?;
        let inside = |value, ty, ordered| Wanted {
            value,
            ty,
            type_file,
            ordered,
            asked: None,
            ..wanted
        };
        let Wanted { ordered, asked, .. } = wanted;
        let path = self.path_of(wanted.type_file, wanted.ty, ordered, asked)?;
        match (resolved, &value.kind) {
            (Resolved::Base(base), _) => {
                let value = self.base_value(wanted, base)?;
                Ok(match (base, path) {
                    (_, None) => value,
                    (Base::String, _) => format!("{}.into()", literal_of(&value)),
                    (Base::Binary, _) => format!("{}[..].into()", literal_of(&value)),
                    _ => format!("({value}).into()"),
                })
            }
            (Resolved::Enum(id, variants), literal) => {
                let path = self.path(wanted.scope, id);
                // `Color.RED`, `shared.Color.RED` or `RED`, or one of these as a text
                let name = match literal {
                    Literal::Name(name) => Some(&**name),
                    _ => value.text(),
                };
                let name = name.and_then(|name| name.rsplit('.').next());
                let meant = |variant: &Variant| match literal {
                    Literal::Integer(number) => i64::from(variant.value) == *number,
                    _ => name == Some(&variant.name.text),
                };
                match (variants.iter().position(meant), literal, name) {
                    (Some(place), ..) => Ok(format!("{path}::{}", variant_names(variants)[place])),
                    (None, Literal::Integer(number), _) => Ok(format!("{path}::Unknown({number})")),
                    (None, _, Some(name)) => {
                        let names = variants.iter().map(|variant| &variant.name);
                        self.absent(wanted, id, "number", name, names)
                    }
                    _ => self.mismatch(wanted, "a number of the enum"),
                }
            }
            (Resolved::List(element), Literal::List(values)) => {
                let values = values
                    .iter()
                    .map(|value| inside(value, element, wanted.ordered));
                let values = self.values(values)?;
                Ok(match path {
                    None => format!("vec![{values}]"),
                    Some(path) => collected(&path, &values, "Into::into"),
                })
            }
            (Resolved::Set(element), Literal::List(values)) => {
                let values = values.iter().map(|value| inside(value, element, true));
                let values = self.values(values)?;
                Ok(match path {
                    None => format!("{SET}::from([{values}])"),
                    Some(path) => collected(&path, &values, "Into::into"),
                })
            }
            (Resolved::Map(key_type, value_type), Literal::Map(entries)) => {
                let mut pairs = Vec::new();
                for (key, value) in entries {
                    let key = self.value(inside(key, key_type, true))?;
                    let value = self.value(inside(value, value_type, wanted.ordered))?;
                    pairs.push(format!("({key}, {value})"));
                }
                let pairs = pairs.join(", ");
                Ok(match path {
                    None => format!("{MAP}::from([{pairs}])"),
                    Some(path) => {
                        collected(&path, &pairs, "|(key, value)| (key.into(), value.into())")
                    }
                })
            }
            // An empty map may be written as an empty list, and vice versa.
            (Resolved::List(_) | Resolved::Set(_), Literal::Map(entries)) if entries.is_empty() => {
                Ok("Default::default()".to_owned())
            }
            (Resolved::Map(..), Literal::List(values)) if values.is_empty() => {
                Ok("Default::default()".to_owned())
            }
            (Resolved::Struct(id, ..), Literal::Map(entries)) => {
                self.structure(wanted, id, entries)
            }
            (Resolved::Struct(id, ..), Literal::Struct(name, entries)) => {
                let named = Type::Named(name.clone());
                match self.program.resolve(file, &named)?.1 {
                    Resolved::Struct(found, ..) if found == id => {
                        self.structure(wanted, id, entries)
                    }
                    _ => {
                        let wanted_name = &self.program.definition(id).name.text;
                        self.mismatch(wanted, &format!("a value of `{wanted_name}`"))
                    }
                }
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

    /// Returns a struct or a union with the given values of its fields.
    fn structure(
        &self,
        wanted: Wanted<'_>,
        id: DefinitionId,
        entries: &[(Value, Value)],
    ) -> Result<String, Error> {
        let definition = self.program.definition(id);
        let Kind::Struct(shape, fields) = &definition.kind else {
            unreachable!("only structs have fields")
        };
        let names = self.field_names(*shape, fields);
        let mut written = Vec::new();
        for (key, value) in entries {
            let of_key = Wanted {
                value: key,
                ..wanted
            };
            let name = match &key.kind {
                Literal::String(name) => String::from_utf8_lossy(name),
                // `{x: 1}`, as in fbthrift.
                Literal::Name(name) => name.into(),
                _ => return self.mismatch(of_key, "the name of a field"),
            };
            let named = |field: &Field| is_named(key, &field.name);
            let Some(place) = fields.iter().position(named) else {
                let names = fields.iter().map(|field| &field.name);
                return self.absent(of_key, id, "field", &name, names);
            };
            let field = &fields[place];
            let held = self.held(Some(id), id.0, *shape, field)?;
            let wanted = Wanted {
                value,
                ty: &field.ty,
                type_file: id.0,
                ordered: self.is_ordered(id),
                asked: Asked::of(&field.annotations).ty,
                ..wanted
            };
            let value = if held.optional && self.is_no_member(wanted.typed())? {
                "None".to_owned()
            } else {
                held.value(self.value(wanted)?)
            };
            written.push((&*names[place], value));
        }
        let path = self.path(wanted.scope, id);
        if *shape == Shape::Union {
            return match &written[..] {
                [(name, value)] => Ok(format!("{path}::{name}({value})")),
                [] => self.mismatch(wanted, NO_MEMBER),
                _ => self.mismatch(wanted, "at most one field of the union"),
            };
        }
        let mut parts: Vec<String> = written
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        if parts.len() < fields.len() || self.style.keeps_unknown {
            parts.push("..Default::default()".to_owned());
        }
        Ok(format!("{path} {{ {} }}", parts.join(", ")))
    }

    fn base_value(&self, wanted: Wanted<'_>, base: Base) -> Result<String, Error> {
        let integer = |least: i64, most: i64, what: &str| match wanted.value.kind {
            Literal::Integer(number) if (least..=most).contains(&number) => Ok(number.to_string()),
            // The name of an enum variant can also be used for an integer.
            Literal::Name(ref name) => match self.program.variant(wanted.file, name) {
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
                // Any number except 0 is true, as in Apache's compiler.
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
            Base::Float => {
                let number = match &wanted.value.kind {
                    Literal::Integer(number) => *number as f32,
                    Literal::Double(text) => text.parse().unwrap_or(f32::INFINITY),
                    _ => return self.mismatch(wanted, "a number"),
                };
                if !number.is_finite() {
                    return self.mismatch(wanted, "a number that a float can represent");
                }
                let number = format!("{number:?}");
                let float = format!("{}::Float::from({number})", self.style.runtime);
                Ok(if wanted.ordered { float } else { number })
            }
            Base::String => match &wanted.value.kind {
                Literal::String(text) => match std::str::from_utf8(text) {
                    Ok(text) => Ok(format!("{text:?}.to_owned()")),
                    Err(_) => self.mismatch(wanted, "a text in UTF-8"),
                },
                _ => self.mismatch(wanted, "a text"),
            },
            Base::Binary => match &wanted.value.kind {
                Literal::String(text) => Ok(format!("b\"{}\".to_vec()", text.escape_ascii())),
                _ => self.mismatch(wanted, "a string for the bytes"),
            },
            Base::Uuid => match &wanted.value.kind {
                Literal::String(text) => match uuid_bytes(&String::from_utf8_lossy(text)) {
                    Some(bytes) => Ok(format!("{}::Uuid({bytes:?})", self.style.runtime)),
                    None => self.mismatch(wanted, "32 hexadecimal digits"),
                },
                _ => self.mismatch(wanted, "a string with a UUID"),
            },
        }
    }

    /// Returns an error for a name that a definition lacks, with the most similar of its names.
    fn absent<'a, T>(
        &self,
        wanted: Wanted<'_>,
        id: DefinitionId,
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'a Name>,
    ) -> Result<T, Error> {
        let definition = &self.program.definition(id).name.text;
        let meant = similar(name, names.map(|name| &*name.text));
        let hint = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
        let message = format!("`{definition}` has no {what} `{name}`{hint}");
        self.program.error(wanted.file, wanted.value.place, message)
    }

    fn mismatch<T>(&self, wanted: Wanted<'_>, what: &str) -> Result<T, Error> {
        self.program
            .error(wanted.file, wanted.value.place, format!("expected {what}"))
    }
}

/// Returns a container of a type chosen by the caller. If the type has its own parameters, elements
/// are converted.
fn collected(path: &str, elements: &str, conversion: &str) -> String {
    if path.contains('<') {
        format!("[{elements}].map({conversion}).into_iter().collect()")
    } else {
        format!("[{elements}].into_iter().collect()")
    }
}

/// Returns the literal of an expression that converts it to an owned value.
pub(crate) fn literal_of(expression: &str) -> &str {
    let ends = [".to_owned()", ".to_vec()", "[..].into()", ".into()"];
    let mut stripped = ends.iter().filter_map(|end| expression.strip_suffix(end));
    stripped.next().unwrap_or(expression)
}

/// Parses the bytes of `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, with or without hyphens and braces.
pub(crate) fn uuid_bytes(text: &str) -> Option<[u8; 16]> {
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
