//! Positions of generated code, and the values that are written there.

use crate::idl::program::FileId;
use crate::idl::syntax::{Type, Value};
use crate::idl::typed::Typed;

/// Position of generated code: the file whose module it is in, and the number of modules deeper.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) file: FileId,
    pub(crate) depth: usize,
}

/// A value to be written: its contents, its position, and its target type.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Scope in which the expression is written.
    pub(crate) scope: Scope,
    /// File of the value.
    pub(crate) file: FileId,
    pub(crate) value: &'a Value,
    /// Type, and the file in which it is written.
    pub(crate) type_file: FileId,
    pub(crate) ty: &'a Type,
    /// True if doubles have an order here.
    pub(crate) ordered: bool,
    /// Rust type that an annotation requests.
    pub(crate) asked: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn typed(self) -> Typed<'a> {
        let Self {
            file,
            value,
            type_file,
            ty,
            ..
        } = self;
        Typed {
            file,
            value,
            type_file,
            ty,
        }
    }
}
