//! Instruction sets: names, features, detection, and dispatch of calls.
//!
//! [`Backend`] is the list. Every other table here matches on it or is an arm of [`features!`], so
//! that the compiler points out what a new instruction set still lacks.
//!
//! Two kinds of proof keep everything else safe code. [`Detected`] is a backend that this CPU has.
//! A *token*, a zero-sized type with the name of its backend, carries the same proof in its type:
//! kernels are generic over it. Only detection creates either.
#![allow(unsafe_code)] // The step from a token into its instructions.

use core::fmt;
use core::ops::Deref;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// An instruction set that the codecs have kernels for.
///
/// Each codec uses the best one that this CPU has; name a `Backend` only in tools, tests and
/// measurements that need a particular one. Backends are ordered: a greater one is faster. Where it is
/// not, on a known CPU, it runs the kernels of a lower one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
#[repr(u8)]
pub enum Backend {
    /// Portable code, which follows the specification: available on every machine, and the
    /// reference that all other backends are tested against.
    Scalar = 1,
    /// SSE4.1, SSE4.2, SSSE3 and POPCNT: x86-64-v2, since 2008. No CPU has SSE4.1 and POPCNT without SSE4.2.
    Sse41,
    /// AVX2, BMI1, BMI2, LZCNT and POPCNT: x86-64-v3, since 2013.
    Avx2,
    /// AVX-512 with the byte instructions VBMI and VBMI2: Ice Lake and Zen 4 onwards. CPUs with
    /// AVX-512 but without these (Skylake-X, Cascade Lake) use [`Avx2`](Self::Avx2).
    Avx512,
    /// NEON, on every AArch64 machine. On 32-bit ARM it is detected on Linux, and only
    /// [`stream_vbyte`](crate::stream_vbyte) and [`byte_stream_split`](crate::byte_stream_split) use
    /// it; all other codecs run scalar code.
    Neon,
}

/// The features of each backend, by their Rust names: `features!(Avx2 => then! {..})` becomes
///
/// ```ignore
/// then! { ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"] .. }
/// ```
macro_rules! features {
    (Sse2 => $then:ident! { $($rest:tt)* }) => {
        $crate::backend::$then! { ["sse2"] $($rest)* }
    };
    (Sse41 => $then:ident! { $($rest:tt)* }) => {
        $crate::backend::$then! { ["sse4.1", "sse4.2", "ssse3", "popcnt"] $($rest)* }
    };
    (Avx2 => $then:ident! { $($rest:tt)* }) => {
        $crate::backend::$then! { ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"] $($rest)* }
    };
    (Avx512 => $then:ident! { $($rest:tt)* }) => {
        $crate::backend::$then! {
            [
                "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512vbmi",
                "avx512vbmi2", "avx512vpopcntdq", "avx512bitalg", "avx512vnni", "gfni",
                "avx2", "bmi1", "bmi2", "lzcnt", "popcnt"
            ]
            $($rest)*
        }
    };
    (Neon => $then:ident! { $($rest:tt)* }) => {
        $crate::backend::$then! { ["neon"] $($rest)* }
    };
}
pub(crate) use features;

/// Turns a list of features into a slice.
macro_rules! as_slice {
    ($features:expr) => {
        &$features
    };
}
pub(crate) use as_slice;

/// Returns whether this CPU has a feature: detected at run time with `std`, known at compile time
/// without.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
macro_rules! is_detected {
    ($feature:tt) => {
        std::arch::is_x86_feature_detected!($feature)
    };
}
#[cfg(all(
    target_arch = "arm",
    target_endian = "little",
    feature = "std",
    feature = "neon"
))]
macro_rules! is_detected {
    ($feature:tt) => {
        cfg!(target_feature = $feature) || arm::has_neon()
    };
}
#[cfg(not(any(
    all(target_arch = "x86_64", feature = "std"),
    all(
        target_arch = "arm",
        target_endian = "little",
        feature = "std",
        feature = "neon"
    )
)))]
macro_rules! is_detected {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
    };
}

/// Returns whether this CPU has the feature `$name` of a list.
macro_rules! has {
    ([$($feature:tt),*] $name:ident) => {
        match $name {
            $($feature => is_detected!($feature),)*
            _ => false,
        }
    };
}
pub(crate) use has;

