//! `bytelane dataset run`.

use crate::files::is_stream;
use crate::table::{Format, Table, format_parser, number, text};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use anyhow::bail;
use bytelane_dataset::{Plan, Run, RunOptions, run};
use std::io::Write;
use std::path::PathBuf;

/// Run a plan: write a new directory, and leave the old one unchanged
///
/// Each unit of the plan is done exactly once. Its outputs are written, compared with the sources, and published under their final names.
/// A journal in OUTPUT/_bytelane records it, so after an interruption the same command continues where it stopped. Units that fail are listed,
/// and the others are done. The exit status is 1 if units failed, if other shards have not finished, if files were added to the old directory, or
/// if files could not be read when the plan was made.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The plan that `bytelane dataset plan` wrote
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// The directory to write, or its URL on a store: a new one, or that of an unfinished run of the same plan
    #[arg(short, long, visible_alias = "out", value_name = "OUTPUT")]
    output: PathBuf,
    #[command(flatten)]
    options: RunOptions,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        if is_stream(&self.output) {
            bail!(
                "standard output is one file, and a data set is a directory; name a new directory"
            );
        }
        let mut out = standard::output()?;
        let plan = Plan::open(&self.plan)?;
        let verb = Verb::writing(progress::bar(0, "{bytes}/{total_bytes}")?)?;
        let reporting = verb.clone();
        let options = self.options.clone().with_progress(move |done| {
            reporting.name(readable::plural(done.units, "unit"));
            reporting.report(done.bytes, done.total)
        });
        let outcome = verb.finish(run(&plan, &self.output, &options))?;
        self.show(&outcome, &mut out)?;
        if outcome.is_complete() {
            Ok(Outcome::Fine)
        } else {
            Ok(Outcome::Found)
        }
    }

    fn show(&self, run: &Run, out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = Table::new([text("failed"), number("sources"), text("error")]);
        for failed in &run.failed {
            let (source, error) = (failed.source.clone(), failed.error.clone());
            table.row([source, failed.sources.to_string(), error]);
        }
        if self.format != Format::Table || !run.failed.is_empty() {
            table.write(self.format, [run], out)?;
        }
        if self.format == Format::Table {
            summarize(run, out)?;
        }
        out.flush()?;
        Ok(())
    }
}

fn summarize(run: &Run, out: &mut impl Write) -> anyhow::Result<()> {
    if run.units == 0 {
        writeln!(out, "The plan has no units: there is nothing to do")?;
        return Ok(());
    }
    writeln!(
        out,
        "{} of {} published ({} became {}), {} earlier, {} failed, {} left to other shards",
        run.published,
        readable::plural(run.units, "unit"),
        readable::size(run.bytes_before),
        readable::size(run.bytes_after),
        run.published_before,
        run.failed.len(),
        run.remaining,
    )?;
    for path in &run.unplanned {
        writeln!(out, "not in the plan: {}", readable::line(path))?;
    }
    if !run.unplanned.is_empty() {
        writeln!(
            out,
            "Files were added after the plan was made; make a new plan"
        )?;
    }
    if run.unreadable > 0 {
        let files = readable::plural(run.unreadable, "file");
        writeln!(
            out,
            "{files} could not be read when the plan was made; repair or remove them, and make a new plan"
        )?;
    }
    if run.is_complete() {
        writeln!(out, "The new directory is complete")?;
    }
    Ok(())
}
