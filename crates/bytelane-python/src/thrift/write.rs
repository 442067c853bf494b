//! Writes Python objects as messages.

use super::error::Fault;
use super::plan::Plan;
use super::slots::{Instance, pair};
use crate::dtype::{DType, Kind};
use crate::memory::Memory;
use bytelane_thrift::derived::Key;
use bytelane_thrift::dynamic::ValueType;
use bytelane_thrift::{Error, ErrorKind, Frame, Segment, Type, Writer};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::{ffi, intern};
use std::ffi::c_long;

/// Writes the values of an IDL.
pub struct Encoder<'a, 'py> {
    pub plan: &'a Plan,
    pub py: Python<'py>,
}

impl<'py> Encoder<'_, 'py> {
    /// Writes a struct.
    pub fn structure<W: Writer>(
        &self,
        number: usize,
        object: &Bound<'py, PyAny>,
        writer: &mut W,
    ) -> Result<(), Fault> {
        let plan = &self.plan.structs[number];
        let Some(instance) = plan.layout.instance(object) else {
            return Err(mismatch(&plan.name, object));
        };
        let mut frame = writer.struct_begin()?;
        let mut members = 0;
        for (place, field) in plan.fields.iter().enumerate() {
            let Some(value) = plan.layout.get(instance, place) else {
                if field.is_required {
                    return Err(Error::new(ErrorKind::MissingField(field.field.name), None).into());
                }
                continue;
            };
            members += 1;
            if !field.is_required && !writer.selects(field.field.id) {
                continue;
            }
            let written = self.field(&field.ty, &value, writer, &mut frame, &field.field);
            written.map_err(|fault| fault.within(Segment::Field(field.field.name)))?;
        }
        if plan.is_union && members != 1 {
            let kind = match members {
                0 => ErrorKind::EmptyUnion,
                _ => ErrorKind::SecondUnionField,
            };
            return Err(Error::new(kind, None).into());
        }
        writer.struct_end(frame);
        Ok(())
    }

    fn field<W: Writer>(
        &self,
        ty: &ValueType,
        value: &Bound<'py, PyAny>,
        writer: &mut W,
        frame: &mut Frame,
        field: &bytelane_thrift::Field,
    ) -> Result<(), Fault> {
        match ty {
            ValueType::Bool => writer.bool_field(frame, field, truth(value)?),
            ValueType::I32 | ValueType::Enum(_) => writer.i32_field(frame, field, integer(value)?),
            ValueType::I64 => writer.i64_field(frame, field, integer(value)?),
            ValueType::Double => writer.double_field(frame, field, number(value)?),
            ValueType::String => writer.string_field(frame, field, text(value)?)?,
            _ => {
                writer.field_begin(frame, field);
                self.value(ty, value, writer)?;
                writer.field_end();
            }
        }
        Ok(())
    }

    /// Writes a value.
    pub fn value<W: Writer>(
        &self,
        ty: &ValueType,
        value: &Bound<'py, PyAny>,
        writer: &mut W,
    ) -> Result<(), Fault> {
        match ty {
            ValueType::Bool => writer.bool(truth(value)?),
            ValueType::I8 => writer.i8(integer(value)?),
            ValueType::I16 => writer.i16(integer(value)?),
            ValueType::I32 | ValueType::Enum(_) => writer.i32(integer(value)?),
            ValueType::I64 => writer.i64(integer(value)?),
            ValueType::Float => writer.float(number(value)? as f32)?,
            ValueType::Double => writer.double(number(value)?),
            ValueType::String => writer.string(text(value)?)?,
            ValueType::Binary => match value.cast_exact::<PyBytes>() {
                Ok(bytes) => writer.binary(bytes.as_bytes())?,
                Err(_) => {
                    Memory::of(value)?.read_attached(|bytes: &[u8]| writer.binary(bytes))??
                }
            },
            ValueType::Uuid => {
                let bytes = value.getattr(intern!(self.py, "bytes"));
                let bytes = bytes.and_then(|bytes| bytes.extract::<[u8; 16]>());
                writer.uuid(&bytes.map_err(|_| mismatch("uuid.UUID", value))?)?;
            }
            ValueType::List(element) => self.list(element, value, writer)?,
            ValueType::Set(element) => {
                let values = elements(value, "a set")?;
                writer.list_begin(Type::Set, element.kind(), values.len())?;
                self.elements(element, &values, writer)?;
                writer.list_end();
            }
            ValueType::Map(key, of) => self.map(key, of, value, writer)?,
            ValueType::Struct(number) => self.structure(*number, value, writer)?,
            other => return Err(mismatch(&other.to_string(), value)),
        }
        Ok(())
    }

    fn list<W: Writer>(
        &self,
        element: &ValueType,
        value: &Bound<'py, PyAny>,
        writer: &mut W,
    ) -> Result<(), Fault> {
        if !value.is_exact_instance_of::<PyList>()
            && self.numbers(element, value, writer)?.is_some()
        {
            return Ok(());
        }
        let values = elements(value, "a list")?;
        writer.list_begin(Type::List, element.kind(), values.len())?;
        self.elements(element, &values, writer)?;
        writer.list_end();
        Ok(())
    }

    /// Writes a list from memory of numbers of its type. `None` if the object is something else.
    fn numbers<W: Writer>(
        &self,
        element: &ValueType,
        value: &Bound<'py, PyAny>,
        writer: &mut W,
    ) -> Result<Option<()>, Fault> {
        let (kind, size) = match element {
            ValueType::I8 => (Kind::Signed, 1),
            ValueType::I16 => (Kind::Signed, 2),
            ValueType::I32 => (Kind::Signed, 4),
            ValueType::I64 => (Kind::Signed, 8),
            ValueType::Float => (Kind::Float, 4),
            ValueType::Double => (Kind::Float, 8),
            _ => return Ok(None),
        };
        let wanted = DType { kind, size };
        // An array with gaps has no contiguous memory, but elements.
        let Ok(memory) = Memory::of(value) else {
            return Ok(None);
        };
        let len = memory.len() / size;
        if memory.numbers(None).ok() != Some(wanted) || value.len().ok() != Some(len) {
            return Ok(None);
        }
        writer.list_begin(Type::List, element.kind(), len)?;
        match element {
            ValueType::I8 => memory.read_attached(|values| writer.i8s(values))?,
            ValueType::I16 => memory.read_attached(|values| writer.i16s(values))?,
            ValueType::I32 => memory.read_attached(|values| writer.i32s(values))?,
            ValueType::I64 => memory.read_attached(|values| writer.i64s(values))?,
            ValueType::Float => memory.read_attached(|values| writer.floats(values))??,
            _ => memory.read_attached(|values| writer.doubles(values))?,
        }
        writer.list_end();
        Ok(Some(()))
    }

    fn elements<W: Writer>(
        &self,
        element: &ValueType,
        values: &Bound<'py, PyList>,
        writer: &mut W,
    ) -> Result<(), Fault> {
        for index in 0..values.len() {
            if !writer.selects_next() {
                continue;
            }
            let written = match values.get_item(index) {
                Ok(value) => self.value(element, &value, writer),
                // Code that converted an earlier element has shortened the list.
                Err(error) => Err(error.into()),
            };
            written.map_err(|fault| fault.within(Segment::Index(index)))?;
        }
        Ok(())
    }

    fn map<W: Writer>(
        &self,
        key_type: &ValueType,
        value_type: &ValueType,
        value: &Bound<'py, PyAny>,
        writer: &mut W,
    ) -> Result<(), Fault> {
        if !W::IS_MASKED
            && let Ok(map) = value.cast::<PyDict>()
        {
            return self.dict(key_type, value_type, map, writer);
        }
        let (keys, values) = self.entries(value)?;
        let len = usize::min(keys.len(), values.len());
        let selected = writer.selected_entries(len, |selects| {
            let keys = keys.iter().take(len);
            keys.filter(|key| selects(mask_key(key))).count()
        });
        writer.map_begin(key_type.kind(), value_type.kind(), selected)?;
        for index in 0..len {
            let mut entry = || {
                let key = keys.get_item(index)?;
                if W::IS_MASKED && !writer.selects_entry(mask_key(&key)) {
                    return Ok(());
                }
                writer.key_begin();
                self.value(key_type, &key, writer)?;
                writer.value_begin();
                self.value(value_type, &values.get_item(index)?, writer)
            };
            entry().map_err(|fault: Fault| fault.within(Segment::Index(index)))?;
        }
        writer.map_end();
        Ok(())
    }

    /// Writes a dict without lists of its keys and values.
    fn dict<W: Writer>(
        &self,
        key_type: &ValueType,
        value_type: &ValueType,
        map: &Bound<'py, PyDict>,
        writer: &mut W,
    ) -> Result<(), Fault> {
        let len = map.len();
        writer.map_begin(key_type.kind(), value_type.kind(), len)?;
        let mut entries = map.iter();
        for index in 0..len {
            // Code that converts a value may change the dict, for which the iterator would panic.
            let next = (map.len() == len).then(|| entries.next()).flatten();
            let entry = || {
                let changed = || PyRuntimeError::new_err("the dict changed while it was written");
                let (key, value) = next.ok_or_else(changed)?;
                writer.key_begin();
                self.value(key_type, &key, writer)?;
                writer.value_begin();
                self.value(value_type, &value, writer)
            };
            entry().map_err(|fault: Fault| fault.within(Segment::Index(index)))?;
        }
        writer.map_end();
        Ok(())
    }

    /// Returns the keys and values of a map. A list of pairs would have a new object for each.
    fn entries(
        &self,
        map: &Bound<'py, PyAny>,
    ) -> Result<(Bound<'py, PyList>, Bound<'py, PyList>), Fault> {
        if let Ok(map) = map.cast::<PyDict>() {
            return Ok((map.keys(), map.values()));
        }
        // Another mapping; or pairs, as maps within keys have.
        let pairs = match map.call_method0(intern!(self.py, "items")) {
            Ok(items) => elements(&items, "a mapping")?,
            Err(_) => elements(map, "a mapping")?,
        };
        let (keys, values) = (PyList::empty(self.py), PyList::empty(self.py));
        for (index, entry) in pairs.iter().enumerate() {
            let (key, value) =
                pair(&entry).map_err(|error| Fault::from(error).within(Segment::Index(index)))?;
            keys.append(key)?;
            values.append(value)?;
        }
        Ok((keys, values))
    }
}

