//! Kernels of Arrow C++, from the shared library in pyarrow's wheel.

use super::wheel::Wheel;
use super::{Peer, Work};

const WHEEL: Wheel = Wheel {
    library: "Arrow C++",
    variable: "BYTELANE_PEERS_LIBARROW",
};

/// `ByteStreamSplitEncodeSimdDispatch<K>(raw_values, width, num_values, output)`
type Encode = unsafe extern "C" fn(*const u8, i32, i64, *mut u8);
/// `ByteStreamSplitDecodeSimdDispatch<K>(data, width, num_values, stride, out)`
type Decode = unsafe extern "C" fn(*const u8, i32, i64, i64, *mut u8);

/// Creates a peer with the kernels for values of `K` bytes, which Arrow has for 2, 4 and 8.
pub fn byte_stream_split<const K: usize>() -> anyhow::Result<Option<Peer>> {
    if ![2, 4, 8].contains(&K) {
        return Ok(None);
    }
    let Some(library) = WHEEL.load()? else {
        return Ok(None);
    };
    let name = |operation, arguments| {
        format!(
            "_ZN5arrow4util8internal33ByteStreamSplit{operation}SimdDispatchILi{K}EEEvPKhi{arguments}Ph"
        )
    };
    // SAFETY: the symbols are functions of these signatures: they are part of the mangled names.
    let encode: Encode = *unsafe { library.get(name("Encode", "l"))? };
    // SAFETY: as above.
    let decode: Decode = *unsafe { library.get(name("Decode", "ll"))? };
    let encode: Work = Box::new(move |values, streams| {
        assert_eq!(values.len(), streams.len());
        let count = (values.len() / K) as i64;
        // SAFETY: both buffers have K times `count` bytes.
        unsafe { encode(values.as_ptr(), K as i32, count, streams.as_mut_ptr()) };
        values.len()
    });
    let decode: Work = Box::new(move |streams, values| {
        assert_eq!(values.len(), streams.len());
        let count = (values.len() / K) as i64;
        // SAFETY: both buffers have K times `count` bytes, and the streams lie `count` apart.
        unsafe {
            decode(
                streams.as_ptr(),
                K as i32,
                count,
                count,
                values.as_mut_ptr(),
            )
        };
        values.len()
    });
    Ok(Some(Peer::new("Arrow C++", encode, decode)))
}

/// `arrow::internal::UnpackOptions`: four numbers of type `int`.
#[repr(C)]
struct UnpackOptions {
    values: i32,
    width: i32,
    first_bit: i32,
    /// Size of the input in bytes.
    bytes: i32,
}

/// `unpack<T>(in, out, options)`, which Arrow's Parquet reader calls; it chooses the instruction
/// set.
type Unpack = unsafe extern "C" fn(*const u8, *mut u8, *const UnpackOptions);

/// Creates a peer that unpacks to unsigned numbers of `bytes` bytes. Arrow packs without SIMD,
/// within a class.
pub fn bit_packing(bytes: usize, width: usize) -> anyhow::Result<Option<Peer>> {
    let letter = match bytes {
        1 => 'h',
        2 => 't',
        4 => 'j',
        _ => 'm',
    };
    let Some(library) = WHEEL.load()? else {
        return Ok(None);
    };
    let name = format!("_ZN5arrow8internal6unpackI{letter}EEvPKhPT_RKNS0_13UnpackOptionsE");
    // SAFETY: the symbol is a function of this signature: it is part of the mangled name. The
    // options are those of the version of the wheel that `cargo xtask peers` fetches.
    let unpack: Unpack = *unsafe { library.get(name)? };
    let decode: Work = Box::new(move |packed, values| {
        let count = values.len() / bytes;
        assert!(packed.len() >= (count * width).div_ceil(8));
        let options = UnpackOptions {
            values: count as i32,
            width: width as i32,
            first_bit: 0,
            bytes: packed.len() as i32,
        };
        // SAFETY: the input has the bits of all values, and the output has room for them.
        unsafe { unpack(packed.as_ptr(), values.as_mut_ptr(), &raw const options) };
        values.len()
    });
    Ok(Some(Peer::decoder("Arrow C++", decode)))
}
