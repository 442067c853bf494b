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
    peers: |_values| Ok(peers()),
};

fn peers() -> Vec<Peer> {
    let mut peers: Vec<Peer> = Backend::available().map(bytelane).collect();
    peers.extend([
        peer("std", None, |text| std::str::from_utf8(text).is_ok()),
        peer("simdutf8", None, |text| {
            simdutf8::basic::from_utf8(text).is_ok()
        }),
        peer("simdutf8, places", None, |text| {
            simdutf8::compat::from_utf8(text).is_ok()
        }),
        peer("simdutf", None, simdutf::validate_utf8),
    ]);
    peers
}

/// Our own calls in the shape of the others: only to validate. The backends' rows are the
/// catalog's: they copy the text as well.
fn bytelane(backend: Backend) -> Peer {
    let library = format!("bytelane {backend}, borrowed").leak();
    peer(library, Some(backend), |text| utf8::validate(text).is_ok())
}

/// Validation has no direction; it is called decoding.
fn peer(library: &'static str, backend: Option<Backend>, validate: fn(&[u8]) -> bool) -> Peer {
    let decode: Work<'static> = Box::new(move |text, values| {
        assert!(validate(text), "it is text");
        show(text, values)
    });
    Peer {
        library,
        backend,
        encode: None,
        decode: Some(decode),
    }
}
