//! Instruction sets that plain loops are compiled for.
//!
//! This is the only unsafe step of the crate: calling a function that needs instructions that the
//! CPU has been found to have.
#![allow(unsafe_code)]

use bytelane::Backend;

/// Instruction set level that a compiler may assume, as with `-C target-cpu`. This CPU has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level(Kind);

/// A loop from one buffer to another, to be inlined into a function of each level.
pub(crate) trait Loop {
    /// Returns the length of the result, if the input is valid and the result fits.
    fn run(self, from: &[u8], to: &mut [u8]) -> Option<usize>;
}

/// Defines the levels above the target's own: a name and the features.
macro_rules! levels {
    ($($Level:ident = $name:literal, [$($feature:tt),*];)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Kind {
            /// Target for which this crate is compiled.
            Target,
            $($Level,)*
        }

        impl Level {
            /// Returns the levels that this CPU can run, lowest first.
            #[must_use]
            pub fn available() -> Vec<Self> {
                #[allow(unused_mut)]
                let mut levels = vec![Self::TARGET];
                $(
                    let is_there = true $(&& std::arch::is_x86_feature_detected!($feature))*;
                    // A crate compiled for this level has it already.
                    if is_there && TARGET != $name {
                        levels.push(Self(Kind::$Level));
                    }
                )*
                levels
            }

            /// Returns the name in tables: `plain v1`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self.0 {
                    Kind::Target => TARGET,
                    $(Kind::$Level => $name,)*
                }
            }

            /// Runs a loop, compiled for this level.
            pub(crate) fn run(self, work: impl Loop, from: &[u8], to: &mut [u8]) -> Option<usize> {
                match self.0 {
                    Kind::Target => work.run(from, to),
                    $(Kind::$Level => {
                        $(#[target_feature(enable = $feature)])*
                        fn inside(work: impl Loop, from: &[u8], to: &mut [u8]) -> Option<usize> {
                            work.run(from, to)
                        }
                        // SAFETY: only `available` creates this level, and only where the CPU has
                        // all the features that `inside` enables.
                        unsafe { inside(work, from, to) }
                    })*
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
levels! {
    V3 = "plain v3", [
        "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "bmi1", "bmi2", "f16c",
        "fma", "lzcnt", "movbe"
    ];
    V4 = "plain v4", [
        "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "bmi1", "bmi2", "f16c",
        "fma", "lzcnt", "movbe", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"
    ];
}
#[cfg(not(target_arch = "x86_64"))]
levels! {}

/// Name of the target for which this crate is compiled.
const TARGET: &str = if cfg!(target_arch = "aarch64") {
    "plain neon"
} else if cfg!(not(target_arch = "x86_64")) {
    "plain"
} else if cfg!(all(
    target_feature = "avx512bw",
    target_feature = "avx512vl"
)) {
    "plain v4"
} else if cfg!(all(target_feature = "avx2", target_feature = "bmi2")) {
    "plain v3"
} else {
    "plain v1"
};

impl Level {
    /// Lowest level: that of a build without options.
    pub const TARGET: Self = Self(Kind::Target);

    /// Returns the highest level that needs nothing beyond the instruction set of a backend, and at
    /// least the lowest one.
    #[must_use]
    pub fn of(backend: Backend) -> Self {
        let wanted = match backend {
            Backend::Avx2 => "plain v3",
            Backend::Avx512 => "plain v4",
            _ => return Self::TARGET,
        };
        let mut levels = Self::available().into_iter();
        levels
            .find(|level| level.name() == wanted)
            .unwrap_or(Self::TARGET)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_begin_with_that_of_the_target_and_differ() {
        let levels = Level::available();
        assert_eq!(levels[0], Level::TARGET);
        let mut names: Vec<_> = levels.iter().map(|level| level.name()).collect();
        assert!(names.is_sorted(), "{names:?}");
        names.dedup();
        assert_eq!(names.len(), levels.len());
    }

    #[test]
    fn a_backend_is_compared_with_its_own_level() {
        assert_eq!(Level::of(Backend::Scalar), Level::TARGET);
        assert_eq!(Level::of(Backend::Neon), Level::TARGET);
        for (backend, name) in [(Backend::Avx2, "plain v3"), (Backend::Avx512, "plain v4")] {
            if Level::available().iter().any(|level| level.name() == name) {
                assert_eq!(Level::of(backend).name(), name);
            }
        }
    }
}
