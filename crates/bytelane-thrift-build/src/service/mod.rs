//! Generates the module of a service: the types of its methods, two traits, a client and two
//! dispatchers.

mod method;
mod tokens;
mod traits;

use crate::generate::Generator;
use crate::idl::program::DefinitionId;
use crate::idl::source::Error;
use crate::idl::syntax::*;
use crate::names::{Unique, camel_case, members, snake_case, upper_case};
use crate::types::rust_name;
use method::{Method, Throw};
use proc_macro2::TokenStream;
use tokens::tokens;
use traits::{Parent, Service};

/// Lints that would be triggered by names of the IDL, or by code that a program does not use.
const ALLOWED: &str = "\
#[allow(
    dead_code,
    clippy::module_inception,
    clippy::result_large_err,
    clippy::should_implement_trait,
    clippy::too_many_arguments,
    clippy::type_complexity,
    clippy::wrong_self_convention
)]";

impl Generator<'_> {
    /// Writes a module with everything that belongs to a service. Functions of the parent have
    /// their types in the parent's module.
    pub(crate) fn service(
        &mut self,
        id: DefinitionId,
        parent: Option<&Name>,
        functions: &[Function],
    ) -> Result<(), Error> {
        let program = self.types.program;
        let mut parts = Service::named(trait_name(program.definition(id)), self.runtime());
        let parent = parent.map(|name| self.parent(name)).transpose()?;
        if let Some(parent) = parent {
            let path = self.types.path(self.scope, parent);
            self.line(0, format!("/// Extends the service of [`{path}`]."));
        }
        self.line(0, ALLOWED);
        self.line(0, format!("pub mod {} {{", self.types.name(id)));
        self.scope.depth += 1;
        self.line(0, format!("use {}::service;", self.runtime()));
        parts.parent = parent.map(|parent| {
            let name = trait_name(program.definition(parent));
            Parent::new(&self.types.path(self.scope, parent), &name)
        });
        let called = || functions.iter().map(function_name);
        let names = members(called(), snake_case, &["new"]);
        let constants = members(called(), constant_name, &[]);
        let mut types = parts.type_names();
        for ((function, name), constant) in functions.iter().zip(names).zip(constants) {
            let method = self.method(function, &mut types, name, constant)?;
            parts.methods.push(method);
        }
        self.tokens(&parts.items());
        self.scope.depth -= 1;
        self.line(0, "}");
        Ok(())
    }

    fn parent(&self, name: &Name) -> Result<DefinitionId, Error> {
        let (program, file) = (self.types.program, self.scope.file);
        let is_service =
            |id: &DefinitionId| matches!(program.definition(*id).kind, Kind::Service(..));
        match program.find(file, &name.text).filter(is_service) {
            Some(id) => Ok(id),
            None => {
                let message = format!("unknown service `{}`", name.text);
                program.error(file, name.place, message)
            }
        }
    }

    fn tokens(&mut self, tokens: &TokenStream) {
        self.line(0, tokens.to_string());
    }

    /// Returns a method, after writing its types.
    fn method(
        &mut self,
        function: &Function,
        types: &mut Unique,
        name: String,
        constant: String,
    ) -> Result<Method, Error> {
        // The underscore that keeps a name apart from Rust's is not needed with a suffix.
        let base = camel_case(function_name(function));
        let base = base.trim_end_matches('_');
        let mut method = Method::named(function, name, constant);
        method.arguments = types.name(format!("{base}Args"));
        self.arguments(function, &mut method)?;
        if !function.oneway {
            method.result = Some(types.name(format!("{base}Result")));
            if !function.throws.is_empty() {
                method.exception = Some(types.name(format!("{base}Exception")));
            }
            self.result(function, &mut method)?;
        } else if function.returns.is_some() {
            let message = format!("`{}` is oneway and cannot return a value", method.original);
            return self
                .types
                .program
                .error(self.scope.file, function.name.place, message);
        }
        self.tokens(&method.items());
        Ok(method)
    }

    /// Writes the struct of a function's arguments.
    fn arguments(&mut self, function: &Function, method: &mut Method) -> Result<(), Error> {
        let original = &function.name.text;
        self.documentation(0, &function.documentation);
        if function.documentation.is_some() {
            self.line(0, "///");
        }
        self.line(0, format!("/// Arguments of `{original}`."));
        let fields = &function.arguments;
        let name = method.arguments.clone();
        self.structure(None, &format!("{original}_args"), &name, fields, false)?;
        let names = self.types.field_names(Shape::Struct, fields);
        for (field, name) in fields.iter().zip(names) {
            let held = self
                .types
                .held(None, self.scope.file, Shape::Struct, field)?;
            let ty = held.ty(self.rust(&field.ty)?);
            method.parameters.push((tokens(&name), tokens(&ty)));
        }
        method.keeps_unknown = self.types.style.keeps_unknown;
        Ok(())
    }

    /// Writes the struct of the return value or exception of a function.
    fn result(&mut self, function: &Function, method: &mut Method) -> Result<(), Error> {
        let original = &function.name.text;
        let success = function
            .returns
            .iter()
            .map(|ty| result_field(0, ty, "success", function.name.place));
        let throws = function
            .throws
            .iter()
            .map(|field| result_field(field.id, &field.ty, &field.name.text, field.name.place));
        let fields: Vec<Field> = success.chain(throws).collect();
        self.line(
            0,
            format!("/// Result of `{original}`: its return value or exception."),
        );
        let name = method.result.clone().unwrap_or_default();
        self.structure(None, &format!("{original}_result"), &name, &fields, false)?;

        let names = self.types.field_names(Shape::Struct, &fields);
        let mut names = names.iter().map(|name| tokens(name));
        if let Some(ty) = &function.returns {
            let ty = tokens(&self.rust(ty)?);
            method.success = names.next().map(|name| (name, ty));
        }
        let mut variants = Unique::default();
        for (field, name) in function.throws.iter().zip(names) {
            let id = self.exception_of(field)?;
            let variant = variants.name(self.types.name(id).to_owned());
            let ty = self.types.path(self.scope, id);
            method.throws.push(Throw {
                variant: tokens(&variant),
                field: name,
                ty: tokens(&ty),
                is_external: self.types.program.files[id.0].external.is_some(),
            });
        }
        Ok(())
    }

    fn rust(&self, ty: &Type) -> Result<String, Error> {
        self.types.rust(self.scope, self.scope.file, ty, false)
    }

    /// Returns the exception that a function throws.
    fn exception_of(&self, field: &Field) -> Result<DefinitionId, Error> {
        let (program, file) = (self.types.program, self.scope.file);
        match program.resolve(file, &field.ty)?.1 {
            crate::idl::program::Resolved::Struct(id, Shape::Exception, _) => Ok(id),
            _ => {
                let message = format!("expected an exception as the type of `{}`", field.name.text);
                program.error(file, field.name.place, message)
            }
        }
    }
}

fn result_field(id: i16, ty: &Type, name: &str, place: crate::idl::source::Place) -> Field {
    Field {
        id,
        requiredness: Requiredness::Optional,
        ty: ty.clone(),
        name: Name {
            text: name.to_owned(),
            place,
        },
        default: None,
        documentation: None,
        annotations: Vec::new(),
    }
}

fn function_name(function: &Function) -> &str {
    rust_name(&function.name, &function.annotations)
}

/// Returns the name of a service's blocking trait. It avoids the names of generic parameters, which
/// have one letter, and of the traits of the prelude that the module uses.
fn trait_name(service: &Definition) -> String {
    let name = camel_case(rust_name(&service.name, &service.annotations));
    match &*name {
        "C" | "P" | "T" | "From" | "Into" | "Send" | "Sized" | "Sync" => name + "_",
        _ => name,
    }
}

/// Returns the name of the constant of a method. Without letters, it could also be that of a
/// parameter.
fn constant_name(function: &str) -> String {
    let name = upper_case(function);
    if name.contains(char::is_alphabetic) {
        name
    } else {
        format!("METHOD{name}")
    }
}
