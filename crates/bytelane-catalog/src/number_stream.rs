//! Numbers between readers and writers.

use crate::numbers::{Number, NumberCodec, to_little_endian};
use crate::result::{Failure, Length};
use crate::stream::{AT_A_TIME, Io, Lookahead, StreamError};
use bytelane::Detected;
use bytemuck::Zeroable;
use std::io::Write;

/// Decoded size in bytes that is allowed for an input of any length, when it is decoded as a whole.
const ALWAYS: usize = 1 << 30;

/// Maximum growth of a longer input, as a multiple of its length: equal values take hardly any
/// bytes, so that a short input could ask for any amount of memory.
const MOST_GROWTH: usize = 1024;

/// Writes numbers as little-endian bytes, to which they are converted in place.
pub(crate) fn write_numbers<T: Number>(
    output: &mut dyn Write,
    numbers: &mut [T],
) -> Result<(), StreamError> {
    let bytes = bytemuck::cast_slice_mut(numbers);
    to_little_endian::<T>(bytes);
    output.write_all(bytes).map_err(StreamError::Write)
}

/// Returns the parameter `count` of a codec whose format does not store the number of values.
pub(crate) fn known(count: Option<usize>) -> Result<usize, Failure> {
    count.ok_or_else(|| {
        "decoding needs the parameter `count`, because the number of values is not stored".into()
    })
}

/// Decodes `count` numbers piece by piece, from a format in which their number determines their
/// length. `decode` also receives the offset of its input. Returns the rest of the input.
pub(crate) fn decode_fixed<'a, T: Number>(
    count: Option<usize>,
    io: Io<'a>,
    encoded_len: impl Fn(usize) -> usize,
    mut decode: impl FnMut(&[u8], usize, &mut [T]) -> Length,
) -> Result<Lookahead<'a>, StreamError> {
    let mut left = known(count)?;
    let mut encoded = Lookahead::new(io.input);
    let mut numbers = Vec::new();
    while left > 0 {
        let count = usize::min(left, AT_A_TIME);
        encoded.fill(encoded_len(count))?;
        numbers.resize(count, T::zeroed());
        let read = decode(encoded.bytes(), encoded.offset() as usize, &mut numbers)?;
        write_numbers(io.output, &mut numbers)?;
        encoded.consume(read);
        left -= count;
    }
    Ok(encoded)
}

/// Decodes an input that stores its number of values, all at once, after `check` has found it well
/// formed and returned this number and the expected length.
///
/// # Errors
///
/// The errors of `check`; an input that is longer than expected, or has too many values for its
/// length; [`StreamError::Read`] and [`StreamError::Write`].
pub(crate) fn decode_whole<C: NumberCodec>(
    codec: &C,
    backend: Detected,
    check: impl Fn(&[u8]) -> Result<(u64, usize), Failure>,
    mut io: Io<'_>,
) -> Result<(), StreamError> {
    let encoded = io.read_all()?;
    let (count, length) = check(&encoded)?;
    if length < encoded.len() {
        let more = encoded.len() - length;
        let error = format!("offset {length}: {more} bytes follow the last value");
        return Err(Failure::from(error).into());
    }
    let most = usize::max(encoded.len().saturating_mul(MOST_GROWTH), ALWAYS);
    let count = usize::try_from(count)
        .ok()
        .filter(|&count| count <= most / size_of::<C::Number>())
        .ok_or_else(|| {
            Failure::from(format!(
                "the input says that it has {count} values, which would take more than {most} bytes"
            ))
        })?;
    let mut numbers = vec![C::Number::zeroed(); count];
    codec.decode(backend, &encoded, &mut numbers)?;
    write_numbers(io.output, &mut numbers)
}
