//! Turns panics of other crates into errors.

use crate::{Error, Result};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether a panic of this thread would become an error, so that a program's panic hook need not
/// report it.
#[must_use]
pub fn is_caught() -> bool {
    IS_CAUGHT.get()
}

/// Sets the result of `is_caught` for a thread that works for another one.
pub(crate) fn set_catching(is_caught: bool) {
    IS_CAUGHT.set(is_caught);
}

/// Calls `work`. Returns an error if it panics, as the crate `parquet` does for some malformed files.
///
/// After an error, anything that `work` has changed must not be used.
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let outside = IS_CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(outside);
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or(panic.downcast_ref::<String>().map(String::as_str));
        let problem = format!(
            "the crate parquet panicked: {}",
            text.unwrap_or("no message")
        );
        Err(Error::corrupt(problem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(catch_panic(|| Ok(1)).unwrap(), 1);
        assert!(catch_panic(|| Ok(is_caught())).unwrap());
        let number = 7;
        let error = catch_panic::<()>(|| panic!("number {number}")).unwrap_err();
        assert!(error.to_string().ends_with("number 7"), "{error}");
        assert!(!is_caught());
    }
}
