//! `bytelane stats --footer`.

use super::files::Files;
use super::stats::Stats;
use super::text::cells::value_of;
use crate::table::{Format, Table, number, terminal_width, text, wrapped};
use crate::verb::Verb;
use crate::{progress, readable};
use bytelane_parquet::arrow_schema::Field;
use bytelane_parquet::unite::words;
use bytelane_parquet_files::stats::{ColumnBounds, Footers};
use serde_json::{Value, json};
use std::io::Write;

impl Stats {
    /// Shows nulls and bounds, and reads only the columns whose footers do not tell them.
    pub fn show_footers(&self, files: &Files, out: &mut impl Write) -> anyhow::Result<()> {
        let (selection, named) = (self.selection(), self.named());
        let mut footers: Option<Footers> = None;
        files.footers(&selection, &named, &mut |footer, own, columns| {
            let footers = footers.get_or_insert_with(|| Footers::new(columns));
            Ok(footers.add(footer, own)?)
        })?;
        let Some(footers) = footers else {
            return Ok(());
        };
        let unknown: Vec<String> = footers.unknown().into_iter().map(str::to_owned).collect();
        let mut columns = footers.finish();
        if !unknown.is_empty() {
            let selection = selection.with_columns(unknown.iter().map(String::as_str));
            let verb = Verb::reading(progress::bar(0, "{pos} rows")?)?;
            for read in self.describe(files, &selection, &verb)?.1 {
                let read = ColumnBounds::from(read);
                if let Some(column) = columns.iter_mut().find(|it| it.path == read.path) {
                    *column = read;
                }
            }
        }
        self.show_bounds(&columns, out)?;
        if self.format == Format::Table {
            let rows = columns.first().map_or(0, |column| column.rows);
            let rows = readable::plural(usize::try_from(rows).unwrap_or(usize::MAX), "row");
            let source = match unknown.len() {
                0 => "from the footers".to_owned(),
                read if read == columns.len() => "from the values".to_owned(),
                read => format!(
                    "from the footers, and of {} from their values",
                    readable::plural(read, "column")
                ),
            };
            let summary = format!("{rows}. All figures are exact, {source}.");
            writeln!(out, "\n{}", wrapped(&summary, terminal_width()))?;
        }
        Ok(())
    }

    fn show_bounds(&self, columns: &[ColumnBounds], out: &mut impl Write) -> anyhow::Result<()> {
        let header = [
            text("column"),
            text("type").dispensable(3),
            number("nulls"),
            number("min").dispensable(1),
            number("max").dispensable(1),
        ];
        let mut table = Table::new(header);
        let mut objects = Vec::new();
        for column in columns {
            let bound = |at: usize| column.bounds.as_ref().map(|it| &it[at]);
            table.row([
                column.path.clone(),
                words(&Field::new("", column.data_type.clone(), true)),
                column.nulls.to_string(),
                self.shown(bound(0))?,
                self.shown(bound(1))?,
            ]);
            objects.push(object(column)?);
        }
        Ok(table.write(self.format, objects, out)?)
    }
}

/// Returns the description of a column for programs.
fn object(column: &ColumnBounds) -> anyhow::Result<Value> {
    let bound = |at: usize| {
        let bound = column.bounds.as_ref().map(|it| &it[at]);
        bound.map(value_of).transpose()
    };
    Ok(json!({
        "column": column.path,
        "type": words(&Field::new("", column.data_type.clone(), true)),
        "rows": column.rows,
        "nulls": column.nulls,
        "min": bound(0)?,
        "max": bound(1)?,
    }))
}
