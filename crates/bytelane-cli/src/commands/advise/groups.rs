//! Advice for several files: one table, and one set of settings for files with the same columns.

use super::Arguments;
use super::show::{choices, smaller_compression, write_notes, write_settings};
use crate::readable;
use crate::table::{Table, number, text};
use bytelane_parquet_files::advise::{Advice, ColumnAdvice};
use std::io::Write;

/// Advice for files with the same columns.
type Group<'a> = Vec<&'a Advice>;

/// Shows advice for several files.
pub fn show(arguments: &Arguments, all: &[Advice], out: &mut impl Write) -> anyhow::Result<()> {
    let mut table = Table::new([
        text("file"),
        number("rows").dispensable(2),
        number("current size"),
        number("new size"),
        number("saved").dispensable(1),
    ]);
    let (mut rows, mut now, mut then) = (0, 0, 0);
    for advice in all {
        rows += advice.rows;
        now += advice.bytes_now();
        then += advice.bytes_then();
        let name = advice.file.to_string_lossy().into_owned();
        table.row(cells(
            name,
            advice.rows,
            advice.bytes_now(),
            advice.bytes_then(),
        ));
    }
    table.row(cells(format!("{} files", all.len()), rows, now, then));
    table.write(arguments.format, [()], out)?;
    for group in groups(all) {
        show_group(arguments, &group, out)?;
    }
    Ok(())
}

fn cells(name: String, rows: u64, now: u64, then: u64) -> [String; 5] {
    let saved = 1.0 - then as f64 / now.max(1) as f64;
    [
        name,
        rows.to_string(),
        readable::size(now),
        readable::size(then),
        format!("{:.1}%", 100.0 * saved),
    ]
}

/// Groups files by their columns, in order of appearance.
fn groups(all: &[Advice]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for advice in all {
        let same = |group: &&mut Group<'_>| {
            let columns = |advice: &Advice| {
                let columns = advice.columns.iter();
                let columns = columns.map(|it| (it.path.clone(), it.column_type.clone()));
                columns.collect::<Vec<_>>()
            };
            group[0].kind == advice.kind && columns(group[0]) == columns(advice)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(advice),
            None => groups.push(vec![advice]),
        }
    }
    groups
}

fn show_group(
    arguments: &Arguments,
    group: &[&Advice],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let Some(largest) = group.iter().max_by_key(|advice| advice.bytes_now()) else {
        return Ok(());
    };
    let name = readable::path(&group[0].file);
    match group.len() - 1 {
        0 => writeln!(out, "\n{name}:\n")?,
        1 => writeln!(out, "\n{name} and another file with the same columns:\n")?,
        others => writeln!(out, "\n{name} and {others} files with the same columns:\n")?,
    }
    let mut sum = (*largest).clone();
    for (index, column) in sum.columns.iter_mut().enumerate() {
        let others = group.iter().map(|advice| &advice.columns[index]);
        add_up(column, &others.collect::<Vec<_>>());
    }
    choices(&sum).write(arguments.format, [()], out)?;
    write_notes(&sum, out)?;
    if let Some(line) = smaller_compression(&sum) {
        writeln!(out, "\n{line}")?;
    }
    writeln!(out)?;
    if group.len() > 1 {
        for settings in sum.settings.iter_mut() {
            if settings.writer == "bytelane rewrite" {
                let options = settings.text.rsplit_once(" out.parquet");
                let options = options.map_or("", |(_, options)| options);
                settings.text = format!("bytelane rewrite {} out/{options}", arguments.words());
            }
        }
    }
    write_settings(arguments.format, &sum.settings, out)
}

/// Extends the advice for a column of one file to that column in all files.
fn add_up(column: &mut ColumnAdvice, all: &[&ColumnAdvice]) {
    let sum = |of: fn(&ColumnAdvice) -> u64| all.iter().map(|it| of(it)).sum();
    column.bytes_now = sum(|it| it.bytes_now);
    column.bytes_then = sum(|it| it.bytes_then);
    column.nulls = sum(|it| it.nulls);
    if let Some(alternative) = &mut column.alternative {
        let bytes = |it: &ColumnAdvice| match &it.alternative {
            Some(other) => other.bytes,
            None => it.bytes_then,
        };
        alternative.bytes = sum(bytes);
    }
    column.rows = sum(|it| it.rows);
    // If some files change, show the choice for the largest one, as in the settings.
    column.keep = all.iter().all(|it| it.keep);
    column.nulls_estimated = all.iter().any(|it| it.nulls_estimated);
    // Files may or may not share values, so distinct values cannot be added up.
    if all.len() > 1 {
        (column.distinct, column.entropy_bits) = (None, None);
    }
}
