#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod ascii;
mod backend;
mod codec;
mod error;
mod memory;
mod simd;

pub use backend::{Backend, Unavailable, UnknownBackend};
pub use codec::{base64, big_endian, byte_stream_split, json_string, stream_vbyte, varint};
pub use error::Error;
pub use memory::Value;
