//! Blosc2's shuffle, which produces the same bytes, from the shared library in its wheel.

use super::wheel::Wheel;
use super::{Peer, Work};
use std::ffi::c_void;

const WHEEL: Wheel = Wheel {
    library: "Blosc2",
    variable: "BYTELANE_PEERS_LIBBLOSC2",
};

/// `blosc2_shuffle(typesize, blocksize, src, dest)`, and the same for the reverse: returns the
/// number of bytes, or less than 0.
type Shuffle = unsafe extern "C" fn(i32, i32, *const c_void, *mut c_void) -> i32;

/// Creates a peer for values of any width.
pub fn byte_stream_split(width: usize) -> anyhow::Result<Option<Peer>> {
    let Some(library) = WHEEL.load()? else {
        return Ok(None);
    };
    let work = |name: &str| -> anyhow::Result<Work<'static>> {
        // SAFETY: `blosc2.h` declares both functions so.
        let shuffle: Shuffle = *unsafe { library.get(name)? };
        Ok(Box::new(move |from, to| {
            assert_eq!(from.len(), to.len());
            // SAFETY: both buffers have the number of bytes passed to the call.
            let length = unsafe {
                shuffle(
                    width as i32,
                    from.len() as i32,
                    from.as_ptr().cast(),
                    to.as_mut_ptr().cast(),
                )
            };
            length as usize
        }))
    };
    Ok(Some(Peer::new(
        WHEEL.library,
        work("blosc2_shuffle")?,
        work("blosc2_unshuffle")?,
    )))
}
