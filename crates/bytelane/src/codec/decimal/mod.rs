//! Integers as decimal digits, each after a comma: the elements of a list in JSON, many per call.
//! Used by `bytelane-thrift`.

mod kernel;
mod scalar;
#[cfg(test)]
mod tests;

use crate::Detected;
use crate::backend::dispatch;
use core::ops::Range;

/// Maximum number of integers per call.
pub const MOST: usize = 32;

/// Length of the longest integer with its comma, in bytes: `,-9223372036854775808`.
const LONGEST: usize = 21;

/// Size of the text of [`MOST`] integers, including the bytes next to it that may be overwritten.
const ROOM: usize = MOST * LONGEST + 32;

dispatch! {
    fn write_all(values: &[i64], text: &mut [u8; ROOM]) -> Range<usize> = kernel::write, or scalar::write;
}

/// Memory for the text of some integers.
#[derive(Debug)]
pub struct Text {
    bytes: [u8; ROOM],
}

impl Default for Text {
    #[inline]
    fn default() -> Self {
        let bytes = [0; ROOM];
        Self { bytes }
    }
}

impl Text {
    /// Writes the digits of up to [`MOST`] integers, each after a comma.
    ///
    /// # Panics
    ///
    /// Panics if there are more.
    #[inline]
    pub fn write(&mut self, values: &[i64]) -> &[u8] {
        self.write_with(Detected::active(), values)
    }

    /// Same as [`write`](Self::write), on a backend of the caller's choice.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`MOST`] integers.
    #[inline]
    pub fn write_with(&mut self, backend: Detected, values: &[i64]) -> &[u8] {
        assert!(
            values.len() <= MOST,
            "{} integers in one call",
            values.len()
        );
        let written = write_all(values, &mut self.bytes, backend);
        &self.bytes[written]
    }

    /// Writes the digits of up to [`MOST`] doubles, each after a comma. The digits are the shortest
    /// ones that parse to the same double, with at least one after the point. `None` if one of the
    /// doubles has more than nine digits before the point or six after it.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`MOST`] doubles.
    #[inline]
    pub fn write_decimals(&mut self, values: &[f64]) -> Option<&[u8]> {
        assert!(values.len() <= MOST, "{} doubles in one call", values.len());
        let written = scalar::write_decimals(values, &mut self.bytes)?;
        Some(&self.bytes[written])
    }
}
