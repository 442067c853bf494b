//! NEON on 32-bit ARM: whole loops in assembly, since Rust's intrinsics for it are unstable.
//!
//! Each loop is one block of assembly over pointers. The function around it is safe: it takes a
//! token, which proves that the CPU has NEON, and checks the lengths of all slices first.
//!
//! The compiler does not know of NEON on most targets. `.fpu neon` tells the assembler of it, for
//! this block only, and all vector registers are named. The loops use q0 to q3 and q8 to q15, which
//! functions may overwrite by the procedure call standard. All instructions exist in both
//! instruction sets, A32 and T32.
//!
//! `.if` takes a constant operand, and the assembler omits the lines up to `.endif` if it is 0. There
//! is no `.rept`: the compiler takes the number of lines for the length of a block.
#![allow(unsafe_code)] // Assembly.

mod byte_stream_split;
mod stream_vbyte;

pub(crate) use byte_stream_split::{join, split};
pub(crate) use stream_vbyte::{Compression, Expansion, compress, expand, widen};

/// Runs a block of assembly that overwrites the vector registers q0 to q3 and q8 to q15.
macro_rules! neon {
    ([$($line:literal,)*] $($operands:tt)*) => {
        core::arch::asm!(
            ".fpu neon",
            $($line,)*
            $($operands)*
            out("q0") _, out("q1") _, out("q2") _, out("q3") _,
            out("q8") _, out("q9") _, out("q10") _, out("q11") _,
            out("q12") _, out("q13") _, out("q14") _, out("q15") _,
            options(nostack),
        )
    };
}
use neon;
