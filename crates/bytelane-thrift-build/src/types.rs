//! What types become in Rust, and what is known of structs before the first line is written.

use crate::Style;
use crate::names::{Unique, camel_case, members, snake_case, upper_case};
use crate::program::{DefinitionId, FileId, Program, Resolved};
use crate::source::Error;
use crate::syntax::*;
use std::collections::{HashMap, HashSet};

/// A program with everything that generating needs to know of its types.
pub(crate) struct Types<'a> {
    pub(crate) program: &'a Program,
    pub(crate) style: &'a Style,
    /// The Rust name of each definition.
    names: HashMap<DefinitionId, String>,
    /// Structs that are somewhere a key of a map or in a set: they need an order.
    ordered: HashSet<DefinitionId>,
}

/// Where code is written: in which file's module, and how many modules deeper.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) file: FileId,
    pub(crate) depth: usize,
}

/// How a field of a struct or a union is held.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    /// In an `Option`.
    pub(crate) optional: bool,
    /// In a `Box`, because its type contains the struct it belongs to.
    pub(crate) boxed: bool,
}

impl Held {
    /// A type, or with `Some` and `Box::new` a value, as it is held.
    pub(crate) fn wrap(
        self,
        inner: String,
        [option, new]: [&str; 2],
        [open, close]: [char; 2],
    ) -> String {
        let mut wrapped = inner;
        for (wrap, with) in [(self.boxed, new), (self.optional, option)] {
            if wrap {
                wrapped = format!("{with}{open}{wrapped}{close}");
            }
        }
        wrapped
    }

    /// The type that holds a type.
    pub(crate) fn ty(self, inner: String) -> String {
        self.wrap(inner, ["Option", "Box"], ['<', '>'])
    }

    /// The value that holds a value.
    pub(crate) fn value(self, inner: String) -> String {
        self.wrap(inner, ["Some", "Box::new"], ['(', ')'])
    }
}

/// The Rust names of an enum's numbers. `Unknown` is the variant of all others.
pub(crate) fn variant_names(variants: &[Variant]) -> Vec<String> {
    members(
        variants.iter().map(|variant| &*variant.name.text),
        camel_case,
        &["Unknown"],
    )
}

impl<'a> Types<'a> {
    /// Looks up every name in every type, and finds out the order.
    pub(crate) fn of(program: &'a Program, style: &'a Style) -> Result<Self, Error> {
        let mut types = Self {
            program,
            style,
            names: rust_names(program),
            ordered: HashSet::new(),
        };
        for id in program.definitions() {
            for ty in types_of(&program.definition(id).kind) {
                types.look_for_keys(id.0, ty, false)?;
            }
        }
        Ok(types)
    }

    /// The Rust name of a definition.
    pub(crate) fn name(&self, id: DefinitionId) -> &str {
        &self.names[&id]
    }

    /// The Rust names of a struct's fields or a union's variants, beside what keeps unknown ones.
    pub(crate) fn field_names(&self, shape: Shape, fields: &[Field]) -> Vec<String> {
        let names = fields.iter().map(|field| &*field.name.text);
        match shape {
            Shape::Union => members(names, camel_case, &["Unknown"]),
            _ if self.style.keeps_unknown => members(names, snake_case, &["unknown_fields"]),
            _ => members(names, snake_case, &[]),
        }
    }

    /// Whether a struct is ordered.
    pub(crate) fn is_ordered(&self, id: DefinitionId) -> bool {
        self.ordered.contains(&id)
    }

    /// The path of a definition from a scope.
    pub(crate) fn path(&self, scope: Scope, id: DefinitionId) -> String {
        let name = self.name(id);
        match id.0 == scope.file {
            true => format!("{}{name}", "super::".repeat(scope.depth)),
            false => {
                let module = &self.program.files[id.0].module;
                format!("{}{module}::{name}", "super::".repeat(scope.depth + 1))
            }
        }
    }

