//! `bytelane dataset plan`.

use crate::commands::rewrite::note_obstacles;
use crate::files::{Force, Output};
use crate::search::Search;
use crate::table::{Format, Largest, Table, format_parser, number, size, text};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use anyhow::Context;
use bytelane_dataset::{
    Action, ClassAdvice, Expected, Listing, Plan, PlanOptions, PromisedOrder, SortAdvice, Spread,
    Unreadable, list, plan_files,
};
use bytelane_parquet::{local_path, remote_url};
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Decide which files of a data set to merge, split or rewrite
///
/// Reads the footers of all .parquet files below ROOT, and values of a few of them. Small files of one directory with the same columns are
/// merged; large files are split between row groups; files are rewritten if better encodings save enough. Files that declare a sort order are
/// merged only where their ranges do not overlap. A data set that needs no changes gives a plan without units.
///
/// Files that cannot be read are listed with the reason, and the exit status is 1; the others are planned.
///
/// Tables of Delta Lake, Apache Iceberg, Apache Hudi, Apache Paimon and DuckLake are refused, because their metadata says which files are part
/// of them; name their current files with --files-from.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The directory of the data set, or its URL on a store, such as s3://bucket/lake
    #[arg(value_name = "ROOT")]
    root: PathBuf,
    /// The file to write the plan to, as JSON; -: standard output, instead of the summary
    #[arg(short, long, value_name = "OUTPUT")]
    output: PathBuf,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    options: PlanOptions,
    /// A file with the paths of the files to plan for, one on each line, such as the current files of a table
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// Price of 1000 requests that read from a store, to estimate the cost of a run from a store to a store
    #[arg(long, value_name = "PRICE", value_parser = parse_price)]
    price_per_1000_reads: Option<f64>,
    /// Price of 1000 requests that write to a store or list it
    #[arg(long, value_name = "PRICE", value_parser = parse_price)]
    price_per_1000_writes: Option<f64>,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

fn parse_price(text: &str) -> Result<f64, String> {
    let price = text.parse().ok();
    let price = price.filter(|price: &f64| price.is_finite() && *price >= 0.0);
    price.ok_or_else(|| "give a price without a currency, as in 0.005".to_owned())
}

/// Machine-readable plan, without the list of files.
#[derive(Serialize)]
struct Answer<'a> {
    files: usize,
    bytes: u64,
    rows: u64,
    units: usize,
    left: usize,
    expected: &'a Expected,
    /// Estimated price of the requests of a run, if prices were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    advice: &'a [ClassAdvice],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sort_orders: &'a [SortAdvice],
    unreadable: &'a [Unreadable],
    notes: &'a [String],
}

