//! The stage `assembly`: counts instructions in the hot loops of tuned kernels, as compiled by the
//! pinned compiler, to detect a kernel that loses its shape without a timed test.
//!
//! Kernels are inlined where a codec enters the instruction set, once for each set under the same
//! name. The widest vector register that a function uses distinguishes the sets.

mod kernels;
mod size;

use std::ops::RangeInclusive;

use anyhow::{Result, bail};

use crate::listing::{self, Function, Instruction, functions};
use crate::process::{cargo, compile};
use kernels::KERNELS;

/// Kernel with the required instructions of its hot loop.
struct Kernel {
    /// Path of the function, starting with the codec; the symbol continues up to where it enters
    /// the instruction set.
    function: &'static str,
    /// Generic arguments, which end the symbol. All listed ones have the same loops.
    arguments: &'static [&'static str],
    /// For each instruction set, identified by its widest register: mnemonics, [`STACK`] or
    /// [`ANY`], with the number of occurrences in one of the loops.
    loops: &'static [(Register, Counts)],
}

type Counts = &'static [(&'static str, RangeInclusive<usize>)];

/// Name of the count of instructions that access the stack: mostly spilled registers.
const STACK: &str = "(stack)";

/// Name of the count of all instructions.
const ANY: &str = "(any)";

/// Vector registers of x86-64, by their width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Register {
    General,
    Xmm,
    Ymm,
    Zmm,
}

/// Builds the core in release mode, checks every row of [`KERNELS`], and measures the size of
/// programs.
pub fn run_stage() -> Result<()> {
    let mut build = cargo("build --locked --release --package bytelane --lib");
    build.args(["--target-dir", "target/assembly/v0"]);
    compile(build.env("RUSTFLAGS", "-Csymbol-mangling-version=v0"))?;
    let libraries = ["target/assembly/v0/release/libbytelane.rlib".to_owned()];
    let listing = listing::disassemble("objdump", &libraries)?;
    let functions = functions(&listing);
    let (mut loops, mut wrong) = (0, Vec::new());
    for kernel in KERNELS.iter().copied().flatten() {
        for arguments in kernel.arguments {
            for (widest, counts) in kernel.loops {
                loops += 1;
                let name = format!("{}{arguments}", kernel.function);
                wrong.extend(difference(&name, arguments, *widest, counts, &functions));
            }
        }
    }
    if !wrong.is_empty() {
        let (count, wrong) = (wrong.len(), wrong.join("\n"));
        bail!("{count} of {loops} loops have another shape\n{wrong}");
    }
    println!("{loops} loops have the instructions they should");
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

fn count(body: &[Instruction], mnemonic: &str) -> usize {
    match mnemonic {
        ANY => body.len(),
        STACK => {
            let on_stack = |it: &&Instruction| it.operands.contains("(%rsp");
            body.iter().filter(on_stack).count()
        }
        _ => listing::count(body, mnemonic),
    }
}

/// Returns the difference between the loops of a kernel and the required ones; `None` if there is
/// none. The kernel is given by its name and arguments.
fn difference(
    name: &str,
    arguments: &str,
    register: Register,
    counts: Counts,
    functions: &[Function],
) -> Option<String> {
    let inside = format!("{}::", name.trim_end_matches(arguments));
    let name = format!("{name} with {register:?}");
    let is_kernel = |function: &&Function| {
        function.symbol.contains(&inside)
            && function.symbol.ends_with(arguments)
            && widest(function) == register
    };
    let mut kernels = functions.iter().filter(is_kernel).peekable();
    if kernels.peek().is_none() {
        return Some(format!("{name}: there is no such function"));
    }
    let loops: Vec<_> = kernels.flat_map(Function::loops).collect();
    let fits = |body: &&&[Instruction]| {
        let fits = |(mnemonic, expected): &(&str, RangeInclusive<usize>)| {
            expected.contains(&count(body, mnemonic))
        };
        counts.iter().all(fits)
    };
    if loops.iter().any(|body| fits(&body)) {
        return None;
    }
    let seen = loops.iter().map(|body| {
        let counts = counts
            .iter()
            .map(|(name, _)| format!("{name} {}", count(body, name)));
        format!(
            "\n    a loop of {}: {}",
            body.len(),
            counts.collect::<Vec<_>>().join(", ")
        )
    });
    let seen: String = seen.collect();
    Some(format!("{name}: no loop has {counts:?}{seen}"))
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

    fn kernel(vpermb: RangeInclusive<usize>) -> Option<String> {
        let counts: Vec<_> = vec![
            ("vpermb", vpermb),
            (STACK, 1..=1),
            ("push", 0..=0),
            (ANY, 3..=3),
        ];
        let functions = functions(LISTING);
        difference("kernel<4>", "<4>", Register::Zmm, counts.leak(), &functions)
    }

    #[test]
    fn the_innermost_loop_is_counted() {
        assert_eq!(kernel(1..=1), None);
        assert!(
            kernel(2..=2)
                .unwrap()
                .contains("a loop of 3: vpermb 1, (stack) 1, push 0, (any) 3")
        );
    }

    #[test]
    fn a_kernel_that_is_gone_is_named() {
        let functions = functions(LISTING);
        let text = difference("kernel<8>", "<8>", Register::Zmm, &[], &functions).unwrap();
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
