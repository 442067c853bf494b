//! The stage `armv7`: the core's tests on 32-bit ARM, and the number of instructions in the loops that are
//! written in assembly there.

use anyhow::{Result, bail};
use serde::Deserialize;

use super::cross::{self, ARMV7, ARMV7_WITHOUT_NEON};
use crate::listing::{Counts, Function, Instruction, disassemble, functions, table};
use crate::process::compile;
use crate::test::needs::Need;

const OBJDUMP: &str = "arm-linux-gnueabihf-objdump";
pub const DISASSEMBLER: Need = Need::Program(OBJDUMP, "Debian: binutils-arm-linux-gnueabihf");

/// Loops in assembly. To add one, add a row.
const LOOPS: &str = include_str!("armv7.csv");

/// Loop in assembly.
#[derive(Deserialize)]
struct Kernel {
    codec: String,
    operation: String,
    /// Bytes of decoded values that one round handles.
    bytes: usize,
    /// Number of instructions in a round.
    instructions: usize,
    counts: Counts,
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

/// Finds each of [`LOOPS`] in the library, as compiled for the tests.
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
    let kernels: Vec<Kernel> = table(LOOPS)?;
    let missing: Vec<_> = kernels.iter().filter(|it| !it.is_among(&loops)).collect();
    if !missing.is_empty() {
        let rows: Vec<_> = missing.iter().map(|kernel| kernel.row()).collect();
        bail!("no loop has these instructions:\n{}", rows.join("\n"));
    }
    println!("{} loops have the instructions they should", kernels.len());
    Ok(())
}

impl Kernel {
    fn is_among(&self, loops: &[&[Instruction]]) -> bool {
        let fits = |body: &&[Instruction]| body.len() == self.instructions && self.counts.fit(body);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::root;

    #[test]
    fn the_table_of_the_documents_has_these_loops() {
        let page = std::fs::read_to_string(root().join("docs/performance/neon.md")).unwrap();
        let kernels: Vec<Kernel> = table(LOOPS).unwrap();
        let expected: Vec<_> = kernels.iter().map(Kernel::row).collect();
        let (_, rows) = page
            .split_once("| instructions | bytes per instruction |")
            .unwrap();
        let rows: Vec<_> = rows
            .lines()
            .skip(2)
            .take_while(|line| !line.is_empty())
            .collect();
        assert_eq!(rows, expected, "\n{}\n", expected.join("\n"));
    }
}
