//! Manages memory that is written before it is read, and so need not be zeroed.

use arrow_buffer::Buffer;
use bytemuck::Pod;
use std::mem::MaybeUninit;

/// Byte that is to be written.
pub(crate) type Slot = MaybeUninit<u8>;

/// Unit of allocation. Its alignment suffices for all numbers up to its size.
type Unit = u128;

/// Growable bytes, aligned for numbers of any type.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    /// Bytes, and zeros to the end of the last unit.
    units: Vec<Unit>,
    length: usize,
}

impl Fresh {
    /// Reuses the memory of a buffer, if nothing else refers to it.
    pub(crate) fn in_memory_of(buffer: Buffer) -> Self {
        let mut units = buffer.into_vec().unwrap_or_default();
        units.clear();
        Self { units, length: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Makes room for this total number of bytes, and no more.
    pub(crate) fn reserve_exact(&mut self, bytes: usize) {
        let units = bytes.div_ceil(size_of::<Unit>());
        let more = units.saturating_sub(self.units.len());
        self.units.reserve_exact(more);
    }

    pub(crate) fn clear(&mut self) {
        self.units.clear();
        self.length = 0;
    }

    /// Appends `bytes` bytes, which `write` writes and returns. Appends nothing on error.
    pub(crate) fn append<E>(
        &mut self,
        bytes: usize,
        write: impl for<'a> FnOnce(&'a mut [Slot]) -> Result<&'a mut [u8], E>,
    ) -> Result<(), E> {
        let start = std::mem::take(&mut self.length);
        let end = start
            .checked_add(bytes)
            .expect("more bytes than memory has");
        let units = end.div_ceil(size_of::<Unit>());
        self.units.reserve(units.saturating_sub(self.units.len()));
        // SAFETY: with a length of zero, no units need to be initialised. The length stays zero until `write`
        // returns: it might store something uninitialised beside the bytes of the last unit, or not return at
        // all.
        unsafe { self.units.set_len(0) };
        let (to, after) = self.memory()[start..].split_at_mut(bytes);
        let place = (to.as_ptr().cast::<u8>(), to.len());
        let written = match write(to) {
            Ok(written) => written,
            Err(error) => {
                let units = start.div_ceil(size_of::<Unit>());
                self.memory()[start..units * size_of::<Unit>()].fill(Slot::new(0));
                // SAFETY: the bytes before `start` were initialised and have not been touched; those after
                // them have just been set to zeros. Units may have any bits.
                unsafe { self.units.set_len(units) };
                self.length = start;
                return Err(error);
            }
        };
        assert_eq!(
            (written.as_ptr(), written.len()),
            place,
            "other bytes than those to be written"
        );
        let padding = units * size_of::<Unit>() - end;
        after[..padding].fill(Slot::new(0));
        // SAFETY: the bytes before `start` were initialised and have not been touched. The bytes from there
        // to `end` are initialised, because `write` returned a reference to them as bytes, which only
        // initialised bytes can have. The bytes after them have just been set to zeros. Units may have any
        // bits.
        unsafe { self.units.set_len(units) };
        self.length = end;
        Ok(())
    }

    /// Returns the memory after the initialised units.
    fn memory(&mut self) -> &mut [Slot] {
        let memory = self.units.spare_capacity_mut();
        // SAFETY: the slice covers the same memory for the same lifetime; a slot may be uninitialised, and so
        // may a unit.
        unsafe {
            std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<Slot>(), size_of_val(memory))
        }
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.units)[..self.length]
    }

    /// Returns the bytes to be changed.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.units)[..self.length]
    }

    /// Drops the bytes after the first `bytes`.
    pub(crate) fn truncate(&mut self, bytes: usize) {
        self.length = self.length.min(bytes);
        self.units.truncate(self.length.div_ceil(size_of::<Unit>()));
        bytemuck::cast_slice_mut::<_, u8>(&mut self.units)[self.length..].fill(0);
    }

    /// Returns the bytes without a copy. Unused memory is released.
    pub(crate) fn into_buffer(mut self) -> Buffer {
        self.units.shrink_to_fit();
        Buffer::from_vec(self.units).slice_with_length(0, self.length)
    }
}

/// Casts bytes to be written to numbers to be written.
///
/// # Panics
///
/// Panics if the bytes are not aligned for the numbers, or if they are not a whole number of them.
pub(crate) fn slots<T: Pod>(bytes: &mut [Slot]) -> &mut [MaybeUninit<T>] {
    // SAFETY: a slot for a number may have any bytes, initialised or not. Only numbers with uninitialised
    // parts could be stored that are not bytes, and a `Pod` has no such parts.
    let (before, numbers, after) = unsafe { bytes.align_to_mut() };
    assert!(
        before.is_empty() && after.is_empty(),
        "bytes that are no numbers"
    );
    numbers
}

