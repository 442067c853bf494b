//! All integration tests of the crate, in one program: each program would be linked with every
//! dependency.

#![allow(unsafe_code)] // The functions take pointers.

mod cost_of_a_call;
mod functions;
mod header;
