//! `bytelane stats`.

use super::files::{Files, Window};
use super::shown::Columns;
use super::source::Source;
use super::text::cells::{cut, text_of, value_of};
use crate::table::{Column as TableColumn, terminal_width};
use crate::table::{Format, Table, format_parser, number, text, wrapped};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use arrow_array::ArrayRef;
use bytelane_parquet::arrow_schema::Field;
use bytelane_parquet::filter::Selection;
use bytelane_parquet::unite::words;
use bytelane_parquet_files::stats::{ColumnStats, Count, StatsOptions};
use serde_json::{Value, json};
use std::io::Write;

/// Longest value in a table, in characters, and in one for a narrow terminal.
const WIDEST: usize = 20;
const WIDEST_IN_NARROW: usize = 12;

/// Width of a terminal that is not narrow.
const WIDE: usize = 120;

/// Describe the columns of Parquet files: nulls, distinct and frequent values, bounds, mean, quantiles, histogram
///
/// All values are read, batch by batch, in memory that does not depend on the number of rows. Distinct values are counted exactly up to 65,536
/// of a column, or fewer if there are many columns, and estimated beyond. Quantiles and histograms are those of a random sample of as many
/// rows. The output says which figures are estimates.
///
/// NaN is counted by itself, and is neither a bound nor in the mean, the quantiles and the histogram. Members of structs are columns of their own.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Stats {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    options: StatsOptions,
    /// Only types, nulls and bounds, from the footers: values are read only of columns whose exact bounds these do not tell
    #[arg(long, conflicts_with_all = ["condition", "top", "bars"])]
    footer: bool,
    /// A table, one JSON object per column, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    pub(super) format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane stats trades.parquet
  bytelane stats lake/ --footer
  bytelane stats lake/ --columns price,venue --where \"price > 0\" --top 10
  bytelane stats trades.parquet --format json | jq 'select(.nulls > 0) | .column'";

impl Stats {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let files = self.source.open(false)?;
        let mut out = standard::output()?;
        if self.footer {
            self.show_footers(&files, &mut out)?;
            out.flush()?;
            return Ok(Outcome::Fine);
        }
        let verb = Verb::reading(progress::bar(0, "{pos} rows")?)?;
        let (rows, columns) = self.describe(&files, &self.selection(), &verb)?;
        self.show(&columns, &mut out)?;
        if self.format == Format::Table {
            writeln!(out)?;
            let rows = readable::plural(usize::try_from(rows).unwrap_or(usize::MAX), "row");
            let summary = format!("{rows}. {}", exactness(&columns));
            writeln!(out, "{}", wrapped(&summary, terminal_width()))?;
        }
        out.flush()?;
        Ok(Outcome::Fine)
    }

    pub(super) fn selection(&self) -> Selection {
        self.columns.selection(&self.source)
    }

    pub(super) fn named(&self) -> Vec<&str> {
        self.columns.named(&self.source)
    }

    /// Reads the values of a selection. Returns the number of rows, and the description of all columns.
    pub(super) fn describe(
        &self,
        files: &Files,
        selection: &Selection,
        verb: &Verb,
    ) -> anyhow::Result<(u64, Vec<ColumnStats>)> {
        let mut stats = bytelane_parquet_files::stats::Stats::new(self.options.clone());
        let mut rows = 0;
        let read = files.each(selection, &self.named(), Window::ALL, &mut |batch| {
            rows += batch.num_rows() as u64;
            // A signal ends the process by itself.
            let _ = verb.count(rows);
            Ok(stats.add(batch)?)
        });
        verb.finish(read)?;
        Ok((rows, stats.finish()?))
    }

    fn show(&self, columns: &[ColumnStats], out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = Table::new(header());
        let mut objects = Vec::new();
        for column in columns {
            table.row(self.cells(column)?);
            objects.push(object(column)?);
        }
        Ok(table.write(self.format, objects, out)?)
    }

    /// Returns the text of a value, shortened for people.
    pub(super) fn shown(&self, value: Option<&ArrayRef>) -> anyhow::Result<String> {
        let is_for_people = matches!(self.format, Format::Table | Format::Markdown);
        let text = value.map(text_of).transpose()?;
        let text = text.map(|text| if is_for_people { short(text) } else { text });
        Ok(text.unwrap_or_default())
    }

    fn cells(&self, column: &ColumnStats) -> anyhow::Result<[String; 13]> {
        let shown = |value: Option<&ArrayRef>| self.shown(value);
        let mark = if column.is_all { "" } else { "~" };
        let quantile = |index: usize| {
            let value = column.quantiles.as_ref().map(|values| &values[index]);
            let text = shown(value)?;
            anyhow::Ok(if text.is_empty() {
                text
            } else {
                format!("{mark}{text}")
            })
        };
        let bound = |index: usize| shown(column.bounds.as_ref().map(|bounds| &bounds[index]));
        let frequent = column.frequent.iter().map(|(value, count)| {
            Ok(format!(
                "{} ({})",
                shown(Some(value))?,
                count_text(*count, ">=")
            ))
        });
        let frequent: Vec<String> = frequent.collect::<anyhow::Result<_>>()?;
        Ok([
            column.path.clone(),
            words(&Field::new("", column.data_type.clone(), true)),
            column.nulls.to_string(),
            if column.nans > 0 {
                column.nans.to_string()
            } else {
                String::new()
            },
            count_text(column.distinct, "~"),
            bound(0)?,
            quantile(0)?,
            quantile(1)?,
            quantile(2)?,
            bound(1)?,
            column.mean.map_or_else(String::new, significant),
            bars(&column.histogram),
            frequent.join(", "),
        ])
    }
}

