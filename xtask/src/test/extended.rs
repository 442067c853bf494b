//! `cargo xtask extended`: runs tests that take too long for every change, and records their
//! results.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::outcome::{Outcome, list, minutes, names, run_stage, summarise};
use super::stages::{STAGES, Stage, Tier};
use crate::process::{output, program, root};

/// The options of `cargo xtask extended`.
#[derive(clap::Args)]
pub struct Options {
    /// Run only these stages
    #[arg(long, value_name = "STAGE", value_delimiter = ',', num_args = 1.., value_parser = names(stages()))]
    only: Vec<String>,

    /// Show the stages, their time budgets and what this machine lacks for them; run nothing
    #[arg(long)]
    list: bool,

    /// Note each result, its date, commit and CPU in docs/lab-notes/extended.md
    #[arg(long)]
    record: bool,
}

/// Record: a table with one row for each stage and its latest run.
const RECORD: &str = "docs/lab-notes/extended.md";

fn stages() -> impl Iterator<Item = &'static Stage> {
    STAGES.iter().filter(|stage| stage.tier == Tier::Extended)
}

/// Runs the stages one after the other, even if one fails, and prints a summary.
pub fn run(options: &Options) -> Result<ExitCode> {
    if options.list {
        list(stages());
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = |stage: &&Stage| {
        options.only.is_empty() || options.only.iter().any(|name| name == stage.name)
    };
    let mut outcomes = Vec::new();
    for stage in stages().filter(chosen) {
        let outcome = run_stage(stage, !options.only.is_empty());
        if options.record {
            note(stage, &outcome)?;
        }
        outcomes.push((stage, outcome));
    }
    Ok(summarise(&outcomes))
}

/// Writes the outcome to the stage's row of the record immediately: later stages take hours.
fn note(stage: &Stage, outcome: &Outcome) -> Result<()> {
    let (result, elapsed) = match outcome {
        Outcome::Passed(elapsed, _) => ("passed".to_owned(), minutes(*elapsed)),
        Outcome::Failed(elapsed, _, error) => (format!("failed: {error:#}"), minutes(*elapsed)),
        // An earlier run on another machine is more informative than a skip here.
        Outcome::Skipped { .. } | Outcome::Excluded(_) => return Ok(()),
    };
    let ask = |name: &str, arguments: &[&str]| -> Result<String> {
        Ok(output(program(name).args(arguments))?
            .text
            .trim()
            .to_owned())
    };
    let date = ask("date", &["-u", "+%F"])?;
    let commit = ask("git", &["rev-parse", "--short", "HEAD"])?;
    let cells = [stage.name, &date, &commit, &cpu(), &elapsed, &result];
    let cells = cells.map(|cell| cell.replace(['|', '\n'], " "));
    let row = format!("| {} |", cells.join(" | "));
    let path = root().join(RECORD);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {RECORD}"))?;
    fs::write(path, with_row(&text, stage.name, &row))
        .with_context(|| format!("cannot write {RECORD}"))
}

/// Returns the record with the row of that name replaced, or appended after the last row.
fn with_row(text: &str, name: &str, row: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let start = format!("| {name} |");
    if let Some(old) = lines.iter_mut().find(|line| line.starts_with(&start)) {
        *old = row;
    } else {
        let last = lines.iter().rposition(|line| line.starts_with('|'));
        lines.insert(last.map_or(lines.len(), |last| last + 1), row);
    }
    lines.join("\n") + "\n"
}

/// Returns the processor and its best backend.
fn cpu() -> String {
    let name = bytelane_measure::cpu::name();
    format!("{name}, {}", bytelane::Backend::active())
}

#[cfg(test)]
mod tests {
    use super::with_row;

    #[test]
    fn a_row_is_replaced_or_added_to_the_table() {
        let text = "# Record\n\n| stage | result |\n|---|---|\n| a | failed |\n\nText.\n";
        let replaced = with_row(text, "a", "| a | passed |");
        assert_eq!(replaced, text.replace("failed", "passed"));
        let added = with_row(text, "b", "| b | passed |");
        assert_eq!(
            added,
            text.replace("failed |\n", "failed |\n| b | passed |\n")
        );
    }
}
