//! Types of messages, as far as paths need them.

use crate::{Field, Type};

/// Type of which a path can select parts.
pub(crate) trait Parent: Clone {
    /// Returns the kind of parts.
    fn child(&self) -> Child<Self>;

    /// Returns the id and type of a field of a struct.
    fn field(&self, name: &str) -> Option<(i16, Self)>;

    /// Returns the names of the fields of a struct.
    fn names(&self) -> Vec<&str>;
}

/// Parts of a value.
pub(crate) enum Child<P> {
    None,
    Fields,
    Elements(P),
    /// Type of the keys, and the values.
    Entries(Type, P),
}

/// Type of generated values: a function, because types may contain themselves.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Shape(pub(crate) fn() -> Described);

/// Parts of a type of generated values.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub enum Described {
    Leaf,
    /// The fields, and the type of each by its index in the list.
    Struct(&'static [Field], fn(usize) -> Option<Shape>),
    List(Shape),
    /// Type of the keys, and the values.
    Map(Type, Shape),
}

impl Parent for Shape {
    fn child(&self) -> Child<Self> {
        match (self.0)() {
            Described::Leaf => Child::None,
            Described::Struct(..) => Child::Fields,
            Described::List(element) => Child::Elements(element),
            Described::Map(key, value) => Child::Entries(key, value),
        }
    }

    fn field(&self, name: &str) -> Option<(i16, Self)> {
        let Described::Struct(fields, shapes) = (self.0)() else {
            return None;
        };
        let place = fields.iter().position(|field| field.name == name)?;
        Some((fields[place].id, shapes(place)?))
    }

    fn names(&self) -> Vec<&str> {
        match (self.0)() {
            Described::Struct(fields, _) => fields.iter().map(|field| field.name).collect(),
            _ => Vec::new(),
        }
    }
}
