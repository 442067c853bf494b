//! References to constants, and items that generated code needs besides those of the IDL.
//!
//! A value that names a constant refers to it. If it needs another type, it calls a function that
//! returns the constant as that type. In this way, the generated code is not longer than the IDL by
//! more than a factor, even if each constant uses the previous one twice.

use crate::idl::cycles::names_in;
use crate::idl::program::{DefinitionId, FileId, Resolved};
use crate::idl::source::Error;
use crate::idl::syntax::*;
use crate::names::snake_case;
use crate::options::{Asked, MAP, SET};
use crate::state::{Extra, Structure, TypeNumber};
use crate::types::Types;
use crate::wanted::{Scope, Wanted};

impl Types<'_> {
    /// Returns the typedef that a type names.
    pub(crate) fn typedef(
        &self,
        file: FileId,
        ty: &Type,
    ) -> Option<(DefinitionId, &Type, Option<&str>)> {
        let Type::Named(name) = ty else { return None };
        let id = self.program.find(file, &name.text)?;
        let definition = self.program.definition(id);
        let Kind::Typedef(aliased) = &definition.kind else {
            return None;
        };
        Some((id, aliased, Asked::of(&definition.annotations).ty))
    }

    /// Returns the number of a type that is written in `file`; see [`rust_as`](Self::rust_as).
    pub(crate) fn number(
        &self,
        file: FileId,
        ty: &Type,
        ordered: bool,
        asked: Option<&str>,
    ) -> Result<TypeNumber, Error> {
        if asked.is_none()
            && let Some((id, aliased, asked)) = self.typedef(file, ty)
        {
            let key = (id, ordered);
            if let Some(number) = self.state.borrow().typedefs.get(&key) {
                return Ok(*number);
            }
            let number = self.number(id.0, aliased, ordered, asked)?;
            self.state.borrow_mut().typedefs.insert(key, number);
            return Ok(number);
        }
        let path = self.path_of(file, ty, ordered, asked)?;
        let (file, resolved) = self.program.resolve(file, ty)?;
        let container = |usual: &str, numbers| {
            Structure::Container(path.clone().unwrap_or_else(|| usual.to_owned()), numbers)
        };
        let structure = match resolved {
            _ if path.as_deref().is_some_and(|path| path.contains('<')) => container("", vec![]),
            Resolved::List(element) => {
                container("Vec", vec![self.number(file, element, ordered, None)?])
            }
            Resolved::Set(element) => container(SET, vec![self.number(file, element, true, None)?]),
            Resolved::Map(key, value) => {
                let key = self.number(file, key, true, None)?;
                container(MAP, vec![key, self.number(file, value, ordered, None)?])
            }
            _ if path.is_some() => container("", vec![]),
            Resolved::Base(base) => {
                let is_real = matches!(base, Base::Double | Base::Float);
                Structure::Base(base, ordered && is_real)
            }
            Resolved::Enum(id, _) | Resolved::Struct(id, ..) => Structure::Definition(id),
        };
        let numbers = &mut self.state.borrow_mut().numbers;
        let next = numbers.len();
        Ok(*numbers.entry(structure).or_insert(next))
    }

    /// Returns the expression for a constant in its own module.
    pub(crate) fn constant(&self, id: DefinitionId) -> Result<String, Error> {
        if let Some(known) = self.state.borrow().constants.get(&id) {
            return known.clone();
        }
        let Kind::Const(ty, value) = &self.program.definition(id).kind else {
            unreachable!("only constants have values")
        };
        let (file, depth) = (id.0, 0);
        let written = self.value(Wanted {
            scope: Scope { file, depth },
            file,
            value,
            type_file: file,
            ty,
            ordered: false,
            asked: None,
        });
        let constants = &mut self.state.borrow_mut().constants;
        constants.insert(id, written.clone());
        written
    }

    /// Returns an expression for a value that is the name of a constant.
    pub(crate) fn reference(&self, wanted: Wanted<'_>, id: DefinitionId) -> Result<String, Error> {
        let Kind::Const(ty, meant) = &self.program.definition(id).kind else {
            unreachable!("only constants have values")
        };
        self.constant(id)?;
        let (file, ordered, asked) = (wanted.type_file, wanted.ordered, wanted.asked);
        let number = self.number(file, wanted.ty, ordered, asked)?;
        let is_same = self.number(id.0, ty, false, None)? == number;
        let has_path = self.path_of(file, wanted.ty, ordered, asked)?.is_some();
        let path = self.path(wanted.scope, id);
        Ok(match self.program.resolve(file, wanted.ty)?.1 {
            Resolved::Base(Base::String) if is_same && has_path => format!("{path}.into()"),
            Resolved::Base(Base::String) if is_same => format!("{path}.to_owned()"),
            Resolved::Base(Base::Binary) if is_same && has_path => format!("{path}[..].into()"),
            Resolved::Base(Base::Binary) if is_same => format!("{path}.to_vec()"),
            Resolved::Base(_) | Resolved::Enum(..) if is_same && !has_path => path,
            // One value of a few bytes takes the type that is needed here.
            Resolved::Base(_) | Resolved::Enum(..) => self.value(Wanted {
                file: id.0,
                value: meant,
                ..wanted
            })?,
            Resolved::Struct(of, ..) if is_same && self.is_copy(of) => format!("*{path}"),
            _ if is_same => format!("{path}.clone()"),
            _ => {
                let name = self.converted(wanted, id, meant, number)?;
                format!("{}{name}()", "super::".repeat(wanted.scope.depth))
            }
        })
    }

    /// Returns the name of a function that returns a constant as the wanted type.
    fn converted(
        &self,
        wanted: Wanted<'_>,
        id: DefinitionId,
        meant: &Value,
        number: TypeNumber,
    ) -> Result<String, Error> {
        let scope = Scope {
            depth: 0,
            ..wanted.scope
        };
        let extra = Extra::Constant(scope.file, id, number);
        if let Some(name) = self.state.borrow().extras.get(&extra) {
            return Ok(name.clone());
        }
        let (file, ordered, asked) = (wanted.type_file, wanted.ordered, wanted.asked);
        let value = self.value(Wanted {
            scope,
            file: id.0,
            value: meant,
            ..wanted
        })?;
        let ty = self.rust_as(scope, file, wanted.ty, ordered, asked)?;
        let constant = self.path(scope, id);
        let name = snake_case(&format!("{}_converted", self.name(id)));
        Ok(self.add(scope.file, extra, name, |name| {
            format!(
                "/// Returns [`{constant}`] as the type that a value needs.\n\
                 #[allow(dead_code)]\nfn {name}() -> {ty} {{ {value} }}\n"
            )
        }))
    }

    /// Returns the Rust type of a typedef in which everything has an order, given that this type
    /// differs from the typedef's.
    pub(crate) fn ordered_typedef(&self, scope: Scope, id: DefinitionId) -> Result<String, Error> {
        let definition = self.program.definition(id);
        let Kind::Typedef(aliased) = &definition.kind else {
            unreachable!("the caller has found a typedef")
        };
        let asked = Asked::of(&definition.annotations).ty;
        let mut named = Vec::new();
        names_in(aliased, 0, &mut named);
        if named.len() < 2 {
            return self.rust_as(scope, id.0, aliased, true, asked);
        }
        // Written out, each typedef of a chain would be twice as long as the previous one.
        let extra = Extra::Alias(scope.file, id);
        let known = self.state.borrow().extras.get(&extra).cloned();
        let name = match known {
            Some(name) => name,
            None => {
                let module = Scope { depth: 0, ..scope };
                let ty = self.rust_as(module, id.0, aliased, true, asked)?;
                let path = self.path(module, id);
                let name = format!("{}Ordered", self.name(id).trim_end_matches('_'));
                self.add(scope.file, extra, name, |name| {
                    format!("/// [`{path}`] in a key or a set.\npub type {name} = {ty};\n")
                })
            }
        };
        Ok(format!("{}{name}", "super::".repeat(scope.depth)))
    }

    /// Adds an item to a file. Returns its name.
    fn add(
        &self,
        file: FileId,
        extra: Extra,
        name: String,
        text: impl FnOnce(&str) -> String,
    ) -> String {
        let state = &mut *self.state.borrow_mut();
        let name = state.names.entry(file).or_default().name(name);
        *state.texts.entry(file).or_default() += &text(&name);
        state.extras.insert(extra, name.clone());
        name
    }

    /// Returns the additional items of a file.
    pub(crate) fn extras(&self, file: FileId) -> String {
        let texts = &mut self.state.borrow_mut().texts;
        texts.remove(&file).unwrap_or_default()
    }
}
