//! Reads messages as Python objects.

use super::error::Fault;
use super::numbers::array;
use super::plan::{Default, FieldPlan, Plan, SMALL};
use super::slots::Filling;
use crate::dtype::{DType, Kind};
use bytelane_thrift::dynamic::ValueType;
use bytelane_thrift::{
    Binary, ErrorKind, FieldHeader, Input, Items, Limits, Protocol, Reader, Segment, Type,
};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyMemoryView, PySequence, PySet, PyString,
    PyType,
};
use std::borrow::Cow;

/// Memory of an object with parts, in bytes, beside its parts.
const LARGE: usize = 120;

/// Memory for a part of a list, of a set, and for an entry of a dict. Hash tables are partly empty,
/// and coexist with their predecessors while they grow.
const IN_LIST: usize = size_of::<usize>();
const IN_SET: usize = 120;
const IN_DICT: usize = 160;

/// Reads the values of an IDL.
pub struct Decoder<'a, 'py> {
    plan: &'a Plan,
    py: Python<'py>,
    /// Message of which binary values are parts, and where it begins.
    source: Option<(Bound<'py, PySequence>, *const u8)>,
}

impl<'a, 'py> Decoder<'a, 'py> {
    /// Creates a decoder that copies binary values.
    pub fn of(plan: &'a Plan, py: Python<'py>) -> Self {
        let source = None;
        Self { plan, py, source }
    }

    /// Creates a decoder for a message, which binary values may share.
    pub fn new(plan: &'a Plan, message: &Bound<'py, PyBytes>) -> PyResult<Self> {
        let mut decoder = Self::of(plan, message.py());
        if plan.views {
            let view = PyMemoryView::from(message.as_any())?.into_any();
            decoder.source = Some((view.cast_into()?, message.as_bytes().as_ptr()));
        }
        Ok(decoder)
    }

    /// Reads a default value, and takes its cost from the limits.
    pub fn default(
        &self,
        ty: &ValueType,
        is_key: bool,
        message: &[u8],
        limits: &mut Limits,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        let decoder = Self::of(self.plan, self.py);
        let mut reader = Binary::<true>::reader(Input::new(message, *limits));
        let value = decoder.value(ty, is_key, &mut reader)?;
        *limits = *reader.input().limits();
        Ok(value)
    }

    /// Reads a struct as an object of a class.
    pub fn structure<'de, R: Reader<'de>>(
        &self,
        number: usize,
        class: &Bound<'py, PyType>,
        is_key: bool,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        let plan = &self.plan.structs[number];
        reader.input().charge(plan.cost)?;
        let mut frame = reader.struct_begin()?;
        let object = plan.layout.create(class)?;
        let Some(instance) = plan.layout.instance(&object) else {
            let message = format!("{class} is not a subclass of {}", plan.name);
            return Err(PyTypeError::new_err(message).into());
        };
        let (mut next, mut members) = (0, 0);
        while let Some(header) = reader.field_begin(&mut frame, &plan.wire)? {
            match plan.position(header.id, &mut next) {
                Some(place) => {
                    if let Some(value) = self.field(&plan.fields[place], is_key, header, reader)? {
                        members += 1;
                        plan.layout.set(instance, place, value);
                    }
                }
                None => reader.skip(header.kind)?,
            }
            reader.field_end()?;
        }
        if plan.is_union && members > 1 {
            return Err(reader.error(ErrorKind::SecondUnionField).into());
        }
        if members < plan.fields.len() {
            for (place, field) in plan.fields.iter().enumerate() {
                if plan.layout.has(instance, place) {
                    continue;
                }
                let value = self.missing(field, is_key, reader)?;
                plan.layout.set(instance, place, value);
            }
        }
        Ok(object)
    }

    /// Returns the value of a field that a message lacks.
    fn missing<'de, R: Reader<'de>>(
        &self,
        field: &FieldPlan,
        is_key: bool,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        if field.is_required && !reader.is_hidden(field.field.id) {
            return Err(reader
                .error(ErrorKind::MissingField(field.field.name))
                .into());
        }
        let mut limits = *reader.input().limits();
        let value = self.initial(field, is_key, &mut limits);
        let value = value.map_err(|fault| fault.within(Segment::Field(field.field.name)))?;
        let before = reader.input().limits().total_allocation;
        reader.input().charge(before - limits.total_allocation)?;
        Ok(value)
    }

    /// Returns the value of a field in a new object.
    pub fn initial(
        &self,
        field: &FieldPlan,
        is_key: bool,
        limits: &mut Limits,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        Ok(match &field.default {
            Default::Nothing => self.py.None().into_bound(self.py),
            Default::Shared(value) => value.bind(self.py).clone(),
            Default::Message(message) => self.default(&field.ty, is_key, message, limits)?,
        })
    }

