//! The crate `parquet`, as it is compiled by default, and compiled for this machine in a library of
//! its own.

use super::parquet_work::{self, Kind};
use super::wheel::Wheel;
use super::{Peer, Work};
use libloading::Library;
use std::ffi::c_void;

type Open = unsafe extern "C" fn(bool, usize, Kind) -> *mut c_void;
type Run = unsafe extern "C" fn(*mut c_void, *const u8, usize, *mut u8, usize) -> usize;

/// Creates both peers, for values of `bytes` bytes.
pub fn peers(bytes: usize, kind: Kind) -> anyhow::Result<Vec<Peer>> {
    let mut peers = vec![Peer::new(
        "parquet",
        parquet_work::work(true, bytes, kind),
        parquet_work::work(false, bytes, kind),
    )];
    let native = Wheel {
        library: "parquet for this machine",
        variable: "BYTELANE_PEERS_PARQUET_NATIVE",
    };
    if let Some(library) = native.load()? {
        peers.push(Peer::new(
            "parquet, native",
            native_work(library, true, bytes, kind)?,
            native_work(library, false, bytes, kind)?,
        ));
    }
    Ok(peers)
}

fn native_work(
    library: &'static Library,
    encodes: bool,
    bytes: usize,
    kind: Kind,
) -> anyhow::Result<Work<'static>> {
    // SAFETY: the package `native` defines these functions with these types.
    let (open, run) = unsafe {
        let open: Open = *library.get("parquet_open")?;
        let run: Run = *library.get("parquet_run")?;
        (open, run)
    };
    // SAFETY: it takes any arguments.
    let work = unsafe { open(encodes, bytes, kind) };
    Ok(Box::new(move |from, to| {
        // SAFETY: the work was opened above and nothing else uses it; both slices are valid.
        unsafe { run(work, from.as_ptr(), from.len(), to.as_mut_ptr(), to.len()) }
    }))
}
