//! The exchanges' program for bytelane-parquet: reads a Parquet file and writes its rows to another, and
//! prints the table of readers.

use anyhow::{Context, Result};
use bytelane_parquet::arrow_array::RecordBatchReader;
use bytelane_parquet::compatibility::{PROGRAMS, Program, ValueType};
use bytelane_parquet::parquet::file::properties::BloomFilterProperties;
use bytelane_parquet::{
    DataPageVersion, Encoding, ReaderBuilder, Writer, WriterOptions, parse_compression,
};
use clap::Parser;
use serde_json::{Value, json};
use std::fs::File;
use std::path::PathBuf;

#[derive(Parser)]
enum Command {
    /// Reads a file and writes its rows to another
    Copy(Copy),
    /// Prints the table of readers as JSON
    Readers,
}

#[derive(clap::Args)]
struct Copy {
    from: PathBuf,
    to: PathBuf,
    #[arg(long, default_value = "auto")]
    encoding: String,
    #[arg(long, default_value = "zstd:1")]
    compression: String,
    /// The second version of data pages
    #[arg(long)]
    v2: bool,
    /// A Bloom filter for each column
    #[arg(long)]
    bloom_filters: bool,
    #[arg(long, default_value_t = 3000)]
    page_rows: usize,
    #[arg(long, default_value_t = 4000)]
    row_group_rows: usize,
    #[arg(long, default_value_t = 777)]
    batch_size: usize,
}

fn main() -> Result<()> {
    match Command::parse() {
        Command::Copy(arguments) => copy(&arguments),
        Command::Readers => {
            let programs: Vec<Value> = PROGRAMS.iter().map(description).collect();
            println!("{}", serde_json::to_string(&programs)?);
            Ok(())
        }
    }
}

/// Describes a reader: the first version that reads each column, for all columns of the format.
fn description(program: &Program) -> Value {
    let pairs = Encoding::ALL
        .iter()
        .filter(|encoding| **encoding != Encoding::Auto)
        .flat_map(|encoding| {
            ValueType::ALL
                .iter()
                .map(move |values| (*encoding, *values))
        })
        .filter(|(encoding, values)| encoding.exists_for(values.physical()));
    let columns: Vec<Value> = pairs
        .map(|(encoding, values)| {
            let since = program.reads_since(encoding, values);
            let since = since.map(|version| version.to_string());
            json!({"encoding": encoding.name(), "values": values.name(), "since": since})
        })
        .collect();
    json!({"name": program.name, "newest": program.newest.to_string(), "columns": columns})
}

fn copy(copy: &Copy) -> Result<()> {
    let reader = ReaderBuilder::open(&copy.from)?
        .with_batch_size(copy.batch_size)
        .build()?;
    let version = if copy.v2 {
        DataPageVersion::V2
    } else {
        DataPageVersion::V1
    };
    let mut options = WriterOptions::default()
        .with_encoding(copy.encoding.parse::<Encoding>()?)
        .with_compression(parse_compression(&copy.compression)?)
        .with_data_page_version(version)
        .with_max_rows_per_page(copy.page_rows)
        .with_row_group_size(copy.row_group_rows);
    if copy.bloom_filters {
        options = options.with_bloom_filter(BloomFilterProperties::builder().build());
    }
    let file = File::create(&copy.to).with_context(|| copy.to.display().to_string())?;
    let schema = reader.schema();
    let mut writer = Writer::try_new(file, schema, options)?;
    for batch in reader {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}
