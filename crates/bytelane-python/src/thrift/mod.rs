//! Messages of Thrift as Python objects.

mod bind;
mod columns;
mod error;
mod limits;
mod mask;
mod numbers;
mod plan;
mod read;
mod slots;
mod structs;
mod write;

use crate::memory::Memory;
use crate::parquet::Table;
use bytelane_thrift::dynamic::{self, ValueType};
use bytelane_thrift::{Binary, Compact, FbthriftCompact, Json, Options, SimpleJson};
use bytelane_thrift_build::Compiler;
use error::of_idl;
use limits::{Limits, limits_of};
use plan::Plan;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple, PyType};
use std::path::PathBuf;
use std::sync::Arc;
use structs::{Struct, Way, dispatch, unknown_protocol};
use write::fill;

/// Native half of `bytelane.thrift`.
#[pymodule]
pub mod _thrift {
    #[pymodule_export]
    use super::columns::Scanner;
    #[pymodule_export]
    use super::limits::Limits;
    #[pymodule_export]
    use super::mask::FieldMask;
    #[pymodule_export]
    use super::{Message, Schema, initialise, load};
}

/// Base of all classes of an IDL. Their objects have nothing but fields.
#[pyclass(frozen, subclass, module = "bytelane.thrift")]
pub struct Message;

#[pymethods]
impl Message {
    #[new]
    #[classmethod]
    #[pyo3(signature = (*arguments, **fields))]
    fn new<'py>(
        class: &Bound<'py, PyType>,
        arguments: &Bound<'py, PyTuple>,
        fields: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<Self>> {
        let of = Struct::of(class)?;
        let Struct { plan, number } = of.get();
        let object = plan.structs[*number].layout.create(class)?;
        fill(plan, *number, &object, arguments, fields)?;
        Ok(object.cast_into::<Self>()?.unbind())
    }

    /// Reads an object from all of a message.
    #[classmethod]
    #[pyo3(signature = (data, protocol="binary", *, mask=None, limits=None, strict_types=false, lenient_json=false))]
    fn decode<'py>(
        class: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
        protocol: &str,
        mask: Option<&Bound<'py, PyAny>>,
        limits: Option<Limits>,
        strict_types: bool,
        lenient_json: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = options(limits, strict_types, lenient_json);
        Ok(decoded(class, data, protocol, options, true, mask)?.0)
    }

    /// Reads an object from the start of some bytes. Returns it, and the length of its message in bytes.
    #[classmethod]
    #[pyo3(signature = (data, protocol="binary", *, mask=None, limits=None, strict_types=false, lenient_json=false))]
    fn decode_prefix<'py>(
        class: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
        protocol: &str,
        mask: Option<&Bound<'py, PyAny>>,
        limits: Option<Limits>,
        strict_types: bool,
        lenient_json: bool,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        let options = options(limits, strict_types, lenient_json);
        decoded(class, data, protocol, options, false, mask)
    }

    /// Reads the columns of a result set, such as those of HiveServer2, as a table. `path` leads to their list, for example
    /// `results.columns`. Without `names`, they are `column_0`, `column_1` and so on. With `reply`, the data are the whole
    /// reply of a service, whose return value the object is.
    #[classmethod]
    #[pyo3(signature = (data, path, protocol="binary", *, names=None, reply=false, limits=None, lenient_json=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn decode_arrow(
        class: &Bound<'_, PyType>,
        data: &Bound<'_, PyAny>,
        path: &str,
        protocol: &str,
        names: Option<Vec<String>>,
        reply: bool,
        limits: Option<Limits>,
        lenient_json: bool,
    ) -> PyResult<Table> {
        let of = Struct::of(class)?;
        let options = options(limits, false, lenient_json);
        of.get().table(data, path, protocol, names, reply, options)
    }

    /// Writes the object as a message.
    #[pyo3(signature = (protocol="binary", *, mask=None, limits=None))]
    fn encode<'py>(
        slf: &Bound<'py, Self>,
        protocol: &str,
        mask: Option<&Bound<'py, PyAny>>,
        limits: Option<Limits>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let of = Struct::of(&slf.get_type())?;
        let (of, object) = (of.get(), slf.as_any());
        let limits = limits_of(limits);
        let mask = of.mask(mask)?;
        dispatch!(protocol, of.encode(object, &limits, mask.as_ref()))
    }
}

fn options(limits: Option<Limits>, strict_types: bool, lenient_json: bool) -> Options {
    let options = Options::default().with_strict_types(strict_types);
    let options = options.with_limits(limits_of(limits));
    options.with_lenient_json(lenient_json)
}

