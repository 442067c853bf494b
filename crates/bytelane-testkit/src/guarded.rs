//! Buffers between two inaccessible pages.
#![allow(unsafe_code)] // Memory mappings.

use std::ops::{Deref, DerefMut};

/// End of a [`Guarded`] buffer that touches an inaccessible page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// The first byte directly follows an inaccessible page.
    Front,
    /// An inaccessible page directly follows the last byte.
    Back,
}

/// A buffer with an inaccessible page directly before or after it: reading or writing one byte on
/// the wrong side ends the process. On targets without such pages, a plain buffer.
#[derive(Debug)]
pub struct Guarded {
    #[cfg(all(unix, not(miri)))]
    mapping: unix::Mapping,
    #[cfg(not(all(unix, not(miri))))]
    mapping: Vec<u8>,
    start: usize,
    length: usize,
}

impl Guarded {
    /// Creates a buffer of `length` zero bytes.
    #[must_use]
    pub fn new(length: usize, edge: Edge) -> Self {
        #[cfg(all(unix, not(miri)))]
        let (mapping, inside) = unix::Mapping::new(length);
        #[cfg(not(all(unix, not(miri))))]
        let (mapping, inside) = (vec![0; length], 0..length);
        let start = match edge {
            Edge::Front => inside.start,
            Edge::Back => inside.end - length,
        };
        let mut guarded = Self {
            mapping,
            start,
            length,
        };
        guarded.fill(0);
        guarded
    }

    /// Creates a buffer with a copy of `bytes`.
    #[must_use]
    pub fn copy_of(bytes: &[u8], edge: Edge) -> Self {
        let mut guarded = Self::new(bytes.len(), edge);
        guarded.copy_from_slice(bytes);
        guarded
    }
}

impl Deref for Guarded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.mapping[self.start..][..self.length]
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.mapping[self.start..][..self.length]
    }
}

#[cfg(all(unix, not(miri)))]
mod unix {
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
    use std::cell::RefCell;
    use std::ffi::c_void;
    use std::ops::{Deref, DerefMut, Range};
    use std::ptr::null_mut;

    /// Size in bytes of an inaccessible area: the largest page size of any machine, and a multiple
    /// of smaller ones. Valgrind ends a program in which rustix looks up the machine's page size.
    const PAGE: usize = 64 << 10;

    /// Number of one-page mappings that a thread keeps for its next buffers. A sweep creates a
    /// million buffers, and the system calls for a mapping take longer than most calls under test.
    const SPARE: usize = 8;

    thread_local! {
        static SPARES: RefCell<Vec<Mapping>> = const { RefCell::new(Vec::new()) };
    }

    /// Whole pages between two inaccessible areas.
    #[derive(Debug)]
    pub(super) struct Mapping {
        /// Address of the first area, which is inaccessible.
        address: *mut c_void,
        /// Number of bytes between the inaccessible areas.
        inside: usize,
    }

    impl Mapping {
        /// Returns a mapping with room for `length` bytes, which have any value, and the range of
        /// the room.
        pub(super) fn new(length: usize) -> (Self, Range<usize>) {
            let inside = length.next_multiple_of(PAGE).max(PAGE);
            let spare = match inside {
                PAGE => SPARES.with_borrow_mut(Vec::pop),
                _ => None,
            };
            (spare.unwrap_or_else(|| Self::map(inside)), 0..inside)
        }

        fn map(inside: usize) -> Self {
            let (all, protection) = (inside + 2 * PAGE, ProtFlags::READ | ProtFlags::WRITE);
            // SAFETY: a new mapping, at an address chosen by the kernel, overlaps nothing.
            let address = unsafe { mmap_anonymous(null_mut(), all, protection, MapFlags::PRIVATE) };
            let address = address.expect("memory for a guarded buffer");
            for guard in [address, address.wrapping_byte_add(PAGE + inside)] {
                // SAFETY: a page of the new mapping, to which nothing refers yet.
                unsafe { mprotect(guard, PAGE, MprotectFlags::empty()) }
                    .expect("a page that may not be touched");
            }
            Self { address, inside }
        }

        /// Returns the first byte after the first inaccessible area.
        fn start(&self) -> *mut u8 {
            self.address.wrapping_byte_add(PAGE).cast()
        }
    }

    impl Deref for Mapping {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            // SAFETY: these pages are readable and exclusively ours until `drop`.
            unsafe { std::slice::from_raw_parts(self.start(), self.inside) }
        }
    }

    impl DerefMut for Mapping {
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: as in `deref`; they are writable too, and `self` is borrowed exclusively.
            unsafe { std::slice::from_raw_parts_mut(self.start(), self.inside) }
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            let Self { address, inside } = *self;
            let keep = |spares: &RefCell<Vec<Self>>| {
                let mut spares = spares.borrow_mut();
                let keep = inside == PAGE && spares.len() < SPARE;
                if keep {
                    spares.push(Self { address, inside });
                }
                keep
            };
            // If there are no spares, the thread is ending.
            if SPARES.try_with(keep) != Ok(true) {
                // SAFETY: this is the whole mapping, no borrow of it outlives `self`, and no spare
                // has it.
                unsafe { munmap(address, inside + 2 * PAGE) }.expect("a mapping of our own");
            }
        }
    }
}
