//! Parses the objdump listing of a library into functions, their innermost loops and the paths
//! through these, and the tables of the instructions that loops must have.

use std::ops::{Range, RangeInclusive};

use anyhow::{Context, Error, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::process::{output, program};

/// Function of a listing.
pub struct Function<'a> {
    pub symbol: &'a str,
    pub instructions: Vec<Instruction<'a>>,
}

/// Instruction in assembler syntax.
#[derive(Clone, Copy)]
pub struct Instruction<'a> {
    pub address: u64,
    pub mnemonic: &'a str,
    pub operands: &'a str,
}

/// Maximum number of paths to follow through a loop.
const MOST_WAYS: usize = 4096;

/// Disassembles libraries with the given objdump program.
pub fn disassemble(objdump: &str, libraries: &[String]) -> Result<String> {
    let mut command = program(objdump);
    command.args(["--disassemble", "--demangle", "--no-show-raw-insn"]);
    let listing = output(command.args(libraries))?.text;
    ensure!(
        !functions(&listing).is_empty(),
        "{objdump} shows no function"
    );
    Ok(listing)
}

/// Splits the output of objdump: `0000000000000040 <symbol>:`, then lines ` 4c:<tab>mnemonic ..`.
pub fn functions(listing: &str) -> Vec<Function<'_>> {
    let mut functions: Vec<Function> = Vec::new();
    for line in listing.lines() {
        let symbol = line
            .strip_suffix(">:")
            .and_then(|line| line.split_once(" <"));
        if let Some((_, symbol)) = symbol {
            functions.push(Function {
                symbol,
                instructions: Vec::new(),
            });
        } else if let (Some(function), Some(instruction)) =
            (functions.last_mut(), instruction(line))
        {
            function.instructions.push(instruction);
        }
    }
    functions
}

fn instruction(line: &str) -> Option<Instruction<'_>> {
    let (address, text) = line.split_once(":\t")?;
    let address = u64::from_str_radix(address.trim(), 16).ok()?;
    let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Some(Instruction {
        address,
        mnemonic,
        operands: operands.trim_start(),
    })
}

/// Numbers of occurrences of mnemonics in a loop, as tables write them: `tbl 4; (stack) 0-2; (any) 1-62`. Those
/// that load or store values ensure that the loop handles as many bytes as its row says; the others distinguish it from
/// other loops.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Counts {
    pub text: String,
    each: Vec<(String, RangeInclusive<usize>)>,
}

impl TryFrom<String> for Counts {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let counts = text.split("; ").map(|count| {
            let (name, number) = count.split_once(' ')?;
            let (least, most) = number.split_once('-').unwrap_or((number, number));
            Some((name.to_owned(), least.parse().ok()?..=most.parse().ok()?))
        });
        let each: Option<_> = counts.collect();
        let each = each.with_context(|| format!("`{text}` has no numbers"))?;
        Ok(Self { text, each })
    }
}

impl Counts {
    /// Returns whether instructions have these numbers.
    pub fn fit(&self, body: &[Instruction]) -> bool {
        let mut each = self.each.iter();
        each.all(|(name, expected)| expected.contains(&count(body, name)))
    }

    /// Formats the numbers that instructions have instead.
    pub fn seen(&self, body: &[Instruction]) -> String {
        let each = self.each.iter();
        let each = each.map(|(name, _)| format!("{name} {}", count(body, name)));
        each.collect::<Vec<_>>().join("; ")
    }
}

/// Counts the occurrences of a mnemonic; of accesses to the stack of x86-64, which are mostly spilled registers; or
/// all instructions.
fn count(body: &[Instruction], name: &str) -> usize {
    let is_counted = |instruction: &&Instruction| match name {
        "(any)" => true,
        "(stack)" => instruction.operands.contains("(%rsp"),
        _ => instruction.mnemonic == name,
    };
    body.iter().filter(is_counted).count()
}

/// Reads the rows of a table of loops.
///
/// # Errors
///
/// A wrong row, with its line.
pub fn table<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

impl Instruction<'_> {
    /// Returns the target of a jump within its function; `None` for other instructions.
    fn target(&self) -> Option<u64> {
        let jumps = match self.mnemonic {
            "b" | "bne" | "cbz" | "cbnz" | "tbz" | "tbnz" => true,
            other => other.starts_with('j') || other.starts_with("b."),
        };
        let operands = self.operands.split(" <").next()?;
        let last = operands.split(", ").last()?.trim();
        jumps.then(|| u64::from_str_radix(last, 16).ok()).flatten()
    }

    /// Returns whether execution never continues with the next instruction.
    fn never_goes_on(&self) -> bool {
        matches!(
            self.mnemonic,
            "b" | "br" | "ret" | "jmp" | "ud2" | "udf" | "brk"
        )
    }
}