/// Returns an object as the key of an entry that a mask can name.
fn mask_key<'a>(key: &'a Bound<'_, PyAny>) -> Key<'a> {
    if let Ok(text) = key.cast::<PyString>() {
        text.to_str()
            .map_or(Key::Other, |text| Key::Text(text.as_bytes()))
    } else if let Ok(bytes) = key.cast::<PyBytes>() {
        Key::Text(bytes.as_bytes())
    } else {
        key.extract().map_or(Key::Other, Key::Number)
    }
}

/// Returns the elements of an object as a list.
fn elements<'py>(value: &Bound<'py, PyAny>, wanted: &str) -> Result<Bound<'py, PyList>, Fault> {
    if let Ok(list) = value.cast_exact::<PyList>() {
        return Ok(list.clone());
    }
    // The characters of a text are strings as well, which is never meant.
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyDict>() {
        return Err(mismatch(wanted, value));
    }
    let list = value.py().get_type::<PyList>().call1((value,));
    match list {
        Ok(list) => Ok(list.cast_into::<PyList>().map_err(PyErr::from)?),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            Err(mismatch(wanted, value))
        }
        Err(error) => Err(error.into()),
    }
}

fn truth(value: &Bound<'_, PyAny>) -> Result<bool, Fault> {
    if let Ok(value) = value.cast_exact::<PyBool>() {
        return Ok(value.is_true());
    }
    // NumPy's bool, 0 and 1.
    let is_number = value.is_instance_of::<PyInt>() || value.get_type().name()? == "bool";
    match value.is_truthy() {
        Ok(truth) if is_number => Ok(truth),
        _ => Err(mismatch("bool", value)),
    }
}

