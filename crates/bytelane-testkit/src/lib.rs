//! bytelane's test kit. Everything here iterates over the list of codecs and over all backends that
//! the machine has.
//!
//! Two environment variables change what the tests do:
//!
//! - `BYTELANE_TEST_GRID=reduced` uses fewer lengths and offsets, for emulators; `sparse` also uses fewer in the
//!   tests of the core, for kernels that other tests cover;
//! - `BYTELANE_TEST_EXPECT=avx2` fails unless this is the best backend of the machine, so that a
//!   test run for an instruction set cannot pass without it.

pub mod alp;
pub mod cursor;
pub mod fsst;
pub mod fuzz;
mod guarded;
pub mod sweep;
pub mod utf8;
pub mod validity;

pub use guarded::{Edge, Guarded};

use bytelane::Backend;
use bytelane::tuning::Cpu;
use bytelane_catalog::Codec;
use bytelane_measure::data::{Dataset, ElementType};
use std::sync::{Mutex, Once, PoisonError};

/// Returns whether the tests use the smaller grid.
#[must_use]
pub fn reduced() -> bool {
    std::env::var("BYTELANE_TEST_GRID").is_ok_and(|grid| grid == "reduced" || grid == "sparse")
}

/// Returns the backends to test against the scalar code, `Backend::Scalar`.
///
/// # Panics
///
/// If `BYTELANE_TEST_EXPECT` names a backend that is not the best one here.
#[must_use]
pub fn backends() -> Vec<Backend> {
    let best = Backend::available()
        .next_back()
        .expect("the scalar backend is always there");
    if let Ok(expected) = std::env::var("BYTELANE_TEST_EXPECT") {
        assert_eq!(best.name(), expected, "the best backend of this machine");
    }
    static MISSING_ARE_NAMED: Once = Once::new();
    MISSING_ARE_NAMED.call_once(|| {
        for missing in Backend::ALL
            .iter()
            .filter(|backend| !backend.is_available())
        {
            eprintln!("not tested: {missing} is not available on this machine");
        }
    });
    all_backends()
        .filter(|&backend| backend != Backend::Scalar)
        .collect()
}

/// Returns the backends of this machine, the scalar code first. Each runs its own kernels from now on,
/// also where another one would be chosen for this CPU.
pub fn all_backends() -> impl Iterator<Item = Backend> {
    Cpu::Other.assume();
    Backend::available()
}

/// Runs a closure with a backend active. Meanwhile, the backend is also active for other tests of
/// the process, so they must not depend on the active backend.
///
/// # Panics
///
/// If this machine lacks the backend.
pub fn on<R>(backend: Backend, run: impl FnOnce() -> R) -> R {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = Backend::active();
    Backend::set_active(backend).expect("it is available");
    let result = run();
    Backend::set_active(before).expect("it was active before");
    result
}

/// Returns values for a codec, as bytes: deterministic for given arguments.
///
/// # Panics
///
/// If the codec names an element type or a data set that does not exist.
#[must_use]
pub fn values(codec: &dyn Codec, data: &str, count: usize, seed: u64) -> Vec<u8> {
    let element: ElementType = codec.element().parse().expect("a known element type");
    let dataset: &Dataset = data.parse().expect("a known data set");
    dataset.generate(element, count, seed)
}

/// Code in the documents, as doctests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/getting-started/json-and-base64.md")]
    mod json_and_base64 {}
    #[doc = include_str!("../../../docs/getting-started/posting-lists.md")]
    mod posting_lists {}
}
