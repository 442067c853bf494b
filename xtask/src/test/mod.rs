//! `cargo xtask test`: runs the stages of [`stages::STAGES`] whose tools are available.

pub mod extended;
pub mod languages;
pub mod machines;
pub mod needs;
pub mod outcome;
mod rust;
pub mod stages;

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;

use outcome::{Outcome, list, names, run_stage, summarise};
use stages::{STAGES, Stage, Tier};

use crate::timings;

/// The options of `cargo xtask test`.
#[derive(clap::Args)]
pub struct Options {
    /// Run these stages too, and fail if one cannot run (separated by commas); `all` for every stage
    #[arg(long, value_name = "STAGES", value_delimiter = ',', value_parser = names_and_all())]
    require: Vec<String>,

    /// Skip these stages, even with `--require all`
    #[arg(long, value_name = "STAGES", value_delimiter = ',', value_parser = names(stages()))]
    without: Vec<String>,

    /// Run only these stages
    #[arg(long, value_name = "STAGE", value_delimiter = ',', num_args = 1.., value_parser = names(stages()))]
    only: Vec<String>,

    /// Show the stages, their time budgets and what this machine lacks for them; run nothing
    #[arg(long)]
    list: bool,

    /// Show the slowest crates and tests of each stage at the end
    #[arg(long)]
    timings: bool,
}

fn stages() -> impl Iterator<Item = &'static Stage> {
    STAGES.iter().filter(|stage| stage.tier != Tier::Extended)
}

fn names_and_all() -> PossibleValuesParser {
    let names = stages().map(|stage| stage.name);
    names.chain(["all"]).collect::<Vec<_>>().into()
}

impl Options {
    fn requires(&self, stage: &Stage) -> bool {
        let named = |name: &String| name == stage.name || name == "all";
        self.require.iter().any(named)
    }

    /// Returns why the caller excluded the stage, if so.
    fn excludes(&self, stage: &Stage) -> Option<String> {
        let names = |list: &[String], name: &str| list.iter().any(|listed| listed == name);
        if names(&self.without, stage.name) {
            return Some("left out by --without".to_owned());
        }
        if !self.only.is_empty() {
            let chosen = names(&self.only, stage.name);
            return (!chosen).then(|| "not named by --only".to_owned());
        }
        let required = names(&self.require, stage.name) || names(&self.require, "all");
        let left = stage.tier == Tier::Full && !required;
        left.then(|| "left to --require all".to_owned())
    }
}

/// Runs the stages one after the other, even if one fails, and prints a summary.
pub fn run(options: &Options) -> ExitCode {
    if options.list {
        list(stages());
        return ExitCode::SUCCESS;
    }
    if options.timings {
        timings::enable();
    }
    let run = |stage| {
        let excluded = options.excludes(stage);
        let outcome = match excluded {
            Some(reason) => Outcome::Excluded(reason),
            None => run_stage(stage, options.requires(stage)),
        };
        (stage, outcome)
    };
    summarise(&stages().map(run).collect::<Vec<_>>())
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

    fn stage(name: &str) -> &'static Stage {
        let named = |stage: &&Stage| stage.name == name;
        stages().find(named).expect("a stage of `cargo xtask test`")
    }

    #[test]
    fn stage_names_are_unique_and_those_that_options_take() {
        for name in stages().map(|stage| stage.name) {
            assert!(options(&format!("--require {name} --without {name} --only {name}")).is_ok());
        }
        assert!(options("--require all").is_ok());
        assert!(options("--require nonsense").is_err());
        let mut names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STAGES.len());
    }

    #[test]
    fn budgets_keep_what_the_documents_promise() {
        let seconds = |tiers: &[Tier]| -> u64 {
            let counts = |stage: &&Stage| tiers.contains(&stage.tier);
            stages().filter(counts).map(|stage| stage.seconds).sum()
        };
        assert!(seconds(&[Tier::Quick]) <= 10 * 60);
        assert!(seconds(&[Tier::Quick, Tier::Full]) <= 40 * 60);
    }

    #[test]
    fn full_stages_run_where_they_are_asked_for() {
        let runs = |arguments: &str, name: &str| {
            let excluded = options(arguments).unwrap().excludes(stage(name));
            excluded.is_none()
        };
        assert!(runs("", "rust") && !runs("", "wheel"));
        assert!(runs("--require wheel", "wheel") && !runs("--require wheel", "python"));
        assert!(runs("--require all", "wheel"));
        assert!(!runs("--require all --without wheel", "wheel"));
        assert!(runs("--only wheel", "wheel") && !runs("--only wheel", "rust"));
    }

    #[test]
    fn what_is_required_is_what_was_named() {
        let requires =
            |arguments: &str, name: &str| options(arguments).unwrap().requires(stage(name));
        assert!(!requires("", "rust"));
        assert!(requires("--require features,rust", "rust"));
        assert!(!requires("--require features", "rust"));
        assert!(requires("--require all", "rust"));
    }
}