fn decoded<'py>(
    class: &Bound<'py, PyType>,
    data: &Bound<'py, PyAny>,
    protocol: &str,
    options: Options,
    is_whole: bool,
    mask: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let of = Struct::of(class)?;
    let of = of.get();
    let way = Way {
        options,
        is_whole,
        mask: of.mask(mask)?,
    };
    // Objects are created while the message is read, which can run any code. Bytes never change;
    // other memory is copied first.
    let copy;
    let message = match data.cast_exact::<PyBytes>() {
        Ok(bytes) => bytes,
        Err(_) => {
            let memory = Memory::of_text(data)?;
            copy = memory.read_attached(|bytes: &[u8]| PyBytes::new(data.py(), bytes))?;
            &copy
        }
    };
    dispatch!(protocol, of.decode(class, message, &way))
}

/// Sets the fields of an exception from the arguments of its constructor.
#[pyfunction]
fn initialise<'py>(
    object: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
    fields: &Bound<'py, PyDict>,
) -> PyResult<()> {
    let of = Struct::of(&object.get_type())?;
    let Struct { plan, number } = of.get();
    fill(plan, *number, object, arguments, Some(fields))
}

/// Types of an IDL.
#[pyclass(frozen)]
pub struct Schema(Arc<dynamic::Schema>);

/// Loads an IDL and everything that it includes.
#[pyfunction]
fn load(py: Python<'_>, path: PathBuf, include: Vec<PathBuf>) -> PyResult<Schema> {
    let compiler = Compiler::new();
    let compiler = include.into_iter().fold(compiler, Compiler::include);
    let schema = py.detach(|| compiler.schema(&[path]));
    schema
        .map(|schema| Schema(Arc::new(schema)))
        .map_err(|error| of_idl(py, error.to_string()))
}

/// Name and kind; and for each field, name, type, and whether objects that are read have a value for it.
type Described<'py> = (
    String,
    &'static str,
    Vec<(&'static str, Bound<'py, PyAny>, bool)>,
);

/// Name, type and value of a constant.
type Named<'py> = (String, Bound<'py, PyAny>, Bound<'py, PyAny>);

#[pymethods]
impl Schema {
    /// Returns name, kind and fields of each struct, union and exception.
    fn structs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Described<'py>>> {
        let structs = self.0.structs().iter();
        let structs = structs.map(|of| {
            let kind = match (of.is_union(), of.is_exception()) {
                (true, _) => "union",
                (_, true) => "exception",
                _ => "struct",
            };
            let fields = of.fields().iter();
            let fields = fields.map(|it| {
                let has_value = it.is_required || it.default.is_some();
                Ok((it.field.name, shown(py, &it.ty)?, has_value))
            });
            Ok((of.name().to_owned(), kind, fields.collect::<PyResult<_>>()?))
        });
        structs.collect()
    }

    /// Returns the name of each enum, with the names and numbers of its variants.
    fn enums(&self) -> Vec<(String, Vec<(&'static str, i32)>)> {
        let enums = self.0.enums().iter();
        let enums = enums.map(|of| (of.name().to_owned(), of.variants().to_vec()));
        enums.collect()
    }

    /// Makes the classes of structs read and write messages: those of this schema, in its order, each with
    /// the names of its fields. Returns the names, types and values of the constants.
    fn bind<'py>(
        &self,
        py: Python<'py>,
        structs: Vec<(Bound<'py, PyType>, Vec<Py<PyString>>)>,
        enums: Vec<Bound<'py, PyAny>>,
        arrays: bool,
        views: bool,
    ) -> PyResult<Vec<Named<'py>>> {
        let plan = Plan::of(py, &self.0, &structs, &enums, arrays, views)?;
        let plan = Arc::new(plan);
        for (number, (class, _)) in structs.iter().enumerate() {
            let plan = Arc::clone(&plan);
            class.setattr(intern!(py, "__thrift__"), Struct { plan, number })?;
        }
        let constants = self.0.constants().iter();
        let constants = constants.map(|it| {
            let value = plan.value(py, &it.ty, &it.value)?;
            Ok((it.name.clone(), shown(py, &it.ty)?, value))
        });
        constants.collect()
    }
}

/// Returns a type as nested tuples: `("list", ("i32",))`, `("struct", 3)`.
fn shown<'py>(py: Python<'py>, ty: &ValueType) -> PyResult<Bound<'py, PyAny>> {
    let tuple = match ty {
        ValueType::List(element) => ("list", shown(py, element)?).into_pyobject(py)?,
        ValueType::Set(element) => ("set", shown(py, element)?).into_pyobject(py)?,
        ValueType::Map(key, value) => {
            ("map", shown(py, key)?, shown(py, value)?).into_pyobject(py)?
        }
        ValueType::Struct(number) => ("struct", number).into_pyobject(py)?,
        ValueType::Enum(number) => ("enum", number).into_pyobject(py)?,
        plain => (plain.to_string(),).into_pyobject(py)?,
    };
    Ok(tuple.into_any())
}