    /// Reads a field. `None` if its type is not the declared one, and types are not strict.
    fn field<'de, R: Reader<'de>>(
        &self,
        FieldPlan { field, ty, .. }: &FieldPlan,
        is_key: bool,
        header: FieldHeader,
        reader: &mut R,
    ) -> Result<Option<Bound<'py, PyAny>>, Fault> {
        // Only containers have types beyond that of the header.
        let is_container = matches!(field.kind, Type::List | Type::Set | Type::Map);
        let is_other = field.kind != header.kind;
        let mark = (is_container || is_other).then(|| reader.mark());
        let value = match reader.input().expect(Some(field.kind), header.kind) {
            Ok(()) => self.value(ty, is_key, reader),
            Err(error) => Err(error.into()),
        };
        let fault = match value {
            Ok(value) => return Ok(Some(value)),
            Err(fault) => fault,
        };
        let is_type = |kind| matches!(kind, ErrorKind::WrongType { .. });
        let skipped = match mark {
            Some(mark)
                if fault
                    .of_message()
                    .is_some_and(|error| is_type(error.kind()))
                    && !reader.input().has_strict_types() =>
            {
                reader.reset(&mark);
                reader.skip(header.kind).map_err(Fault::from)
            }
            _ => Err(fault),
        };
        match skipped {
            Ok(()) => Ok(None),
            Err(fault) => Err(fault.within(Segment::Field(field.name))),
        }
    }

    /// Reads a value. Parts of keys and sets do not change: lists are tuples there, for example.
    pub fn value<'de, R: Reader<'de>>(
        &self,
        ty: &ValueType,
        is_key: bool,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        let py = self.py;
        macro_rules! number {
            ($method:ident) => {
                reader
                    .$method()?
                    .into_pyobject(py)
                    .map_err(PyErr::from)?
                    .into_any()
            };
        }
        Ok(match ty {
            ValueType::Bool => PyBool::new(py, reader.bool()?).to_owned().into_any(),
            ValueType::I8 => number!(i8),
            ValueType::I16 => number!(i16),
            ValueType::I32 => number!(i32),
            ValueType::I64 => number!(i64),
            ValueType::Float => PyFloat::new(py, reader.float()?.into()).into_any(),
            ValueType::Double => PyFloat::new(py, reader.double()?).into_any(),
            ValueType::String => {
                let text = reader.string()?;
                reader.input().charge(text.len() + SMALL)?;
                PyString::new(py, &text).into_any()
            }
            ValueType::Binary => self.binary(reader)?,
            ValueType::Uuid => {
                reader.input().charge(LARGE)?;
                uuid(py, reader.uuid()?)?
            }
            ValueType::Enum(number) => {
                let value = reader.i32()?;
                match self.plan.enums[*number].member(py, value) {
                    Some(member) => member,
                    None => value.into_pyobject(py).map_err(PyErr::from)?.into_any(),
                }
            }
            ValueType::List(element) => self.list(element, is_key, reader)?,
            ValueType::Set(element) => self.set(element, is_key, reader)?,
            ValueType::Map(key, value) if is_key => self.pairs(key, value, reader)?,
            ValueType::Map(key, value) => self.map(key, value, reader)?,
            ValueType::Struct(number) => {
                let class = self.plan.structs[*number].layout.class(py);
                self.structure(*number, class, is_key, reader)?
            }
            // Not in a schema that is loaded from an IDL.
            _ => {
                reader.skip(ty.kind())?;
                py.None().into_bound(py)
            }
        })
    }

