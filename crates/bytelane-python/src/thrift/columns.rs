//! Columns of messages as tables, and the ends of messages.

use super::error::of_message;
use super::limits::{Limits, limits_of};
use super::structs::{Struct, dispatch, unknown_protocol};
use crate::memory::Memory;
use crate::parquet::Table;
use bytelane_thrift::dynamic::{Columns, ValueType};
use bytelane_thrift::unframed::Scanner as WireScanner;
use bytelane_thrift::{
    Binary, Compact, Error, FbthriftCompact, Json, Options, Protocol as Wire, SimpleJson,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Columns of a type, and how a message of them is read.
struct Reading {
    columns: Columns,
    options: Options,
}

impl Struct {
    /// Reads the columns at a path as a table.
    pub fn table(
        &self,
        data: &Bound<'_, PyAny>,
        path: &str,
        protocol: &str,
        names: Option<Vec<String>>,
        reply: bool,
        options: Options,
    ) -> PyResult<Table> {
        let schema = &self.plan.schema;
        let columns = schema.columns(&ValueType::Struct(self.number), path);
        let mut columns = columns.map_err(|error| PyValueError::new_err(error.to_string()))?;
        if let Some(names) = names {
            columns = columns.with_names(names);
        }
        if reply {
            columns = columns.in_reply();
        }
        let reading = Reading { columns, options };
        dispatch!(protocol, reading.read(data))
    }
}

impl Reading {
    fn read<P: Wire>(&self, data: &Bound<'_, PyAny>) -> PyResult<Table> {
        let memory = Memory::of_text(data)?;
        let read = |bytes: &[u8]| self.columns.decode::<P>(bytes, self.options);
        let batch = memory.read(read)?;
        let batch = batch.map_err(|error| of_message(data.py(), &error))?;
        Ok(Table {
            schema: batch.schema(),
            batches: vec![batch],
        })
    }
}

/// Scanner of any protocol.
trait Scan: Send {
    fn message_len(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error>;
}

impl<P: Wire + Send> Scan for WireScanner<P> {
    fn message_len(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error> {
        Self::message_len(self, bytes)
    }
}

/// Looks for the ends of messages that arrive without their lengths: an envelope with its body.
///
/// >>> from bytelane import thrift
/// >>> scanner = thrift.Scanner("binary")
/// >>> reply = b"\x80\x01\x00\x02\x00\x00\x00\x04ping\x00\x00\x00\x01" + b"\x00"
/// >>> scanner.message_len(reply[:10]), scanner.message_len(reply + b"more")
/// (None, 17)
#[pyclass(frozen, module = "bytelane.thrift")]
pub struct Scanner(Mutex<Box<dyn Scan>>);

/// Creates scanners.
struct Scanners(Options);

impl Scanners {
    fn create<P: Wire + Send + 'static>(&self) -> PyResult<Box<dyn Scan>> {
        Ok(Box::new(WireScanner::<P>::new(self.0)))
    }
}

#[pymethods]
impl Scanner {
    #[new]
    #[pyo3(signature = (protocol="binary", *, limits=None))]
    fn new(protocol: &str, limits: Option<Limits>) -> PyResult<Self> {
        let scanners = Scanners(Options::from(limits_of(limits)));
        dispatch!(protocol, scanners.create()).map(|scan| Self(Mutex::new(scan)))
    }

    /// Returns the length of the message at the start of the data, or None if it is incomplete. The data are those of
    /// the previous call and more; once a length was returned, they are those of the next message.
    fn message_len(&self, data: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let memory = Memory::of(data)?;
        let mut scan = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = memory.read_attached(|bytes: &[u8]| scan.message_len(bytes))?;
        found.map_err(|error| of_message(data.py(), &error))
    }
}
