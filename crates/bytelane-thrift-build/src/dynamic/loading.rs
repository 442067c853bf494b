//! Types of a program with their numbers in a schema.

use crate::idl::program::{DefinitionId, FileId, Program, Resolved, stem};
use crate::idl::source::Error;
use crate::idl::syntax::{Base, Kind, Type, Variant};
use bytelane_thrift::dynamic::{EnumType, ValueType};
use std::collections::HashMap;

/// A program whose structs and enums have numbers.
pub(super) struct Loading<'a> {
    pub(super) program: &'a Program,
    /// For each file, whether its types have names without the file's.
    own: Vec<bool>,
    structs: HashMap<DefinitionId, usize>,
    enums: HashMap<DefinitionId, usize>,
}

impl<'a> Loading<'a> {
    pub(super) fn new(program: &'a Program, own: Vec<bool>) -> Self {
        let (mut structs, mut enums) = (HashMap::new(), HashMap::new());
        for id in program.definitions() {
            match program.definition(id).kind {
                Kind::Struct(..) => drop(structs.insert(id, structs.len())),
                Kind::Enum(_) => drop(enums.insert(id, enums.len())),
                _ => {}
            }
        }
        Self {
            program,
            own,
            structs,
            enums,
        }
    }

    pub(super) fn name(&self, id: DefinitionId) -> String {
        let name = &self.program.definition(id).name.text;
        match self.own[id.0] {
            true => name.clone(),
            false => {
                let path = &self.program.files[id.0].source.path;
                format!("{}.{name}", stem(path))
            }
        }
    }

    pub(super) fn enum_type(&self, id: DefinitionId, variants: &[Variant]) -> EnumType {
        let variants = variants.iter();
        let variants = variants.map(|variant| (&*variant.name.text, variant.value));
        EnumType::new(self.name(id), variants)
    }

    pub(super) fn value_type(&self, file: FileId, ty: &Type) -> Result<ValueType, Error> {
        let (file, resolved) = self.program.resolve(file, ty)?;
        let inner = |ty: &Type| self.value_type(file, ty).map(Box::new);
        Ok(match resolved {
            Resolved::Base(base) => base_type(base),
            Resolved::List(element) => ValueType::List(inner(element)?),
            Resolved::Set(element) => ValueType::Set(inner(element)?),
            Resolved::Map(key, value) => ValueType::Map(inner(key)?, inner(value)?),
            Resolved::Enum(id, _) => ValueType::Enum(self.enums[&id]),
            Resolved::Struct(id, ..) => ValueType::Struct(self.structs[&id]),
        })
    }
}

fn base_type(base: Base) -> ValueType {
    match base {
        Base::Bool => ValueType::Bool,
        Base::I8 => ValueType::I8,
        Base::I16 => ValueType::I16,
        Base::I32 => ValueType::I32,
        Base::I64 => ValueType::I64,
        Base::Double => ValueType::Double,
        Base::Float => ValueType::Float,
        Base::String => ValueType::String,
        Base::Binary => ValueType::Binary,
        Base::Uuid => ValueType::Uuid,
    }
}
