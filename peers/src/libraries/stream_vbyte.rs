//! The C library, built with SIMD by the crate `streamvbyte-sys`; `svb`; `streamvbyte64`.

use super::{Comparison, Peer, Work, c_interface, comparison, show};
use std::ffi::c_void;
use streamvbyte64::{Coder, Coder1234, Coder1248};
use svb::u32::U32Classic;
use svb::u64::U64Coder1248;

pub const COMPARISON: Comparison = comparison(&[], &[128, 4096, 100_000, 10_000_000], true);

// The crate declares only some of the functions of the library that it builds.
use streamvbyte_sys as _;
unsafe extern "C" {
    fn streamvbyte_encode(values: *const u32, count: u32, bytes: *mut u8) -> usize;
    fn streamvbyte_decode(bytes: *const u8, values: *mut u32, count: u32) -> usize;
    fn streamvbyte_encode_0124(values: *const u32, count: u32, bytes: *mut u8) -> usize;
    fn streamvbyte_decode_0124(bytes: *const u8, values: *mut u32, count: u32) -> usize;
    fn streamvbyte_delta_encode(
        values: *const u32,
        count: u32,
        bytes: *mut u8,
        previous: u32,
    ) -> usize;
    fn streamvbyte_delta_decode(
        bytes: *const u8,
        values: *mut u32,
        count: u32,
        previous: u32,
    ) -> usize;
}

/// Creates a peer for two functions of the C library. It documents that it reads and writes up to
/// 16 bytes beyond the buffers.
fn c_library(
    encode: impl Fn(*const c_void, u32, *mut u8) -> usize + 'static,
    decode: impl Fn(*const u8, *mut c_void, u32) -> usize + 'static,
) -> Peer {
    let encode: Work = Box::new(move |values, bytes| {
        encode(
            values.as_ptr().cast(),
            (values.len() / 4) as u32,
            bytes.as_mut_ptr(),
        )
    });
    let decode: Work = Box::new(move |bytes, values| {
        decode(
            bytes.as_ptr(),
            values.as_mut_ptr().cast(),
            (values.len() / 4) as u32,
        );
        values.len()
    });
    Peer::new("C library", encode, decode)
}

pub fn v1234(_values: usize) -> anyhow::Result<Vec<Peer>> {
    let c = c_library(
        // SAFETY: here and below, the output has room for the maximum number of bytes that the
        // values can become and 64 more, and each input is followed by a page of its own buffer.
        |values, count, bytes| unsafe { streamvbyte_encode(values.cast(), count, bytes) },
        // SAFETY: as above.
        |bytes, values, count| unsafe { streamvbyte_decode(bytes, values.cast(), count) },
    );
    let mut peers = vec![c, streamvbyte64(Coder1234::new()), svb_u32()];
    peers.extend(c_interface::stream_vbyte(0, 0, "1234")?);
    Ok(peers)
}

pub fn v0124(_values: usize) -> anyhow::Result<Vec<Peer>> {
    let mut peers = vec![c_library(
        // SAFETY: as in `v1234`.
        |values, count, bytes| unsafe { streamvbyte_encode_0124(values.cast(), count, bytes) },
        // SAFETY: as in `v1234`.
        |bytes, values, count| unsafe { streamvbyte_decode_0124(bytes, values.cast(), count) },
    )];
    peers.extend(c_interface::stream_vbyte(1, 0, "0124")?);
    Ok(peers)
}

pub fn delta(_values: usize) -> anyhow::Result<Vec<Peer>> {
    let mut peers = vec![c_library(
        // SAFETY: as in `v1234`.
        |values, count, bytes| unsafe { streamvbyte_delta_encode(values.cast(), count, bytes, 0) },
        // SAFETY: as in `v1234`.
        |bytes, values, count| unsafe { streamvbyte_delta_decode(bytes, values.cast(), count, 0) },
    )];
    peers.extend(c_interface::stream_vbyte(0, 1, "delta")?);
    Ok(peers)
}

pub fn v1248(_values: usize) -> anyhow::Result<Vec<Peer>> {
    let mut encoded = Vec::new();
    let encode: Work = Box::new(move |values, bytes| {
        encoded.clear();
        U64Coder1248.encode_into(bytemuck::cast_slice(values), &mut encoded);
        show(&encoded, bytes)
    });
    let mut decoded = Vec::new();
    let decode: Work = Box::new(move |bytes, values| {
        decoded.clear();
        U64Coder1248
            .decode_into(bytes, values.len() / 8, &mut decoded)
            .expect("a stream");
        show(bytemuck::cast_slice(&decoded), values)
    });
    let svb = Peer::new("svb", encode, decode);
    Ok(vec![streamvbyte64(Coder1248::new()), svb])
}

fn svb_u32() -> Peer {
    let mut encoded = Vec::new();
    let encode: Work = Box::new(move |values, bytes| {
        encoded.clear();
        U32Classic.encode_into(bytemuck::cast_slice(values), &mut encoded);
        show(&encoded, bytes)
    });
    let mut decoded = Vec::new();
    let decode: Work = Box::new(move |bytes, values| {
        decoded.clear();
        U32Classic
            .decode_into(bytes, values.len() / 4, &mut decoded)
            .expect("a stream");
        show(bytemuck::cast_slice(&decoded), values)
    });
    Peer::new("svb", encode, decode)
}

fn streamvbyte64<C: Coder + Copy + 'static>(coder: C) -> Peer
where
    C::Elem: bytemuck::Pod,
{
    let controls = |values: &[u8]| (values.len() / size_of::<C::Elem>()).div_ceil(4);
    let encode: Work = Box::new(move |values, bytes| {
        let (tags, data) = bytes.split_at_mut(controls(values));
        tags.len() + coder.encode(bytemuck::cast_slice(values), tags, data)
    });
    let decode: Work = Box::new(move |bytes, values| {
        let (tags, data) = bytes.split_at(controls(values));
        coder.decode(tags, data, bytemuck::cast_slice_mut(values));
        values.len()
    });
    Peer::new("streamvbyte64", encode, decode)
}
