//! The crate `parquet` and Arrow C++, which pack values as bytelane does; and `bitpacking` and
//! `fastlanes`, which have layouts of their own for blocks of 32 to 1024 values.

use super::parquet_work::Kind;
use super::{Comparison, Peer, Work, arrow, comparison, is_fresh, parquet};
use bitpacking::{BitPacker, BitPacker1x, BitPacker4x, BitPacker8x};
use bytelane::bit_packing::{Format, Integer};
use bytemuck::Pod;
use fastlanes::BitPacking;

// The last two numbers of values fill the first-level and the second-level cache for 4 bytes.
pub const COMPARISON: Comparison = comparison(&[], &[8, 32, 128, 2048, 32_768], false);

pub fn peers<T: Integer + Pod + BitPacking, const WIDTH: usize>(
    values: usize,
) -> anyhow::Result<Vec<Peer>> {
    let mut peers = parquet::peers(size_of::<T>(), Kind::Packed(WIDTH))?;
    peers.extend(arrow::bit_packing(size_of::<T>(), WIDTH)?);
    if size_of::<T>() == 4 {
        match values {
            0..32 => {}
            32..128 => peers.push(bitpacking(BitPacker1x::new(), WIDTH)),
            128..256 => peers.push(bitpacking(BitPacker4x::new(), WIDTH)),
            _ => peers.push(bitpacking(BitPacker8x::new(), WIDTH)),
        }
    }
    if values.is_multiple_of(1024) {
        peers.push(fastlanes::<T>(WIDTH));
    }
    Ok(peers)
}

/// Measures a layout of another library. Before timing, its result is checked against bytelane's:
/// it is unpacked again and packed as bytelane does, or was packed from what bytelane unpacks.
fn other_layout<T: Integer + Pod>(
    library: &'static str,
    width: usize,
    block: usize,
    pack: impl Fn(&[T], &mut [u8]) + Copy + 'static,
    unpack: impl Fn(&[u8], &mut [T]) + Copy + 'static,
) -> Peer {
    let format = Format::<T>::new(width as u32).expect("a width of the type");
    let packed_length = move |count: usize| count / block * (block / 8 * width);
    let mut packed = Vec::new();
    let encode: Work = Box::new(move |values, bytes| {
        let values: &[T] = bytemuck::cast_slice(values);
        packed.resize(packed_length(values.len()), 0);
        pack(values, &mut packed);
        if is_fresh(bytes) {
            let mut again = vec![T::default(); values.len()];
            unpack(&packed, &mut again);
            format.encode(&again, bytes).expect("the values fit");
        }
        packed.len()
    });
    let mut received = (0, Vec::new());
    let decode: Work = Box::new(move |bytes, values| {
        let values: &mut [T] = bytemuck::cast_slice_mut(values);
        if received.0 != bytes.as_ptr().addr() {
            let (of, _) = format.decode_to_vec(bytes, values.len()).expect("packed");
            received = (bytes.as_ptr().addr(), vec![0; packed_length(of.len())]);
            pack(&of, &mut received.1);
        }
        unpack(&received.1, values);
        size_of_val(values)
    });
    Peer::new(library, encode, decode)
}

fn bitpacking<P: BitPacker + 'static>(packer: P, width: usize) -> Peer {
    let block = P::BLOCK_LEN;
    let pack = move |values: &[u32], bytes: &mut [u8]| {
        let blocks = values.chunks_exact(block);
        for (values, bytes) in blocks.zip(bytes.chunks_exact_mut(block / 8 * width)) {
            packer.compress(values, bytes, width as u8);
        }
    };
    let unpack = move |bytes: &[u8], values: &mut [u32]| {
        let blocks = values.chunks_exact_mut(block);
        for (values, bytes) in blocks.zip(bytes.chunks_exact(block / 8 * width)) {
            packer.decompress(bytes, values, width as u8);
        }
    };
    other_layout("bitpacking", width, block, pack, unpack)
}

fn fastlanes<T: Integer + Pod + BitPacking>(width: usize) -> Peer {
    let words = 1024 * width / 8 / size_of::<T>();
    let pack = move |values: &[T], bytes: &mut [u8]| {
        let bytes = bytemuck::cast_slice_mut::<u8, T>(bytes);
        for (values, words) in values.chunks_exact(1024).zip(bytes.chunks_exact_mut(words)) {
            // SAFETY: 1024 values, and as many words as they take.
            unsafe { BitPacking::unchecked_pack(width, values, words) };
        }
    };
    let unpack = move |bytes: &[u8], values: &mut [T]| {
        let bytes = bytemuck::cast_slice::<u8, T>(bytes);
        for (values, words) in values.chunks_exact_mut(1024).zip(bytes.chunks_exact(words)) {
            // SAFETY: as above.
            unsafe { BitPacking::unchecked_unpack(width, words, values) };
        }
    };
    other_layout("fastlanes", width, 1024, pack, unpack)
}