fn integer<'py, T>(value: &Bound<'py, PyAny>) -> Result<T, Fault>
where
    T: TryFrom<c_long> + for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    // PyO3 converts a copy of the number, which takes twice as long.
    if value.is_exact_instance_of::<PyInt>() {
        let mut overflow = 0;
        // SAFETY: the object is an int, for which the call raises no exception.
        let number = unsafe { ffi::PyLong_AsLongAndOverflow(value.as_ptr(), &raw mut overflow) };
        if overflow == 0
            && let Ok(number) = T::try_from(number)
        {
            return Ok(number);
        }
    }
    value.extract::<T>().map_err(|error| {
        let py = value.py();
        if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(py) {
            let bits = 8 * size_of::<T>();
            let message = format!("{value} is not in the range of an integer of {bits} bits");
            return PyValueError::new_err(message).into();
        }
        if error.is_instance_of::<PyTypeError>(py) {
            return mismatch("int", value);
        }
        error.into()
    })
}

fn number(value: &Bound<'_, PyAny>) -> Result<f64, Fault> {
    if let Ok(value) = value.cast_exact::<PyFloat>() {
        return Ok(value.value());
    }
    value.extract().map_err(|_| mismatch("float", value))
}

fn text<'a>(value: &'a Bound<'_, PyAny>) -> Result<&'a str, Fault> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?),
        Err(_) => Err(mismatch("str", value)),
    }
}

