//! Connects a schema with Python classes, and reads its default values.

use super::error::Fault;
use super::plan::{Default, EnumPlan, Plan, StructPlan};
use super::read::Decoder;
use bytelane_thrift::dynamic::{FieldType, Schema, Value, ValueType};
use bytelane_thrift::{Binary, Limits};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};
use std::sync::Arc;

impl Plan {
    /// Connects a schema with a class for each struct, which has the given names for its fields, and
    /// with a class for each enum.
    pub fn of<'py>(
        py: Python<'py>,
        schema: &Arc<Schema>,
        structs: &[(Bound<'py, PyType>, Vec<Py<PyString>>)],
        enums: &[Bound<'py, PyAny>],
        arrays: bool,
        views: bool,
    ) -> PyResult<Self> {
        let structs = schema.structs().iter().zip(structs);
        let structs = structs.map(|(of, (class, names))| StructPlan::of(of, class, names, py));
        let enums = schema.enums().iter().zip(enums);
        let enums = enums.map(|(of, class)| EnumPlan::of(of, class));
        let mut plan = Self {
            schema: Arc::clone(schema),
            structs: structs.collect::<PyResult<_>>()?,
            enums: enums.collect::<PyResult<_>>()?,
            arrays,
            views,
        };
        for (number, of) in schema.structs().iter().enumerate() {
            for (place, FieldType { ty, default, .. }) in of.fields().iter().enumerate() {
                if let Some(value) = default {
                    let default = plan.default(py, ty, value)?;
                    plan.structs[number].fields[place].default = default;
                }
            }
        }
        Ok(plan)
    }

    fn default(&self, py: Python<'_>, ty: &ValueType, value: &Value) -> PyResult<Default> {
        let message = written(value).map_err(|fault| fault.raise(py))?;
        if is_mutable(ty) {
            return Ok(Default::Message(message));
        }
        Ok(Default::Shared(self.value(py, ty, value)?.unbind()))
    }

    /// Returns a value of the IDL as an object.
    pub fn value<'py>(
        &self,
        py: Python<'py>,
        ty: &ValueType,
        value: &Value,
    ) -> PyResult<Bound<'py, PyAny>> {
        let read = || {
            let message = written(value)?;
            Decoder::of(self, py).default(ty, false, &message, &mut Limits::default())
        };
        read().map_err(|fault: Fault| fault.raise(py))
    }
}

fn written(value: &Value) -> Result<Vec<u8>, Fault> {
    Ok(value.encode::<Binary>()?)
}

/// Returns whether objects of a type can change.
fn is_mutable(ty: &ValueType) -> bool {
    use ValueType::{AnyStruct, List, Map, Set, Struct};
    matches!(ty, List(_) | Set(_) | Map(..) | Struct(_) | AnyStruct)
}
