//! `bytelane inspect`.

use crate::search::Search;
use crate::table::{Column as TableColumn, Format, Table, format_parser, number, size, text};
use crate::{Outcome, readable, standard};
use anyhow::bail;
use bytelane_parquet_files::inspect::{
    Column, InspectOptions, Inspection, Metadata, inspect, metadata,
};
use clap::ValueEnum;
use std::io::Write;
use std::path::PathBuf;

/// Number of characters of a value of the metadata that a table shows.
const SHOWN: usize = 40;

/// Show what is in a Parquet file: row groups, columns, encodings, pages, sizes
///
/// Reads the footer and the page headers but no values, so large files take no longer.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The Parquet file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    search: Search,
    /// Items to show, one per line
    #[arg(long, value_name = "WHAT", default_value = "columns")]
    by: Line,
    /// Show only the schema, in the syntax of the Parquet specification
    #[arg(long)]
    schema: bool,
    /// Show only the metadata of the whole file, or the value of this key, as it is stored
    #[arg(long, value_name = "KEY", num_args = 0..=1, require_equals = true, conflicts_with_all = ["schema", "by"])]
    metadata: Option<Option<String>>,
    #[command(flatten)]
    options: InspectOptions,
    /// A table, everything as one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Line {
    /// Columns, summed over all row groups
    Columns,
    /// Columns of each row group
    RowGroups,
    /// Pages
    Pages,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let file = self.search.one(&self.file)?;
        if let Some(key) = &self.metadata {
            let found = metadata(&file)?;
            match key {
                Some(key) => show_value(&found, key, &mut out)?,
                None => self.show_metadata(&found, &mut out)?,
            }
            out.flush()?;
            return Ok(Outcome::Fine);
        }
        let inspection = inspect(&file, &self.options)?;
        if self.schema {
            writeln!(out, "{}", readable::lines(&inspection.schema))?;
            return Ok(Outcome::Fine);
        }
        if self.format == Format::Table {
            writeln!(out, "{}\n", self.summary(&inspection))?;
        }
        let table = match self.by {
            Line::Columns => columns(&inspection, self.format),
            Line::RowGroups => row_groups(&inspection, self.format),
            Line::Pages => pages(&inspection, self.format),
        };
        table.write(self.format, [&inspection], &mut out)?;
        out.flush()?;
        Ok(Outcome::Fine)
    }

    fn show_metadata(&self, found: &Metadata, out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = Table::new([text("key"), text("value")]);
        let facts = [
            ("size", size(found.bytes, self.format)),
            ("rows", found.rows.to_string()),
            ("row groups", found.row_groups.to_string()),
            ("columns", found.columns.to_string()),
            ("format version", found.version.to_string()),
            ("written by", found.created_by.clone().unwrap_or_default()),
        ];
        let is_for_people = matches!(self.format, Format::Table | Format::Markdown);
        let pairs = found.key_values.iter().map(|pair| {
            let value = pair.value.clone().unwrap_or_default();
            let value = if is_for_people { short(&value) } else { value };
            (pair.key.as_str(), value)
        });
        for (key, value) in facts.into_iter().chain(pairs) {
            table.row([key.to_owned(), value]);
        }
        Ok(table.write(self.format, [found], out)?)
    }

    fn summary(&self, inspection: &Inspection) -> String {
        let Inspection {
            bytes,
            rows,
            created_by,
            row_groups,
            ..
        } = inspection;
        let writer = readable::line(created_by.as_deref().unwrap_or("an unknown writer"));
        let groups = row_groups.len();
        let plural = if groups == 1 { "" } else { "s" };
        format!(
            "{}: {}, {rows} rows in {groups} row group{plural}, written by {writer}",
            readable::path(&self.file),
            readable::size(*bytes),
        )
    }
}

/// Writes the value of a key, and nothing else.
fn show_value(found: &Metadata, key: &str, out: &mut impl Write) -> anyhow::Result<()> {
    let pair = found.key_values.iter().find(|pair| pair.key == key);
    let Some(pair) = pair else {
        let keys = found
            .key_values
            .iter()
            .map(|pair| readable::line(&pair.key));
        let keys = keys.collect::<Vec<_>>().join(", ");
        let key = readable::line(key);
        bail!("the file has no key {key}. Its keys: {keys}");
    };
    writeln!(out, "{}", pair.value.as_deref().unwrap_or_default())?;
    Ok(())
}

/// Shortens a long value.
fn short(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!(
            "{}… ({})",
            &value[..end],
            readable::size(value.len() as u64)
        ),
        None => value.to_owned(),
    }
}

/// Sums of a column over row groups.
struct Sums<'a> {
    chunks: Vec<&'a Column>,
}

