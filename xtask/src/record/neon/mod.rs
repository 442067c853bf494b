//! Estimates the cost of the NEON kernels with LLVM's models of processors, because no such machine
//! is available.
//!
//! Builds the core for AArch64, finds the innermost loops of its kernels in the listing, and asks
//! llvm-mca how many cycles one path through each takes, regardless of the caches. `loops.csv` lists the paths; to add
//! one, add a row.

mod peers;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::folder::write;
use crate::listing::{self, Counts, Function, Instruction, disassemble, functions};
use crate::process::{program, run};
use crate::test::machines::cross::{AARCH64, Target};
use crate::test::needs::Need;

/// Target for the core, with symbols that distinguish functions by their generic arguments.
static TARGET: Target = Target {
    rustflags: "-Csymbol-mangling-version=v0",
    ..AARCH64
};

const OBJDUMP: &str = "aarch64-linux-gnu-objdump";
const MCA: &str = "llvm-mca-19";

/// Programs that the estimates need besides a compiler: a disassembler and llvm-mca.
pub const DISASSEMBLER: Need = Need::Program(OBJDUMP, "Debian: binutils-aarch64-linux-gnu");
pub const MODEL: Need = Need::Program(MCA, "Debian: llvm-19");

/// Processors, by llvm-mca's names.
const PROCESSORS: [&str; 3] = ["neoverse-n1", "neoverse-v2", "cortex-a57"];

/// Number of repetitions of a path, so that its beginning and end do not matter.
const ITERATIONS: u32 = 200;

/// Paths through loops of bytelane and of other libraries. Loops that call functions have none: those of `simdutf` that
/// decode base64 or validate characters beyond ASCII, and all that escape JSON.
const LOOPS: &str = include_str!("loops.csv");

/// Path through an innermost loop of a kernel.
#[derive(Clone, Debug, Deserialize)]
struct Kernel {
    /// Library; empty for bytelane.
    library: String,
    codec: String,
    operation: String,
    /// Values for which this path is used, if it depends on them.
    data: String,
    /// Bytes of decoded values that one path handles.
    bytes: u64,
    counts: Counts,
    /// Part of the symbol: the path of the function, up to where it enters the instruction set.
    function: String,
    /// Generic arguments, which end the symbol.
    arguments: String,
}

/// Estimate: one line of the file.
#[derive(Debug, Serialize)]
struct Line {
    codec: String,
    operation: String,
    data: String,
    bytes: u64,
    processor: String,
    cycles: f64,
    /// Library; empty for bytelane.
    library: String,
}

/// Writes the estimates to a file.
///
/// # Errors
///
/// A requirement that the machine lacks, and where to get it; a kernel whose loop has another
/// shape.
pub fn record(path: &Path) -> Result<()> {
    let mut lines = estimate()?;
    require(&peers::COMPILERS)?;
    lines.extend(lines_of(&peers::listing()?, false)?);
    let mut csv = csv::Writer::from_writer(Vec::new());
    for line in &lines {
        csv.serialize(line)?;
    }
    write(path, csv.into_inner()?)?;
    println!("{}: {} estimates", path.display(), lines.len());
    Ok(())
}

/// Computes the estimates and discards them, to check that every kernel is found.
pub fn run_stage() -> Result<()> {
    println!("{} estimates", estimate()?.len());
    Ok(())
}

fn estimate() -> Result<Vec<Line>> {
    require(&[Need::StandardLibrary(&TARGET), DISASSEMBLER, MODEL])?;
    let mut build = TARGET.cargo("build")?;
    run(build.args(["--release", "--lib", "--package", "bytelane"]))?;
    let library = format!("target/cross/{}/release/libbytelane.rlib", TARGET.triple);
    lines_of(&disassemble(OBJDUMP, &[library])?, true)
}

/// Estimates the loops of bytelane, or those of other libraries, given the listing of these.
fn lines_of(text: &str, is_ours: bool) -> Result<Vec<Line>> {
    let functions = functions(text);
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for kernel in listing::table::<Kernel>(LOOPS)? {
        if kernel.library.is_empty() != is_ours {
            continue;
        }
        match kernel.way(&functions) {
            Err(problem) => wrong.push(format!("{problem:#}")),
            Ok(way) => {
                let way = assembly(&way);
                for processor in PROCESSORS {
                    let cycles = cycles(&way, processor)
                        .with_context(|| format!("{} for {processor}", kernel.name()))?;
                    lines.push(kernel.line(processor, cycles));
                }
            }
        }
    }
    if !wrong.is_empty() {
        bail!("loops have another shape:\n{}", wrong.join("\n"));
    }
    Ok(lines)
}

fn require(needs: &[Need]) -> Result<()> {
    let missing: Vec<_> = needs.iter().filter_map(Need::missing).collect();
    ensure!(
        missing.is_empty(),
        "the estimates for NEON need more: {}",
        missing.join("; ")
    );
    Ok(())
}

impl Kernel {
    fn name(&self) -> String {
        format!("{}{}", self.function, self.arguments)
    }

