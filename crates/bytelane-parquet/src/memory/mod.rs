//! Builds arrays with faster checks than Arrow's, and manages memory that need not be zeroed.
#![allow(unsafe_code)] // Arrow's unchecked constructors, and fresh memory.

mod arrays;
mod compact;
mod fresh;

pub(crate) use arrays::{
    Content, NotText, ViewBuilder, ViewContent, ViewDictionary, byte_array, dictionary_array,
};
pub(crate) use compact::{
    Compaction, compact_bits, compact_runs, compact_strings, compact_to, compact_values,
};
pub(crate) use fresh::{Fresh, Slot, slots, write_each, zeros};