#[cold]
fn mismatch(wanted: &str, found: &Bound<'_, PyAny>) -> Fault {
    let name = found.get_type().name();
    let name = name.map_or_else(|_| "another type".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("expected {wanted}, found {name}")).into()
}

/// Sets the fields of a new object from the arguments of its constructor.
pub fn fill<'py>(
    plan: &Plan,
    number: usize,
    object: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<()> {
    let py = object.py();
    let of = &plan.structs[number];
    let instance = of.layout.instance(object);
    let instance: Instance<'_, 'py> = instance.ok_or_else(|| {
        PyTypeError::new_err(format!("expected an object of the class {}", of.name))
    })?;
    let wrong = |message: String| PyTypeError::new_err(format!("{}: {message}", of.name));
    let (mut given, mut members) = (vec![false; of.fields.len()], 0);
    if arguments.len() > given.len() {
        let message = format!("{} values for {} fields", arguments.len(), given.len());
        return Err(wrong(message));
    }
    for (place, value) in arguments.iter().enumerate() {
        members += usize::from(!value.is_none());
        of.layout.set(instance, place, value);
        given[place] = true;
    }
    for (name, value) in keywords.into_iter().flatten() {
        let name = name.cast_into::<PyString>()?;
        let Some(place) = of.layout.position(&name)? else {
            let names = (0..given.len()).map(|place| of.layout.name(py, place).to_string());
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(wrong(format!("no field {name}; the fields are {names}")));
        };
        if std::mem::replace(&mut given[place], true) {
            return Err(wrong(format!("two values for the field {name}")));
        }
        members += usize::from(!value.is_none());
        of.layout.set(instance, place, value);
    }
    if of.is_union && members > 1 {
        return Err(wrong("a union has one field".to_owned()));
    }
    let decoder = super::read::Decoder::of(plan, py);
    let mut limits = bytelane_thrift::Limits::default();
    for (place, field) in of.fields.iter().enumerate() {
        if !given[place] {
            let value = decoder.initial(field, false, &mut limits);
            let value = value.map_err(|fault| fault.raise(py))?;
            of.layout.set(instance, place, value);
        }
    }
    Ok(())
}