    /// Returns the shortest path that matches the counts.
    fn way<'a>(&self, functions: &[Function<'a>]) -> Result<Vec<Instruction<'a>>> {
        let mut ways: Vec<_> = functions
            .iter()
            .filter(|function| function.symbol.contains(&self.function))
            // The compiler adds a suffix to the names of functions that it moves between units.
            .filter(|function| {
                let symbol = function.symbol.split(" (.llvm.").next();
                symbol.is_some_and(|symbol| symbol.ends_with(&self.arguments))
            })
            .flat_map(Function::innermost_loops)
            .flat_map(listing::ways)
            .collect();
        ensure!(!ways.is_empty(), "{}: there is no loop", self.name());
        ways.sort_by_key(Vec::len);
        let found = ways.iter().find(|way| self.counts.fit(way)).cloned();
        found.with_context(|| {
            let seen = ways
                .iter()
                .map(|way| format!("\n    a way of {}: {}", way.len(), self.counts.seen(way)));
            let seen: String = seen.collect();
            format!("{}: no way has {}{seen}", self.name(), self.counts.text)
        })
    }

    fn line(&self, processor: &str, cycles: f64) -> Line {
        let kernel = self.clone();
        Line {
            codec: kernel.codec,
            operation: kernel.operation,
            data: kernel.data,
            bytes: kernel.bytes,
            processor: processor.to_owned(),
            cycles,
            library: kernel.library,
        }
    }
}

/// Formats instructions in assembler syntax; the targets of branches do not matter.
fn assembly(way: &[Instruction]) -> String {
    let mut text = String::new();
    for instruction in way {
        let operands = instruction
            .operands
            .split("\t//")
            .next()
            .unwrap_or_default();
        let operands = match operands.split_once(" <") {
            None => operands.to_owned(),
            Some((before, _)) => match before.rsplit_once(", ") {
                Some((register, _)) => format!("{register}, ."),
                None => ".".to_owned(),
            },
        };
        writeln!(text, "{} {operands}", instruction.mnemonic).expect("to memory");
    }
    text
}

/// Returns the command, as shown in the documents.
fn command(processor: &str) -> String {
    format!("{MCA} -mtriple=aarch64 -mcpu={processor} -iterations={ITERATIONS}")
}

/// Returns the cycles per repetition.
fn cycles(assembly: &str, processor: &str) -> Result<f64> {
    let line = command(processor);
    let mut words = line.split(' ');
    let mut child = program(words.next().unwrap_or_default())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    // llvm-mca reads all of its input before it prints anything.
    let written = child
        .stdin
        .take()
        .context("no standard input")?
        .write_all(assembly.as_bytes());
    let output = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{line}` failed:\n{errors}");
    written?;
    cycles_of(&String::from_utf8_lossy(&output.stdout)).with_context(|| line)
}

/// Parses llvm-mca's output: returns the total cycles divided by iterations.
fn cycles_of(report: &str) -> Result<f64> {
    let figure = |name: &str| -> Result<f64> {
        let line = report.lines().find_map(|line| line.strip_prefix(name));
        let line = line.with_context(|| format!("it says nothing of `{name}`"))?;
        let number = line.trim().parse();
        number.with_context(|| format!("`{name}` is no number"))
    };
    let iterations = figure("Iterations:")?;
    ensure!(iterations > 0.0, "it says that there were no iterations");
    Ok(figure("Total Cycles:")? / iterations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_read_from_what_the_model_prints() {
        let report = "Iterations:        50\nInstructions:      350\nTotal Cycles:      125\nTotal uOps:  400\n";
        assert!((cycles_of(report).unwrap() - 2.5).abs() < 1e-9);
        let error = cycles_of("Iterations:  50\n").unwrap_err().to_string();
        assert_eq!(error, "it says nothing of `Total Cycles:`");
        assert!(cycles_of(&report.replace("125", "many")).is_err());
        assert!(cycles_of(&report.replace("50\n", "0\n")).is_err());
    }

    #[test]
    fn all_rows_can_be_read() {
        let kernels = listing::table::<Kernel>(LOOPS).unwrap();
        assert!(kernels.iter().any(|kernel| kernel.library.is_empty()));
    }

    const LISTING: &str = "
0000000000000000 <codec::kernel::inside::<4>>:
   0:\tldr\tq0, [x1]
   4:\ttbnz\tw12, #7, 10 <codec::kernel::inside::<4>+0x10>
   8:\tmov\tw9, #0xffffffff\t// #-1
   c:\ttbl\tv0.16b, {v0.16b-v3.16b}, v1.16b
  10:\tb.ne\t0 <codec::kernel::inside::<4>>
  14:\tret
";

    fn kernel(counts: &str) -> Kernel {
        let row = format!(",codec,encode,,64,{counts},codec::kernel,<4>");
        let header = LOOPS.lines().next().unwrap();
        listing::table(&format!("{header}\n{row}\n"))
            .unwrap()
            .remove(0)
    }

    #[test]
    fn a_way_is_chosen_by_its_instructions_and_can_be_assembled() {
        let functions = functions(LISTING);
        let way = |counts| kernel(counts).way(&functions);
        assert_eq!(
            assembly(&way("tbl 1").unwrap()),
            "ldr q0, [x1]\ntbnz w12, #7, .\nmov w9, #0xffffffff\ntbl v0.16b, {v0.16b-v3.16b}, v1.16b\nb.ne .\n"
        );
        assert_eq!(way("tbl 0").unwrap().len(), 3);
        let error = way("tbl 2").err().unwrap().to_string();
        assert!(error.contains("a way of 5: tbl 1"), "{error}");
        let gone = Kernel {
            arguments: "<8>".to_owned(),
            ..kernel("tbl 1")
        };
        let error = gone.way(&functions).err().unwrap().to_string();
        assert_eq!(error, "codec::kernel<8>: there is no loop");
    }
}