impl Backend {
    /// Every backend, slowest first, whether this machine has it or not.
    pub const ALL: &'static [Backend] = &[
        Backend::Scalar,
        Backend::Sse41,
        Backend::Avx2,
        Backend::Avx512,
        Backend::Neon,
    ];

    /// The last one of the order, whether this machine has it or not.
    const BEST: Backend = Backend::Neon;

    /// Returns the name that [`FromStr`] accepts and the command prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Scalar => "scalar",
            Backend::Sse41 => "sse4.1",
            Backend::Avx2 => "avx2",
            Backend::Avx512 => "avx512",
            Backend::Neon => "neon",
        }
    }

    /// Returns the CPU features that this backend needs, by their Rust names.
    #[must_use]
    pub const fn features(self) -> &'static [&'static str] {
        match self {
            Backend::Scalar => &[],
            Backend::Sse41 => features!(Sse41 => as_slice! {}),
            Backend::Avx2 => features!(Avx2 => as_slice! {}),
            Backend::Avx512 => features!(Avx512 => as_slice! {}),
            Backend::Neon => features!(Neon => as_slice! {}),
        }
    }

    /// Returns whether loads and stores have masks of bytes: then a vector holds any number of bytes
    /// up to its length, without a branch on their number.
    pub(crate) const fn masks_bytes(self) -> bool {
        matches!(self, Backend::Avx512)
    }

    /// Returns whether this CPU has a feature of this backend and the backend is compiled in.
    /// Always false on other architectures.
    fn has(self, feature: &str) -> bool {
        match self {
            #[cfg(all(target_arch = "x86_64", feature = "sse41"))]
            Backend::Sse41 => features!(Sse41 => has! { feature }),
            #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
            Backend::Avx2 => features!(Avx2 => has! { feature }),
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Backend::Avx512 => features!(Avx512 => has! { feature }),
            #[cfg(any(
                all(target_arch = "aarch64", target_endian = "little", feature = "neon"),
                all(
                    target_arch = "arm",
                    target_endian = "little",
                    feature = "std",
                    feature = "neon"
                )
            ))]
            Backend::Neon => features!(Neon => has! { feature }),
            _ => {
                let _ = feature;
                false
            }
        }
    }

    /// Returns the features that this backend needs and this machine lacks; empty if the backend is
    /// available.
    pub fn missing_features(self) -> impl Iterator<Item = &'static str> {
        let features = self.features().iter().copied();
        features.filter(move |feature| !self.has(feature))
    }

    /// Returns whether this machine can run this backend. Costs one load once detection has run.
    #[must_use]
    #[inline]
    pub fn is_available(self) -> bool {
        let found = match FOUND.load(Relaxed) {
            0 => Self::detect(),
            found => found,
        };
        found >> self as u8 & 1 != 0
    }

    /// Queries the CPU for all features; returns the available backends as a set of bits.
    #[cold]
    fn detect() -> u8 {
        let mut found = 0;
        for backend in Self::ALL {
            let available = backend.missing_features().next().is_none();
            found |= u8::from(available) << *backend as u8;
        }
        FOUND.store(found, Relaxed);
        found
    }

    /// Returns the backends that this machine has, slowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Backend> {
        let all = Self::ALL.iter().copied();
        all.filter(|backend| backend.is_available())
    }

    /// Returns the backend that calls use unless they name one: the best on this machine, unless
    /// [`set_active`](Self::set_active) chose another.
    #[must_use]
    #[inline]
    pub fn active() -> Backend {
        Detected::active().0
    }

    /// Makes all later calls in this process use this backend unless they name one. For tools and
    /// single-threaded tests. Calls already running in other threads finish with the old backend.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if this machine cannot run the backend; nothing changes then.
    ///
    /// ```
    /// use bytelane::Backend;
    /// Backend::set_active(Backend::Scalar)?;
    /// assert_eq!(Backend::active(), Backend::Scalar);
    /// # Ok::<(), bytelane::Unavailable>(())
    /// ```
    pub fn set_active(backend: Backend) -> Result<(), Unavailable> {
        ACTIVE.store(Detected::new(backend)?.0 as u8, Relaxed);
        Ok(())
    }
}

/// The backends that detection found, one bit each; 0 until it has run. If threads race here, all
/// of them find the same.
static FOUND: AtomicU8 = AtomicU8::new(0);

/// The backend that calls use unless they name one; 0 until the first such call. Only a
/// [`Detected`] backend is ever stored here.
static ACTIVE: AtomicU8 = AtomicU8::new(0);

/// A backend that this CPU has: an argument of the functions called `_with`.
///
/// ```
/// use bytelane::{Backend, Detected, big_endian};
/// use core::mem::MaybeUninit;
///
/// let scalar = Detected::new(Backend::Scalar)?;
/// let mut encoded = [MaybeUninit::uninit(); 4];
/// let encoded = big_endian::encode_with(scalar, &[0x0102u16, 3], &mut encoded[..]).unwrap();
/// assert_eq!(encoded, [1, 2, 0, 3]);
/// # Ok::<(), bytelane::Unavailable>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Detected(Backend);