impl Sums<'_> {
    fn sum(&self, of: impl Fn(&Column) -> u64) -> u64 {
        self.chunks.iter().map(|chunk| of(chunk)).sum()
    }

    /// Returns the distinct strings, in order of appearance.
    fn distinct<'b>(&'b self, of: impl Fn(&'b Column) -> Vec<&'b str>) -> String {
        let mut texts: Vec<&str> = Vec::new();
        for text in self.chunks.iter().flat_map(|chunk| of(chunk)) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join(", ")
    }

    /// Returns the cells of a column that every table except that of pages has.
    fn cells(&self, format: Format) -> Vec<String> {
        let nulls = self
            .chunks
            .iter()
            .map(|chunk| chunk.nulls)
            .sum::<Option<u64>>();
        let (compressed, uncompressed) = (
            self.sum(|chunk| chunk.compressed),
            self.sum(|chunk| chunk.uncompressed),
        );
        vec![
            self.distinct(|chunk| vec![&chunk.path]),
            self.distinct(|chunk| vec![&chunk.column_type]),
            self.distinct(|chunk| chunk.encodings.iter().map(String::as_str).collect()),
            self.distinct(|chunk| vec![&chunk.compression]),
            self.sum(|chunk| chunk.values).to_string(),
            nulls.map_or("?".to_owned(), |nulls| nulls.to_string()),
            self.sum(|chunk| chunk.pages.len() as u64).to_string(),
            size(compressed, format),
            size(uncompressed, format),
            format!("{:.2}", uncompressed as f64 / compressed.max(1) as f64),
        ]
    }
}

/// Returns the table columns that every table except that of pages has.
fn header() -> [TableColumn; 10] {
    [
        text("column"),
        text("type").dispensable(2),
        text("encodings"),
        text("compression").dispensable(1),
        number("values").dispensable(3),
        number("nulls").dispensable(5),
        number("pages").dispensable(4),
        number("size"),
        number("uncompressed").dispensable(6),
        number("ratio"),
    ]
}

fn columns(inspection: &Inspection, format: Format) -> Table {
    let mut table = Table::new(header());
    let first = inspection.row_groups.first();
    for index in 0..first.map_or(0, |group| group.columns.len()) {
        let groups = inspection.row_groups.iter();
        let chunks = groups
            .filter_map(|group| group.columns.get(index))
            .collect();
        table.row(Sums { chunks }.cells(format));
    }
    table
}

fn row_groups(inspection: &Inspection, format: Format) -> Table {
    let extra = [
        text("min").dispensable(7),
        text("max").dispensable(7),
        text("has").dispensable(8),
    ];
    let header = [number("row group")]
        .into_iter()
        .chain(header())
        .chain(extra);
    let mut table = Table::new(header);
    for (index, group) in inspection.row_groups.iter().enumerate() {
        for column in &group.columns {
            let parts = [
                ("bloom filter", column.bloom_filter),
                ("column index", column.column_index),
                ("offset index", column.offset_index),
                ("checksums", column.pages.iter().any(|page| page.checksum)),
            ];
            let has: Vec<&str> = parts
                .iter()
                .filter(|part| part.1)
                .map(|part| part.0)
                .collect();
            let mut cells = vec![index.to_string()];
            cells.extend(
                Sums {
                    chunks: vec![column],
                }
                .cells(format),
            );
            cells.extend([
                column.min.clone().unwrap_or_default(),
                column.max.clone().unwrap_or_default(),
                has.join(", "),
            ]);
            table.row(cells);
        }
    }
    table
}

fn pages(inspection: &Inspection, format: Format) -> Table {
    let mut table = Table::new([
        number("row group"),
        text("column"),
        number("page"),
        text("kind").dispensable(1),
        text("encoding"),
        number("values").dispensable(2),
        number("offset").dispensable(4),
        number("size"),
        number("uncompressed").dispensable(5),
        number("ratio").dispensable(3),
        text("checksum").dispensable(6),
    ]);
    for (index, group) in inspection.row_groups.iter().enumerate() {
        for column in &group.columns {
            for (number, page) in column.pages.iter().enumerate() {
                let values = page.values.map(|values| values.to_string());
                table.row([
                    index.to_string(),
                    column.path.clone(),
                    number.to_string(),
                    page.kind.clone(),
                    page.encoding.clone().unwrap_or_default(),
                    values.unwrap_or_default(),
                    page.offset.to_string(),
                    size(page.compressed, format),
                    size(page.uncompressed, format),
                    format!(
                        "{:.2}",
                        page.uncompressed as f64 / page.compressed.max(1) as f64
                    ),
                    if page.checksum { "yes" } else { "no" }.to_owned(),
                ]);
            }
        }
    }
    table
}
