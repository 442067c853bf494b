//! Arrow C++'s kernels, out of the shared library that pyarrow's wheel carries.

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

/// The kernels for values of `K` bytes, which Arrow has for 2, 4 and 8.
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
    Ok(Some(Peer {
        library: "Arrow C++",
        backend: None,
        encode: Some(encode),
        decode: Some(decode),
    }))
}