    /// Walks a type; whatever lies in a key or in a set is marked as ordered, with its fields.
    fn look_for_keys(&mut self, file: FileId, ty: &Type, is_key: bool) -> Result<(), Error> {
        let (file, resolved) = self.program.resolve(file, ty)?;
        match resolved {
            Resolved::Base(_) | Resolved::Enum(..) => {}
            Resolved::List(element) => self.look_for_keys(file, element, is_key)?,
            Resolved::Set(element) => self.look_for_keys(file, element, true)?,
            Resolved::Map(key, value) => {
                self.look_for_keys(file, key, true)?;
                self.look_for_keys(file, value, is_key)?;
            }
            Resolved::Struct(id, _, fields) => {
                if is_key && self.ordered.insert(id) {
                    for field in fields {
                        self.look_for_keys(id.0, &field.ty, true)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a field of this type would make a struct contain itself, without a container
    /// between.
    fn contains(&self, file: FileId, ty: &Type, target: DefinitionId) -> Result<bool, Error> {
        let mut seen = HashSet::new();
        let mut left = vec![(file, ty)];
        while let Some((file, ty)) = left.pop() {
            if let (_, Resolved::Struct(id, _, fields)) = self.program.resolve(file, ty)? {
                if id == target {
                    return Ok(true);
                }
                if seen.insert(id) {
                    left.extend(fields.iter().map(|field| (id.0, &field.ty)));
                }
            }
        }
        Ok(false)
    }

    /// How a field is held; `of` is the definition that it belongs to, if that can contain itself.
    pub(crate) fn held(
        &self,
        of: Option<DefinitionId>,
        file: FileId,
        shape: Shape,
        field: &Field,
    ) -> Result<Held, Error> {
        let boxed = match of {
            Some(id) => self.contains(file, &field.ty, id)?,
            None => false,
        };
        if shape == Shape::Union {
            return Ok(Held {
                optional: false,
                boxed,
            });
        }
        // A union has no value that stands for "not there", and a struct within itself no end.
        let union = matches!(
            self.program.resolve(file, &field.ty)?.1,
            Resolved::Struct(_, Shape::Union, _)
        );
        let optional = match field.requiredness {
            Requiredness::Optional => true,
            Requiredness::Default => union || boxed,
            Requiredness::Required => boxed,
        };
        Ok(Held { optional, boxed })
    }

    /// A type in Rust, as it is written in `file` and seen from `scope`. `ordered` types take
    /// doubles that have an order.
    pub(crate) fn rust(
        &self,
        scope: Scope,
        file: FileId,
        ty: &Type,
        ordered: bool,
    ) -> Result<String, Error> {
        if let Type::Named(name) = ty
            && let Some(id) = self.program.find(file, &name.text)
            && let Kind::Typedef(aliased) = &self.program.definition(id).kind
        {
            let expanded = self.rust(scope, id.0, aliased, ordered)?;
            let plain = self.rust(scope, id.0, aliased, false)?;
            return Ok(if expanded == plain {
                self.path(scope, id)
            } else {
                expanded
            });
        }
        let (file, resolved) = self.program.resolve(file, ty)?;
        Ok(match resolved {
            Resolved::Base(Base::Double) if ordered => format!("{}::Double", self.style.runtime),
            Resolved::Base(Base::Float) if ordered => format!("{}::Float", self.style.runtime),
            Resolved::Base(base) => self.base_type(base),
            Resolved::List(element) => {
                format!("Vec<{}>", self.rust(scope, file, element, ordered)?)
            }
            Resolved::Set(element) => {
                format!(
                    "std::collections::BTreeSet<{}>",
                    self.rust(scope, file, element, true)?
                )
            }
            Resolved::Map(key, value) => {
                let key = self.rust(scope, file, key, true)?;
                let value = self.rust(scope, file, value, ordered)?;
                format!("std::collections::BTreeMap<{key}, {value}>")
            }
            Resolved::Enum(id, _) | Resolved::Struct(id, ..) => self.path(scope, id),
        })
    }

    fn base_type(&self, base: Base) -> String {
        let name = match base {
            Base::Bool => "bool",
            Base::I8 => "i8",
            Base::I16 => "i16",
            Base::I32 => "i32",
            Base::I64 => "i64",
            Base::Double => "f64",
            Base::Float => "f32",
            Base::String => "String",
            Base::Binary => "Vec<u8>",
            Base::Uuid => return format!("{}::Uuid", self.style.runtime),
        };
        name.to_owned()
    }
}

/// Every type that a definition mentions.
fn types_of<'a>(kind: &'a Kind) -> Vec<&'a Type> {
    match kind {
        Kind::Const(ty, _) | Kind::Typedef(ty) => vec![ty],
        Kind::Enum(_) | Kind::Interaction => Vec::new(),
        Kind::Struct(_, fields) => fields.iter().map(|field| &field.ty).collect(),
        Kind::Service(_, functions) => {
            let of_function = |function: &'a Function| {
                let fields = function.arguments.iter().chain(&function.throws);
                fields
                    .map(|field| &field.ty)
                    .chain(&function.returns)
                    .collect::<Vec<_>>()
            };
            functions.iter().flat_map(of_function).collect()
        }
    }
}

/// A name for each definition that no other of its module has.
fn rust_names(program: &Program) -> HashMap<DefinitionId, String> {
    let mut names = HashMap::new();
    for (file, content) in program.files.iter().enumerate() {
        let mut unique = Unique::default();
        for (index, definition) in content.document.definitions.iter().enumerate() {
            let name = &definition.name.text;
            let name = match definition.kind {
                Kind::Const(..) => upper_case(name),
                Kind::Service(..) | Kind::Interaction => snake_case(name),
                Kind::Typedef(_) | Kind::Enum(_) | Kind::Struct(..) => camel_case(name),
            };
            names.insert((file, index), unique.name(name));
        }
    }
    names
}
