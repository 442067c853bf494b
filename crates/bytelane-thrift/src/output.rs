//! Destinations of writers: a `Vec`, or only a count.

use bytelane::varint::Integer;
use bytelane::{Reserved, Value, base64, big_endian, json_string, varint};

/// Destination of the bytes of a [`Writer`](crate::Writer).
pub trait Output: Default {
    /// Appends one byte.
    fn byte(&mut self, byte: u8);

    /// Appends an array of bytes.
    fn array<const N: usize>(&mut self, bytes: [u8; N]);

    /// Appends the first `len` bytes of an array.
    #[inline]
    fn piece<const N: usize>(&mut self, bytes: [u8; N], len: usize) {
        self.bytes(&bytes[..len]);
    }

    /// Appends bytes.
    fn bytes(&mut self, bytes: &[u8]);

    /// Appends numbers in big-endian order.
    fn big_endian<T: Value>(&mut self, values: &[T]);

    /// Appends a varint.
    fn varint<T: Integer>(&mut self, value: T);

    /// Appends varints.
    fn varints<T: Integer>(&mut self, values: &[T]);

    /// Appends text as a JSON string, with its quotes.
    fn json_string(&mut self, text: &str);

    /// Appends bytes as base64 without padding.
    fn base64(&mut self, bytes: &[u8]);
}

/// Destination of a whole message, after existing bytes.
pub trait Buffer: Output {
    fn new(bytes: Vec<u8>) -> Self;

    fn len(&mut self) -> usize;

    /// Returns whether all bytes written fit. If not, drops the bytes after `start`, and makes room
    /// for them and for the missing bytes.
    fn is_complete(&mut self, start: usize) -> bool;

    fn into_bytes(self) -> Vec<u8>;
}

impl Buffer for Vec<u8> {
    #[inline]
    fn new(bytes: Vec<u8>) -> Self {
        bytes
    }

    #[inline]
    fn len(&mut self) -> usize {
        Vec::len(self)
    }

    #[inline]
    fn is_complete(&mut self, _: usize) -> bool {
        true
    }

    #[inline]
    fn into_bytes(self) -> Vec<u8> {
        self
    }
}

impl Output for Vec<u8> {
    #[inline]
    fn byte(&mut self, byte: u8) {
        self.push(byte);
    }

    #[inline]
    fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.extend_from_slice(&bytes);
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        // Two overlapping pieces of a fixed length: a call that copies any length takes longer.
        if let 16..=32 = bytes.len()
            && let (Some(first), Some(last)) = (bytes.first_chunk::<16>(), bytes.last_chunk::<16>())
        {
            let end = self.len() + bytes.len();
            self.extend_from_slice(first);
            self.truncate(end - 16);
            self.extend_from_slice(last);
            return;
        }
        bytelane::extend(self, bytes);
    }

    #[inline]
    fn big_endian<T: Value>(&mut self, values: &[T]) {
        big_endian::encode_append(values, self);
    }

    #[inline]
    fn varint<T: Integer>(&mut self, value: T) {
        varint::push(value, self);
    }

    #[inline]
    fn varints<T: Integer>(&mut self, values: &[T]) {
        varint::encode_append(values, self);
    }

    #[inline]
    fn json_string(&mut self, text: &str) {
        json_string::QUOTED.escape_append(text, self);
    }

    #[inline]
    fn base64(&mut self, bytes: &[u8]) {
        base64::STANDARD_NO_PAD.encode_append(bytes, self);
    }
}

impl Buffer for Reserved {
    #[inline]
    fn new(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }

    #[inline]
    fn len(&mut self) -> usize {
        self.bytes().len()
    }

    #[inline]
    fn is_complete(&mut self, start: usize) -> bool {
        if self.missing() > 0 {
            self.make_room(start);
            return false;
        }
        true
    }

    #[inline]
    fn into_bytes(self) -> Vec<u8> {
        self.into_bytes()
    }
}

impl Output for Reserved {
    #[inline]
    fn byte(&mut self, byte: u8) {
        self.push([byte], 1);
    }

    #[inline]
    fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.push(bytes, N);
    }

    #[inline]
    fn piece<const N: usize>(&mut self, bytes: [u8; N], len: usize) {
        self.push(bytes, len);
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        self.extend(bytes);
    }

    #[inline]
    fn big_endian<T: Value>(&mut self, values: &[T]) {
        self.bytes().big_endian(values);
    }

    #[inline]
    fn varint<T: Integer>(&mut self, value: T) {
        match varint::short(value) {
            Some((bytes, len)) => self.push(bytes.to_le_bytes(), len),
            None => {
                let mut bytes = [0; 10];
                let len = varint::write(value, &mut bytes);
                self.push(bytes, len.expect("the longest varint has 10 bytes"));
            }
        }
    }

    #[inline]
    fn varints<T: Integer>(&mut self, values: &[T]) {
        self.bytes().varints(values);
    }

    #[inline]
    fn json_string(&mut self, text: &str) {
        self.bytes().json_string(text);
    }

    #[inline]
    fn base64(&mut self, bytes: &[u8]) {
        self.bytes().base64(bytes);
    }
}

/// Counts the bytes written to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Length(pub usize);

impl Output for Length {
    #[inline]
    fn byte(&mut self, _: u8) {
        self.0 += 1;
    }

    #[inline]
    fn array<const N: usize>(&mut self, _: [u8; N]) {
        self.0 += N;
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    #[inline]
    fn big_endian<T: Value>(&mut self, values: &[T]) {
        self.0 += size_of_val(values);
    }

    #[inline]
    fn varint<T: Integer>(&mut self, value: T) {
        self.0 += varint::encoded_len(&[value]);
    }

    #[inline]
    fn varints<T: Integer>(&mut self, values: &[T]) {
        self.0 += varint::encoded_len(values);
    }

    #[inline]
    fn json_string(&mut self, text: &str) {
        self.0 += json_string::QUOTED.escaped_len(text);
    }

    #[inline]
    fn base64(&mut self, bytes: &[u8]) {
        // Three bytes become four characters; one and two bytes become two and three.
        self.0 += bytes.len() + bytes.len().div_ceil(3);
    }
}
