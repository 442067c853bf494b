//! Widths as types, for code that is compiled for each of them.
#![forbid(unsafe_code)]

/// Number of bits of each packed value.
pub(crate) trait Width: Copy {
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "sse41")),
        allow(dead_code, reason = "others have no code for each width")
    )]
    const BITS: usize;
}

/// Width of `N` bits.
#[derive(Clone, Copy)]
pub(crate) struct Bits<const N: usize>;

impl<const N: usize> Width for Bits<N> {
    const BITS: usize = N;
}

/// Runs a piece of code with the name `$W` standing for the type of a width, from 1 to the number of
/// bits of `$K` bytes.
macro_rules! with_width {
    ($K:ident, $width:expr, $W:ident => $run:expr) => {
        $crate::codec::bit_packing::width::with_width! { @of
            1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
            33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61
            62 63 64; $K, $width, $W => $run
        }
    };
    (@of $($bits:literal)*; $K:ident, $width:expr, $W:ident => $run:expr) => {
        // The condition is a constant, so that no type has the functions of others. A guard is not.
        #[allow(clippy::collapsible_match, reason = "see above")]
        match $width {
            $($bits => if const { $bits <= 8 * $K } {
                type $W = $crate::codec::bit_packing::width::Bits<$bits>;
                $run
            })*
            _ => {}
        }
    };
}
pub(crate) use with_width;
