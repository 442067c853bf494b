//! The one list of instruction sets: their names, their features, how they are detected, and how
//! a call reaches them.
//!
//! A row of [`backends!`] makes a variant of [`Backend`], a *token* of the same name and a macro
//! that implements traits for the token. A token is a zero-sized value that only detection can
//! make: holding one proves that this CPU has the instructions, so that everything behind it is
//! safe code.
#![allow(unsafe_code)] // The step from a token into its instructions.

use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Whether this CPU has a feature: asked of the CPU where `std` can, known at compile time elsewhere.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
macro_rules! has {
    ($feature:tt) => {
        std::arch::is_x86_feature_detected!($feature)
    };
}
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
macro_rules! has {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
    };
}

macro_rules! backends {
    (($d:tt) $(
        $(#[doc = $doc:literal])+
        $Backend:ident = $name:literal $(on $arch:tt with $macro:ident $features:tt)?;
    )+) => {
        /// An instruction set that the codecs have kernels for.
        ///
        /// Each codec picks the best one of this CPU by itself; a `Backend` is for tools, tests and
        /// measurements that want a certain one. Backends are ordered: a greater one is faster.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Backend {
            $($(#[doc = $doc])+ $Backend),+
        }

        impl Backend {
            /// Every backend that there is, on whatever machine, slowest first.
            pub const ALL: &'static [Backend] = &[$(Backend::$Backend),+];

            /// The name that [`FromStr`](core::str::FromStr) reads and the command prints.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Backend::$Backend => $name),+ }
            }

            /// The CPU features that this backend needs, by their names in Rust.
            #[must_use]
            pub const fn features(self) -> &'static [&'static str] {
                match self {
                    $(Backend::$Backend => {
                        const FEATURES: &[&[&str]] = &[$(&$features,)? &[]];
                        FEATURES[0]
                    })+
                }
            }

            /// The backend that [`ACTIVE`] holds. A `match` and no table, since the compiler sees
            /// that it only has to subtract.
            #[inline(always)]
            const fn from_active(active: u8) -> Option<Backend> {
                $(if active == Backend::$Backend as u8 + 1 { return Some(Backend::$Backend); })+
                None
            }

            /// Whether this CPU has one feature of any backend's list.
            fn has_feature(name: &str) -> bool {
                $($(
                    #[cfg(all(target_arch = $arch, target_endian = "little"))]
                    if let Some(found) = has_named!(name, $features) { return found; }
                )?)+
                let _ = name;
                false
            }

            /// Asks the CPU for everything, as a set of bits.
            fn detect() -> u8 {
                #[allow(unused_mut, reason = "targets without kernels add nothing")]
                let mut found = 1 << Backend::Scalar as u8;
                $($(
                    #[cfg(all(target_arch = $arch, target_endian = "little"))]
                    { found |= u8::from(has_all!($features)) << Backend::$Backend as u8; }
                )?)+
                FOUND.store(found, Relaxed);
                found
            }
        }

        $($(
            /// Proof that this CPU has the instructions of the backend of the same name.
            #[cfg(all(target_arch = $arch, target_endian = "little"))]
            #[derive(Clone, Copy)]
            pub(crate) struct $Backend(());

            #[cfg(all(target_arch = $arch, target_endian = "little"))]
            impl $Backend {
                /// None also before detection has run.
                #[inline]
                pub(crate) fn new() -> Option<Self> {
                    Backend::$Backend.is_found().then_some(Self(()))
                }
            }

            /// Implements a trait for the token, each method with the token's features:
            /// see [`implement`](crate::simd::implement).
            #[cfg(all(target_arch = $arch, target_endian = "little"))]
            macro_rules! $macro {
                ($d($d code:tt)*) => { $crate::simd::implement! { $features $d($d code)* } };
            }
            #[cfg(all(target_arch = $arch, target_endian = "little"))]
            pub(crate) use $macro;
        )?)+

        /// Functions whose first argument chooses the backend: each arm compiles the generic kernel
        /// with that backend's features, and every call inside is inlined into it. Dispatch happens
        /// here and nowhere else, once a buffer. `Backend::Scalar` is the caller's to handle.
        macro_rules! dispatch {
            ($d(
                $d(#[$d meta:meta])*
                $d vis:vis fn $d f:ident $d(<const $d K:ident: usize $d(, $d W:ident: $d Bound:ident)?>)? ($d($d arg:ident: $d ty:ty),* $d(,)?)
                -> $d ret:ty = $d kernel:expr;
            )*) => { $d(
                $d(#[$d meta])*
                #[inline(always)]
                $d vis fn $d f $d(<const $d K: usize $d(, $d W: $d Bound)?>)? (
                    backend: $crate::Backend, $d($d arg: $d ty),*
                ) -> $d ret {
                    /// The backend comes last, so that the others stay in their registers.
                    #[allow(unused_variables, reason = "targets without kernels use no argument")]
                    fn dispatched $d(<const $d K: usize $d(, $d W: $d Bound)?>)? (
                        $d($d arg: $d ty,)* backend: $crate::Backend,
                    ) -> $d ret {
                        match backend {
                            $($(
                                #[cfg(all(target_arch = $arch, target_endian = "little"))]
                                $crate::Backend::$Backend => {
                                    $crate::backend::inside! {
                                        $features fn inside $d(<const $d K: usize $d(, $d W: $d Bound)?>)? (
                                            $d($d arg: $d ty,)* token: $crate::backend::$Backend
                                        ) -> $d ret { $d kernel(token, $d($d arg),*) }
                                    }
                                    match $crate::backend::$Backend::new() {
                                        // SAFETY: the token exists, so this CPU has the features of `inside`.
                                        #[allow(unsafe_code)]
                                        Some(token) => unsafe { inside $d(::<$d K $d(, $d W)?>)? ($d($d arg,)* token) },
                                        None => not_found $d(::<$d K $d(, $d W)?>)? ($d($d arg,)* backend),
                                    }
                                }
                            )?)+
                            _ => Err($crate::backend::Unavailable(backend).into()),
                        }
                    }
                    /// Detection has not run, or has not found it.
                    #[cold]
                    #[inline(never)]
                    fn not_found $d(<const $d K: usize $d(, $d W: $d Bound)?>)? (
                        $d($d arg: $d ty,)* backend: $crate::Backend,
                    ) -> $d ret {
                        match backend.is_available() {
                            true => dispatched $d(::<$d K $d(, $d W)?>)? ($d($d arg,)* backend),
                            false => Err($crate::backend::Unavailable(backend).into()),
                        }
                    }
                    dispatched $d(::<$d K $d(, $d W)?>)? ($d($d arg,)* backend)
                }
            )* };
        }
        pub(crate) use dispatch;
    };
}

/// Whether the CPU has every feature of a list.
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
))]
macro_rules! has_all {
    ([$($feature:tt),*]) => { $(has!($feature))&&* };
}

