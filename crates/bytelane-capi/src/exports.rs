//! Declares the functions that C calls.
//!
//! A codec lists its functions in `exports!`, with their documentation and parameters. Each calls
//! a safe function of Rust with slices. `tests/it/header.rs` generates `bytelane.h` and the functions
//! of `bytelane.hpp` from the same lists.

/// A function of the C interface.
#[derive(Debug)]
pub struct Function {
    /// Name in C.
    pub name: &'static str,
    /// Lines of its documentation.
    pub docs: &'static [&'static str],
    /// Name in Rust, and in C++ within the codec's namespace.
    pub method: &'static str,
    /// Parameters, in the order of C.
    pub parameters: &'static [Parameter],
}

/// A parameter of a function; a buffer has two in C.
#[derive(Debug)]
pub enum Parameter {
    /// Values that the function reads: name, type of the values, and name of their number.
    Input(&'static str, &'static str, &'static str),
    /// Memory that the function writes to, with the same fields.
    Output(&'static str, &'static str, &'static str),
    /// Anything else: name, type, and default in C++, which is empty if there is none.
    Plain(&'static str, &'static str, &'static str),
}

/// Defines functions of the C interface, and the list `FUNCTIONS` of them.
///
/// ```text
/// method(plain parameters; input: [T; count], ..; plain parameters; output: [u8; room], ..) {
///     /// Documentation.
///     name_in_c<u32>;
/// }
/// ```
///
/// `method` is a function of Rust, which takes slices and returns an [`Answer`](crate::result::Answer).
/// Each name calls it, with the type in angle brackets as `T`. There may be several inputs and outputs, or
/// none. `flags: u32 = 0` is a parameter with a default in C++.
macro_rules! exports {
    ($($method:ident $parameters:tt { $($(#[doc = $doc:literal])* $name:ident $(<$T:ident>)?;)* })*) => {
        $($($crate::exports::export! { [$($doc)*] $name [$($T)?] $method $parameters })*)*

        #[doc(hidden)]
        pub const FUNCTIONS: &[$crate::exports::Function] = &[$($($crate::exports::Function {
            name: stringify!($name),
            docs: &[$($doc),*],
            method: stringify!($method),
            parameters: $crate::exports::listed! { [$($T)?] $parameters },
        },)*)*];
    };
}

/// Defines one function.
macro_rules! export {
    (
        [$($doc:literal)*] $name:ident $T:tt $method:ident
        ($($before:ident: $Before:ty $(= $of_before:tt)?),*;
         $($src:ident: [$S:tt; $count:ident]),*;
         $($between:ident: $Between:ty $(= $of_between:tt)?),*
         $(; $($dst:ident: [$D:tt; $room:ident]),*)?)
    ) => {
        $(#[doc = $doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($before: $Before,)*
            $($src: *const $crate::exports::element!($S $T), $count: usize,)*
            $($between: $Between,)*
            $($($dst: *mut $crate::exports::element!($D $T), $room: usize,)*)?
        ) -> $crate::result::bytelane_result {
            $crate::result::catching(|| {
                let inputs = [$($crate::buffers::Extent::of($src, $count)?),*];
                let outputs = [$($($crate::buffers::Extent::of($dst, $room)?),*)?];
                $crate::buffers::check(&inputs, &outputs)?;
                $(
                    // SAFETY: the buffer has been checked, and the caller promises that it exists, as the header says at
                    // its top. The slice lives until the call returns.
                    let $src = unsafe { $crate::buffers::view($src, $count) };
                )*
                $($(
                    // SAFETY: as for the inputs; and it overlaps no other buffer.
                    let $dst = unsafe { $crate::buffers::room($dst, $room) };
                )*)?
                $method($($before,)* $($src,)* $($between,)* $($($dst),*)?)
            })
        }
    };
}

/// Lists the parameters of a function.
macro_rules! listed {
    (
        $T:tt
        ($($before:ident: $Before:ty $(= $of_before:tt)?),*;
         $($src:ident: [$S:tt; $count:ident]),*;
         $($between:ident: $Between:ty $(= $of_between:tt)?),*
         $(; $($dst:ident: [$D:tt; $room:ident]),*)?)
    ) => {{
        use $crate::exports::Parameter::*;
        &[
            $(Plain(stringify!($before), stringify!($Before), concat!($(stringify!($of_before))?)),)*
            $(Input(stringify!($src), $crate::exports::element!(name $S $T), stringify!($count)),)*
            $(Plain(stringify!($between), stringify!($Between), concat!($(stringify!($of_between))?)),)*
            $($(Output(stringify!($dst), $crate::exports::element!(name $D $T), stringify!($room)),)*)?
        ]
    }};
}

/// Returns the type of a buffer's values: `T` is the one in brackets. With `name`,
/// returns it as a string.
macro_rules! element {
    (T [$T:ident]) => {
        $T
    };
    ($Other:ident $T:tt) => {
        $Other
    };
    (name T [$T:ident]) => {
        stringify!($T)
    };
    (name $Other:ident $T:tt) => {
        stringify!($Other)
    };
}

pub(crate) use {element, export, exports, listed};
