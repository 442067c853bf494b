//! The forms of an operation.

/// Defines the functions that run an operation, a [`Fill`](super::Fill): to the front of a slice, to memory that need not be
/// initialised on a backend of the caller's choice, and with the feature `alloc` to a `Vec`.
///
/// ```text
/// forms! {
///     /// Documentation of `encode`.
///     encode[T: Integer](self, values: &[T]) -> dst: [u8], Error;
///     encode_with: |backend| operation;
///     /// More documentation of `encode_append`.
///     encode_append: most;
///     encode_to_vec;
/// }
/// ```
///
/// `most` is the number of values to reserve memory for. After `encode_append -> usize`, it always suffices, and nothing else
/// fails either. Operations on a part of the values have the first two forms only.
///
/// If the destination is `[u8] and ("number of valid values", usize)`, the forms return that result of the operation. If it is
/// `[T; count] and ..`, the operation fills the destination, and callers of the last two forms say how many values they want.
macro_rules! forms {
    // Methods of `self` or a reference to it, and functions.
    ($(#[$doc:meta])* $name:ident $G:tt (&$this:ident $(, $arg:ident: $Arg:ty)*) $($forms:tt)*) => {
        $crate::memory::forms! { @ [$(#[$doc])*] $name $G Self [&$this,] [$this,] ($($arg: $Arg,)*) $($forms)* }
    };
    ($(#[$doc:meta])* $name:ident $G:tt ($this:ident $(, $arg:ident: $Arg:ty)*) $($forms:tt)*) => {
        $crate::memory::forms! { @ [$(#[$doc])*] $name $G Self [$this,] [$this,] ($($arg: $Arg,)*) $($forms)* }
    };
    ($(#[$doc:meta])* $name:ident $G:tt ($($arg:ident: $Arg:ty),*) $($forms:tt)*) => {
        $crate::memory::forms! { @ [$(#[$doc])*] $name $G self [] [] ($($arg: $Arg,)*) $($forms)* }
    };

    (@ [$($doc:tt)*] $name:ident [$($G:tt)*] $Scope:ident [$($this:tt)*] [$($me:tt)*] ($($arg:ident: $Arg:ty,)*)
        -> $to:ident: [$T:ty], $Error:ty;
        $(#[$more:meta])* $with:ident: |$backend:ident| $operation:expr;
        $($vec:tt)*
    ) => {
        $($doc)*
        #[inline]
        pub fn $name<$($G)*>($($this)* $($arg: $Arg,)* $to: &mut [$T]) -> Result<usize, $Error> {
            let written = $Scope::$with($($me)* $crate::Detected::active(), $($arg,)* $to);
            written.map(|written| written.len())
        }

        #[doc = $crate::memory::same_as!($Scope $name ", on a backend of the caller's choice, into memory that need not be \
            initialised. Returns the part written")]
        #[doc = $crate::memory::errors_of!($Scope $name)]
        $(#[$more])*
        #[inline]
        pub fn $with<'to, $($G)*>(
            $($this)*
            $backend: $crate::Detected,
            $($arg: $Arg,)*
            $to: impl Into<$crate::Destination<'to, $T>>,
        ) -> Result<&'to mut [$T], $Error> {
            let (written, _) = $to.into().fill($operation)?;
            Ok(written)
        }

        $crate::memory::forms! {
            @vec $name [$($G)*] $Scope [$($this)*] [$($me)*] ($($arg: $Arg,)*)
            $T, $Error, |$backend| $operation; $($vec)*
        }
    };
    (@vec $name:ident $G:tt $Scope:ident $this:tt $me:tt $args:tt $T:ty, $Error:ty, |$backend:ident| $operation:expr;) => {};
    (@vec $name:ident [$($G:tt)*] $Scope:ident [$($this:tt)*] [$($me:tt)*] ($($arg:ident: $Arg:ty,)*)
        $T:ty, $Error:ty, |$backend:ident| $operation:expr;
        $(#[$doc:meta])* $append:ident -> usize: $most:expr;
        $(#[$more:meta])* $to_vec:ident;
    ) => {
        #[doc = $crate::memory::same_as!($Scope $name ", but appends to a `Vec`. Returns the length of the part appended")]
        $(#[$doc])*
        #[cfg(feature = "alloc")]
        #[inline]
        pub fn $append<$($G)*>($($this)* $($arg: $Arg,)* to: &mut ::alloc::vec::Vec<$T>) -> usize {
            let $backend = $crate::Detected::active();
            let appended = $crate::memory::append($operation, $most, to);
            appended.expect("there is room").0
        }

        #[doc = $crate::memory::same_as!($Scope $name ", but returns a new `Vec`")]
        $(#[$more])*
        #[cfg(feature = "alloc")]
        #[must_use]
        pub fn $to_vec<$($G)*>($($this)* $($arg: $Arg),*) -> ::alloc::vec::Vec<$T> {
            let mut to = ::alloc::vec::Vec::new();
            $Scope::$append($($me)* $($arg,)* &mut to);
            to
        }
    };
    (@vec $name:ident [$($G:tt)*] $Scope:ident [$($this:tt)*] [$($me:tt)*] ($($arg:ident: $Arg:ty,)*)
        $T:ty, $Error:ty, |$backend:ident| $operation:expr;
        $(#[$doc:meta])* $append:ident: $most:expr;
        $to_vec:ident;
    ) => {
        #[doc = $crate::memory::same_as!($Scope $name ", but appends to a `Vec`. Returns the length of the part appended")]
        $(#[$doc])*
        #[cfg(feature = "alloc")]
        #[inline]
        pub fn $append<$($G)*>($($this)* $($arg: $Arg,)* to: &mut ::alloc::vec::Vec<$T>) -> Result<usize, $Error> {
            let ($backend, most) = ($crate::Detected::active(), $most);
            Ok($crate::memory::append($operation, most, to)?.0)
        }

        #[doc = $crate::memory::same_as!($Scope $name ", but returns a new `Vec`")]
        #[doc = $crate::memory::errors_of!($Scope $append)]
        #[cfg(feature = "alloc")]
        pub fn $to_vec<$($G)*>($($this)* $($arg: $Arg),*) -> Result<::alloc::vec::Vec<$T>, $Error> {
            let mut to = ::alloc::vec::Vec::new();
            $Scope::$append($($me)* $($arg,)* &mut to)?;
            Ok(to)
        }
    };

    (@ [$($doc:tt)*] $name:ident [$($G:tt)*] $Scope:ident [$($this:tt)*] [$($me:tt)*] ($($arg:ident: $Arg:ty,)*)
        -> $to:ident: [$T:ty $(; $count:ident)?] and ($what:literal, $Done:ty), $Error:ty;
        $with:ident: |$backend:ident| $operation:expr;
        $(#[$more:meta])* $append:ident: $most:expr;
        $to_vec:ident;
    ) => {
        $($doc)*
        #[inline]
        pub fn $name<$($G)*>($($this)* $($arg: $Arg,)* $to: &mut [$T]) -> Result<$Done, $Error> {
            let filled = $Scope::$with($($me)* $crate::Detected::active(), $($arg,)* $to);
            filled.map(|(_, done)| done)
        }

        #[doc = $crate::memory::same_as!($Scope $name ", on a backend of the caller's choice, into memory that need not be \
            initialised. Returns the part written, and the " $what)]
        #[doc = $crate::memory::errors_of!($Scope $name)]
        #[inline]
        pub fn $with<'to, $($G)*>(
            $($this)*
            $backend: $crate::Detected,
            $($arg: $Arg,)*
            $to: impl Into<$crate::Destination<'to, $T>>,
        ) -> Result<(&'to mut [$T], $Done), $Error> {
            let to = $to.into();
            $(
                #[allow(unused_variables, reason = "lists of varints end with the destination")]
                let $count = to.len();
            )?
            to.fill($operation)
        }

        #[doc = $crate::memory::same_as!($Scope $name $(of $count)? ", but appends to a `Vec`. Returns the " $what)]
        $(#[$more])*
        #[doc = $crate::memory::errors_of!($Scope $name "; the `Vec` is then unchanged")]
        #[cfg(feature = "alloc")]
        #[inline]
        pub fn $append<$($G)*>(
            $($this)*
            $($arg: $Arg,)*
            $($count: usize,)?
            to: &mut ::alloc::vec::Vec<$T>,
        ) -> Result<$Done, $Error> {
            let ($backend, most) = ($crate::Detected::active(), $most);
            Ok($crate::memory::append($operation, most, to)?.1)
        }

        #[doc = $crate::memory::same_as!($Scope $append ", but to a new `Vec`. Returns it and the " $what)]
        #[doc = $crate::memory::errors_of!($Scope $name)]
        #[cfg(feature = "alloc")]
        pub fn $to_vec<$($G)*>(
            $($this)*
            $($arg: $Arg,)*
            $($count: usize,)?
        ) -> Result<(::alloc::vec::Vec<$T>, $Done), $Error> {
            let mut to = ::alloc::vec::Vec::new();
            let done = $Scope::$append($($me)* $($arg,)* $($count,)? &mut to)?;
            Ok((to, done))
        }
    };
}
pub(crate) use forms;

/// Documents a form by another one.
macro_rules! same_as {
    ($Scope:ident $name:ident $(of $count:ident)? $($difference:literal)*) => {
        concat!(
            "Same as [`", stringify!($name), "`](", stringify!($Scope), "::", stringify!($name), ")",
            $(" of `", stringify!($count), "` values",)? $($difference,)* "."
        )
    };
}
pub(crate) use same_as;

/// Documents the errors of a form, which are those of another one.
macro_rules! errors_of {
    ($Scope:ident $name:ident $($rest:literal)?) => {
        concat!(
            "\n# Errors\n\nThe same as [`", stringify!($name), "`](", stringify!($Scope), "::", stringify!($name), ")", $($rest,)? "."
        )
    };
}
pub(crate) use errors_of;
