//! Estimates the cost of the NEON kernels with LLVM's models of processors, because no such machine
//! is available.
//!
//! Builds the core for AArch64, finds the innermost loops of its kernels in the listing, and asks
//! llvm-mca how many cycles one path through each takes, regardless of the caches.

mod kernels;
mod peers;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::write;
use crate::listing::{self, Function, Instruction, count, disassemble, functions};
use crate::process::{program, run};
use crate::test::cross::{AARCH64, Target};
use crate::test::needs::Need;
use kernels::KERNELS;

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

/// Processors, by llvm-mca's name and the usual name.
const PROCESSORS: [(&str, &str); 3] = [
    ("neoverse-n1", "N1"),
    ("neoverse-v2", "V2"),
    ("cortex-a57", "A57"),
];

/// Number of repetitions of a path, so that its beginning and end do not matter.
const ITERATIONS: u32 = 200;

/// Path through an innermost loop of a kernel.
struct Kernel {
    codec: &'static str,
    operation: &'static str,
    /// Values for which this path is used, if it depends on them.
    data: &'static str,
    /// Part of the symbol: the path of the function, up to where it enters the instruction set.
    function: &'static str,
    /// Generic arguments, which end the symbol.
    arguments: &'static str,
    /// Number of occurrences of mnemonics on the path: they distinguish it from others, and ensure
    /// that `bytes` is right.
    counts: &'static [(&'static str, usize)],
    /// Bytes of decoded values that one path handles.
    bytes: u64,
}

/// Estimate: one line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    codec: String,
    operation: String,
    data: String,
    bytes: u64,
    processor: String,
    cycles: f64,
    /// Library; empty for bytelane.
    #[serde(default)]
    library: String,
}

/// Estimates, with the name of their file.
pub struct Estimates {
    name: String,
    lines: Vec<Line>,
}

/// Writes the estimates to a file.
///
/// # Errors
///
/// A requirement that the machine lacks, and where to get it; a kernel whose loop has another
/// shape.
pub fn record(path: &Path) -> Result<()> {
    let mut lines = estimate()?;
    lines.extend(estimate_peers()?);
    let mut csv = csv::Writer::from_writer(Vec::new());
    for line in &lines {
        csv.serialize(line)?;
    }
    write(path, &String::from_utf8(csv.into_inner()?)?)?;
    println!("{}: {} estimates", path.display(), lines.len());
    Ok(())
}

/// Computes the estimates and discards them, to check that every kernel is found.
pub fn run_stage() -> Result<()> {
    let lines = estimate()?;
    println!("{} estimates of {} loops", lines.len(), KERNELS.len());
    Ok(())
}

fn estimate() -> Result<Vec<Line>> {
    require(&[Need::StandardLibrary(&TARGET), DISASSEMBLER, MODEL])?;
    let mut build = TARGET.cargo("build")?;
    run(build.args(["--release", "--lib", "--package", "bytelane"]))?;
    let library = format!("target/cross/{}/release/libbytelane.rlib", TARGET.triple);
    let listing = disassemble(OBJDUMP, &[library])?;
    lines_of(&listing, KERNELS.iter().map(|kernel| ("", kernel)))
}

/// Estimates the loops of other libraries.
fn estimate_peers() -> Result<Vec<Line>> {
    require(&peers::COMPILERS)?;
    let listing = peers::listing()?;
    lines_of(
        &listing,
        peers::LOOPS
            .iter()
            .map(|(library, kernel)| (*library, kernel)),
    )
}

