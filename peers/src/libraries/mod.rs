//! The list of comparisons, and the libraries in them.

mod alp;
mod arrow;
mod base64;
mod big_endian;
mod bit_packing;
mod blosc2;
mod buffers;
mod byte_stream_split;
mod c_interface;
mod delta;
mod json_string;
mod nulls;
mod number;
mod ours;
mod parquet;
mod parquet_work;
mod rle_hybrid;
mod stream_vbyte;
mod utf8;
mod validity;
mod varint;
mod wheel;

pub use buffers::{FRESH, Received, Work, is_fresh, show};
use bytelane::Backend;
use ours::Ours;

/// Another library's implementation of a codec.
pub struct Peer {
    /// Name, with the variant if there are several.
    pub library: &'static str,
    /// Backend that must be active in the process meanwhile, for bytelane's own calls.
    pub backend: Option<Backend>,
    /// Encodes values to bytes, if supported.
    pub encode: Option<Work<'static>>,
    /// Decodes bytes to values, if supported.
    pub decode: Option<Work<'static>>,
}

impl Peer {
    /// Creates a peer for both directions.
    fn new(library: &'static str, encode: Work<'static>, decode: Work<'static>) -> Self {
        Self {
            library,
            backend: None,
            encode: Some(encode),
            decode: Some(decode),
        }
    }

    /// Creates a peer that only encodes.
    fn encoder(library: &'static str, encode: Work<'static>) -> Self {
        Self {
            library,
            backend: None,
            encode: Some(encode),
            decode: None,
        }
    }

    /// Creates a peer that only decodes.
    fn decoder(library: &'static str, decode: Work<'static>) -> Self {
        Self {
            library,
            backend: None,
            encode: None,
            decode: Some(decode),
        }
    }

    /// Returns the peer for bytelane's own calls, while this backend is active.
    fn on(self, backend: Backend) -> Self {
        Self {
            backend: Some(backend),
            ..self
        }
    }
}

/// Creates the peers for calls with a given number of values.
pub type Peers = fn(usize) -> anyhow::Result<Vec<Peer>>;

/// A codec and its peers.
pub struct Comparison {
    /// The codec with its parameters, as the catalog reads them.
    pub specification: &'static str,
    /// Data sets.
    pub data: &'static [&'static str],
    /// Numbers of values.
    pub values: &'static [usize],
    /// True if the work of the codec depends on the data, so that inputs must not repeat.
    pub varied: bool,
    /// Creates bytelane's own calls.
    pub ours: Ours,
    /// Creates the peers for calls with a given number of values.
    pub peers: Peers,
}

/// Creates a comparison without peers, which the rows of a codec complete.
const fn comparison(
    data: &'static [&'static str],
    values: &'static [usize],
    varied: bool,
) -> Comparison {
    Comparison {
        specification: "",
        data,
        values,
        varied,
        ours: None,
        peers: |_| Ok(Vec::new()),
    }
}

/// Creates the rows of [`COMPARISONS`]: codec and parameters, peers, bytelane's own calls, and the data if it is
/// not that of the codec's other rows. The comparisons behind the arrow are complete.
macro_rules! comparisons {
    ($($codec:ident: $parameters:literal, $peers:expr, $ours:expr $(, [$($data:literal),*])?;)* => $($whole:expr),*) => {
        &[
            $(Comparison {
                specification: concat!(stringify!($codec), ":", $parameters),
                $(data: &[$($data),*],)?
                peers: $peers,
                ours: $ours,
                ..$codec::COMPARISON
            },)*
            $($whole,)*
        ]
    };
}

