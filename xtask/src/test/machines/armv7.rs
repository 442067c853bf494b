//! The stage `armv7`: the core's tests on 32-bit ARM, and the number of instructions in the loops that are
//! written in assembly there.

use anyhow::{Result, bail};

use super::cross::{self, ARMV7, ARMV7_WITHOUT_NEON};
use crate::listing::{Function, Instruction, count, disassemble, functions};
use crate::process::compile;
use crate::test::needs::Need;

const OBJDUMP: &str = "arm-linux-gnueabihf-objdump";
pub const DISASSEMBLER: Need = Need::Program(OBJDUMP, "Debian: binutils-arm-linux-gnueabihf");

/// Loop in assembly.
struct Kernel {
    codec: &'static str,
    operation: &'static str,
    /// Bytes of decoded values that one round handles.
    bytes: usize,
    /// Number of instructions in a round.
    instructions: usize,
    /// Number of occurrences of mnemonics in a round: they distinguish the loop from others.
    counts: &'static [(&'static str, usize)],
}

/// Leaves out the two tests that take longest under an emulator, and whose codecs have no kernels here.
const ALL_BUT_TWO: &[&str] = &[
    "--skip",
    "alp::tests::all_kinds_of_values_in_vectors_of_several_sizes",
    "--skip",
    "choice::without_a_search_never_larger_than_an_encoder_by_groups",
];

/// Tests of the codecs that fall back to scalar code on a CPU without NEON.
const FALLBACK: &[&str] = &["backend", "stream_vbyte", "byte_stream_split"];

/// Runs the tests with NEON and without it, and checks the loops.
pub fn run_stage() -> Result<()> {
    cross::test_some(&ARMV7, ALL_BUT_TWO)?;
    cross::test_some(&ARMV7_WITHOUT_NEON, FALLBACK)?;
    check_loops()
}

/// Finds each of [`KERNELS`] in the library, as compiled for the tests.
fn check_loops() -> Result<()> {
    let mut build = ARMV7.cargo("build")?;
    build.args(["--lib", "--package", "bytelane"]);
    cross::build_quickly(&mut build);
    compile(&mut build)?;
    let library = format!("target/cross/{}/debug/libbytelane.rlib", ARMV7.triple);
    let listing = disassemble(OBJDUMP, &[library])?;
    let functions = functions(&listing);
    let loops: Vec<_> = functions
        .iter()
        .flat_map(Function::innermost_loops)
        .collect();
    let missing: Vec<_> = KERNELS.iter().filter(|it| !it.is_among(&loops)).collect();
    if !missing.is_empty() {
        let rows: Vec<_> = missing.iter().map(|kernel| kernel.row()).collect();
        bail!("no loop has these instructions:\n{}", rows.join("\n"));
    }
    println!("{} loops have the instructions they should", KERNELS.len());
    Ok(())
}

impl Kernel {
    fn is_among(&self, loops: &[&[Instruction]]) -> bool {
        let fits = |body: &&[Instruction]| {
            let counts = || self.counts.iter();
            body.len() == self.instructions
                && counts().all(|&(name, most)| count(body, name) == most)
        };
        loops.iter().any(fits)
    }

    /// Formats the kernel as a row of the table in `docs/performance/neon.md`.
    fn row(&self) -> String {
        format!(
            "| `{}` | {} | {} | {} | {:.1} |",
            self.codec,
            self.operation,
            self.bytes,
            self.instructions,
            self.bytes as f64 / self.instructions as f64,
        )
    }
}

/// Creates a row of [`KERNELS`].
macro_rules! kernels {
    ($($codec:literal $operation:literal $bytes:literal $instructions:literal [$($name:literal $most:literal),*])*) => {
        &[$(Kernel {
            codec: $codec,
            operation: $operation,
            bytes: $bytes,
            instructions: $instructions,
            counts: &[$(($name, $most)),*],
        }),*]
    };
}

#[rustfmt::skip]
static KERNELS: &[Kernel] = kernels! {
    "byte_stream_split:width=2" "encode" 32 5 ["vld2.8" 1, "vst1.8" 2]
    "byte_stream_split:width=2" "decode" 32 5 ["vld1.8" 2, "vst2.8" 1]
    "byte_stream_split:width=4" "encode" 64 8 ["vld4.8" 2, "vst1.8" 4]
    "byte_stream_split:width=4" "decode" 64 8 ["vld1.8" 4, "vst4.8" 2]
    "byte_stream_split:width=8" "encode" 128 18 ["vld4.8" 4, "vuzp.8" 4, "vst1.8" 8]
    "byte_stream_split:width=8" "decode" 128 18 ["vld1.8" 8, "vzip.8" 4, "vst4.8" 4]
    "byte_stream_split:width=16" "encode, half of each value" 128 38 ["vld1.8" 16, "vtrn.8" 4, "vst1.8" 8]
    "byte_stream_split:width=16" "decode, half of each value" 128 38 ["vld1.8" 8, "vtrn.8" 4, "vst1.8" 16]
    "stream_vbyte" "encode" 64 49 ["vclz.i32" 4, "vsub.i32" 0, "vtbl.8" 8]
    "stream_vbyte:delta=true" "encode" 64 55 ["vclz.i32" 4, "vsub.i32" 4, "vtbl.8" 8]
    "stream_vbyte:zigzag=true" "encode" 64 61 ["vclz.i32" 4, "vsub.i32" 0, "vtbl.8" 8]
    "stream_vbyte:delta=true,zigzag=true" "encode" 64 67 ["vclz.i32" 4, "vsub.i32" 4, "vtbl.8" 8]
    "stream_vbyte" "decode" 16 10 ["vtbl.8" 2, "vadd.i32" 0]
    "stream_vbyte:delta=true" "decode" 16 15 ["vtbl.8" 2, "vadd.i32" 3]
    "stream_vbyte:zigzag=true" "decode" 16 14 ["vtbl.8" 2, "vadd.i32" 0]
    "stream_vbyte:delta=true,zigzag=true" "decode" 16 19 ["vtbl.8" 2, "vadd.i32" 3]
    "stream_vbyte" "decode, 1 byte each" 32 7 ["vmovl.s16" 2, "vadd.i32" 0]
    "stream_vbyte:delta=true" "decode, 1 byte each" 32 15 ["vmovl.s16" 2, "vadd.i32" 2]
    "stream_vbyte:zigzag=true" "decode, 1 byte each" 32 11 ["vmovl.s16" 2, "vadd.i32" 0]
    "stream_vbyte:delta=true,zigzag=true" "decode, 1 byte each" 32 19 ["vmovl.s16" 2, "vadd.i32" 2]
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::root;

    #[test]
    fn the_table_of_the_documents_has_these_loops() {
        let page = std::fs::read_to_string(root().join("docs/performance/neon.md")).unwrap();
        let expected: Vec<_> = KERNELS.iter().map(Kernel::row).collect();
        let (_, table) = page
            .split_once("| instructions | bytes per instruction |")
            .unwrap();
        let rows: Vec<_> = table
            .lines()
            .skip(2)
            .take_while(|line| !line.is_empty())
            .collect();
        assert_eq!(rows, expected, "\n{}\n", expected.join("\n"));
    }
}
