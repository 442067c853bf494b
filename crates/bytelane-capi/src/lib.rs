#![doc = include_str!("../README.md")]
#![allow(unsafe_code)] // C passes pointers: see `buffers`.
#![allow(non_camel_case_types)]
// The names are those of the header. The requirements on pointers, common to all functions, are
// stated once, at the top of the header.
#![allow(clippy::missing_safety_doc)]

mod buffers;
pub mod codec;
pub mod exports;
pub mod library;
pub mod result;
