//! Outcomes of stages, and how they are printed.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;

use super::stages::Stage;
use crate::timings::{self, Timings};

/// Outcome of a stage.
pub enum Outcome {
    Passed(Duration, Timings),
    Failed(Duration, Timings, anyhow::Error),
    /// Skipped for lack of tools; `required` turns this into a failure.
    Skipped {
        reason: String,
        required: bool,
    },
    /// Excluded by the caller, which is never a failure.
    Excluded(String),
}

impl Outcome {
    fn is_failure(&self) -> bool {
        matches!(
            self,
            Outcome::Failed(..) | Outcome::Skipped { required: true, .. }
        )
    }
}

/// Runs a stage if the machine meets its requirements.
pub fn run_stage(stage: &Stage, required: bool) -> Outcome {
    if let Some(reason) = stage.missing() {
        return Outcome::Skipped { reason, required };
    }
    println!("\n==> stage {}: {}", stage.name, stage.about);
    timings::take();
    let start = Instant::now();
    let result = (stage.run)();
    let elapsed = start.elapsed();
    let timings = timings::take();
    let time = format!("{} of {}", minutes(elapsed), minutes(stage.budget()));
    match result {
        Ok(()) => {
            println!("<== stage {}: ok, {time}", stage.name);
            Outcome::Passed(elapsed, timings)
        }
        Err(error) => {
            println!("<== stage {}: FAILED, {time}: {error:#}", stage.name);
            Outcome::Failed(elapsed, timings, error)
        }
    }
}

/// Returns a parser that takes the names of stages.
pub fn names<'a>(stages: impl Iterator<Item = &'a Stage>) -> PossibleValuesParser {
    stages.map(|stage| stage.name).collect::<Vec<_>>().into()
}

/// Prints the available stages, and what this machine lacks for them.
pub fn list<'a>(stages: impl Iterator<Item = &'a Stage>) {
    for stage in stages {
        println!(
            "{:<12} {} (budget: {})",
            stage.name,
            stage.about,
            minutes(stage.budget())
        );
        if let Some(reason) = stage.missing() {
            println!("{:<12} would be skipped here: {reason}", "");
        }
    }
}

/// Prints a table of the stages that ran, then the failures, and at the end the stages that did not
/// run and why.
pub fn summarise(outcomes: &[(&Stage, Outcome)]) -> ExitCode {
    print_table(outcomes);
    for (stage, outcome) in outcomes {
        if let Outcome::Failed(.., error) = outcome {
            let text = format!("{error:#}");
            let first_line = text.lines().next().unwrap_or_default();
            println!("FAILED {}: {first_line}", stage.name);
        }
    }
    let mut nothing_skipped = true;
    for (stage, outcome) in outcomes {
        match outcome {
            Outcome::Skipped { reason, required } => {
                let required = if *required { " (REQUIRED)" } else { "" };
                println!("skipped {}{required}: {reason}", stage.name);
            }
            Outcome::Excluded(reason) => println!("skipped {}: {reason}", stage.name),
            Outcome::Passed(..) | Outcome::Failed(..) => continue,
        }
        nothing_skipped = false;
    }
    if nothing_skipped {
        println!("nothing was skipped");
    }
    if outcomes.iter().any(|(_, outcome)| outcome.is_failure()) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn print_table(outcomes: &[(&Stage, Outcome)]) {
    println!(
        "\n{:<12} {:<8} {:>9} {:>9} {:>9} {:>7}",
        "stage", "result", "compiled", "ran", "min:s", "budget"
    );
    let mut sum = (Duration::ZERO, Duration::ZERO);
    for (stage, outcome) in outcomes {
        let (result, times) = match outcome {
            Outcome::Passed(elapsed, timings) => ("ok", Some((*elapsed, timings))),
            Outcome::Failed(elapsed, timings, _) => ("FAILED", Some((*elapsed, timings))),
            Outcome::Skipped { .. } => ("skipped", None),
            Outcome::Excluded(_) => continue,
        };
        let [compiled, ran, all] = match times {
            Some((elapsed, timings)) => {
                sum = (sum.0 + timings.compiling, sum.1 + elapsed);
                let ran = elapsed.saturating_sub(timings.compiling);
                [timings.compiling, ran, elapsed].map(minutes)
            }
            None => ["-"; 3].map(str::to_owned),
        };
        println!(
            "{:<12} {result:<8} {compiled:>9} {ran:>9} {all:>9} {:>7}",
            stage.name,
            minutes(stage.budget())
        );
        if times.is_some_and(|(elapsed, _)| elapsed > stage.budget()) {
            println!("warning: {} took longer than its budget", stage.name);
        }
    }
    let times = [sum.0, sum.1 - sum.0, sum.1].map(minutes);
    let [compiled, ran, all] = times;
    println!("{:<12} {:<8} {compiled:>9} {ran:>9} {all:>9}", "all", "");
    for (stage, outcome) in outcomes {
        if let Outcome::Passed(_, timings) | Outcome::Failed(_, timings, _) = outcome {
            print_slowest(stage, "crates", &timings.crates);
            print_slowest(stage, "tests", &timings.tests);
        }
    }
}

/// Prints the slowest crates or tests of a stage, which are known only with `--timings`.
fn print_slowest(stage: &Stage, kind: &str, entries: &[(String, f64)]) {
    if entries.is_empty() {
        return;
    }
    println!("\nslowest {kind} of the stage {}:", stage.name);
    for line in timings::slowest(entries) {
        println!("{line}");
    }
}

pub fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::needs::Need;
    use crate::test::stages::Tier;

    fn stage(needs: &'static [Need], run: fn() -> anyhow::Result<()>) -> Stage {
        Stage {
            name: "rust",
            about: "",
            needs,
            tier: Tier::Quick,
            seconds: 60,
            run,
        }
    }

    #[test]
    fn a_skip_is_a_failure_exactly_if_the_stage_is_required() {
        const ABSENT: &[Need] = &[Need::Program("no-such-program", "nowhere")];
        let run = || panic!("a stage runs without what it needs");
        assert!(!run_stage(&stage(ABSENT, run), false).is_failure());
        assert!(run_stage(&stage(ABSENT, run), true).is_failure());
        assert!(!Outcome::Excluded(String::new()).is_failure());
    }

    #[test]
    fn a_stage_that_fails_is_a_failure() {
        let failing = stage(&[], || anyhow::bail!("no"));
        assert!(run_stage(&failing, false).is_failure());
        let passing = stage(&[], || Ok(()));
        assert!(!run_stage(&passing, true).is_failure());
    }
}
