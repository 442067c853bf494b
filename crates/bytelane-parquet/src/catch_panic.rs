//! Panics of other crates.

use crate::{Error, Result};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would become an error: a program's panic hook need not report it.
#[must_use]
pub fn is_caught() -> bool {
    IS_CAUGHT.get()
}

/// Says the same of a thread that works for another one.
pub(crate) fn set_catching(is_caught: bool) {
    IS_CAUGHT.set(is_caught);
}

/// What `work` returns; an error if it panics, as the crate `parquet` does at some files that lie.
///
/// What `work` has changed must not be used after an error.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
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
