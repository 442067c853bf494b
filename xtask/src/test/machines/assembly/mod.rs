//! The stage `assembly`: counts instructions in the hot loops of tuned kernels, as compiled by the
//! pinned compiler, to detect a kernel that loses its shape without a timed test.
//!
//! Kernels are inlined where a codec enters the instruction set, once for each set under the same
//! name. The widest vector register that a function uses distinguishes the sets.

mod size;

use anyhow::{Result, bail};
use serde::Deserialize;

use crate::listing::{self, Counts, Function, Instruction, functions};
use crate::process::{cargo, compile};

/// Hot loops. A row says how often each shuffle occurs in one of the loops of a function, how many registers may be spilled
/// there, and the maximum number of instructions of any kind. If counts change because the kernel improved, the
/// failure prints the loops found: put the new counts here.
const LOOPS: &str = include_str!("loops.csv");

/// Hot loop of a kernel, with the required instructions.
#[derive(Deserialize)]
struct Kernel {
    /// Path of the function, starting with the codec; the symbol continues up to where it enters
    /// the instruction set.
    function: String,
    /// Generic arguments, which end the symbol.
    arguments: String,
    /// Widest register, which identifies the instruction set.
    register: Register,
    counts: Counts,
}

/// Vector registers of x86-64, by their width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Register {
    General,
    Xmm,
    Ymm,
    Zmm,
}

/// Builds the core in release mode, checks every row of [`LOOPS`], and measures the size of
/// programs.
pub fn run_stage() -> Result<()> {
    let mut build = cargo("build --locked --release --package bytelane --lib");
    build.args(["--target-dir", "target/assembly/v0"]);
    compile(build.env("RUSTFLAGS", "-Csymbol-mangling-version=v0"))?;
    let libraries = ["target/assembly/v0/release/libbytelane.rlib".to_owned()];
    let listing = listing::disassemble("objdump", &libraries)?;
    let functions = functions(&listing);
    let kernels: Vec<Kernel> = listing::table(LOOPS)?;
    let differences = kernels.iter().map(|kernel| kernel.difference(&functions));
    let wrong: Vec<_> = differences.flatten().collect();
    if !wrong.is_empty() {
        let (count, all) = (wrong.len(), kernels.len());
        bail!(
            "{count} of {all} loops have another shape\n{}",
            wrong.join("\n")
        );
    }
    println!("{} loops have the instructions they should", kernels.len());
    check_calls()?;
    size::check()
}

/// Builds the core as a program without link-time optimisation does, and checks that no kernel calls the functions of the
/// standard library that this does not inline: validating UTF-8 took nine times as long with them.
fn check_calls() -> Result<()> {
    let mut build = cargo("build --locked --release --package bytelane --lib");
    build.args(["--target-dir", "target/assembly/apart"]);
    build.env("CARGO_PROFILE_RELEASE_LTO", "off");
    build.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    compile(build.env("RUSTFLAGS", "-Csymbol-mangling-version=v0"))?;
    let libraries = ["target/assembly/apart/release/libbytelane.rlib".to_owned()];
    let listing = listing::disassemble("objdump", &libraries)?;
    let called: Vec<_> = functions(&listing)
        .iter()
        .map(|function| function.symbol)
        .filter(|symbol| is_array_function(symbol))
        .collect();
    if !called.is_empty() {
        let (count, called) = (called.len(), called.join("\n"));
        bail!("{count} calls remain without link-time optimisation: use `memory::Each`\n{called}");
    }
    Ok(())
}

/// Returns whether a symbol is one of the functions of arrays that take a closure of a kernel.
fn is_array_function(symbol: &str) -> bool {
    let is_map = symbol.contains("]>::map::<") || symbol.contains("]>::try_map::<");
    let is_from = symbol.starts_with("core::array::");
    (is_map || is_from) && symbol.contains("bytelane::codec")
}

