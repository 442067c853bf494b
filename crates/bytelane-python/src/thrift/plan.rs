//! Types of an IDL, with the Python classes that their values have.

use super::slots::{Layout, basic_size};
use bytelane_thrift::Field;
use bytelane_thrift::dynamic::{EnumType, Schema, StructType, ValueType};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};
use std::collections::HashMap;
use std::sync::Arc;

/// Memory of a small object, such as an int, in bytes.
pub const SMALL: usize = 32;

/// Types of an IDL, and how their values look in Python.
pub struct Plan {
    pub schema: Arc<Schema>,
    pub structs: Vec<StructPlan>,
    pub enums: Vec<EnumPlan>,
    /// True if lists of numbers are NumPy arrays.
    pub arrays: bool,
    /// True if binary values are views of the message.
    pub views: bool,
}

/// A struct, union or exception.
pub struct StructPlan {
    pub name: String,
    pub layout: Layout,
    pub fields: Vec<FieldPlan>,
    /// The same fields, as readers expect them.
    pub wire: Vec<Field>,
    pub is_union: bool,
    /// Memory of an object and the small values in it, in bytes.
    pub cost: usize,
    /// Field ids in ascending order, and the number of each.
    by_id: Vec<(i16, usize)>,
}

/// A field.
pub struct FieldPlan {
    pub field: Field,
    pub ty: ValueType,
    pub is_required: bool,
    pub default: Default,
}

/// Default value of a field.
pub enum Default {
    Nothing,
    /// Value that never changes.
    Shared(Py<PyAny>),
    /// Message from which each object reads a value of its own.
    Message(Vec<u8>),
}

/// An enum: its members by their numbers.
pub struct EnumPlan(HashMap<i32, Py<PyAny>>);

impl StructPlan {
    pub fn of(
        of: &StructType,
        class: &Bound<'_, PyType>,
        names: &[Py<PyString>],
        py: Python<'_>,
    ) -> PyResult<Self> {
        let fields = of.fields().iter();
        let fields = fields.map(|field| FieldPlan {
            field: field.field,
            ty: field.ty.clone(),
            is_required: field.is_required,
            default: Default::Nothing,
        });
        let fields: Vec<_> = fields.collect();
        let wire: Vec<_> = fields.iter().map(|it| it.field).collect();
        let mut by_id: Vec<_> = wire.iter().enumerate().map(|(i, it)| (it.id, i)).collect();
        by_id.sort_unstable();
        Ok(Self {
            name: of.name().to_owned(),
            layout: Layout::of(class, names.iter().map(|it| it.clone_ref(py)).collect())?,
            cost: basic_size(class)? + SMALL * fields.len(),
            fields,
            wire,
            is_union: of.is_union(),
            by_id,
        })
    }

    /// Returns the number of the field with an id. `next` is the place at which it is probably found.
    pub fn position(&self, id: i16, next: &mut usize) -> Option<usize> {
        if let Some(&(found, field)) = self.by_id.get(*next)
            && found == id
        {
            *next += 1;
            return Some(field);
        }
        let place = self.by_id.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        *next = place + 1;
        Some(self.by_id[place].1)
    }
}

impl EnumPlan {
    pub fn of(of: &EnumType, class: &Bound<'_, PyAny>) -> PyResult<Self> {
        let members = of.variants().iter().map(|&(_, number)| {
            // Two names of one number are the same member.
            Ok((number, class.call1((number,))?.unbind()))
        });
        Ok(Self(members.collect::<PyResult<_>>()?))
    }

    /// Returns the member with a number.
    pub fn member<'py>(&self, py: Python<'py>, number: i32) -> Option<Bound<'py, PyAny>> {
        self.0.get(&number).map(|member| member.bind(py).clone())
    }
}