/// Columns of the table. A narrow terminal shows those that tell the most.
fn header() -> [TableColumn; 13] {
    [
        text("column"),
        text("type").dispensable(3),
        number("nulls"),
        number("nan").dispensable(8),
        number("distinct"),
        number("min").dispensable(1),
        number("25%").dispensable(7),
        number("median").dispensable(4),
        number("75%").dispensable(7),
        number("max").dispensable(1),
        number("mean").dispensable(5),
        text("histogram").dispensable(2),
        text("most frequent").dispensable(6),
    ]
}

/// Says which figures are exact.
fn exactness(columns: &[ColumnStats]) -> String {
    let distinct = columns.iter().any(|column| !column.distinct.is_exact);
    let sampled = columns.iter().any(|column| !column.is_all);
    let frequent = columns.iter();
    let frequent = frequent.flat_map(|column| &column.frequent);
    let frequent = frequent.into_iter().any(|(_, count)| !count.is_exact);
    let mut estimates = Vec::new();
    if distinct {
        estimates.push("~ marks estimates of distinct values, with an error of about 1%");
    }
    if sampled {
        estimates.push("quantiles with ~ and their histograms are those of a random sample");
    }
    if frequent {
        estimates.push(">= marks least counts");
    }
    if estimates.is_empty() {
        return "All figures are exact.".to_owned();
    }
    format!("Exact, except that {}.", estimates.join("; "))
}

fn count_text(count: Count, mark: &str) -> String {
    let mark = if count.is_exact { "" } else { mark };
    format!("{mark}{}", count.value)
}

/// Shortens a text for a table.
fn short(text: String) -> String {
    let is_wide = terminal_width() >= WIDE;
    let widest = if is_wide { WIDEST } else { WIDEST_IN_NARROW };
    cut(readable::line(&text).into_owned(), widest)
}

/// Formats a mean with six significant digits.
fn significant(mean: f64) -> String {
    let exponent = mean.abs().log10().floor();
    if mean == 0.0 || !mean.is_finite() {
        return mean.to_string();
    }
    if !(-5.0..15.0).contains(&exponent) {
        return format!("{mean:.5e}");
    }
    let decimals = (5.0 - exponent).clamp(0.0, 10.0) as usize;
    let text = format!("{mean:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Draws a histogram. Parts without values are empty.
fn bars(counts: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &u64| match count {
        0 => ' ',
        count => BARS[((count * 8).div_ceil(most) as usize).clamp(1, 8) - 1],
    };
    counts.iter().map(bar).collect()
}

/// Returns the description of a column for programs.
fn object(column: &ColumnStats) -> anyhow::Result<Value> {
    let value = value_of;
    let bound = |index: usize| {
        column
            .bounds
            .as_ref()
            .map(|it| value(&it[index]))
            .transpose()
    };
    let quantiles = column.quantiles.as_ref();
    let quantiles = quantiles.map(|it| it.iter().map(value).collect::<anyhow::Result<Vec<_>>>());
    let frequent = column.frequent.iter().map(|(array, count)| {
        Ok(json!({"value": value(array)?, "count": count.value, "exact": count.is_exact}))
    });
    let frequent: Vec<Value> = frequent.collect::<anyhow::Result<_>>()?;
    Ok(json!({
        "column": column.path,
        "type": words(&Field::new("", column.data_type.clone(), true)),
        "rows": column.rows,
        "nulls": column.nulls,
        "nans": column.nans,
        "distinct": column.distinct.value,
        "distinct_exact": column.distinct.is_exact,
        "min": bound(0)?,
        "max": bound(1)?,
        "mean": column.mean,
        "quantiles": quantiles.transpose()?,
        "quantiles_exact": column.is_all,
        "histogram": column.histogram,
        "frequent": frequent,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_six_digits() {
        let means = [
            0.0,
            1.5,
            1234.5678,
            -0.000123456789,
            1e20,
            123_456_789.0,
            f64::NAN,
        ];
        let shown = [
            "0",
            "1.5",
            "1234.57",
            "-0.000123457",
            "1.00000e20",
            "123456789",
            "NaN",
        ];
        assert_eq!(means.map(significant), shown);
    }

    #[test]
    fn bars_show_small_counts() {
        assert_eq!(bars(&[0, 1, 50, 100]), " ▁▄█");
        assert_eq!(bars(&[]), "");
        assert_eq!(bars(&[0, 0]), "  ");
    }
}
