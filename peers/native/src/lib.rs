//! The crate `parquet`, with its conversions to and from Arrow arrays, as a library with two C
//! functions. `cargo xtask peers` compiles it with `-Ctarget-cpu=native`, unlike `peers` itself.

#[path = "../../src/libraries/buffers.rs"]
mod buffers;
#[path = "../../src/libraries/nulls.rs"]
mod nulls;
#[path = "../../src/libraries/parquet_work.rs"]
mod parquet_work;

use buffers::Work;
use parquet_work::Kind;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Opens a piece of work, which is never closed.
#[unsafe(no_mangle)]
pub extern "C" fn parquet_open(encodes: bool, bytes: usize, kind: Kind) -> *mut Work<'static> {
    Box::into_raw(Box::new(parquet_work::work(encodes, bytes, kind)))
}

/// Runs the work on an input and an output.
///
/// # Safety
///
/// `parquet_open` returned `work`, and nothing else uses it. The input can be read, the output can
/// be written, and both have these lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_run(
    work: *mut Work<'static>,
    from: *const u8,
    from_length: usize,
    to: *mut u8,
    to_length: usize,
) -> usize {
    // SAFETY: the caller promises this.
    let work = unsafe { &mut *work };
    // SAFETY: as above.
    let (from, to) = unsafe {
        (
            from_raw_parts(from, from_length),
            from_raw_parts_mut(to, to_length),
        )
    };
    work(from, to)
}
