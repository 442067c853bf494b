//! Results of a rewrite as tables and text.

use super::{Arguments, Done};
use crate::readable;
use crate::table::{Format, Table, number, size, text};
use bytelane_parquet_files::rewrite::{ColumnState, Rewritten, RewrittenColumn};
use std::io::{self, Write};
use std::path::Path;

impl Arguments {
    pub(super) fn show(
        &self,
        all: &[Done],
        output: &Path,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        if all.len() > 1 && matches!(self.format, Format::Table | Format::Markdown) {
            return self.show_files(all, output, out);
        }
        let file = (all.len() > 1).then(|| text("file"));
        let columns = [
            text("column"),
            text("re-encoded").dispensable(3),
            text("encodings").dispensable(1),
            text("compression").dispensable(2),
            number("old size"),
            number("new size"),
            number("saved"),
        ];
        let mut table = Table::new(file.into_iter().chain(columns));
        for done in all {
            for column in &done.rewritten.columns {
                let file = (all.len() > 1).then(|| done.input.clone());
                table.row(
                    file.into_iter()
                        .chain(cells(column, self.format))
                        .collect::<Vec<_>>(),
                );
            }
        }
        table.write(self.format, all, out)?;
        if self.format == Format::Table {
            writeln!(out)?;
            all.iter().try_for_each(|done| done.summarize(out))?;
        }
        out.flush()?;
        Ok(())
    }

    /// Writes one line for each of several files, and their sum.
    fn show_files(&self, all: &[Done], output: &Path, out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = Table::new([
            text("file"),
            text("re-encoded").dispensable(1),
            number("old size"),
            number("new size"),
            number("saved"),
        ]);
        let (mut before, mut after) = (0, 0);
        for Done {
            input, rewritten, ..
        } in all
        {
            let columns = rewritten.columns.iter();
            let changed = columns.filter(|column| column.rewritten > 0).count();
            table.row([
                input.clone(),
                format!("{changed} of {} columns", rewritten.columns.len()),
                readable::size(rewritten.bytes_before),
                readable::size(rewritten.bytes_after),
                saved(rewritten.bytes_before, rewritten.bytes_after),
            ]);
            before += rewritten.bytes_before;
            after += rewritten.bytes_after;
        }
        table.row([
            format!("{} files", all.len()),
            String::new(),
            readable::size(before),
            readable::size(after),
            saved(before, after),
        ]);
        table.write(self.format, all, out)?;
        if self.format == Format::Table {
            writeln!(out)?;
            let nothing = if self.options.dry_run {
                "; nothing was written"
            } else {
                ""
            };
            let verified = if all.iter().all(|done| done.rewritten.verified) {
                "; every value compared"
            } else {
                ""
            };
            let output = readable::path(output);
            writeln!(out, "{} files in {output}{nothing}{verified}", all.len())?;
        }
        out.flush()?;
        Ok(())
    }
}

impl Done {
    fn summarize(&self, out: &mut impl Write) -> io::Result<()> {
        let Rewritten {
            bytes_before,
            bytes_after,
            verified,
            ..
        } = &self.rewritten;
        let input = readable::line(&self.input);
        let output = readable::line(self.output.as_deref().unwrap_or("Rewritten"));
        let (nothing, verified) = match (&self.output, verified) {
            (None, _) => (", nothing was written", ""),
            (_, true) => ("", ", every value compared"),
            (_, false) => ("", ""),
        };
        let saved = saved(*bytes_before, *bytes_after);
        writeln!(
            out,
            "{input}: {}. {output}: {}{nothing}, {saved} saved{verified}",
            readable::size(*bytes_before),
            readable::size(*bytes_after)
        )?;
        let columns = self.rewritten.columns.iter();
        for (column, obstacle) in columns.filter_map(|it| it.obstacle.as_ref().map(|why| (it, why)))
        {
            let (name, obstacle) = (readable::line(&column.path), readable::line(obstacle));
            writeln!(out, "{name} cannot change: {obstacle}")?;
        }
        Ok(())
    }
}

fn cells(column: &RewrittenColumn, format: Format) -> [String; 7] {
    let anew = match (&column.obstacle, column.rewritten, format) {
        (Some(obstacle), 0, Format::Csv) => obstacle.clone(),
        (Some(_), 0, _) => "cannot change".to_owned(),
        _ => format!("{} of {}", column.rewritten, column.chunks),
    };
    [
        column.path.clone(),
        anew,
        change(column, |state| &state.encodings),
        change(column, |state| &state.compressions),
        size(column.before.bytes, format),
        size(column.after.bytes, format),
        saved(column.before.bytes, column.after.bytes),
    ]
}

/// Formats `before -> after`, or the value if it is unchanged.
fn change(column: &RewrittenColumn, of: impl Fn(&ColumnState) -> &Vec<String>) -> String {
    let (before, after) = (of(&column.before).join(", "), of(&column.after).join(", "));
    if before == after {
        before
    } else {
        format!("{before} -> {after}")
    }
}

fn saved(before: u64, after: u64) -> String {
    let (before, after) = (before as f64, after as f64);
    format!("{:.1}%", 100.0 * (before - after) / before.max(1.0))
}
