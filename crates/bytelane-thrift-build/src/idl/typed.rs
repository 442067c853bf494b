//! Values with their types.

use super::program::FileId;
use super::syntax::{Literal, Name, Type, Value};

/// A value and its type, each with its file.
#[derive(Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) file: FileId,
    pub(crate) value: &'a Value,
    pub(crate) type_file: FileId,
    pub(crate) ty: &'a Type,
}

impl<'a> Typed<'a> {
    pub(crate) fn new(file: FileId, value: &'a Value, ty: &'a Type) -> Self {
        Self {
            file,
            value,
            type_file: file,
            ty,
        }
    }
}

/// Returns whether the key of a struct's value is the name of a field.
pub(crate) fn is_named(key: &Value, field: &Name) -> bool {
    match &key.kind {
        Literal::String(name) => **name == *field.text.as_bytes(),
        Literal::Name(name) => *name == field.text,
        _ => false,
    }
}
