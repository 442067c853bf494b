//! State of the generation of code.

use crate::idl::program::{DefinitionId, FileId};
use crate::idl::source::Error;
use crate::idl::syntax::Base;
use crate::names::Unique;
use std::cell::RefCell;
use std::collections::HashMap;

/// Number of a Rust type: equal types have the same one, however the IDL names them.
pub(crate) type TypeNumber = usize;

/// Structure of a Rust type, one level deep.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Structure {
    /// A base type, and whether it is a wrapper that has an order.
    Base(Base, bool),
    Definition(DefinitionId),
    /// A path that an annotation or an option gives, and the types of its parameters.
    Container(String, Vec<TypeNumber>),
}

/// Item that a module needs besides those of the IDL.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Extra {
    /// Function that returns a constant as another type.
    Constant(FileId, DefinitionId, TypeNumber),
    /// Type alias with an order.
    Alias(FileId, DefinitionId),
}

/// State of the generation.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) numbers: HashMap<Structure, TypeNumber>,
    pub(crate) typedefs: HashMap<(DefinitionId, bool), TypeNumber>,
    pub(crate) constants: HashMap<DefinitionId, Result<String, Error>>,
    /// Number of values that are being written, each within the previous one.
    pub(crate) depth: usize,
    pub(crate) extras: HashMap<Extra, String>,
    /// Text of the additional items of each file.
    pub(crate) texts: HashMap<FileId, String>,
    /// Names of each file.
    pub(crate) names: HashMap<FileId, Unique>,
}

impl State {
    /// Creates a state from the names of each file.
    pub(crate) fn with(names: HashMap<FileId, Unique>) -> RefCell<Self> {
        RefCell::new(Self {
            names,
            ..Self::default()
        })
    }
}