/// Estimates the loops of libraries, given the listing of these.
fn lines_of<'a>(
    listing: &str,
    kernels: impl Iterator<Item = (&'a str, &'a Kernel)>,
) -> Result<Vec<Line>> {
    let functions = functions(listing);
    let mut lines = Vec::new();
    let mut wrong = Vec::new();
    for (library, kernel) in kernels {
        match kernel.way(&functions) {
            Err(problem) => wrong.push(format!("{problem:#}")),
            Ok(way) => {
                let way = assembly(&way);
                for (processor, _) in PROCESSORS {
                    let cycles = cycles(&way, processor)
                        .with_context(|| format!("{} for {processor}", kernel.name()))?;
                    lines.push(kernel.line(library, processor, cycles));
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
            .filter(|function| function.symbol.contains(self.function))
            // The compiler adds a suffix to the names of functions that it moves between units.
            .filter(|function| {
                let symbol = function.symbol.split(" (.llvm.").next();
                symbol.is_some_and(|symbol| symbol.ends_with(self.arguments))
            })
            .flat_map(Function::innermost_loops)
            .flat_map(listing::ways)
            .collect();
        ensure!(!ways.is_empty(), "{}: there is no loop", self.name());
        ways.sort_by_key(Vec::len);
        let fits = |way: &&Vec<Instruction>| {
            let mut counts = self.counts.iter();
            counts.all(|(mnemonic, expected)| count(way, mnemonic) == *expected)
        };
        let found = ways.iter().find(fits).cloned();
        found.with_context(|| {
            let seen = ways.iter().map(|way| {
                let counts = self.counts.iter();
                let counts = counts.map(|(name, _)| format!("{name} {}", count(way, name)));
                format!(
                    "\n    a way of {}: {}",
                    way.len(),
                    counts.collect::<Vec<_>>().join(", ")
                )
            });
            let seen: String = seen.collect();
            format!("{}: no way has {:?}{seen}", self.name(), self.counts)
        })
    }

    fn line(&self, library: &str, processor: &str, cycles: f64) -> Line {
        Line {
            codec: self.codec.to_owned(),
            operation: self.operation.to_owned(),
            data: self.data.to_owned(),
            bytes: self.bytes,
            processor: processor.to_owned(),
            cycles,
            library: library.to_owned(),
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

impl Estimates {
    /// Reads a file; `None` if its columns are not those of estimates.
    ///
    /// # Errors
    ///
    /// An invalid row, with its line.
    pub fn parse(name: &str, text: &str) -> Result<Option<Self>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().context("no line of column names")?;
        if !headers.iter().any(|header| header == "processor") {
            return Ok(None);
        }
        let lines = reader.deserialize().collect::<Result<_, _>>()?;
        Ok(Some(Self {
            name: name.to_owned(),
            lines,
        }))
    }

    /// Returns the table of the documents, in Markdown, with the command above it.
    pub fn table(&self) -> String {
        let processors = PROCESSORS.map(|(_, name)| name).join(" / ");
        let mut text = format!(
            "Estimates (`{}`) for {processors}, by `{} loop.s` and the like.\n\n\
             | codec | operation | values | bytes | cycles | bytes per cycle | fastest peer | x peer |\n|---|---|---|---|---|---|---|---|\n",
            self.name,
            command(PROCESSORS[0].0),
        );
        let (ours, peers): (Vec<_>, Vec<_>) = self
            .lines
            .iter()
            .cloned()
            .partition(|line| line.library.is_empty());
        for lines in ours.chunk_by(Line::same_loop) {
            let Line {
                codec,
                operation,
                data,
                bytes,
                ..
            } = &lines[0];
            let all = |figure: &dyn Fn(&Line) -> f64| {
                let figures = PROCESSORS.iter().map(|(processor, _)| {
                    let line = lines.iter().find(|line| line.processor == *processor);
                    line.map_or("-".to_owned(), |line| format!("{:.1}", figure(line)))
                });
                figures.collect::<Vec<_>>().join(" / ")
            };
            let cycles = all(&|line| line.cycles);
            let speeds = all(&Line::speed);
            let fastest = |processor: &str| {
                let same = |peer: &&Line| peer.processor == processor && peer.same_work(&lines[0]);
                let compared = peers.iter().filter(same);
                compared.max_by(|a, b| a.speed().total_cmp(&b.speed()))
            };
            let peer = fastest(PROCESSORS[0].0).map_or("", |peer| &peer.library);
            let ratios = match peer {
                "" => String::new(),
                _ => all(&|line| {
                    let peer = fastest(&line.processor);
                    peer.map_or(f64::NAN, |peer| line.speed() / peer.speed())
                }),
            };
            writeln!(
                text,
                "| `{codec}` | {operation} | {data} | {bytes} | {cycles} | {speeds} | {peer} | {ratios} |"
            )
            .expect("to memory");
        }
        text
    }
}

impl Line {
    /// Returns the number of bytes per cycle.
    fn speed(&self) -> f64 {
        self.bytes as f64 / self.cycles
    }

    fn same_work(&self, other: &Self) -> bool {
        let key = |line: &Self| [&line.codec, &line.operation, &line.data].map(String::clone);
        key(self) == key(other)
    }

    fn same_loop(&self, other: &Self) -> bool {
        self.same_work(other) && self.bytes == other.bytes
    }
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

    const LISTING: &str = "
0000000000000000 <codec::kernel::inside::<4>>:
   0:\tldr\tq0, [x1]
   4:\ttbnz\tw12, #7, 10 <codec::kernel::inside::<4>+0x10>
   8:\tmov\tw9, #0xffffffff\t// #-1
   c:\ttbl\tv0.16b, {v0.16b-v3.16b}, v1.16b
  10:\tb.ne\t0 <codec::kernel::inside::<4>>
  14:\tret
";

    fn kernel(counts: &'static [(&'static str, usize)]) -> Kernel {
        Kernel {
            codec: "codec",
            operation: "encode",
            data: "",
            function: "codec::kernel",
            arguments: "<4>",
            counts,
            bytes: 64,
        }
    }

    #[test]
    fn a_way_is_chosen_by_its_instructions_and_can_be_assembled() {
        let functions = functions(LISTING);
        let way = |counts| kernel(counts).way(&functions);
        assert_eq!(
            assembly(&way(&[("tbl", 1)]).unwrap()),
            "ldr q0, [x1]\ntbnz w12, #7, .\nmov w9, #0xffffffff\ntbl v0.16b, {v0.16b-v3.16b}, v1.16b\nb.ne .\n"
        );
        assert_eq!(way(&[("tbl", 0)]).unwrap().len(), 3);
        let error = way(&[("tbl", 2)]).err().unwrap().to_string();
        assert!(error.contains("a way of 5: tbl 1"), "{error}");
        let gone = Kernel {
            arguments: "<8>",
            ..kernel(&[])
        };
        let error = gone.way(&functions).err().unwrap().to_string();
        assert_eq!(error, "codec::kernel<8>: there is no loop");
    }

    #[test]
    fn a_loop_is_a_row_with_all_processors() {
        let file = "codec,operation,data,bytes,processor,cycles,library\n\
            base64,encode,,192,neoverse-n1,64.0,\nbase64,encode,,192,cortex-a57,100.0,\n\
            base64,encode,,48,neoverse-n1,24.0,x\nbase64,encode,,48,cortex-a57,50.0,x\n\
            base64,encode,,48,neoverse-n1,32.0,y\nbase64,encode,,48,cortex-a57,20.0,y\n";
        let estimates = Estimates::parse("x.csv", file).unwrap().unwrap();
        let table = estimates.table();
        // The fastest library is another one on each processor; the first processor's is named.
        let row = "| `base64` | encode |  | 192 | 64.0 / - / 100.0 | 3.0 / - / 1.9 | x | 1.5 / - / 0.8 |\n";
        assert!(table.ends_with(row), "{table}");
        assert!(table.contains("llvm-mca-19 -mtriple=aarch64 -mcpu=neoverse-n1"));
        assert!(Estimates::parse("x", "codec,ns\n").unwrap().is_none());
        assert!(Estimates::parse("x", &file.replace("64.0", "few")).is_err());
    }
}