impl Detected {
    /// Checks whether this CPU has a backend. After the first check, it costs one load.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if the CPU does not have it.
    #[inline]
    pub fn new(backend: Backend) -> Result<Self, Unavailable> {
        if backend.is_available() {
            Ok(Self(backend))
        } else {
            Err(Unavailable(backend))
        }
    }

    /// Returns the backend that calls use unless they name one. See [`Backend::active`].
    #[must_use]
    #[inline]
    pub fn active() -> Self {
        match ACTIVE.load(Relaxed) {
            0 => Self::activate_best(),
            // SAFETY: only `set_active` and `activate_best` store here, and they store the number
            // of a `Backend`.
            active => Self(unsafe { core::mem::transmute::<u8, Backend>(active) }),
        }
    }

    /// Returns the backend for work that is best done by `best` on this CPU: that one instead of a
    /// better one.
    #[inline]
    pub(crate) fn at_most(self, best: Backend) -> Self {
        if self.0 > best && best.is_available() {
            Self(best)
        } else {
            self
        }
    }

    #[cold]
    fn activate_best() -> Self {
        let best = Backend::available().next_back().unwrap_or(Backend::Scalar);
        ACTIVE.store(best as u8, Relaxed);
        Self(best)
    }
}

impl Deref for Detected {
    type Target = Backend;

    #[inline]
    fn deref(&self) -> &Backend {
        &self.0
    }
}

impl fmt::Display for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<Backend> for Detected {
    type Error = Unavailable;

    fn try_from(backend: Backend) -> Result<Self, Unavailable> {
        Self::new(backend)
    }
}

/// Defines tokens: types that prove that this CPU has the instructions of the backend of the same
/// name.
macro_rules! tokens {
    ($($Token:ident)*) => { $(
        #[derive(Clone, Copy)]
        pub(crate) struct $Token(());

        impl $Token {
            /// Returns the token if `backend` is its backend.
            #[inline(always)]
            pub(crate) fn of(backend: Detected) -> Option<Self> {
                (backend.0 == Backend::$Token).then_some(Self(()))
            }
        }
    )* };
}
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
tokens! { Sse41 }
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
tokens! { Avx2 }
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
tokens! { Avx512 }
#[cfg(any(
    all(target_arch = "aarch64", target_endian = "little", feature = "neon"),
    all(
        target_arch = "arm",
        target_endian = "little",
        feature = "std",
        feature = "neon"
    )
))]
tokens! { Neon }

/// Token for the instructions that every x86-64 CPU has.
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
#[derive(Clone, Copy)]
pub(crate) struct Sse2(());

/// Stands for code without instructions of its own, where a token is expected.
#[derive(Clone, Copy)]
#[cfg_attr(
    any(
        all(target_arch = "x86_64", feature = "sse41"),
        all(target_arch = "aarch64", target_endian = "little", feature = "neon")
    ),
    allow(dead_code, reason = "there are instructions that every CPU has")
)]
pub(crate) struct Portable;

/// Token for the instructions that every CPU of the architecture has: for work that takes less time
/// than dispatch.
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
pub(crate) const BASELINE: Sse2 = Sse2(());
#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
pub(crate) const BASELINE: Neon = Neon(());
#[cfg(not(any(
    all(target_arch = "x86_64", feature = "sse41"),
    all(target_arch = "aarch64", target_endian = "little", feature = "neon")
)))]
pub(crate) const BASELINE: Portable = Portable;

