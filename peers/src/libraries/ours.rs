//! bytelane's own calls, as a program makes them: on slices of the values' type, without the catalog,
//! which costs more than a call with a few bytes.

use super::Work;
use bytelane::byte_stream_split::Width;
use bytelane::{
    Value, base64, big_endian, bit_packing, byte_stream_split, delta, rle_hybrid, stream_vbyte,
    varint,
};
use bytemuck::Pod;
use std::fmt::Debug;

/// Both directions of a codec, on the backend that is active in the process.
pub struct Calls {
    pub encode: Work<'static>,
    pub decode: Work<'static>,
}

/// Creates the calls of a codec; `None` leaves them to the catalog.
pub type Ours = Option<fn() -> Calls>;

/// Creates calls of two functions, the second of which fills the values.
fn calls<T: Pod, E: Debug, D: Debug>(
    encode: impl Fn(&[T], &mut [u8]) -> Result<usize, E> + 'static,
    decode: impl Fn(&[u8], &mut [T]) -> Result<usize, D> + 'static,
) -> Calls {
    Calls {
        encode: Box::new(move |values, encoded| {
            encode(bytemuck::cast_slice(values), encoded).expect("room for all")
        }),
        decode: Box::new(move |encoded, values| {
            decode(encoded, bytemuck::cast_slice_mut(values)).expect("its own bytes");
            values.len()
        }),
    }
}

pub fn byte_stream_split<T: Value + Pod>() -> Calls {
    calls(
        byte_stream_split::encode::<T>,
        byte_stream_split::decode::<T>,
    )
}

/// Calls with values that are not numbers.
pub fn byte_stream_split_bytes<const K: usize>() -> Calls {
    let width = Width::new(K).expect("not zero");
    calls::<u8, _, _>(
        move |values, streams| width.encode(values, streams),
        move |streams, values| width.decode(streams, values),
    )
}

pub fn big_endian<T: Value + Pod>() -> Calls {
    calls(big_endian::encode::<T>, big_endian::decode::<T>)
}

pub fn v1234() -> Calls {
    streams(stream_vbyte::Format::<u32>::V1234)
}

pub fn v0124() -> Calls {
    streams(stream_vbyte::Format::<u32>::V0124)
}

pub fn v1248() -> Calls {
    streams(stream_vbyte::Format::<u64>::V1248)
}

pub fn differences() -> Calls {
    streams(stream_vbyte::Format::<u32>::V1234.delta(0))
}

fn streams<T: stream_vbyte::Integer + Pod>(format: stream_vbyte::Format<T>) -> Calls {
    calls::<T, _, _>(
        move |values, bytes| format.encode(values, bytes),
        move |bytes, values| format.decode(bytes, values),
    )
}

pub fn varints<T: varint::Integer + Pod>() -> Calls {
    calls(varint::encode::<T>, varint::decode::<T>)
}

pub fn bits<T: bit_packing::Integer + Pod, const WIDTH: u32>() -> Calls {
    let format = bit_packing::Format::<T>::new(WIDTH).expect("a width of the type");
    calls::<T, _, _>(
        move |values, bytes| format.encode(values, bytes),
        move |bytes, values| format.decode(bytes, values),
    )
}

pub fn deltas<T: delta::Integer + Pod>() -> Calls {
    calls(delta::encode::<T>, delta::decode::<T>)
}

pub fn runs<T: rle_hybrid::Integer + Pod, const WIDTH: u32>() -> Calls {
    let format = rle_hybrid::Format::<T>::new(WIDTH).expect("a width of the type");
    calls::<T, _, _>(
        move |values, bytes| format.encode(values, bytes),
        move |bytes, values| format.decode(bytes, values),
    )
}

pub fn base64() -> Calls {
    Calls {
        encode: Box::new(|bytes, text| base64::STANDARD.encode(bytes, text).expect("room for all")),
        decode: Box::new(|text, bytes| base64::STANDARD.decode(text, bytes).expect("its own text")),
    }
}
