//! All integration tests of the crate, in one program: each program would be linked with every
//! dependency.

mod apache;
mod columns;
mod common;
mod envelope;
mod golden;
mod header;
mod hostile;
mod json_keys;
mod json_numbers;
mod json_of_python;
mod masks;
mod memory;
mod properties;
mod readers;
mod round_trip;
mod serde;
mod shared;
mod skip;
mod transport;
mod types;
mod versions;
