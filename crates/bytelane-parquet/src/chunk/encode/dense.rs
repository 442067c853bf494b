//! Combines the values of several arrays into the values of one page.

use super::super::leaf::LeafValues;
use crate::Result;
use crate::page::DenseValues;
use crate::types::physical;
use arrow_buffer::{BooleanBufferBuilder, Buffer};
use bytelane::Detected;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;

/// Calls a function with the values of all parts, and with the memory that has them one after the other, if there
/// is any. Borrows them from Arrow where possible, and copies them to a buffer otherwise.
pub(super) fn with_dense<T>(
    column: &ColumnDescriptor,
    parts: &[LeafValues],
    backend: Detected,
    scratch: &mut Vec<u8>,
    then: impl FnOnce(DenseValues<'_>, Option<&Buffer>) -> Result<T>,
) -> Result<T> {
    if let Some(width) = physical::width(column) {
        if let [only] = parts
            && let Some(values) = only.contiguous(column)?
        {
            return then(DenseValues::Fixed(&values, width), Some(&values));
        }
        scratch.clear();
        for part in parts {
            part.fixed(column, width, backend, scratch)?;
        }
        return then(DenseValues::Fixed(scratch, width), None);
    }
    if column.physical_type() == Type::BOOLEAN {
        let mut bits = BooleanBufferBuilder::new(0);
        for part in parts {
            part.bits(column, &mut bits)?;
        }
        return then(DenseValues::Bits(&bits.build()), None);
    }
    let mut strings = Vec::new();
    for part in parts {
        part.strings(column, &mut strings)?;
    }
    let memory = match parts {
        [only] => only.joined(&strings),
        _ => None,
    };
    then(DenseValues::Strings(&strings), memory.as_ref())
}
