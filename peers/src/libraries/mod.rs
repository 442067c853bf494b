//! The list of comparisons, and the libraries in them.

mod arrow;
mod base64;
mod big_endian;
mod blosc2;
mod byte_stream_split;
mod c_interface;
mod json_string;
mod stream_vbyte;
mod utf8;
mod varint;
mod wheel;

use bytelane::Backend;
use bytes::Bytes;

/// From the first buffer to the second; returns how many bytes it wrote.
pub type Work<'a> = Box<dyn FnMut(&[u8], &mut [u8]) -> usize + 'a>;

/// A library's way to do what a codec does.
pub struct Peer {
    /// Its name, with the variant if it has several.
    pub library: &'static str,
    /// The backend that must be the active one of the process meanwhile: bytelane's own calls.
    pub backend: Option<Backend>,
    /// Values to bytes, if it can.
    pub encode: Option<Work<'static>>,
    /// Bytes to values, if it can.
    pub decode: Option<Work<'static>>,
}

/// A codec and its peers.
pub struct Comparison {
    /// The codec with its parameters, as the catalog reads them.
    pub specification: &'static str,
    /// Data sets.
    pub data: &'static [&'static str],
    /// Numbers of values.
    pub values: &'static [usize],
    /// Whether what the codec does depends on the data, so that inputs must not repeat.
    pub varied: bool,
    /// Makes the peers for calls with so many values.
    pub peers: fn(usize) -> anyhow::Result<Vec<Peer>>,
}

/// Every comparison there is.
pub static COMPARISONS: &[Comparison] = &[
    byte_stream_split::comparison("byte_stream_split:width=2", byte_stream_split::peers::<2>),
    byte_stream_split::comparison("byte_stream_split:width=4", byte_stream_split::peers::<4>),
    byte_stream_split::comparison("byte_stream_split:width=8", byte_stream_split::peers::<8>),
    byte_stream_split::comparison("byte_stream_split:width=16", byte_stream_split::peers::<16>),
    big_endian::comparison("big_endian:width=2", big_endian::peers::<i16>),
    big_endian::comparison("big_endian:width=4", big_endian::peers::<i32>),
    big_endian::comparison("big_endian:width=8", big_endian::peers::<i64>),
    stream_vbyte::comparison(
        "stream_vbyte:variant=1234",
        &["mixed_widths", "one_byte"],
        stream_vbyte::v1234,
    ),
    stream_vbyte::comparison(
        "stream_vbyte:variant=0124",
        &["mixed_widths"],
        stream_vbyte::v0124,
    ),
    stream_vbyte::comparison(
        "stream_vbyte:variant=1248",
        &["mixed_widths"],
        stream_vbyte::v1248,
    ),
    stream_vbyte::comparison(
        "stream_vbyte:delta=true",
        &["gaps", "mixed_widths"],
        stream_vbyte::delta,
    ),
    varint::comparison("varint:type=u32", varint::unsigned::<u32>),
    varint::comparison("varint:type=u64", varint::unsigned::<u64>),
    varint::comparison("varint:type=i32", varint::signed::<i32>),
    varint::comparison("varint:type=i64", varint::signed::<i64>),
    base64::COMPARISON,
    json_string::COMPARISON,
    utf8::COMPARISON,
];

/// What comes in, as the `Bytes` that a service or a reader would have it in already: copied when
/// it is another input than last time.
#[derive(Default)]
pub struct Received {
    address: usize,
    bytes: Bytes,
}

impl Received {
    pub fn of(&mut self, input: &[u8]) -> Bytes {
        if (self.address, self.bytes.len()) != (input.as_ptr().addr(), input.len()) {
            *self = Self {
                address: input.as_ptr().addr(),
                bytes: Bytes::copy_from_slice(input),
            };
        }
        self.bytes.clone()
    }
}

/// What a library has made in a buffer of its own. It is copied to where it is checked, and not
/// any more once time is taken: the output is fresh, full of one byte, only then.
pub fn show(made: &[u8], output: &mut [u8]) -> usize {
    if output.iter().take(8).all(|&byte| byte == crate::FRESH) {
        output[..made.len()].copy_from_slice(made);
    }
    made.len()
}
