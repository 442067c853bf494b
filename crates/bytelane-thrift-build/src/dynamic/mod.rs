//! Loads an IDL as a schema of [`bytelane_thrift::dynamic`].

mod loading;
mod values;

use crate::idl::defaults;
use crate::idl::program::{DefinitionId, Program};
use crate::idl::source::Error;
use crate::idl::syntax::{Field, Function, Kind, Requiredness, Shape};
use crate::{Compiler, idl};
use bytelane_thrift::dynamic::{Constant, FieldType, FunctionType, Schema, StructType};
use loading::Loading;
use std::path::Path;
use values::{Evaluation, Source};

impl Compiler {
    /// Loads files and everything that they include, for values of types that are known only when
    /// the program runs. Needs the feature `dynamic`.
    ///
    /// The types of an included file have names of the form `file.Type`. The options for generated
    /// Rust types have no effect.
    ///
    /// # Errors
    ///
    /// [`Error`] with file, line and column.
    ///
    /// ```no_run
    /// use bytelane_thrift::Compact;
    ///
    /// let schema = bytelane_thrift_build::Compiler::new().schema(&["shop.thrift"])?;
    /// let order = schema.parse_type("Order")?;
    /// let value = schema.decode::<Compact>(&order, &std::fs::read("order.bin")?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn schema(&self, files: &[impl AsRef<Path>]) -> Result<Schema, Error> {
        let paths: Vec<_> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        let program = Program::load(&paths, &self.directories, &[])?;
        let own: Vec<_> = paths.iter().map(|path| path.canonicalize().ok()).collect();
        let is_own =
            |file: &idl::program::File| own.contains(&file.source.path.canonicalize().ok());
        let own = program.files.iter().map(is_own).collect();
        // Checks that no default value contains itself.
        defaults::types_of(&program, &self.style)?;
        Loading::new(&program, own).schema()
    }
}

impl Loading<'_> {
    fn schema(&self) -> Result<Schema, Error> {
        let (mut structs, mut enums, mut constants) = (Vec::new(), Vec::new(), Vec::new());
        let mut values = Evaluation::new(self);
        for id in self.program.definitions() {
            match &self.program.definition(id).kind {
                Kind::Struct(shape, fields) => {
                    structs.push(self.struct_type(id, *shape, fields, &mut values)?);
                }
                Kind::Enum(variants) => enums.push(self.enum_type(id, variants)),
                Kind::Const(ty, value) => {
                    let source = Source { file: id.0, value };
                    constants.push(Constant {
                        name: self.name(id),
                        ty: self.value_type(id.0, ty)?,
                        value: values.value(source, id.0, ty)?,
                    });
                }
                _ => {}
            }
        }
        let schema = Schema::new(structs, enums).with_constants(constants);
        Ok(schema.with_functions(self.functions(&mut values)?))
    }

    /// Returns the functions of all services, each with those of its parents.
    fn functions(&self, values: &mut Evaluation<'_>) -> Result<Vec<FunctionType>, Error> {
        let mut functions = Vec::new();
        for id in self.program.definitions() {
            // No service is its own ancestor: that was checked when the program was loaded.
            let mut current = Some(id);
            while let Some(declaring) = current {
                let Kind::Service(parent, declared) = &self.program.definition(declaring).kind
                else {
                    break;
                };
                for function in declared {
                    let service = self.name(id);
                    functions.push(self.function(declaring, service, function, values)?);
                }
                let parent = parent.as_ref();
                current = parent.and_then(|name| self.program.find(declaring.0, &name.text));
            }
        }
        Ok(functions)
    }

    fn function(
        &self,
        id: DefinitionId,
        service: String,
        function: &Function,
        values: &mut Evaluation<'_>,
    ) -> Result<FunctionType, Error> {
        let arguments = self.fields(id, Shape::Struct, &function.arguments, values)?;
        let mut result = Vec::new();
        if let Some(ty) = &function.returns {
            result.push(FieldType::new(0, "success", self.value_type(id.0, ty)?));
        }
        result.extend(self.fields(id, Shape::Struct, &function.throws, values)?);
        Ok(FunctionType {
            service,
            name: function.name.text.clone(),
            arguments: StructType::new("arguments", arguments),
            result: (!function.oneway).then(|| StructType::new("result", result)),
        })
    }

    fn struct_type(
        &self,
        id: DefinitionId,
        shape: Shape,
        fields: &[Field],
        values: &mut Evaluation<'_>,
    ) -> Result<StructType, Error> {
        let types = self.fields(id, shape, fields, values)?;
        let name = self.name(id);
        Ok(match shape {
            Shape::Union => StructType::union(name, types),
            Shape::Exception => StructType::exception(name, types),
            Shape::Struct => StructType::new(name, types),
        })
    }

    fn fields(
        &self,
        id: DefinitionId,
        shape: Shape,
        fields: &[Field],
        values: &mut Evaluation<'_>,
    ) -> Result<Vec<FieldType>, Error> {
        let mut types: Vec<FieldType> = Vec::with_capacity(fields.len());
        for Field {
            id: number,
            name,
            ty,
            requiredness,
            default,
            ..
        } in fields
        {
            let is_required = *requiredness == Requiredness::Required && shape != Shape::Union;
            // A union has exactly one field, so none of them is added.
            let default = default.as_ref().filter(|_| shape != Shape::Union);
            let default = default.map(|value| values.value(Source { file: id.0, value }, id.0, ty));
            let ty = self.value_type(id.0, ty)?;
            let field = FieldType::new(*number, &name.text, ty).required(is_required);
            types.push(field.with_default(default.transpose()?));
        }
        Ok(types)
    }
}
