//! Rust types for types of the IDL, and properties of structs that are needed before code is
//! written.

use crate::idl::program::{DefinitionId, FileId, Program, Resolved};
use crate::idl::recursion::components;
use crate::idl::source::Error;
use crate::idl::syntax::*;
use crate::idl::typed::Typed;
use crate::names::{PRIMITIVES, Unique, camel_case, members, snake_case, upper_case};
use crate::options::{Asked, BINARY, MAP, SET, STRING, Style, standard_path};
use crate::state::State;
use crate::wanted::Scope;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// A program with the properties of its types that code generation needs.
pub(crate) struct Types<'a> {
    pub(crate) program: &'a Program,
    pub(crate) style: &'a Style,
    /// Rust name of each definition.
    names: HashMap<DefinitionId, String>,
    /// Structs that occur in a key of a map or in a set: they need an order.
    ordered: HashSet<DefinitionId>,
    /// Number for each struct, the same for structs that contain each other without a container in
    /// between.
    recursive: HashMap<DefinitionId, usize>,
    pub(crate) state: RefCell<State>,
}

/// Storage of a field of a struct or a union.
#[derive(Clone, Copy)]
pub(crate) struct Held<'a> {
    /// True if it is in an `Option`.
    pub(crate) optional: bool,
    /// Pointer type, if its type contains the struct it belongs to, or an annotation requests it.
    pub(crate) pointer: Option<&'a str>,
}

impl Held<'_> {
    /// Wraps a type.
    pub(crate) fn ty(self, mut inner: String) -> String {
        if let Some(pointer) = self.pointer {
            inner = format!("{pointer}<{inner}>");
        }
        if self.optional {
            format!("Option<{inner}>")
        } else {
            inner
        }
    }

    /// Wraps a value.
    pub(crate) fn value(self, mut inner: String) -> String {
        if let Some(pointer) = self.pointer {
            inner = format!("{pointer}::new({inner})");
        }
        if self.optional {
            format!("Some({inner})")
        } else {
            inner
        }
    }
}

/// Returns the Rust names of an enum's variants. `Unknown` is reserved for the variant of all other
/// numbers.
pub(crate) fn variant_names(variants: &[Variant]) -> Vec<String> {
    members(
        variants
            .iter()
            .map(|variant| rust_name(&variant.name, &variant.annotations)),
        camel_case,
        &["Unknown"],
    )
}

/// Returns the name of an item in the IDL, or the one that an annotation gives it.
pub(crate) fn rust_name<'a>(name: &'a Name, annotations: &'a [Annotation]) -> &'a str {
    Asked::of(annotations).name.unwrap_or(&name.text)
}

impl<'a> Types<'a> {
    /// Resolves every name in every type, and determines which structs are ordered.
    pub(crate) fn of(program: &'a Program, style: &'a Style) -> Result<Self, Error> {
        let (names, used) = rust_names(program, style);
        let mut types = Self {
            program,
            style,
            names,
            ordered: HashSet::new(),
            recursive: HashMap::new(),
            state: State::with(used),
        };
        let mut seen = HashSet::new();
        for id in program.definitions() {
            let definition = program.definition(id);
            for ty in types_of(&definition.kind) {
                types.look_for_keys(id.0, ty, false, &mut seen)?;
            }
            if let Kind::Struct(_, fields) = &definition.kind
                && Asked::of(&definition.annotations).ordered
                && types.ordered.insert(id)
            {
                for field in fields {
                    types.look_for_keys(id.0, &field.ty, true, &mut seen)?;
                }
            }
        }
        types.recursive = recursive(program)?;
        Ok(types)
    }

    /// Returns the Rust name of a definition.
    pub(crate) fn name(&self, id: DefinitionId) -> &str {
        &self.names[&id]
    }