/// Number of units of an action, and of their files and bytes.
#[derive(Default)]
struct Sum {
    units: usize,
    files: usize,
    bytes: u64,
    expected: u64,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let listing = self.listing()?;
        note_obstacles(self.options.encodings.as_ref(), &self.options.readers);
        let root = std::slice::from_ref(&self.root);
        self.search.check_outputs(root, &[&self.output])?;
        let verb = Verb::writing(progress::bar(0, "{pos}/{len} footers and samples")?)?;
        let plan = plan_files(&self.root, listing, &self.options, &|done, total| {
            verb.report(done as u64, total as u64)
        });
        let plan = verb.finish(plan)?;
        let mut output = Output::create(Some(&self.output), None, self.force.replace)?;
        serde_json::to_writer_pretty(&mut output, &plan)?;
        writeln!(output)?;
        output.finish()?;
        if self.output != Path::new("-") {
            self.show(&plan)?;
        }
        if plan.unreadable.is_empty() {
            Ok(Outcome::Fine)
        } else {
            Ok(Outcome::Found)
        }
    }

    fn listing(&self) -> anyhow::Result<Listing> {
        let listing = list(&self.root)?;
        let Some(path) = &self.files_from else {
            return Ok(listing.planned(self.search.as_files)?);
        };
        let text = fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read {}", readable::path(path)))?;
        let root = match remote_url(&self.root) {
            Some(_) => self.root.clone(),
            None => fs::canonicalize(&*local_path(&self.root))?,
        };
        let mut paths = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let below = Path::new(line.strip_prefix("file://").unwrap_or(line));
            let below = below.strip_prefix(&root).or(below.strip_prefix(&self.root));
            paths.push(below.map_or(line, |path| path.to_str().unwrap_or(line)));
        }
        Ok(listing.only(paths)?)
    }

    fn show(&self, plan: &Plan) -> anyhow::Result<()> {
        let mut out = standard::output()?;
        let mut table = Table::new([
            text("action"),
            number("units"),
            number("files"),
            number("old size"),
            number("expected size"),
        ]);
        for (name, sum) in sums(plan) {
            table.row([
                name.to_owned(),
                sum.units.to_string(),
                sum.files.to_string(),
                size(sum.bytes, self.format),
                size(sum.expected, self.format),
            ]);
        }
        let answer = Answer {
            files: plan.files,
            bytes: plan.bytes,
            rows: plan.rows,
            units: plan.units.len(),
            left: plan.left.len(),
            expected: &plan.expected,
            cost: self.cost(plan),
            advice: &plan.advice,
            sort_orders: &plan.sort_orders,
            unreadable: &plan.unreadable,
            notes: &plan.notes,
        };
        table.write(self.format, [answer], &mut out)?;
        if self.format == Format::Table {
            self.show_advice(plan, &mut out)?;
            self.show_sort_orders(plan, &mut out)?;
            self.show_unreadable(plan, &mut out)?;
            self.summarize(plan, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    /// Returns the price of the requests of a run from a store to a store, if prices were given.
    fn cost(&self, plan: &Plan) -> Option<f64> {
        if self.price_per_1000_reads.is_none() && self.price_per_1000_writes.is_none() {
            return None;
        }
        let price =
            |requests: u64, price: Option<f64>| requests as f64 / 1000.0 * price.unwrap_or(0.0);
        let expected = &plan.expected;
        Some(
            price(expected.read_requests, self.price_per_1000_reads)
                + price(expected.write_requests, self.price_per_1000_writes),
        )
    }

    fn show_unreadable(&self, plan: &Plan, out: &mut impl Write) -> anyhow::Result<()> {
        if plan.unreadable.is_empty() {
            return Ok(());
        }
        let count = readable::plural(plan.unreadable.len(), "file");
        writeln!(out, "\n{count} cannot be read; a run leaves them out:")?;
        let mut table = Table::new([text("file"), text("error")]);
        for file in &plan.unreadable {
            table.row([file.path.clone(), file.error.clone()]);
        }
        table.write(self.format, [()], out)?;
        Ok(())
    }

    fn summarize(&self, plan: &Plan, out: &mut impl Write) -> anyhow::Result<()> {
        writeln!(out)?;
        for note in &plan.notes {
            writeln!(out, "note: {}", readable::line(note))?;
        }
        if plan.is_empty() {
            writeln!(out, "The data set needs no changes")?;
            return Ok(());
        }
        let expected = &plan.expected;
        writeln!(
            out,
            "{}, {} become about {}, {}; a run reads {} and writes {}",
            readable::plural(plan.files, "file"),
            readable::size(plan.bytes),
            readable::plural(expected.files_after, "file"),
            readable::size(expected.bytes_after),
            readable::size(expected.bytes_read),
            readable::size(expected.bytes_written),
        )?;
        let cost = self.cost(plan);
        if cost.is_some() || remote_url(&plan.root).is_some() {
            let price = cost.map_or(String::new(), |cost| format!(", which cost {cost:.2}"));
            writeln!(
                out,
                "From a store to a store, a run sends about {} to read and {} to write{price}",
                readable::plural(expected.read_requests as usize, "request"),
                readable::plural(expected.write_requests as usize, "request"),
            )?;
        }
        Ok(())
    }

    fn show_sort_orders(&self, plan: &Plan, out: &mut impl Write) -> anyhow::Result<()> {
        if plan.sort_orders.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nSort orders; runs do not sort:")?;
        let mut table = Table::new([
            number("files"),
            text("best order"),
            number("saved"),
            text("promised order"),
            text("checked files"),
        ]);
        for advice in &plan.sort_orders {
            let (promised, checked) = match &advice.promised {
                None => ("none".to_owned(), String::new()),
                Some(promised) => (promised.by.join(", "), truth(promised)),
            };
            let best = match &advice.by[..] {
                [] => "their own".to_owned(),
                by => by.join(", "),
            };
            table.row([
                advice.files.to_string(),
                best,
                spread(advice.saved(), advice.spread),
                promised,
                checked,
            ]);
        }
        table.write(self.format, [()], out)?;
        for promised in plan
            .sort_orders
            .iter()
            .filter_map(|it| it.promised.as_ref())
        {
            for file in &promised.broken {
                let path = readable::line(&file.path);
                writeln!(out, "{path}: {}", readable::line(&file.error))?;
            }
        }
        Ok(())
    }

    fn show_advice(&self, plan: &Plan, out: &mut impl Write) -> anyhow::Result<()> {
        for class in plan.advice.iter().filter(|class| class.rewrite) {
            writeln!(
                out,
                "\nBetter encodings save {} of {}, of which {} tried:",
                spread(class.saved, class.spread),
                readable::plural(class.files, "file"),
                if class.sample.len() == 1 {
                    "1 was".to_owned()
                } else {
                    format!("{} were", class.sample.len())
                },
            )?;
            let mut table = Table::new([
                text("column"),
                text("now"),
                text("best encoding"),
                number("saved"),
            ]);
            let columns = Largest::new(&class.columns, self.format, |column| {
                column.bytes_now.saturating_sub(column.bytes_then)
            });
            for column in columns.iter() {
                let saved = 1.0 - column.bytes_then as f64 / column.bytes_now.max(1) as f64;
                table.row([
                    column.path.clone(),
                    column.now.clone(),
                    column.encoding.clone(),
                    spread(saved.max(0.0), column.spread),
                ]);
            }
            table.write(self.format, [()], out)?;
            columns.note("saving", out)?;
        }
        Ok(())
    }
}

/// Sums the units of each action, and the files to copy unchanged.
fn sums(plan: &Plan) -> Vec<(&'static str, Sum)> {
    let mut sums = Vec::new();
    for action in [Action::Merge, Action::Split, Action::Rewrite] {
        let mut sum = Sum::default();
        for unit in plan.units.iter().filter(|unit| unit.action == action) {
            sum.units += 1;
            sum.files += unit.sources.len();
            sum.bytes += unit.bytes;
            sum.expected += unit.expected_bytes;
        }
        sums.push((action.name(), sum));
    }
    let bytes = plan.left.iter().map(|file| file.bytes).sum();
    let left = Sum {
        units: 0,
        files: plan.left.len(),
        bytes,
        expected: bytes,
    };
    sums.push(("leave", left));
    sums
}

/// Describes how many of the files that promise an order keep it.
fn truth(promised: &PromisedOrder) -> String {
    match promised.broken.len() {
        0 => format!("{} sorted", promised.files),
        broken => format!("{broken} of {} not sorted", promised.files),
    }
}

/// Formats a fraction, and its spread across the files of a sample.
fn spread(share: f64, spread: Spread) -> String {
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    format!(
        "{} ({} to {})",
        percent(share),
        percent(spread.min),
        percent(spread.max)
    )
}