/// Whether the CPU has the feature of a list that is called `name`.
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
))]
macro_rules! has_named {
    ($name:ident, [$($feature:tt),*]) => {
        match $name {
            $($feature => Some(has!($feature)),)*
            _ => None,
        }
    };
}

/// A function compiled with a list of features.
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
))]
macro_rules! inside {
    ([$($feature:tt),*] $($function:tt)*) => {
        $(#[target_feature(enable = $feature)])*
        $($function)*
    };
}
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
))]
pub(crate) use inside;

backends! { ($)
    /// Portable code, the specification written down: on every machine, and what all others are tested against.
    Scalar = "scalar";
    /// SSE4.1, SSSE3 and POPCNT: x86-64 since 2008.
    Sse41 = "sse4.1" on "x86_64" with sse41 ["sse4.1", "ssse3", "popcnt"];
    /// AVX2, BMI1, BMI2, LZCNT and POPCNT: x86-64-v3, since 2013.
    Avx2 = "avx2" on "x86_64" with avx2 ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"];
    /// AVX-512 with the byte instructions VBMI and VBMI2: Ice Lake and Zen 4 onwards.
    Avx512 = "avx512" on "x86_64" with avx512 [
        "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512vbmi", "avx512vbmi2",
        "avx512vpopcntdq", "avx512bitalg", "avx512vnni", "gfni", "avx2", "bmi1", "bmi2", "lzcnt", "popcnt"
    ];
    /// NEON, on every AArch64 machine.
    Neon = "neon" on "aarch64" with neon ["neon"];
}

