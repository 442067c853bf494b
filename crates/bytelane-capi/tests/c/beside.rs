//! A static library of another crate, with the parts of the standard library that refer to optional
//! functions of the C library and to the unwinder.

use std::panic::catch_unwind;
use std::process::Command;

/// Returns the number of bytes that a child process and a thread have counted, or -1 after a panic,
/// for an empty text.
///
/// # Safety
///
/// `text` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn beside_count(text: *const u8, length: usize) -> i64 {
    // SAFETY: the caller promises it.
    let text = unsafe { std::slice::from_raw_parts(text, length) };
    let counted = catch_unwind(|| {
        assert!(!text.is_empty(), "an expected panic");
        assert!(Command::new("true").status().is_ok_and(|status| status.success()));
        let counter = std::thread::scope(|scope| scope.spawn(|| text.len()).join());
        counter.expect("the thread does not panic") as i64
    });
    counted.unwrap_or(-1)
}
