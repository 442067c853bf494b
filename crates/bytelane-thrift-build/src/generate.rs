//! One Rust file for each file of the IDL.

use crate::names::{Unique, camel_case};
use crate::program::{DefinitionId, FileId, Program, Resolved};
use crate::source::Error;
use crate::syntax::*;
use crate::types::{Scope, Types, field_names, variant_names};
use crate::values::Wanted;
use std::fmt::Write as _;

/// The derives of every generated type.
const DERIVES: &str = "Clone, Debug, PartialEq";
/// The derives of types that can be keys.
const ORDERED: &str = "Eq, PartialOrd, Ord, Hash";

/// The text of each file, in the order of the program.
pub(crate) fn generate(program: &Program) -> Result<Vec<String>, Error> {
    let types = Types::of(program)?;
    (0..program.files.len())
        .map(|file| Generator::new(&types, file).file())
        .collect()
}

struct Generator<'a> {
    types: &'a Types<'a>,
    scope: Scope,
    text: String,
}

impl<'a> Generator<'a> {
    fn new(types: &'a Types<'a>, file: FileId) -> Self {
        Self {
            types,
            scope: Scope { file, depth: 0 },
            text: String::new(),
        }
    }

    /// A line at the depth of the module it is in, `indent` levels deeper.
    fn line(&mut self, indent: usize, line: impl AsRef<str>) {
        let depth = if line.as_ref().is_empty() {
            0
        } else {
            self.scope.depth + indent
        };
        let _ = writeln!(self.text, "{:1$}{2}", "", 4 * depth, line.as_ref());
    }

    fn documentation(&mut self, indent: usize, documentation: &Option<String>) {
        for line in documentation.iter().flat_map(|text| text.lines()) {
            self.line(indent, format!("/// {line}").trim_end());
        }
    }

    fn file(mut self) -> Result<String, Error> {
        let file = &self.types.program.files[self.scope.file];
        let name = file
            .source
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let header =
            format!("// Made by bytelane-thrift-build from {name}; changes here get lost.");
        self.line(0, header);
        for index in 0..file.document.definitions.len() {
            self.line(0, "");
            self.definition((self.scope.file, index))?;
        }
        Ok(self.text)
    }

    fn definition(&mut self, id: DefinitionId) -> Result<(), Error> {
        let definition = self.types.program.definition(id);
        let name = self.types.name(id).to_owned();
        self.documentation(0, &definition.documentation);
        match &definition.kind {
            Kind::Const(ty, value) => self.constant(&name, ty, value),
            Kind::Typedef(ty) => {
                let ty = self.types.rust(self.scope, self.scope.file, ty, false)?;
                self.line(0, format!("pub type {name} = {ty};"));
                Ok(())
            }
            Kind::Enum(variants) => {
                self.enumeration(&definition.name, &name, variants);
                Ok(())
            }
            Kind::Struct(Shape::Union, fields) => self.union(id, &name, fields),
            Kind::Struct(shape, fields) => {
                let ordered = self.types.is_ordered(id);
                self.structure(Some(id), &definition.name.text, &name, fields, ordered)?;
                if *shape == Shape::Exception {
                    self.exception(&name);
                }
                Ok(())
            }
            Kind::Service(parent, functions) => self.service(&name, parent.as_ref(), functions),
        }
    }

    /// Numbers are constants of Rust; what must be made at run time is made once, when it is
    /// first used.
    fn constant(&mut self, name: &str, ty: &Type, value: &Value) -> Result<(), Error> {
        let (scope, file) = (self.scope, self.scope.file);
        let wanted = Wanted {
            scope,
            file,
            value,
            type_file: file,
            ty,
            ordered: false,
        };
        let rust = self.types.rust(scope, file, ty, false)?;
        let value = self.types.value(wanted)?;
        let (_, resolved) = self.types.program.resolve(file, ty)?;
        let line = match resolved {
            Resolved::Base(Base::String) => {
                let text = value.strip_suffix(".to_owned()").unwrap_or(&value);
                format!("pub const {name}: &str = {text};")
            }
            Resolved::Base(Base::Binary) => {
                let bytes = value.strip_suffix(".to_vec()").unwrap_or(&value);
                format!("pub const {name}: &[u8] = {bytes};")
            }
            Resolved::Base(_) | Resolved::Enum(..) => {
                format!("pub const {name}: {rust} = {value};")
            }
            _ => format!(
                "pub static {name}: std::sync::LazyLock<{rust}> = std::sync::LazyLock::new(|| {value});"
            ),
        };
        self.line(0, line);
        Ok(())
    }

