#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without kernels, items that only kernels use are left over.
#![cfg_attr(
    not(any(
        all(target_arch = "x86_64", feature = "avx512"),
        all(target_arch = "aarch64", target_endian = "little", feature = "neon"),
    )),
    allow(dead_code, unused_imports, unused_macros)
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod backend;
mod codec;
#[cfg(test)]
mod cost_of_a_call;
mod error;
#[cfg(test)]
mod grid;
mod memory;
mod simd;

#[doc(hidden)]
pub use backend::tuning;
pub use backend::{Backend, Detected, Unavailable, UnknownBackend};
pub use codec::*;
pub use error::{DestinationError, Error, LengthError, LengthErrorKind};
#[cfg(feature = "alloc")]
pub use memory::Buffer;
pub use memory::{Destination, Plain, Value};
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use memory::{Reserved, append_text, extend};
