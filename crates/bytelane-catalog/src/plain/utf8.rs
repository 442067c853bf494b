//! Plain loops of `utf8`: text that is validated and copied.

use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use std::str;

pub(crate) fn open(_: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    Ok(Box::new(Utf8))
}

/// Validation of the standard library, which is compiled for the target's own level only.
struct Utf8;

impl Loops for Utf8 {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let text = str::from_utf8(values).ok()?;
        encoded
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        Some(text.len())
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        Loops::encode(self, encoded, values)
    }
}
