//! Coverage of test grids by the core's own tests.

use std::vec::Vec;

/// Number of cases up to which a list is not thinned under an emulator.
const FEW: usize = 32;

/// Returns all of a test's cases. Under Miri, which is about a thousand times slower, returns at
/// most `most` of them, evenly spread from the first on. With `BYTELANE_TEST_GRID=sparse`, for emulators, returns each
/// fifth case of a long list: of successive lengths, that leaves all remainders of powers of two and three.
pub(crate) fn thinned<T>(all: impl IntoIterator<Item = T>, most: usize) -> Vec<T> {
    let all: Vec<T> = all.into_iter().collect();
    let step = if cfg!(miri) {
        all.len().div_ceil(most)
    } else if all.len() > FEW && is_sparse() {
        5
    } else {
        1
    };
    all.into_iter().step_by(step.max(1)).collect()
}

fn is_sparse() -> bool {
    std::env::var("BYTELANE_TEST_GRID").is_ok_and(|grid| grid == "sparse")
}
