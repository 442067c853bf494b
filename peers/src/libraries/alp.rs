//! The crate `parquet`, which chooses other exponents and exceptions, and must not write less; and
//! the crate `alp`, whose integers `fastlanes` packs, in a layout of its own for vectors of 1024
//! values.

use super::parquet_work::Kind;
use super::{Comparison, FRESH, Peer, Work, comparison, is_fresh, parquet};
use ::alp::{ALPFloat, Exponents};
use bytelane::alp::{self, Float};
use bytemuck::Pod;
use fastlanes::FoR;
use num_traits::{AsPrimitive, WrappingSub, Zero};

pub const COMPARISON: Comparison = comparison(
    &["prices", "nearly_decimals", "random"],
    &[1024, 32_768, 131_072],
    false,
);

pub fn peers<T, U>(values: usize) -> anyhow::Result<Vec<Peer>>
where
    T: Float + ALPFloat + Pod,
    T::ALPInt: AsPrimitive<U> + Pod + Ord + WrappingSub,
    U: FoR + Pod + AsPrimitive<u64>,
{
    let mut peers = parquet::peers(size_of::<T>(), Kind::Alp)?;
    for peer in &mut peers {
        peer.encode = peer.encode.take().map(|work| other_page::<T>(work));
    }
    if values.is_multiple_of(VECTOR) {
        peers.push(alp_and_fastlanes::<T, U>());
    }
    Ok(peers)
}

/// Encodes a page of another encoder. Before timing, the page is decoded and encoded again as
/// bytelane does.
fn other_page<T: Float + Pod>(mut encode: Work<'static>) -> Work<'static> {
    Box::new(move |values, bytes| {
        if !is_fresh(bytes) {
            return encode(values, bytes);
        }
        let count = values.len() / size_of::<T>();
        let mut theirs = vec![FRESH; 2 * alp::max_encoded_len::<T>(count) + 64];
        let length = encode(values, &mut theirs);
        let page = &theirs[..length];
        let (again, read) = alp::decode_to_vec::<T>(page, count).expect("a page");
        assert_eq!(read, length, "all of its bytes");
        let ours = alp::encode(&again, bytes).expect("room for its bytes");
        assert!(ours <= length, "{ours} bytes instead of {length}");
        ours
    })
}

/// Number of values in a vector.
const VECTOR: usize = 1024;

/// Values as integers of the crate `alp`, packed by `fastlanes` as the documentation of `alp`
/// shows: vectors have a frame of reference, and all have the same exponents.
struct Packed<T: ALPFloat, U> {
    exponents: Exponents,
    integers: Vec<T::ALPInt>,
    /// Least integer and width of each vector.
    frames: Vec<(T::ALPInt, usize)>,
    words: Vec<U>,
    positions: Vec<u64>,
    exceptions: Vec<T>,
    offsets: Vec<u64>,
}

impl<T, U> Packed<T, U>
where
    T: ALPFloat + Pod,
    T::ALPInt: AsPrimitive<U> + Pod + Ord + WrappingSub,
    U: FoR + Pod + AsPrimitive<u64>,
{
    fn new() -> Self {
        Self {
            exponents: Exponents { e: 0, f: 0 },
            integers: Vec::new(),
            frames: Vec::new(),
            words: Vec::new(),
            positions: Vec::new(),
            exceptions: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// Encodes whole vectors. Returns their size in bytes.
    fn encode(&mut self, values: &[T]) -> usize {
        self.integers.clear();
        self.integers.reserve(values.len());
        self.positions.clear();
        self.exceptions.clear();
        self.offsets.clear();
        let room = &mut self.integers.spare_capacity_mut()[..values.len()];
        self.exponents = ::alp::encode_into(
            values,
            None,
            room,
            &mut self.positions,
            &mut self.exceptions,
            &mut self.offsets,
        );
        // SAFETY: there is room for all values, and the function has initialised it.
        unsafe { self.integers.set_len(values.len()) };
        self.frames.clear();
        self.words.clear();
        for vector in self.integers.as_chunks::<VECTOR>().0 {
            let least = *vector.iter().min().expect("it is not empty");
            let greatest = *vector.iter().max().expect("it is not empty");
            let range: U = greatest.wrapping_sub(&least).as_();
            let range: u64 = range.as_();
            let width = (u64::BITS - range.leading_zeros()) as usize;
            let differences = vector.map(|integer| integer.wrapping_sub(&least).as_());
            let start = self.words.len();
            self.words.resize(start + words::<U>(width), U::zero());
            // SAFETY: 1024 values, and as many words as they take.
            unsafe { U::unchecked_pack(width, &differences, &mut self.words[start..]) };
            self.frames.push((least, width));
        }
        let exceptions = self.positions.len() * (2 + size_of::<T>());
        let frames = self.frames.len() * (size_of::<T>() + 1 + 4);
        size_of_val(&self.words[..]) + exceptions + frames + 2
    }

    fn decode(&self, values: &mut [T]) {
        let mut rest = &self.words[..];
        let mut integers = [T::ALPInt::zero(); VECTOR];
        let vectors = values.as_chunks_mut::<VECTOR>().0.iter_mut();
        for (values, (least, width)) in vectors.zip(&self.frames) {
            let packed = rest.split_off(..words::<U>(*width)).expect("its words");
            let room = bytemuck::cast_slice_mut::<T::ALPInt, U>(&mut integers);
            // SAFETY: as many words as 1024 values of the width take, and room for these.
            unsafe { U::unchecked_unfor_pack(*width, packed, least.as_(), room) };
            ::alp::decode_into::<T>(&integers, self.exponents, values);
        }
        for (position, value) in self.positions.iter().zip(&self.exceptions) {
            values[*position as usize] = *value;
        }
    }
}

/// Returns the number of words in a vector.
fn words<U>(width: usize) -> usize {
    VECTOR * width / 8 / size_of::<U>()
}

/// Creates a peer. Before timing, the values that it has packed are decoded, and encoded as
/// bytelane does.
fn alp_and_fastlanes<T, U>() -> Peer
where
    T: Float + ALPFloat + Pod,
    T::ALPInt: AsPrimitive<U> + Pod + Ord + WrappingSub,
    U: FoR + Pod + AsPrimitive<u64>,
{
    let mut packed = Packed::<T, U>::new();
    let encode: Work = Box::new(move |values, bytes| {
        let values: &[T] = bytemuck::cast_slice(values);
        let length = packed.encode(values);
        if !is_fresh(bytes) {
            return length;
        }
        let mut again = values.to_vec();
        again.fill(T::zero());
        packed.decode(&mut again);
        alp::encode(&again, bytes).expect("room for its bytes")
    });
    let mut received = (0, Packed::<T, U>::new());
    let decode: Work = Box::new(move |bytes, values| {
        let values: &mut [T] = bytemuck::cast_slice_mut(values);
        if received.0 != bytes.as_ptr().addr() {
            let (of, _) = alp::decode_to_vec(bytes, values.len()).expect("a page");
            received.0 = bytes.as_ptr().addr();
            received.1.encode(&of);
        }
        received.1.decode(values);
        size_of_val(values)
    });
    Peer::new("alp, fastlanes", encode, decode)
}