/// Defines functions whose last argument chooses the backend: each arm compiles the generic kernel
/// with that backend's features, and every call inside is inlined into it. Dispatch happens only
/// here, once per buffer. The row
///
/// ```ignore
/// fn swap<const K: usize>(src: &[u8], dst: &mut [Slot]) = kernel::swap::<K, _>, or scalar::swap::<K>;
/// ```
///
/// becomes, with one such block for each backend of the architecture,
///
/// ```ignore
/// fn swap<const K: usize>(src: &[u8], dst: &mut [Slot], backend: Detected) {
///     if let Some(token) = Avx2::of(backend) {
///         #[target_feature(enable = "avx2")] // and the others of the list
///         fn inside<const K: usize>(src: &[u8], dst: &mut [Slot], token: Avx2) {
///             kernel::swap::<K, _>(token, src, dst)
///         }
///         // SAFETY: the token exists, so this CPU has the features of `inside`.
///         return unsafe { inside::<K>(src, dst, token) };
///     }
///     scalar::swap::<K>(src, dst)
/// }
/// ```
///
/// The backend comes last, so that the other arguments stay in their registers.
///
/// With `also on 32-bit ARM;` before the rows, NEON is entered there as well. Its kernels are in
/// assembly and state no features.
macro_rules! dispatch {
    (also on 32-bit ARM; $($rows:tt)*) => {
        $crate::backend::dispatch! { @rows arm; $($rows)* }
    };
    (@rows $arm:ident; $(
        $(#[$meta:meta])*
        fn $name:ident $(<const $K:ident: usize $(, $W:ident: $Bound:ident)?>)? ($($arg:ident: $ty:ty),* $(,)?)
        $(-> $ret:ty)? = $kernel:expr, or $scalar:expr;
    )*) => { $(
        $(#[$meta])*
        fn $name $(<const $K: usize $(, $W: $Bound)?>)? ($($arg: $ty,)* backend: $crate::Detected) $(-> $ret)? {
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            $crate::backend::dispatch! { @enter Avx512 backend $(<const $K: usize $(, $W: $Bound)?>)? ($($arg: $ty),*) [$(-> $ret)?] $kernel }
            #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
            $crate::backend::dispatch! { @enter Avx2 backend $(<const $K: usize $(, $W: $Bound)?>)? ($($arg: $ty),*) [$(-> $ret)?] $kernel }
            #[cfg(all(target_arch = "x86_64", feature = "sse41"))]
            $crate::backend::dispatch! { @enter Sse41 backend $(<const $K: usize $(, $W: $Bound)?>)? ($($arg: $ty),*) [$(-> $ret)?] $kernel }
            #[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
            $crate::backend::dispatch! { @enter Neon backend $(<const $K: usize $(, $W: $Bound)?>)? ($($arg: $ty),*) [$(-> $ret)?] $kernel }
            #[cfg(all(target_arch = "arm", target_endian = "little", feature = "std", feature = "neon"))]
            $crate::backend::dispatch! { @$arm backend ($($arg),*) $kernel }
            let _ = backend;
            $scalar($($arg),*)
        }
    )* };
    (@arm $backend:ident ($($arg:ident),*) $kernel:expr) => {
        if let Some(token) = $crate::backend::Neon::of($backend) {
            return $kernel(token, $($arg),*);
        }
    };
    (@none $($any:tt)*) => {};
    (@enter $Token:ident $backend:ident $(<const $K:ident: usize $(, $W:ident: $Bound:ident)?>)? ($($arg:ident: $ty:ty),*) [$(-> $ret:ty)?] $kernel:expr) => {
        if let Some(token) = $crate::backend::$Token::of($backend) {
            $crate::backend::features! { $Token => inside! {
                // Without this, `inside` would be inlined where its features are always available.
                #[inline(never)]
                fn inside $(<const $K: usize $(, $W: $Bound)?>)? ($($arg: $ty,)* token: $crate::backend::$Token) $(-> $ret)? {
                    $kernel(token, $($arg),*)
                }
            } }
            // SAFETY: the token exists, so this CPU has the features of `inside`.
            #[allow(unsafe_code)]
            return unsafe { inside $(::<$K $(, $W)?>)? ($($arg,)* token) };
        }
    };
    ($($rows:tt)*) => {
        $crate::backend::dispatch! { @rows none; $($rows)* }
    };
}
pub(crate) use dispatch;

/// Defines a function compiled with a list of features.
macro_rules! inside {
    ([$($feature:tt),*] $($function:tt)*) => {
        $(#[target_feature(enable = $feature)])*
        $($function)*
    };
}
pub(crate) use inside;

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    /// Parses a [`name`](Self::name), ignoring case.
    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let named = |backend: &&Backend| backend.name().eq_ignore_ascii_case(name);
        let found = Self::ALL.iter().find(named);
        found.copied().ok_or(UnknownBackend(()))
    }
}

/// A name that does not belong to any backend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownBackend(());

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown backend; the backends are ")?;
        write_names(f, Backend::ALL.iter().copied())
    }
}

impl core::error::Error for UnknownBackend {}

/// The requested backend needs instructions that this machine lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unavailable(pub Backend);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0;
        write!(
            f,
            "the backend {name} is not available on this machine; available: "
        )?;
        write_names(f, Backend::available())
    }
}

impl core::error::Error for Unavailable {}

fn write_names(f: &mut fmt::Formatter<'_>, backends: impl Iterator<Item = Backend>) -> fmt::Result {
    for (i, backend) in backends.enumerate() {
        write!(f, "{}{backend}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

#[cfg(all(
    target_arch = "arm",
    target_endian = "little",
    feature = "std",
    feature = "neon"
))]
mod arm;
#[cfg(test)]
mod tests;
pub mod tuning;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;