    fn renamed(&mut self, original: &str, name: &str) {
        if original != name {
            self.line(0, format!("#[thrift(name = {original:?})]"));
        }
    }

    fn enumeration(&mut self, original: &Name, name: &str, variants: &[Variant]) {
        let default = if variants.is_empty() { "" } else { "Default, " };
        self.line(
            0,
            format!("#[derive({DERIVES}, Copy, {default}{ORDERED}, bytelane_thrift::Thrift)]"),
        );
        self.renamed(&original.text, name);
        self.line(0, format!("pub enum {name} {{"));
        for (i, (variant, name)) in variants.iter().zip(variant_names(variants)).enumerate() {
            self.documentation(1, &variant.documentation);
            if i == 0 {
                self.line(1, "#[default]");
            }
            self.line(1, format!("#[thrift(value = {})]", variant.value));
            self.line(1, format!("{name},"));
        }
        self.line(1, "/// A number that this version does not know.");
        self.line(1, "#[thrift(unknown)]");
        self.line(1, "Unknown(i32),");
        self.line(0, "}");
        if variants.is_empty() {
            self.line(0, "");
            self.line(0, format!("impl Default for {name} {{"));
            self.line(1, "fn default() -> Self {");
            self.line(2, "Self::Unknown(0)");
            self.line(1, "}");
            self.line(0, "}");
        }
    }

    fn union(&mut self, id: DefinitionId, name: &str, fields: &[Field]) -> Result<(), Error> {
        let original = &self.types.program.definition(id).name.text;
        let ordered = self.types.is_ordered(id);
        self.derive(ordered);
        self.line(0, "#[thrift(union)]");
        self.renamed(original, name);
        self.line(0, format!("pub enum {name} {{"));
        for (field, variant) in fields.iter().zip(field_names(Shape::Union, fields)) {
            self.documentation(1, &field.documentation);
            let held = self.types.held(Some(id), id.0, Shape::Union, field)?;
            let ty = held.ty(self.types.rust(self.scope, id.0, &field.ty, ordered)?);
            // On the wire the name is the field's; the derive makes it from the variant's.
            self.line(
                1,
                format!("#[thrift(id = {}, name = {:?})]", field.id, field.name.text),
            );
            self.line(1, format!("{variant}({ty}),"));
        }
        self.line(0, "}");
        Ok(())
    }

    fn derive(&mut self, ordered: bool) {
        let ordered = if ordered {
            format!(", {ORDERED}")
        } else {
            String::new()
        };
        self.line(
            0,
            format!("#[derive({DERIVES}{ordered}, bytelane_thrift::Thrift)]"),
        );
    }

    /// A struct; `id` is its own if it is one of the file and can contain itself.
    fn structure(
        &mut self,
        id: Option<DefinitionId>,
        original: &str,
        name: &str,
        fields: &[Field],
        ordered: bool,
    ) -> Result<(), Error> {
        self.derive(ordered);
        self.renamed(original, name);
        if fields.is_empty() {
            self.line(0, format!("pub struct {name} {{}}"));
            return Ok(());
        }
        self.line(0, format!("pub struct {name} {{"));
        for (field, name) in fields.iter().zip(field_names(Shape::Struct, fields)) {
            self.field(id, &name, field, ordered)?;
        }
        self.line(0, "}");
        Ok(())
    }

