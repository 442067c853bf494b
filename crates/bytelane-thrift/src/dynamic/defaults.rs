//! Default values of fields that messages lack.

use super::{Schema, Struct, StructType, Value, ValueType};
use crate::{Error, ErrorKind, Limits, Segment};

impl Schema {
    /// Adds the fields that structs in a value lack, and for which the IDL has default values: in the order of
    /// their ids, as most writers write them.
    ///
    /// # Errors
    ///
    /// The added values take more than the limit
    /// [`total_allocation`](Limits::total_allocation), in bytes of a message.
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    ///
    /// ```
    /// use bytelane_thrift::dynamic::{FieldType, Schema, StructType, Value, ValueType};
    /// use bytelane_thrift::{Limits, SimpleJson};
    ///
    /// let x = FieldType::new(1, "x", ValueType::I32).with_default(Some(Value::I32(5)));
    /// let y = FieldType::new(2, "y", ValueType::I32);
    /// let schema = Schema::new(vec![StructType::new("Point", vec![x, y])], vec![]);
    /// let point = schema.parse_type("Point")?;
    ///
    /// let mut value = schema.decode::<SimpleJson>(&point, br#"{"y":7}"#)?;
    /// schema.add_defaults(&point, &mut value, &Limits::default())?;
    /// assert_eq!(value.encode::<SimpleJson>()?, br#"{"x":5,"y":7}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_defaults(
        &self,
        ty: &ValueType,
        value: &mut Value,
        limits: &Limits,
    ) -> Result<(), Error> {
        let mut left = limits.total_allocation;
        self.add(ty, value, limits.depth, &mut left)
    }

    fn add(
        &self,
        ty: &ValueType,
        value: &mut Value,
        depth: u32,
        left: &mut usize,
    ) -> Result<(), Error> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(Error::new(ErrorKind::DepthLimit, None));
        };
        match (ty, value) {
            (ValueType::List(of), Value::List(list)) | (ValueType::Set(of), Value::Set(list)) => {
                for (index, value) in list.values.iter_mut().enumerate() {
                    let added = self.add(of, value, depth, left);
                    added.map_err(|error| error.within(Segment::Index(index)))?;
                }
            }
            (ValueType::Map(key_type, value_type), Value::Map(map)) => {
                for (index, (key, value)) in map.entries.iter_mut().enumerate() {
                    let added = self.add(key_type, key, depth, left);
                    let added = added.and_then(|()| self.add(value_type, value, depth, left));
                    added.map_err(|error| error.within(Segment::Index(index)))?;
                }
            }
            (ValueType::Struct(number), Value::Struct(found)) => {
                self.add_to_fields(&self.structs()[*number], found, depth, left)?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn add_defaults_of_fields(
        &self,
        of: &StructType,
        found: &mut Struct,
        limits: &Limits,
    ) -> Result<(), Error> {
        let mut left = limits.total_allocation;
        self.add_to_fields(of, found, limits.depth, &mut left)
    }

    fn add_to_fields(
        &self,
        of: &StructType,
        found: &mut Struct,
        depth: u32,
        left: &mut usize,
    ) -> Result<(), Error> {
        for declared in of.fields() {
            let field = declared.field;
            let is_it = |(it, _): &&mut (crate::Field, Value)| it.id == field.id;
            let added = match (found.fields.iter_mut().find(is_it), &declared.default) {
                (Some((_, value)), _) => self.add(&declared.ty, value, depth, left),
                (None, None) => Ok(()),
                (None, Some(default)) => {
                    let mut value = default.clone();
                    let added = self.add(&declared.ty, &mut value, depth, left);
                    let cost = value.room() + size_of::<Value>();
                    let place = found.fields.iter().position(|(it, _)| it.id > field.id);
                    let place = place.unwrap_or(found.fields.len());
                    found.fields.insert(place, (field, value));
                    match left.checked_sub(cost) {
                        Some(rest) => {
                            *left = rest;
                            added
                        }
                        None => Err(Error::new(ErrorKind::AllocationLimit, None)),
                    }
                }
            };
            added.map_err(|error| error.within(Segment::Field(field.name)))?;
        }
        Ok(())
    }
}