/// All comparisons.
#[rustfmt::skip]
pub static COMPARISONS: &[Comparison] = comparisons! {
    byte_stream_split: "width=2", byte_stream_split::peers::<2>, Some(ours::byte_stream_split::<u16>);
    byte_stream_split: "width=4", byte_stream_split::peers::<4>, Some(ours::byte_stream_split::<f32>);
    byte_stream_split: "width=8", byte_stream_split::peers::<8>, Some(ours::byte_stream_split::<f64>);
    byte_stream_split: "width=16", byte_stream_split::peers::<16>, Some(ours::byte_stream_split_bytes::<16>);
    big_endian: "width=2", big_endian::peers::<i16>, Some(ours::big_endian::<i16>);
    big_endian: "width=4", big_endian::peers::<i32>, Some(ours::big_endian::<i32>);
    big_endian: "width=8", big_endian::peers::<i64>, Some(ours::big_endian::<i64>);
    stream_vbyte: "variant=1234", stream_vbyte::v1234, Some(ours::v1234), ["mixed_widths", "one_byte"];
    stream_vbyte: "variant=0124", stream_vbyte::v0124, Some(ours::v0124), ["mixed_widths"];
    stream_vbyte: "variant=1248", stream_vbyte::v1248, Some(ours::v1248), ["mixed_widths"];
    stream_vbyte: "delta=true", stream_vbyte::delta, Some(ours::differences), ["gaps", "mixed_widths"];
    varint: "type=u32", varint::unsigned::<u32>, Some(ours::varints::<u32>);
    varint: "type=u64", varint::unsigned::<u64>, Some(ours::varints::<u64>);
    varint: "type=i32", varint::signed::<i32>, Some(ours::varints::<i32>);
    varint: "type=i64", varint::signed::<i64>, Some(ours::varints::<i64>);
    bit_packing: "type=u8,width=5", bit_packing::peers::<u8, 5>, Some(ours::bits::<u8, 5>), ["bits_5"];
    bit_packing: "type=u32,width=1", bit_packing::peers::<u32, 1>, Some(ours::bits::<u32, 1>), ["bits_1"];
    bit_packing: "type=u32,width=5", bit_packing::peers::<u32, 5>, Some(ours::bits::<u32, 5>), ["bits_5"];
    bit_packing: "type=u32,width=9", bit_packing::peers::<u32, 9>, Some(ours::bits::<u32, 9>), ["bits_9"];
    bit_packing: "type=u32,width=13", bit_packing::peers::<u32, 13>, Some(ours::bits::<u32, 13>), ["bits_13"];
    bit_packing: "type=u32,width=20", bit_packing::peers::<u32, 20>, Some(ours::bits::<u32, 20>), ["bits_20"];
    bit_packing: "type=u32,width=26", bit_packing::peers::<u32, 26>, Some(ours::bits::<u32, 26>), ["bits_26"];
    bit_packing: "type=u32,width=31", bit_packing::peers::<u32, 31>, Some(ours::bits::<u32, 31>), ["bits_31"];
    bit_packing: "type=u64,width=13", bit_packing::peers::<u64, 13>, Some(ours::bits::<u64, 13>), ["bits_13"];
    bit_packing: "type=u64,width=33", bit_packing::peers::<u64, 33>, Some(ours::bits::<u64, 33>), ["bits_33"];
    bit_packing: "type=u64,width=57", bit_packing::peers::<u64, 57>, Some(ours::bits::<u64, 57>), ["bits_57"];
    bit_packing: "type=u64,width=63", bit_packing::peers::<u64, 63>, Some(ours::bits::<u64, 63>), ["bits_63"];
    delta: "type=i32", delta::peers::<4>, Some(ours::deltas::<i32>), ["bits_20", "steps"];
    delta: "type=i64", delta::peers::<8>, Some(ours::deltas::<i64>), ["timestamps", "steps"];
    rle_hybrid: "type=u8,width=1", rle_hybrid::runs::<1, 1>, Some(ours::runs::<u8, 1>), ["bits_1", "runs_1"];
    rle_hybrid: "type=u16,width=3", rle_hybrid::runs::<2, 3>, Some(ours::runs::<u16, 3>), ["bits_3", "runs_3"];
    rle_hybrid: "type=u32,width=10", rle_hybrid::runs::<4, 10>, Some(ours::runs::<u32, 10>), ["below_1000", "runs_1000", "repeats_1000"];
    rle_hybrid: "type=u8,width=1,effort=fast", rle_hybrid::fast_runs::<1, 1>, None, ["bits_1", "runs_1"];
    rle_hybrid: "type=u16,width=3,effort=fast", rle_hybrid::fast_runs::<2, 3>, None, ["bits_3", "runs_3"];
    rle_hybrid: "type=u32,width=10,effort=fast", rle_hybrid::fast_runs::<4, 10>, None, ["below_1000", "runs_1000", "repeats_1000"];
    rle_hybrid: "type=u32,width=10,entries=1000", rle_hybrid::entries::<4, 10>, None, ["below_1000", "runs_1000", "repeats_1000"];
    rle_hybrid: "type=u64,width=10,entries=1000", rle_hybrid::entries::<8, 10>, None, ["below_1000", "runs_1000", "repeats_1000"];
    rle_hybrid: "type=u64,width=3,entries=8", rle_hybrid::entries::<8, 3>, None, ["bits_3", "runs_3"];
    validity: "max_level=1", |_| parquet::peers(2, parquet_work::Kind::Levels), None, ["bits_1"];
    validity: "spread=f32,nulls=0", validity::nulls::<4, 0>, None;
    validity: "spread=f32,nulls=1", validity::nulls::<4, 1>, None;
    validity: "spread=f32,nulls=10", validity::nulls::<4, 10>, None;
    validity: "spread=f32,nulls=50", validity::nulls::<4, 50>, None;
    validity: "spread=f64,nulls=0", validity::nulls::<8, 0>, None;
    validity: "spread=f64,nulls=1", validity::nulls::<8, 1>, None;
    validity: "spread=f64,nulls=10", validity::nulls::<8, 10>, None;
    validity: "spread=f64,nulls=50", validity::nulls::<8, 50>, None;
    alp: "type=f64", alp::peers::<f64, u64>, None;
    alp: "type=f32", alp::peers::<f32, u32>, None;
    => base64::COMPARISON, json_string::COMPARISON, utf8::COMPARISON
};
