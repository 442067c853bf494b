//! Allocator of the command, and of the Python package, which includes the command.
//!
//! The system's allocator returns the memory of large arrays at once, and page faults zero it again during the next read,
//! which takes a third of the time. This allocator keeps it for a few seconds. The measurements are in
//! `docs/lab-notes/whole-tables.md`.
#![allow(unsafe_code)] // The options of the allocator belong to a C library.

use libmimalloc_sys::{mi_option_set, mi_option_t};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `mi_option_purge_delay` in `mimalloc.h`, for which the bindings have no constant.
const PURGE_DELAY: mi_option_t = 15;

/// Time to keep free memory, in milliseconds. With the allocator's default of one second, a process that reads a table
/// repeatedly faults in half of its memory in most reads.
const KEPT: core::ffi::c_long = 10_000;

/// Keeps free memory for ten seconds, unless the environment sets another time.
pub(crate) fn keep_memory() {
    if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        // SAFETY: the option exists in this version of the library, which ignores unknown option numbers. Its value is a word
        // that other threads, if there are any yet, read as a whole: they use either the old time or the new one.
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
