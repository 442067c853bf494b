//! The crate `base64` with both of its engines, `base64-simd`, `base64-turbo`, `data-encoding`,
//! `simdutf`.

use super::{Comparison, Peer, Work, c_interface, ours};
use crate::VARIED_LENGTHS;
use base64::Engine;
use base64::engine::Simd;
use base64::engine::general_purpose::STANDARD;

pub const COMPARISON: Comparison = Comparison {
    specification: "base64",
    data: &["random"],
    values: &[
        VARIED_LENGTHS,
        8,
        16,
        32,
        64,
        256,
        1 << 10,
        1 << 12,
        1 << 14,
        1 << 16,
        1 << 20,
        1 << 24,
    ],
    varied: true,
    ours: Some(ours::base64),
    peers: |_values| Ok(peers().into_iter().chain(c_interface::base64()?).collect()),
};

fn peers() -> Vec<Peer> {
    vec![
        engine("base64", STANDARD),
        engine("base64 (SIMD)", Simd::standard(Default::default())),
        Peer::new(
            "base64-simd",
            Box::new(|bytes, text| {
                base64_simd::STANDARD
                    .encode(bytes, base64_simd::Out::from_slice(text))
                    .len()
            }),
            Box::new(|text, bytes| {
                let decoded =
                    base64_simd::STANDARD.decode(text, base64_simd::Out::from_slice(bytes));
                decoded.expect("its own text").len()
            }),
        ),
        Peer::new(
            "base64-turbo",
            Box::new(|bytes, text| {
                base64_turbo::STANDARD
                    .encode_slice(bytes, text)
                    .expect("room for all")
            }),
            in_own_room(|text, room| {
                base64_turbo::STANDARD
                    .decode_slice(text, room)
                    .expect("its own text")
            }),
        ),
        data_encoding(),
        simdutf(),
    ]
}

fn engine(library: &'static str, engine: impl Engine + Clone + 'static) -> Peer {
    let encoder = engine.clone();
    let encode: Work =
        Box::new(move |bytes, text| encoder.encode_slice(bytes, text).expect("room for all"));
    let decode: Work =
        Box::new(move |text, bytes| engine.decode_slice(text, bytes).expect("its own text"));
    Peer::new(library, encode, decode)
}

/// Wraps decoders that require more room than their result takes.
fn in_own_room(mut decode: impl FnMut(&[u8], &mut [u8]) -> usize + 'static) -> Work<'static> {
    let mut room = Vec::new();
    Box::new(move |text, bytes| {
        room.resize(text.len(), 0);
        let length = decode(text, &mut room);
        super::show(&room[..length], bytes)
    })
}

fn data_encoding() -> Peer {
    use data_encoding::BASE64;
    let encode: Work = Box::new(|bytes, text| {
        let length = BASE64.encode_len(bytes.len());
        BASE64.encode_mut(bytes, &mut text[..length]);
        length
    });
    let decode = in_own_room(|text, room| {
        let most = BASE64
            .decode_len(text.len())
            .expect("a whole number of blocks");
        BASE64
            .decode_mut(text, &mut room[..most])
            .expect("its own text")
    });
    Peer::new("data-encoding", encode, decode)
}

fn simdutf() -> Peer {
    use simdutf::{Base64Options, LastChunkHandlingOptions, base64_to_binary, binary_to_base64};
    let encode: Work = Box::new(|bytes, text| {
        // SAFETY: the output has room for the maximum number of characters that the bytes can
        // become.
        unsafe {
            binary_to_base64(
                bytes.as_ptr(),
                bytes.len(),
                text.as_mut_ptr(),
                Base64Options::Default,
            )
        }
    });
    let decode: Work = Box::new(|text, bytes| {
        // SAFETY: the output has room for the bytes that the text was encoded from.
        let result = unsafe {
            base64_to_binary(
                text.as_ptr(),
                text.len(),
                bytes.as_mut_ptr(),
                Base64Options::Default,
                LastChunkHandlingOptions::Strict,
            )
        };
        result.count
    });
    Peer::new("simdutf", encode, decode)
}