/// The backends that detection found, one bit each; 0 until it has run. Every thread that races here finds the same.
static FOUND: AtomicU8 = AtomicU8::new(0);

/// The backend that calls without one use, plus one; 0 until the first of them.
static ACTIVE: AtomicU8 = AtomicU8::new(0);

impl Backend {
    /// Whether this machine can run this backend. One load once detection has run.
    #[must_use]
    #[inline]
    pub fn is_available(self) -> bool {
        self.is_found() || self.find()
    }

    /// Whether detection has run and found this backend.
    #[inline]
    pub(crate) fn is_found(self) -> bool {
        FOUND.load(Relaxed) >> self as u8 & 1 != 0
    }

    #[cold]
    fn find(self) -> bool {
        Self::detect() >> self as u8 & 1 != 0
    }

    /// The backends of this machine, slowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Backend> {
        Self::ALL
            .iter()
            .copied()
            .filter(|backend| backend.is_available())
    }

    /// The features that this machine lacks for this backend; none if it is available.
    pub fn missing_features(self) -> impl Iterator<Item = &'static str> {
        self.features()
            .iter()
            .copied()
            .filter(|name| !Self::has_feature(name))
    }

    /// The backend that calls use which do not name one: the best of this machine, unless
    /// [`set_active`](Self::set_active) chose another.
    #[must_use]
    #[inline]
    pub fn active() -> Backend {
        match Self::from_active(ACTIVE.load(Relaxed)) {
            Some(backend) => backend,
            None => Self::activate_best(),
        }
    }

    #[cold]
    fn activate_best() -> Backend {
        let best = Self::available().next_back().unwrap_or(Backend::Scalar);
        ACTIVE.store(best as u8 + 1, Relaxed);
        best
    }

    /// Makes a backend the one of every later call in this process which does not name one: for
    /// tools and single-threaded tests. Calls under way in other threads finish with the old one.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if this machine cannot run it; nothing has changed then.
    ///
    /// ```
    /// use bytelane::Backend;
    /// Backend::set_active(Backend::Scalar)?;
    /// assert_eq!(Backend::active(), Backend::Scalar);
    /// # Ok::<(), bytelane::Unavailable>(())
    /// ```
    pub fn set_active(backend: Backend) -> Result<(), Unavailable> {
        if !backend.is_available() {
            return Err(Unavailable(backend));
        }
        ACTIVE.store(backend as u8 + 1, Relaxed);
        Ok(())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    /// Reads a [`name`](Self::name), in either case.
    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let named = |backend: &&Backend| backend.name().eq_ignore_ascii_case(name);
        Self::ALL
            .iter()
            .find(named)
            .copied()
            .ok_or(UnknownBackend(()))
    }
}

/// A name that no backend has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownBackend(());

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such backend; there are")?;
        for (i, backend) in Backend::ALL.iter().enumerate() {
            write!(f, "{}{backend}", if i == 0 { " " } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownBackend {}

/// The backend asked for needs instructions that this machine lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unavailable(pub Backend);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the backend {} is not available on this machine; there are",
            self.0
        )?;
        for (i, backend) in Backend::available().enumerate() {
            write!(f, "{}{backend}", if i == 0 { " " } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for Unavailable {}