    /// Returns the Rust names of a struct's fields or a union's variants, avoiding the name for
    /// unknown ones.
    pub(crate) fn field_names(&self, shape: Shape, fields: &[Field]) -> Vec<String> {
        let names = fields
            .iter()
            .map(|field| rust_name(&field.name, &field.annotations));
        match shape {
            Shape::Union => members(names, camel_case, &["Unknown"]),
            _ if self.style.keeps_unknown => members(names, snake_case, &["unknown_fields"]),
            _ => members(names, snake_case, &[]),
        }
    }

    /// Returns whether a struct is ordered.
    pub(crate) fn is_ordered(&self, id: DefinitionId) -> bool {
        self.ordered.contains(&id)
    }

    /// Returns whether the caller or an annotation derives `Copy` for a struct.
    pub(crate) fn is_copy(&self, id: DefinitionId) -> bool {
        let asked = Asked::of(&self.program.definition(id).annotations).derives;
        let module = &self.program.files[id.0].module;
        let derives = self.style.derives(module, self.name(id));
        let mut all = asked.into_iter().chain(derives);
        all.any(|derive| derive.rsplit("::").next() == Some("Copy"))
    }

    /// Returns the path of a definition from a scope.
    pub(crate) fn path(&self, scope: Scope, id: DefinitionId) -> String {
        let name = self.name(id);
        if let Some(path) = &self.program.files[id.0].external {
            return format!("{path}::{name}");
        }
        if id.0 == scope.file {
            format!("{}{name}", "super::".repeat(scope.depth))
        } else {
            let module = &self.program.files[id.0].module;
            format!("{}{module}::{name}", "super::".repeat(scope.depth + 1))
        }
    }

