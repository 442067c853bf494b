//! The allocator of the command, and of the Python package, which brings the command along.
//!
//! The system's returns the memory of large arrays at once, and page faults zero it again at the next read: that takes a third
//! of the time. This one keeps it for a few seconds. The measurements are in `docs/lab-notes/whole-tables.md`.
#![allow(unsafe_code)] // The allocator's options are those of a C library.

use libmimalloc_sys::{mi_option_set, mi_option_t};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `mi_option_purge_delay` in `mimalloc.h`, for which the bindings have no constant.
const PURGE_DELAY: mi_option_t = 15;

/// Milliseconds for which memory is kept. With the allocator's default of one second, a process that reads a table over and over
/// faults in half of its memory at most reads.
const KEPT: core::ffi::c_long = 10_000;

/// Keeps free memory for ten seconds, unless the environment says how long.
pub(crate) fn keep_memory() {
    if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        // SAFETY: the option exists in this version of the library, which ignores numbers of options that it does not have. Its
        // value is a word that other threads, if there are any yet, read as a whole: they keep memory for either time.
        unsafe { mi_option_set(PURGE_DELAY, KEPT) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use libmimalloc_sys::mi_option_get;

    #[test]
    fn the_option_is_the_one_that_has_a_default_of_a_second() {
        // SAFETY: it reads a word.
        let delay = || unsafe { mi_option_get(PURGE_DELAY) };
        if std::env::var_os("MIMALLOC_PURGE_DELAY").is_some() {
            return;
        }
        assert_eq!(delay(), 1000);
        keep_memory();
        assert_eq!(delay(), KEPT);
    }
}
