//! Code of the fuzz targets that catch panics of other crates.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

thread_local! {
    /// Message of the last panic of another crate.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Lets panics of other crates unwind to the code that catches them. A panic of this project's own
/// code is still a crash, caught or not.
///
/// Call this once, after libFuzzer has set a hook that aborts at every panic.
pub fn let_others_panic() {
    let abort = take_hook();
    set_hook(Box::new(move |panic| {
        let is_own = panic.location().is_none_or(|location| {
            let file = location.file();
            file.contains("bytelane") || file.contains("fuzz_targets")
        });
        if is_own {
            abort(panic);
        }
        LAST.set(panic.to_string());
    }));
}

/// Runs a target; an uncaught panic is a crash.
pub fn run(target: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(target)).is_err() {
        LAST.with_borrow(|message| eprintln!("not contained: {message}"));
        std::process::abort();
    }
}
