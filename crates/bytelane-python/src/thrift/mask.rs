//! Masks: parts of messages to read and write.

use super::plan::Plan;
use super::structs::Struct;
use bytelane_thrift::dynamic::ValueType;
use bytelane_thrift::{FieldMask as WireMask, InvalidPath};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::Arc;

/// Parts of the messages of a class: only these are read and written. Paths select them, for example `a.b`, `list[0,2].c`,
/// `list[*]`, `map{1}`, `map{"key"}` and `map{*}`. Without paths, a mask selects everything.
///
/// A field that is not selected has its default value, or None. Required fields are always written. A mask is compiled
/// once, and can be used by several threads.
///
/// >>> from pathlib import Path
/// >>> from bytelane import thrift
/// >>> _ = Path("mask.thrift").write_text("struct Line { 1: i32 count, 2: string text }  struct Order { 1: list<Line> lines }")
/// >>> order = (idl := thrift.load("mask.thrift")).Order([idl.Line(2, "tea")])
/// >>> mask = thrift.FieldMask(idl.Order, ["lines[*].count"])
/// >>> idl.Order.decode(order.encode(), mask=mask)
/// Order(lines=[Line(count=2)])
/// >>> order.encode(mask=thrift.FieldMask.without(idl.Order, ["lines"]))
/// b'\x00'
#[pyclass(frozen, module = "bytelane.thrift")]
pub struct FieldMask {
    mask: WireMask,
    plan: Arc<Plan>,
    number: usize,
}

#[pymethods]
impl FieldMask {
    #[new]
    fn new(message: &Bound<'_, PyType>, paths: Vec<String>) -> PyResult<Self> {
        let of = Struct::of(message)?;
        of.get().compiled(|of, ty| of.plan.schema.mask(ty, paths))
    }

    /// Creates a mask that selects everything except the paths.
    #[staticmethod]
    fn without(message: &Bound<'_, PyType>, paths: Vec<String>) -> PyResult<Self> {
        let of = Struct::of(message)?;
        of.get()
            .compiled(|of, ty| of.plan.schema.mask_without(ty, paths))
    }
}

impl Struct {
    fn compiled(
        &self,
        compile: impl FnOnce(&Self, &ValueType) -> Result<WireMask, InvalidPath>,
    ) -> PyResult<FieldMask> {
        let mask = compile(self, &ValueType::Struct(self.number));
        Ok(FieldMask {
            mask: mask.map_err(|error| PyValueError::new_err(error.to_string()))?,
            plan: Arc::clone(&self.plan),
            number: self.number,
        })
    }

    /// Returns the mask of an argument: a mask of this class, or paths.
    pub fn mask(&self, mask: Option<&Bound<'_, PyAny>>) -> PyResult<Option<WireMask>> {
        let Some(mask) = mask else { return Ok(None) };
        if let Ok(mask) = mask.cast::<FieldMask>() {
            let mask = mask.get();
            if !Arc::ptr_eq(&mask.plan, &self.plan) || mask.number != self.number {
                let name = |plan: &Plan, number: usize| plan.structs[number].name.clone();
                let (of, own) = (name(&mask.plan, mask.number), name(&self.plan, self.number));
                let message = format!("the mask is for messages of the class {of}, not {own}");
                return Err(PyTypeError::new_err(message));
            }
            return Ok(Some(mask.mask.clone()));
        }
        let paths: Vec<String> = mask
            .extract()
            .map_err(|_| PyTypeError::new_err("mask must be a FieldMask or a list of paths"))?;
        let mask = self.compiled(|of, ty| of.plan.schema.mask(ty, paths))?;
        Ok(Some(mask.mask))
    }
}
