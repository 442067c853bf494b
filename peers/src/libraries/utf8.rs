//! `simdutf8`, `simdutf`, the standard library.

use super::{Comparison, Peer, Work, show};
use crate::VARIED_LENGTHS;
use bytelane::{Backend, utf8};

pub const COMPARISON: Comparison = Comparison {
    specification: "utf8",
    data: &["letters", "latin", "cjk", "emoji", "mixed_text"],
    values: &[
        VARIED_LENGTHS,
        8,
        16,
        32,
        64,
        256,
        1 << 10,
        1 << 16,
        1 << 20,
    ],
    varied: true,
    ours: None,
    peers: |_values| Ok(peers()),
};

fn peers() -> Vec<Peer> {
    let mut peers: Vec<Peer> = Backend::available().map(bytelane).collect();
    peers.extend([
        peer("std", None, |text| std::str::from_utf8(text).is_ok()),
        peer("simdutf8", None, |text| {
            simdutf8::basic::from_utf8(text).is_ok()
        }),
        peer("simdutf8 with places", None, |text| {
            simdutf8::compat::from_utf8(text).is_ok()
        }),
        peer("simdutf", None, simdutf::validate_utf8),
    ]);
    #[cfg(target_arch = "x86_64")]
    peers.extend(levels::peers());
    peers
}

/// The same libraries, limited to an instruction set, whose name follows the library's.
#[cfg(target_arch = "x86_64")]
mod levels {
    use super::{Peer, peer};
    use simdutf8::{basic, compat};
    use std::ffi::c_void;
    use std::hint::black_box;
    use std::ptr::null;

    type Simdutf8<E> = unsafe fn(&[u8]) -> Result<(), E>;
    type Simdutf = unsafe extern "C" fn(*const c_void, *const u8, usize) -> bool;

    // `simdutf::validate_utf8` calls one of these C++ member functions. They do not use `this`.
    unsafe extern "C" {
        #[link_name = "_ZNK7simdutf8westmere14implementation13validate_utf8EPKcm"]
        fn westmere(this: *const c_void, bytes: *const u8, length: usize) -> bool;
        #[link_name = "_ZNK7simdutf7haswell14implementation13validate_utf8EPKcm"]
        fn haswell(this: *const c_void, bytes: *const u8, length: usize) -> bool;
    }

    pub fn peers() -> Vec<Peer> {
        let mut peers = Vec::new();
        if is_x86_feature_detected!("sse4.2") {
            peers.extend([
                peer("simdutf8, sse4.1", None, |text| {
                    simdutf8_at(text, basic::imp::x86::sse42::validate_utf8)
                }),
                peer("simdutf8 with places, sse4.1", None, |text| {
                    simdutf8_at(text, compat::imp::x86::sse42::validate_utf8)
                }),
                peer("simdutf, sse4.1", None, |text| simdutf_at(text, westmere)),
            ]);
        }
        if is_x86_feature_detected!("avx2") {
            peers.extend([
                peer("simdutf8, avx2", None, |text| {
                    simdutf8_at(text, basic::imp::x86::avx2::validate_utf8)
                }),
                peer("simdutf8 with places, avx2", None, |text| {
                    simdutf8_at(text, compat::imp::x86::avx2::validate_utf8)
                }),
                peer("simdutf, avx2", None, |text| simdutf_at(text, haswell)),
            ]);
        }
        peers
    }

    /// Validates as `from_utf8` of simdutf8 does, with a function that was found at run time.
    fn simdutf8_at<E>(text: &[u8], validate: Simdutf8<E>) -> bool {
        if text.len() < 64 {
            return std::str::from_utf8(text).is_ok();
        }
        // SAFETY: `peers` has found the instruction set.
        unsafe { black_box(validate)(text).is_ok() }
    }

    fn simdutf_at(text: &[u8], validate: Simdutf) -> bool {
        // SAFETY: the pointer and the length are those of a slice; and as in `simdutf8_at`.
        unsafe { black_box(validate)(null(), text.as_ptr(), text.len()) }
    }
}

/// Creates a peer with our own calls in the same form as the others: they only validate. The
/// backends' rows are those of the catalog: they copy the text as well.
fn bytelane(backend: Backend) -> Peer {
    let library = format!("bytelane {backend}, borrowed").leak();
    peer(library, Some(backend), |text| utf8::validate(text).is_ok())
}

/// Creates a peer. Validation has no direction; it counts as decoding.
fn peer(library: &'static str, backend: Option<Backend>, validate: fn(&[u8]) -> bool) -> Peer {
    let decode: Work<'static> = Box::new(move |text, values| {
        assert!(validate(text), "it is text");
        show(text, values)
    });
    Peer {
        backend,
        ..Peer::decoder(library, decode)
    }
}