impl<'a> Function<'a> {
    /// Returns the instructions from the target of each backward jump to the jump.
    pub fn loops(&self) -> Vec<&[Instruction<'a>]> {
        let loops = self.loop_ranges().into_iter();
        loops.map(|range| &self.instructions[range]).collect()
    }

    fn loop_ranges(&self) -> Vec<Range<usize>> {
        let mut loops: Vec<Range<usize>> = Vec::new();
        for (end, jump) in self.instructions.iter().enumerate() {
            let target = jump.target();
            let before = &self.instructions[..=end];
            let start = before
                .iter()
                .position(|other| Some(other.address) == target);
            loops.extend(start.map(|start| start..end + 1));
        }
        loops
    }

    /// Returns the [`loops`](Self::loops) that do not contain another one.
    pub fn innermost_loops(&self) -> Vec<&[Instruction<'a>]> {
        let loops = self.loop_ranges();
        let innermost = loops.iter().filter(|outer| {
            let within = |inner: &&Range<usize>| {
                inner != outer && outer.start <= inner.start && inner.end <= outer.end
            };
            !loops.iter().any(|inner| within(&inner))
        });
        innermost
            .map(|range| &self.instructions[range.clone()])
            .collect()
    }
}

/// Returns the paths from a loop's first instruction back to it, along the branches that stay
/// within the loop.
pub fn ways<'a>(body: &[Instruction<'a>]) -> Vec<Vec<Instruction<'a>>> {
    let mut done = Vec::new();
    let mut begun = vec![(0, Vec::new())];
    while let Some((mut at, mut way)) = begun.pop() {
        while let Some(instruction) = body.get(at) {
            way.push(*instruction);
            let target = instruction.target();
            let target = body.iter().position(|it| Some(it.address) == target);
            match target {
                Some(0) => done.push(way.clone()),
                Some(target) if target > at && begun.len() + done.len() < MOST_WAYS => {
                    begun.push((target, way.clone()));
                }
                _ => {}
            }
            if instruction.never_goes_on() {
                break;
            }
            at += 1;
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loop with a path around `mul` and two branches out of it, and a loop without branches.
    const LISTING: &str = "
0000000000000000 <crate::first>:
   0:\tldr\tq0, [x1]
   4:\tcbz\tw12, c <crate::first+0xc>
   8:\tmul\tx1, x2, x3
   c:\tb.hi\t40 <crate::first+0x40>
  10:\tadd\tx1, x1, #0x1\t// #1
  14:\tb.ne\t0 <crate::first>
  18:\tret

0000000000000000 <crate::second>:
   0:\tnop
   1:\tjne    1 <crate::second+0x1>
";

    #[test]
    fn loops_and_the_ways_through_them_are_found() {
        let functions = functions(LISTING);
        let symbols: Vec<&str> = functions.iter().map(|function| function.symbol).collect();
        assert_eq!(symbols, ["crate::first", "crate::second"]);
        let loops = functions[0].innermost_loops();
        assert_eq!(loops.len(), 1);
        let ways = ways(loops[0]);
        let mut lengths: Vec<(usize, usize)> = ways
            .iter()
            .map(|way| (way.len(), count(way, "mul")))
            .collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [(5, 0), (6, 1)]);
        assert_eq!(functions[1].innermost_loops()[0].len(), 1);
    }

    #[test]
    fn instructions_are_counted_as_a_table_writes_them() {
        let functions = functions(LISTING);
        let counts = |text: &str| Counts::try_from(text.to_owned());
        let first = counts("mul 1; ldr 0-2; (any) 7; (stack) 0").unwrap();
        assert!(first.fit(&functions[0].instructions));
        assert!(!first.fit(&functions[1].instructions));
        let seen = first.seen(&functions[1].instructions);
        assert_eq!(seen, "mul 0; ldr 0; (any) 2; (stack) 0");
        for wrong in ["mul", "mul many", "mul 1;ldr 2"] {
            assert!(counts(wrong).is_err(), "{wrong}");
        }
    }
}
