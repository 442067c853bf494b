//! Types of a schema, as far as the paths of masks need them.

use super::{Schema, ValueType};
use crate::mask::{Child, Parent};

impl<'a> Parent for (&'a Schema, &'a ValueType) {
    fn child(&self) -> Child<Self> {
        match self.1 {
            ValueType::Struct(_) => Child::Fields,
            ValueType::List(element) | ValueType::Set(element) => {
                Child::Elements((self.0, element))
            }
            ValueType::Map(key, value) => Child::Entries(key.kind(), (self.0, value)),
            _ => Child::None,
        }
    }

    fn field(&self, name: &str) -> Option<(i16, Self)> {
        let ValueType::Struct(number) = self.1 else {
            return None;
        };
        let mut fields = self.0.structs()[*number].fields().iter();
        let found = fields.find(|it| it.field.name == name)?;
        Some((found.field.id, (self.0, &found.ty)))
    }

    fn names(&self) -> Vec<&str> {
        match self.1 {
            ValueType::Struct(number) => {
                let fields = self.0.structs()[*number].fields().iter();
                fields.map(|it| it.field.name).collect()
            }
            _ => Vec::new(),
        }
    }
}