/// Writes a number to each slot, computed from its index.
///
/// # Panics
///
/// Panics under the same conditions as [`slots`].
#[inline(always)]
pub(crate) fn write_each<T: Pod>(to: &mut [Slot], mut number: impl FnMut(usize) -> T) -> &mut [u8] {
    let to = slots(to);
    for (index, to) in to.iter_mut().enumerate() {
        to.write(number(index));
    }
    // SAFETY: all of them have just been written.
    bytemuck::cast_slice_mut(unsafe { to.assume_init_mut() })
}

/// Writes zeros.
pub(crate) fn zeros(to: &mut [Slot]) -> &mut [u8] {
    to.fill(Slot::new(0));
    // SAFETY: all of them have just been written.
    unsafe { to.assume_init_mut() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn copy<'a>(
        from: &'a [u8],
    ) -> impl for<'b> FnOnce(&'b mut [Slot]) -> Result<&'b mut [u8], Infallible> + 'a {
        |to| Ok(to.write_copy_of_slice(from))
    }

    #[test]
    fn pieces_of_any_length_follow_each_other() {
        let all: Vec<u8> = (1..=255).collect();
        for step in [1, 3, 8, 15, 16, 17, 100] {
            let mut fresh = Fresh::default();
            for piece in all.chunks(step) {
                let Ok(()) = fresh.append(piece.len(), copy(piece));
                assert_eq!(fresh.bytes(), &all[..fresh.len()]);
            }
            assert_eq!(fresh.into_buffer().as_slice(), all);
        }
    }

    #[test]
    fn memory_is_used_again() {
        let mut fresh = Fresh::default();
        fresh.reserve_exact(3);
        assert_eq!(fresh.units.capacity(), 1);
        let Ok(()) = fresh.append(3, copy(&[1, 2, 3]));
        let buffer = fresh.into_buffer();
        let second = buffer.clone();
        assert_eq!(Fresh::in_memory_of(buffer).units.capacity(), 0);
        let mut fresh = Fresh::in_memory_of(second);
        assert_eq!((fresh.units.capacity(), fresh.len()), (1, 0));
        let Ok(()) = fresh.append(1, copy(&[9]));
        fresh.clear();
        assert!(fresh.bytes().is_empty());
    }

    #[test]
    fn after_an_error_nothing_has_changed_and_after_a_panic_there_is_nothing() {
        for length in [0, 3, 16, 17] {
            let mut fresh = Fresh::default();
            let before: Vec<u8> = (1..=length).collect();
            let Ok(()) = fresh.append(before.len(), copy(&before));
            let failed = fresh.append(300, |to| {
                to.fill(Slot::uninit());
                Err("no")
            });
            assert_eq!(failed, Err("no"));
            assert_eq!(fresh.bytes(), before);
            let Ok(()) = fresh.append(2, copy(&[7, 8]));
            assert_eq!(fresh.bytes(), [&before[..], &[7, 8]].concat());
        }
        let mut fresh = Fresh::default();
        let Ok(()) = fresh.append(3, copy(&[1, 2, 3]));
        let call = AssertUnwindSafe(|| fresh.append(3, |_| Ok::<_, Infallible>(&mut [])));
        assert!(catch_unwind(call).is_err(), "nothing was written");
        assert!(fresh.bytes().is_empty());
    }

    #[test]
    fn after_dropped_bytes_others_follow() {
        for length in [0, 3, 16, 17, 40] {
            let mut fresh = Fresh::default();
            let Ok(()) = fresh.append(40, copy(&[1; 40]));
            fresh.bytes_mut()[..length].fill(2);
            fresh.truncate(length);
            let Ok(()) = fresh.append(5, copy(&[3; 5]));
            assert_eq!(fresh.bytes(), [vec![2; length], vec![3; 5]].concat());
        }
    }

    #[test]
    fn numbers_are_written() {
        let mut fresh = Fresh::default();
        let Ok(()) = fresh.append(4, |to| Ok::<_, Infallible>(zeros(to)));
        let Ok(()) = fresh.append(4, |to| {
            let number = slots::<u32>(to).write_copy_of_slice(&[u32::MAX]);
            Ok::<_, Infallible>(bytemuck::cast_slice_mut(number))
        });
        assert_eq!(fresh.bytes(), [0, 0, 0, 0, 255, 255, 255, 255]);
        let unaligned = AssertUnwindSafe(|| {
            fresh.append(3, |to| {
                slots::<u32>(to);
                Ok::<_, Infallible>(zeros(to))
            })
        });
        assert!(catch_unwind(unaligned).is_err());
    }
}
