//! Arrays that are checked faster than Arrow does it, and memory that is not zeroed before it is written.
#![allow(unsafe_code)] // Arrow's constructors that check nothing, and fresh memory.

mod arrays;
mod fresh;

pub(crate) use arrays::{Content, NotText, ViewBuilder, ViewContent, ViewDictionary, byte_array};
pub(crate) use fresh::{Fresh, Slot, slots, write_each, zeros};
