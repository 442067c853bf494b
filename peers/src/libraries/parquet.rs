//! The crate `parquet`, as it is compiled by default, and compiled for this machine in a library of
//! its own.

use super::wheel::Wheel;
use super::{Peer, Work, parquet_work};
use libloading::Library;
use std::ffi::c_void;

type Open = unsafe extern "C" fn(bool, usize, usize) -> *mut c_void;
type Run = unsafe extern "C" fn(*mut c_void, *const u8, usize, *mut u8, usize) -> usize;

/// Both, for values of `bytes` bytes: bit packing with a width, or delta encoding without.
pub fn peers(bytes: usize, width: Option<usize>) -> anyhow::Result<Vec<Peer>> {
    let mut peers = vec![Peer {
        library: "parquet",
        backend: None,
        encode: Some(parquet_work::work(true, bytes, width)),
        decode: Some(parquet_work::work(false, bytes, width)),
    }];
    let native = Wheel {
        library: "parquet for this machine",
        variable: "BYTELANE_PEERS_PARQUET_NATIVE",
    };
    if let Some(library) = native.load()? {
        peers.push(Peer {
            library: "parquet, native",
            backend: None,
            encode: Some(native_work(library, true, bytes, width)?),
            decode: Some(native_work(library, false, bytes, width)?),
        });
    }
    Ok(peers)
}

fn native_work(
    library: &'static Library,
    encodes: bool,
    bytes: usize,
    width: Option<usize>,
) -> anyhow::Result<Work<'static>> {
    // SAFETY: the package `native` defines these functions with these types.
    let (open, run) = unsafe {
        let open: Open = *library.get("parquet_open")?;
        let run: Run = *library.get("parquet_run")?;
        (open, run)
    };
    // SAFETY: it takes any arguments; a width that no type has stands for none.
    let work = unsafe { open(encodes, bytes, width.unwrap_or(usize::MAX)) };
    Ok(Box::new(move |from, to| {
        // SAFETY: the work was opened above and is used by nobody else; both slices are valid.
        unsafe { run(work, from.as_ptr(), from.len(), to.as_mut_ptr(), to.len()) }
    }))
}