fn widest(function: &Function) -> Register {
    let of_instruction = |instruction: &Instruction| match instruction.operands {
        operands if operands.contains("%zmm") => Register::Zmm,
        operands if operands.contains("%ymm") => Register::Ymm,
        operands if operands.contains("%xmm") => Register::Xmm,
        _ => Register::General,
    };
    let registers = function.instructions.iter().map(of_instruction);
    registers.max().unwrap_or(Register::General)
}

impl Kernel {
    /// Returns the difference between the loops of the function and the required one; `None` if there is
    /// none.
    fn difference(&self, functions: &[Function]) -> Option<String> {
        let inside = format!("{}::", self.function);
        let name = format!(
            "{}{} with {:?}",
            self.function, self.arguments, self.register
        );
        let is_kernel = |function: &&Function| {
            function.symbol.contains(&inside)
                && function.symbol.ends_with(&self.arguments)
                && widest(function) == self.register
        };
        let mut kernels = functions.iter().filter(is_kernel).peekable();
        if kernels.peek().is_none() {
            return Some(format!("{name}: there is no such function"));
        }
        let loops: Vec<_> = kernels.flat_map(Function::loops).collect();
        if loops.iter().any(|body| self.counts.fit(body)) {
            return None;
        }
        let seen = loops
            .iter()
            .map(|body| format!("\n    a loop of {}: {}", body.len(), self.counts.seen(body)));
        let seen: String = seen.collect();
        Some(format!("{name}: no loop has {}{seen}", self.counts.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
0000000000000000 <crate::kernel::outer::<4>>:
   0:\tpush   %rbx
   1:\tvpermb %zmm1,%zmm2,%zmm3
   7:\tvmovdqu64 0x40(%rsp),%zmm0
   9:\tjne    1 <crate::kernel::outer::<4>+0x1>
   b:\tjmp    0 <crate::kernel::outer::<4>>
   d:\tret
";

    fn difference(arguments: &str, vpermb: usize) -> Option<String> {
        let table = format!(
            "function,arguments,register,counts\n\
             kernel,{arguments},zmm,vpermb {vpermb}; (stack) 1; push 0; (any) 3\n"
        );
        let kernels: Vec<Kernel> = listing::table(&table).unwrap();
        kernels[0].difference(&functions(LISTING))
    }

    #[test]
    fn all_rows_can_be_read() {
        assert!(!listing::table::<Kernel>(LOOPS).unwrap().is_empty());
    }

    #[test]
    fn the_innermost_loop_is_counted() {
        assert_eq!(difference("<4>", 1), None);
        assert!(
            difference("<4>", 2)
                .unwrap()
                .contains("a loop of 3: vpermb 1; (stack) 1; push 0; (any) 3")
        );
    }

    #[test]
    fn a_kernel_that_is_gone_is_named() {
        let text = difference("<8>", 1).unwrap();
        assert_eq!(text, "kernel<8> with Zmm: there is no such function");
    }

    #[test]
    fn functions_of_arrays_with_closures_of_kernels_are_recognised() {
        for called in [
            "<[usize; 2]>::map::<bytelane::codec::bit_packing::pack::sse41::shifted::{closure#0}, i32>",
            "<[u64; 2]>::try_map::<usize, bytelane::codec::utf8::arch::avx2::errors_in::{closure#1}>",
            "core::array::try_from_fn::<&[u8], 8, bytelane::codec::byte_stream_split::kernel::join::{closure#0}>",
        ] {
            assert!(is_array_function(called), "{called}");
        }
        for other in [
            "<[[u8; 64]]>::as_flattened",
            "<[u32; 4]>::map::<bytelane::simd::x86::ask_last_level_cache::{closure#0}, usize>",
            "bytelane::codec::utf8::is_text64::inside::<bytelane::backend::Avx2>",
        ] {
            assert!(!is_array_function(other), "{other}");
        }
    }
}
