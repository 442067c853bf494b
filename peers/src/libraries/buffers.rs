//! Calls of libraries that take or keep buffers of their own.

use bytelane_measure::buffer::{APART, PAGE};
use bytes::Bytes;

/// Work from the first buffer to the second; returns the number of bytes written.
pub type Work<'a> = Box<dyn FnMut(&[u8], &mut [u8]) -> usize + 'a>;

/// Byte that fills the output before a result is checked.
pub const FRESH: u8 = 0xa5;

/// Input, as the `Bytes` in which a service or a reader would already have it: copied if it differs
/// from the last input.
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

/// A `Vec` that a library appends its result to, so that the result begins as many bytes after a page boundary as the output of
/// libraries that write to a slice. The allocator would place it at random: a result of 256 bytes that crosses two pages takes up
/// to 1.4 times as long, in one process and not in another.
pub struct Appended {
    bytes: Vec<u8>,
    start: usize,
}

impl Appended {
    /// Creates one with room for a result and all that a library reserves for it, so that it never moves.
    pub fn with_room(room: usize) -> Self {
        let mut bytes: Vec<u8> = Vec::with_capacity(room + 2 * PAGE);
        let start = bytes.as_ptr().align_offset(PAGE) + APART % PAGE;
        bytes.resize(start, 0);
        Self { bytes, start }
    }

    /// Returns the `Vec`, to append another result.
    pub fn again(&mut self) -> &mut Vec<u8> {
        self.bytes.truncate(self.start);
        &mut self.bytes
    }

    /// Shows the result: see [`show`].
    pub fn show(&self, output: &mut [u8]) -> usize {
        let made = &self.bytes[self.start..];
        if is_fresh(output) {
            let offset = made.as_ptr().addr() % PAGE;
            assert_eq!(
                offset,
                APART % PAGE,
                "a library reserved more than expected"
            );
        }
        show(made, output)
    }
}

/// Copies the result of a library that has a buffer of its own to where it is checked. It does not
/// copy during timing: only an output that is full of one byte is to be checked.
pub fn show(made: &[u8], output: &mut [u8]) -> usize {
    if is_fresh(output) {
        output[..made.len()].copy_from_slice(made);
    }
    made.len()
}

/// Returns whether an output was filled for a check.
fn is_fresh(output: &[u8]) -> bool {
    output.iter().take(8).all(|&byte| byte == FRESH)
}