    /// Walks a type and marks everything in a key or in a set as ordered, including fields. `seen`
    /// has the types that were walked, by their addresses.
    fn look_for_keys(
        &mut self,
        file: FileId,
        ty: &'a Type,
        is_key: bool,
        seen: &mut HashSet<(*const Type, bool)>,
    ) -> Result<(), Error> {
        let mut left = vec![(file, ty, is_key)];
        while let Some((file, ty, is_key)) = left.pop() {
            if !seen.insert((ty, is_key)) {
                continue;
            }
            let (file, resolved) = self.program.resolve(file, ty)?;
            match resolved {
                Resolved::Base(_) | Resolved::Enum(..) => {}
                Resolved::List(element) => left.push((file, element, is_key)),
                Resolved::Set(element) => left.push((file, element, true)),
                Resolved::Map(key, value) => {
                    left.extend([(file, key, true), (file, value, is_key)]);
                }
                Resolved::Struct(id, _, fields) => {
                    if is_key && self.ordered.insert(id) {
                        left.extend(fields.iter().map(|field| (id.0, &field.ty, true)));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns whether a field of this type makes the struct it belongs to contain itself, without
    /// a container between.
    fn contains(&self, file: FileId, ty: &Type, target: DefinitionId) -> Result<bool, Error> {
        Ok(match self.program.resolve(file, ty)?.1 {
            Resolved::Struct(id, ..) => self.recursive[&id] == self.recursive[&target],
            _ => false,
        })
    }

    /// Returns whether a value is `{}` for a union, which has no member.
    pub(crate) fn is_no_member(&self, typed: Typed<'_>) -> Result<bool, Error> {
        if let Some((id, value)) = self.program.constant(typed.file, typed.value) {
            let file = id.0;
            return self.is_no_member(Typed {
                file,
                value,
                ..typed
            });
        }
        let is_empty = match &typed.value.kind {
            Literal::Map(entries) | Literal::Struct(_, entries) => entries.is_empty(),
            _ => false,
        };
        let resolved = self.program.resolve(typed.type_file, typed.ty)?.1;
        Ok(is_empty && matches!(resolved, Resolved::Struct(_, Shape::Union, _)))
    }

    /// Returns the storage of a field; `of` is the definition that it belongs to, if that can
    /// contain itself.
    pub(crate) fn held(
        &self,
        of: Option<DefinitionId>,
        file: FileId,
        shape: Shape,
        field: &Field,
    ) -> Result<Held<'a>, Error> {
        let recursive = match of {
            Some(id) => self.contains(file, &field.ty, id)?,
            None => false,
        };
        let asked = Asked::of(&field.annotations).pointer;
        let pointer = asked.or(recursive.then_some(&*self.style.pointer));
        if shape == Shape::Union {
            return Ok(Held {
                optional: false,
                pointer,
            });
        }
        // A union has no value for "absent", and a struct within itself would be infinite.
        let union = matches!(
            self.program.resolve(file, &field.ty)?.1,
            Resolved::Struct(_, Shape::Union, _)
        );
        let optional = match field.requiredness {
            Requiredness::Optional => true,
            Requiredness::Default => union || recursive,
            Requiredness::Required => recursive,
        };
        Ok(Held { optional, pointer })
    }

    /// Returns the Rust type of a type that is written in `file` and used in `scope`. `ordered`
    /// types use doubles and containers that have an order.
    pub(crate) fn rust(
        &self,
        scope: Scope,
        file: FileId,
        ty: &Type,
        ordered: bool,
    ) -> Result<String, Error> {
        self.rust_as(scope, file, ty, ordered, None)
    }

    /// Same as [`rust`](Self::rust), for a type that `rust.type` may name.
    pub(crate) fn rust_as(
        &self,
        scope: Scope,
        file: FileId,
        ty: &Type,
        ordered: bool,
        asked: Option<&str>,
    ) -> Result<String, Error> {
        if asked.is_none()
            && let Some((id, ..)) = self.typedef(file, ty)
        {
            let is_same = !ordered
                || self.number(file, ty, true, None)? == self.number(file, ty, false, None)?;
            return match is_same {
                true => Ok(self.path(scope, id)),
                false => self.ordered_typedef(scope, id),
            };
        }
        let named = self.path_of(file, ty, ordered, asked)?;
        let (file, resolved) = self.program.resolve(file, ty)?;
        Ok(match (resolved, named) {
            // The path already has parameters.
            (_, Some(path)) if path.contains('<') => path,
            (Resolved::List(element), path) => {
                let path = path.as_deref().unwrap_or("Vec");
                format!("{path}<{}>", self.rust(scope, file, element, ordered)?)
            }
            (Resolved::Set(element), path) => {
                let path = path.as_deref().unwrap_or(SET);
                format!("{path}<{}>", self.rust(scope, file, element, true)?)
            }
            (Resolved::Map(key, value), path) => {
                let key = self.rust(scope, file, key, true)?;
                let value = self.rust(scope, file, value, ordered)?;
                format!("{}<{key}, {value}>", path.as_deref().unwrap_or(MAP))
            }
            (_, Some(path)) => path,
            (Resolved::Base(base), None) => self.base_type(base, ordered),
            (Resolved::Enum(id, _) | Resolved::Struct(id, ..), None) => self.path(scope, id),
        })
    }

    /// Returns the path of the Rust type that an annotation or the caller's options request, unless
    /// that is the usual one. Ordered types use the usual containers, because hash tables have no
    /// order.
    pub(crate) fn path_of(
        &self,
        file: FileId,
        ty: &Type,
        ordered: bool,
        asked: Option<&str>,
    ) -> Result<Option<String>, Error> {
        if asked.is_none()
            && let Some((id, aliased, asked)) = self.typedef(file, ty)
        {
            return self.path_of(id.0, aliased, ordered, asked);
        }
        let (of_style, usual) = match self.program.resolve(file, ty)?.1 {
            Resolved::Map(..) | Resolved::Set(_) if ordered => return Ok(None),
            Resolved::Map(..) => (Some(&self.style.map), MAP),
            Resolved::Set(_) => (Some(&self.style.set), SET),
            Resolved::Base(Base::String) => (Some(&self.style.string), STRING),
            Resolved::Base(Base::Binary) => (Some(&self.style.binary), BINARY),
            _ => (None, ""),
        };
        let asked = asked.map(|name| standard_path(name, &self.style.runtime));
        Ok(asked.or(of_style.cloned()).filter(|path| path != usual))
    }

    fn base_type(&self, base: Base, ordered: bool) -> String {
        let name = match base {
            Base::Bool => "bool",
            Base::I8 => "i8",
            Base::I16 => "i16",
            Base::I32 => "i32",
            Base::I64 => "i64",
            Base::Double if ordered => return format!("{}::Double", self.style.runtime),
            Base::Double => "f64",
            Base::Float if ordered => return format!("{}::Float", self.style.runtime),
            Base::Float => "f32",
            Base::String => STRING,
            Base::Binary => BINARY,
            Base::Uuid => return format!("{}::Uuid", self.style.runtime),
        };
        name.to_owned()
    }
}

/// Returns a number for each struct, the same for those that contain each other.
fn recursive(program: &Program) -> Result<HashMap<DefinitionId, usize>, Error> {
    let is_struct = |id: &DefinitionId| matches!(program.definition(*id).kind, Kind::Struct(..));
    let structs: Vec<_> = program.definitions().filter(is_struct).collect();
    let nodes: HashMap<_, _> = structs.iter().enumerate().map(|(i, id)| (*id, i)).collect();
    let mut edges = Vec::new();
    for id in &structs {
        let mut targets = Vec::new();
        for ty in types_of(&program.definition(*id).kind) {
            if let Resolved::Struct(id, ..) = program.resolve(id.0, ty)?.1 {
                targets.push(nodes[&id]);
            }
        }
        edges.push(targets);
    }
    Ok(structs.into_iter().zip(components(&edges)).collect())
}

/// Returns every type that a definition mentions.
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

/// Returns a name for each definition that is unique in its module, and the names that each module
/// uses.
fn rust_names(
    program: &Program,
    style: &Style,
) -> (HashMap<DefinitionId, String>, HashMap<FileId, Unique>) {
    let crates = crates(program, style);
    let (mut names, mut used) = (HashMap::new(), HashMap::new());
    for (file, content) in program.files.iter().enumerate() {
        let mut unique = Unique::default();
        // The module of a service would hide a crate or a type of its name.
        for name in crates.iter().map(String::as_str).chain(PRIMITIVES) {
            unique.name(name.to_owned());
        }
        for (index, definition) in content.document.definitions.iter().enumerate() {
            let name = rust_name(&definition.name, &definition.annotations);
            let name = match definition.kind {
                Kind::Const(..) => upper_case(name),
                Kind::Service(..) | Kind::Interaction => snake_case(name),
                Kind::Typedef(_) | Kind::Enum(_) | Kind::Struct(..) => camel_case(name),
            };
            names.insert((file, index), unique.name(name));
        }
        used.insert(file, unique);
    }
    (names, used)
}

/// Returns the crates that generated code names: the first words of all paths.
fn crates(program: &Program, style: &Style) -> HashSet<String> {
    let asked = program
        .definitions()
        .flat_map(|id| annotations_of(program.definition(id)))
        .map(Asked::of);
    let asked = asked.flat_map(|Asked { ty, derives, .. }| ty.into_iter().chain(derives));
    let crates = style.paths().chain(asked);
    let crates = crates.flat_map(|path| path.split([' ', ',', '<', '>', '(', ')', '[', ']']));
    let first = crates.filter_map(|path| path.trim_start_matches("::").split_once("::"));
    let first = first.map(|(first, _)| first);
    // `::` is prepended to these paths.
    let external = style.external.iter().map(|(_, module)| &**module);
    let modules = external.chain([&*style.runtime]);
    let modules = modules.filter_map(|path| path.trim_start_matches("::").split("::").next());
    let all = first.chain(modules).chain(["std", "core", "alloc"]);
    all.map(str::to_owned).collect()
}

/// Returns the annotations of a definition and of its fields.
fn annotations_of(definition: &Definition) -> Vec<&[Annotation]> {
    let mut all = vec![&definition.annotations[..]];
    if let Kind::Struct(_, fields) = &definition.kind {
        all.extend(fields.iter().map(|field| &field.annotations[..]));
    }
    all
}
