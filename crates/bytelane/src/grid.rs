//! Coverage of test grids by the core's own tests.

use std::vec::Vec;

/// Returns all of a test's cases. Under Miri, which is about a thousand times slower, returns at
/// most `most` of them, evenly spread from the first on.
pub(crate) fn thinned<T>(all: impl IntoIterator<Item = T>, most: usize) -> Vec<T> {
    let all: Vec<T> = all.into_iter().collect();
    let step = if cfg!(miri) {
        all.len().div_ceil(most)
    } else {
        1
    };
    all.into_iter().step_by(step.max(1)).collect()
}
