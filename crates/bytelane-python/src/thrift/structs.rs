//! Structs of a loaded IDL, which read and write the objects of their classes.

use super::error::Fault;
use super::plan::Plan;
use super::read::Decoder;
use super::slots::Pause;
use super::write::Encoder;
use bytelane_thrift::{
    FieldMask as WireMask, Input, Limits as WireLimits, Options, Protocol as Wire, Reader,
    Writer as _,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::sync::Arc;

/// Calls a generic method with the protocol of a name.
macro_rules! dispatch {
    ($protocol:expr, $object:ident.$method:ident ( $($argument:expr),* )) => {
        match $protocol {
            "binary" => $object.$method::<Binary>($($argument),*),
            "compact" => $object.$method::<Compact>($($argument),*),
            "fbthrift_compact" => $object.$method::<FbthriftCompact>($($argument),*),
            "json" => $object.$method::<Json>($($argument),*),
            "simple_json" => $object.$method::<SimpleJson>($($argument),*),
            other => Err(unknown_protocol(other)),
        }
    };
}
pub(super) use dispatch;

#[cold]
pub fn unknown_protocol(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "protocol is {name:?}; it must be binary, compact, fbthrift_compact, json or simple_json"
    ))
}

/// How a message is read.
pub struct Way {
    pub options: Options,
    /// True if nothing may follow the message.
    pub is_whole: bool,
    pub mask: Option<WireMask>,
}

/// A struct of a loaded IDL: the value of the attribute `__thrift__` of its class.
#[pyclass(frozen)]
pub struct Struct {
    pub plan: Arc<Plan>,
    pub number: usize,
}

impl Struct {
    pub fn of<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, Self>> {
        let found = class.getattr(intern!(class.py(), "__thrift__"));
        found.and_then(|it| Ok(it.cast_into()?)).map_err(|_| {
            PyTypeError::new_err(
                "load the IDL first: only its types can be read, written and created",
            )
        })
    }

    pub fn decode<'py, P: Wire>(
        &self,
        class: &Bound<'py, PyType>,
        message: &Bound<'py, PyBytes>,
        way: &Way,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        let decoder = Decoder::new(&self.plan, message)?;
        let _pause = Pause::new(class.py());
        let reader = P::reader(Input::new(message.as_bytes(), way.options));
        let read = match &way.mask {
            None => self.read(&decoder, class, way, reader),
            Some(mask) => self.read(&decoder, class, way, mask.reader(reader)),
        };
        read.map_err(|fault| fault.raise(class.py()))
    }

    fn read<'py, 'de, R: Reader<'de>>(
        &self,
        decoder: &Decoder<'_, 'py>,
        class: &Bound<'py, PyType>,
        way: &Way,
        mut reader: R,
    ) -> Result<(Bound<'py, PyAny>, usize), Fault> {
        let object = decoder.structure(self.number, class, false, &mut reader)?;
        if way.is_whole {
            reader.end()?;
        }
        Ok((object, reader.finish().offset()))
    }

    pub fn encode<'py, P: Wire>(
        &self,
        object: &Bound<'py, PyAny>,
        limits: &WireLimits,
        mask: Option<&WireMask>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = object.py();
        let encoder = Encoder {
            plan: &self.plan,
            py,
        };
        let mut writer = P::writer(Vec::with_capacity(128), limits);
        let written = match mask {
            None => encoder.structure(self.number, object, &mut writer),
            Some(mask) => encoder.structure(self.number, object, &mut mask.writer(&mut writer)),
        };
        written.map_err(|fault| fault.raise(py))?;
        Ok(PyBytes::new(py, &writer.finish()))
    }
}