    fn binary<'de, R: Reader<'de>>(&self, reader: &mut R) -> Result<Bound<'py, PyAny>, Fault> {
        let bytes = reader.binary()?;
        if let (Some((view, start)), Cow::Borrowed(bytes)) = (&self.source, &bytes) {
            reader.input().charge(LARGE)?;
            let start = bytes.as_ptr().addr() - start.addr();
            return Ok(view.get_slice(start, start + bytes.len())?.into_any());
        }
        reader.input().charge(bytes.len() + SMALL)?;
        let bytes = PyBytes::new(self.py, &bytes).into_any();
        match self.source {
            None => Ok(bytes),
            Some(_) => Ok(PyMemoryView::from(&bytes)?.into_any()),
        }
    }

    fn list<'de, R: Reader<'de>>(
        &self,
        element: &ValueType,
        is_key: bool,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        reader.input().charge(LARGE)?;
        macro_rules! numbers {
            ($T:ty, $method:ident, $kind:ident) => {{
                let expected = Some(element.kind());
                let items = reader.list_begin(Type::List, expected, size_of::<$T>())?;
                let mut values: Vec<$T> = Vec::new();
                reader.$method(items, &mut values)?;
                let (kind, size) = (Kind::$kind, size_of::<$T>());
                Ok(array(self.py, values, DType { kind, size })?)
            }};
        }
        match element {
            _ if !self.plan.arrays || is_key => {}
            ValueType::I8 => return numbers!(i8, i8s, Signed),
            ValueType::I16 => return numbers!(i16, i16s, Signed),
            ValueType::I32 => return numbers!(i32, i32s, Signed),
            ValueType::I64 => return numbers!(i64, i64s, Signed),
            ValueType::Float => return numbers!(f32, floats, Float),
            ValueType::Double => return numbers!(f64, doubles, Float),
            _ => {}
        }
        let items =
            reader.list_begin(Type::List, Some(element.kind()), IN_LIST + small(element))?;
        self.elements(items, element, is_key, reader)
    }

    fn elements<'de, R: Reader<'de>>(
        &self,
        mut items: Items,
        element: &ValueType,
        is_key: bool,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        let is_counted = items.left().is_some();
        let mut list = Filling::new(self.py, items.left().unwrap_or(0))?;
        let mut index = 0;
        while reader.next(&mut items)? {
            if !is_counted {
                reader.input().charge(2 * IN_LIST + small(element))?;
            }
            let value = self.value(element, is_key, reader);
            list.push(value.map_err(|fault| fault.within(Segment::Index(index)))?)?;
            index += 1;
        }
        Ok(list.finish(is_key))
    }

    fn set<'de, R: Reader<'de>>(
        &self,
        element: &ValueType,
        is_key: bool,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        reader.input().charge(2 * LARGE)?;
        let cost = IN_SET + small(element);
        let mut items = reader.list_begin(Type::Set, Some(element.kind()), cost)?;
        let set = PySet::empty(self.py)?;
        let is_counted = items.left().is_some();
        let mut index = 0;
        while reader.next(&mut items)? {
            if !is_counted {
                reader.input().charge(cost)?;
            }
            let value = self.value(element, true, reader);
            let added = value.and_then(|value| Ok(set.add(value)?));
            added.map_err(|fault| fault.within(Segment::Index(index)))?;
            index += 1;
        }
        if is_key {
            Ok(PyFrozenSet::new(self.py, set)?.into_any())
        } else {
            Ok(set.into_any())
        }
    }

    fn map<'de, R: Reader<'de>>(
        &self,
        key: &ValueType,
        value: &ValueType,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        let map = PyDict::new(self.py);
        self.entries(key, value, false, reader, |key, value| {
            map.set_item(key, value)
        })?;
        Ok(map.into_any())
    }

    /// Reads a map as a tuple of its entries.
    fn pairs<'de, R: Reader<'de>>(
        &self,
        key: &ValueType,
        value: &ValueType,
        reader: &mut R,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        let mut pairs = Filling::new(self.py, 0)?;
        self.entries(key, value, true, reader, |key, value| {
            pairs.push((key, value).into_pyobject(self.py)?.into_any())
        })?;
        Ok(pairs.finish(true))
    }

    fn entries<'de, R: Reader<'de>>(
        &self,
        key_type: &ValueType,
        value_type: &ValueType,
        is_key: bool,
        reader: &mut R,
        mut add: impl FnMut(Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<()>,
    ) -> Result<(), Fault> {
        reader.input().charge(2 * LARGE)?;
        let cost = IN_DICT + small(key_type) + small(value_type);
        let types = Some((key_type.kind(), value_type.kind()));
        let mut items = reader.map_begin(types, cost)?;
        let is_counted = items.left().is_some();
        let mut index = 0;
        while reader.next(&mut items)? {
            if !is_counted {
                reader.input().charge(cost)?;
            }
            let mut entry = || {
                reader.key_begin();
                let key = self.value(key_type, true, reader)?;
                reader.value_begin();
                let value = self.value(value_type, is_key, reader)?;
                Ok(add(key, value)?)
            };
            entry().map_err(|fault: Fault| fault.within(Segment::Index(index)))?;
            index += 1;
        }
        Ok(())
    }
}

/// Returns the memory that each value of a type takes, if it is small; others are charged when they are
/// read.
fn small(ty: &ValueType) -> usize {
    match ty.kind() {
        Type::I16 | Type::I32 | Type::I64 | Type::Float | Type::Double => SMALL,
        _ => 0,
    }
}

/// Returns `uuid.UUID`.
fn uuid_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    UUID.import(py, "uuid", "UUID")
}

fn uuid(py: Python<'_>, bytes: [u8; 16]) -> PyResult<Bound<'_, PyAny>> {
    let arguments = PyDict::new(py);
    arguments.set_item(intern!(py, "bytes"), PyBytes::new(py, &bytes))?;
    uuid_class(py)?.call((), Some(&arguments))
}