    fn field(
        &mut self,
        of: Option<DefinitionId>,
        name: &str,
        field: &Field,
        ordered: bool,
    ) -> Result<(), Error> {
        let (scope, file) = (self.scope, self.scope.file);
        let held = self.types.held(of, file, Shape::Struct, field)?;
        let ty = held.ty(self.types.rust(scope, file, &field.ty, ordered)?);
        let mut attributes = vec![format!("id = {}", field.id)];
        if field.requiredness == Requiredness::Required && !held.optional {
            attributes.push("required".to_owned());
        }
        if name != field.name.text {
            attributes.push(format!("name = {:?}", field.name.text));
        }
        if let Some(value) = &field.default {
            let wanted = Wanted {
                scope,
                file,
                value,
                type_file: file,
                ty: &field.ty,
                ordered,
            };
            attributes.push(format!(
                "default = {}",
                held.value(self.types.value(wanted)?)
            ));
        }
        self.documentation(1, &field.documentation);
        self.line(1, format!("#[thrift({})]", attributes.join(", ")));
        self.line(1, format!("pub {name}: {ty},"));
        Ok(())
    }

    fn exception(&mut self, name: &str) {
        self.line(0, "");
        self.line(0, format!("impl std::fmt::Display for {name} {{"));
        self.line(
            1,
            "fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {",
        );
        self.line(2, "std::fmt::Debug::fmt(self, f)");
        self.line(1, "}");
        self.line(0, "}");
        self.line(0, "");
        self.line(0, format!("impl std::error::Error for {name} {{}}"));
    }

    /// A module with the arguments and the result of each function. Functions of the parent have
    /// theirs in the parent's module.
    fn service(
        &mut self,
        name: &str,
        parent: Option<&Name>,
        functions: &[Function],
    ) -> Result<(), Error> {
        let (types, file) = (self.types, self.scope.file);
        if let Some(parent) = parent {
            let id = types.program.find(file, &parent.text);
            let Some(id) =
                id.filter(|&id| matches!(types.program.definition(id).kind, Kind::Service(..)))
            else {
                let message = format!("there is no service `{}`", parent.text);
                return types.program.error(file, parent.place, message);
            };
            let path = types.path(self.scope, id);
            self.line(0, format!("/// Extends the service of [`{path}`]."));
        }
        self.line(0, format!("pub mod {name} {{"));
        self.scope.depth += 1;
        let mut unique = Unique::default();
        for (i, function) in functions.iter().enumerate() {
            if i > 0 {
                self.line(0, "");
            }
            let base = camel_case(&function.name.text);
            let original = &function.name.text;
            let documentation = format!("Arguments of `{original}`.");
            self.documentation(0, &function.documentation);
            if function.documentation.is_some() {
                self.line(0, "///");
            }
            self.documentation(0, &Some(documentation));
            let arguments = unique.name(format!("{base}Args"));
            self.structure(
                None,
                &format!("{original}_args"),
                &arguments,
                &function.arguments,
                false,
            )?;
            if function.oneway {
                if let Some(ty) = &function.returns {
                    let message = format!("`{original}` is oneway and cannot return {ty:?}");
                    return types.program.error(file, function.name.place, message);
                }
                continue;
            }
            let success = function
                .returns
                .iter()
                .map(|ty| (0, ty.clone(), "success", function.name.place));
            let throws = function.throws.iter();
            let throws = throws.map(|field| {
                (
                    field.id,
                    field.ty.clone(),
                    &*field.name.text,
                    field.name.place,
                )
            });
            let fields = success.chain(throws).map(|(id, ty, name, place)| Field {
                id,
                requiredness: Requiredness::Optional,
                ty,
                name: Name {
                    text: name.to_owned(),
                    place,
                },
                default: None,
                documentation: None,
                annotations: Vec::new(),
            });
            let fields: Vec<Field> = fields.collect();
            self.line(0, "");
            self.documentation(0, &Some(format!("What `{original}` returns or throws.")));
            let result = unique.name(format!("{base}Result"));
            self.structure(None, &format!("{original}_result"), &result, &fields, false)?;
        }
        self.scope.depth -= 1;
        self.line(0, "}");
        Ok(())
    }
}
