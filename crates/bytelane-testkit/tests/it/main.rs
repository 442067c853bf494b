//! All integration tests of the crate, in one program: each program would be linked with every
//! dependency.

mod appending;
mod backends;
mod base64;
mod fuzz;
mod golden;
mod json_string;
mod oracle;
mod plain;
mod stream_vbyte;
mod streams;
mod utf8;
mod varint;
