//! `cargo xtask test`: runs the stages of [`stages::STAGES`] whose tools are there.

mod assembly;
mod browser;
pub mod cross;
mod dependencies;
mod features;
mod fuzz;
mod go;
pub mod needs;
mod python;
mod rust;
mod stages;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;

use stages::{STAGES, Stage};

/// The options of `cargo xtask test`.
#[derive(clap::Args)]
pub struct Options {
    /// Stages whose skip is a failure (separated by commas), or `all`
    #[arg(long, value_name = "STAGES", value_delimiter = ',', value_parser = names_and_all())]
    require: Vec<String>,

    /// Stages not to run, even if `--require all` is given
    #[arg(long, value_name = "STAGES", value_delimiter = ',', value_parser = names())]
    without: Vec<String>,

    /// Run these stages and no other
    #[arg(long, value_name = "STAGE", value_delimiter = ',', num_args = 1.., value_parser = names())]
    only: Vec<String>,

    /// Show the stages, their time budgets and what this machine lacks for them; run nothing
    #[arg(long)]
    list: bool,
}

fn names() -> PossibleValuesParser {
    STAGES
        .iter()
        .map(|stage| stage.name)
        .collect::<Vec<_>>()
        .into()
}

fn names_and_all() -> PossibleValuesParser {
    let names = STAGES.iter().map(|stage| stage.name);
    names.chain(["all"]).collect::<Vec<_>>().into()
}

impl Options {
    fn requires(&self, stage: &Stage) -> bool {
        let named = |name: &String| name == stage.name || (name == "all" && stage.in_all);
        self.require.iter().any(named)
    }

    /// Why the caller does not want the stage, if he does not.
    fn excludes(&self, stage: &Stage) -> Option<String> {
        let names = |list: &[String]| list.iter().any(|name| name == stage.name);
        if names(&self.without) {
            return Some("left out by --without".to_owned());
        }
        let chosen = self.only.is_empty() || names(&self.only);
        (!chosen).then(|| "not named by --only".to_owned())
    }
}

/// How a stage ended.
enum Outcome {
    Passed(Duration),
    Failed(Duration, anyhow::Error),
    /// A skip for want of tools; `required` makes it a failure.
    Skipped {
        reason: String,
        required: bool,
    },
    /// Left out by the caller's own wish, which is never a failure.
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

/// Runs the stages one after the other, all of them even if one fails, and sums up.
pub fn run(options: &Options) -> ExitCode {
    if options.list {
        list();
        return ExitCode::SUCCESS;
    }
    let mut outcomes = Vec::new();
    for stage in STAGES {
        outcomes.push((stage, run_stage(stage, options)));
    }
    summarise(&outcomes);
    if outcomes.iter().any(|(_, outcome)| outcome.is_failure()) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn run_stage(stage: &Stage, options: &Options) -> Outcome {
    if let Some(reason) = options.excludes(stage) {
        return Outcome::Excluded(reason);
    }
    if let Some(reason) = stage.missing() {
        let required = options.requires(stage);
        return Outcome::Skipped { reason, required };
    }
    println!("\n==> stage {}: {}", stage.name, stage.about);
    let start = Instant::now();
    let result = (stage.run)();
    let elapsed = start.elapsed();
    match result {
        Ok(()) => {
            println!("<== stage {} passed in {}", stage.name, minutes(elapsed));
            Outcome::Passed(elapsed)
        }
        Err(error) => {
            println!("<== stage {} FAILED: {error:#}", stage.name);
            Outcome::Failed(elapsed, error)
        }
    }
}

fn list() {
    for stage in STAGES {
        println!(
            "{:<12} {} (budget: {} min)",
            stage.name, stage.about, stage.minutes
        );
        if let Some(reason) = stage.missing() {
            println!("{:<12} would be skipped here: {reason}", "");
        }
        if !stage.in_all {
            println!("{:<12} not part of `--require all`", "");
        }
    }
}

/// A table of what ran, then the failures, then, as the last lines, what did not run and why.
fn summarise(outcomes: &[(&Stage, Outcome)]) {
    println!(
        "\n{:<12} {:<8} {:>9} {:>7}",
        "stage", "result", "min:s", "budget"
    );
    for (stage, outcome) in outcomes {
        let (result, elapsed) = match outcome {
            Outcome::Passed(elapsed) => ("passed", Some(*elapsed)),
            Outcome::Failed(elapsed, _) => ("FAILED", Some(*elapsed)),
            Outcome::Skipped { .. } => ("skipped", None),
            Outcome::Excluded(_) => continue,
        };
        let time = elapsed.map_or("-".to_owned(), minutes);
        println!(
            "{:<12} {result:<8} {time:>9} {:>7}",
            stage.name, stage.minutes
        );
        if elapsed.is_some_and(|elapsed| elapsed > stage.budget()) {
            println!("warning: {} took longer than its budget", stage.name);
        }
    }
    for (stage, outcome) in outcomes {
        if let Outcome::Failed(_, error) = outcome {
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
            Outcome::Passed(_) | Outcome::Failed(..) => continue,
        }
        nothing_skipped = false;
    }
    if nothing_skipped {
        println!("nothing was skipped");
    }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        options: Options,
    }

    fn options(arguments: &str) -> Result<Options, clap::Error> {
        let words = ["test"].into_iter().chain(arguments.split_whitespace());
        Arguments::try_parse_from(words).map(|arguments| arguments.options)
    }

    fn stage(needs: &'static [needs::Need], run: fn() -> anyhow::Result<()>) -> Stage {
        Stage {
            name: "rust",
            about: "",
            needs,
            in_all: true,
            minutes: 1,
            run,
        }
    }

    const ABSENT: &[needs::Need] = &[needs::Need::Program("no-such-program", "nowhere")];

    #[test]
    fn stage_names_are_unique_and_those_that_options_take() {
        let mut names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        for name in &names {
            assert!(options(&format!("--require {name} --without {name} --only {name}")).is_ok());
        }
        assert!(options("--require all").is_ok());
        assert!(options("--require nonsense").is_err());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STAGES.len());
    }

    #[test]
    fn all_that_is_required_has_half_an_hour() {
        let required = STAGES.iter().filter(|stage| stage.in_all);
        assert!(required.map(|stage| stage.minutes).sum::<u64>() <= 30);
    }

    #[test]
    fn a_skip_is_a_failure_exactly_if_the_stage_is_required() {
        let skipped = |arguments: &str| {
            let run = || panic!("a stage runs without what it needs");
            run_stage(&stage(ABSENT, run), &options(arguments).unwrap())
        };
        assert!(!skipped("").is_failure());
        assert!(!skipped("--require features").is_failure());
        assert!(skipped("--require features,rust").is_failure());
        assert!(skipped("--require all").is_failure());
        assert!(!skipped("--require all --without rust").is_failure());
        assert!(!skipped("--require all --only features").is_failure());
    }

    #[test]
    fn a_stage_that_fails_is_a_failure() {
        let failing = stage(&[], || anyhow::bail!("no"));
        assert!(run_stage(&failing, &options("").unwrap()).is_failure());
        let passing = stage(&[], || Ok(()));
        assert!(!run_stage(&passing, &options("--require all").unwrap()).is_failure());
    }
}
