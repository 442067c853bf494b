//! Reads a Parquet file and writes its rows to another: both sides of bytelane-parquet in the exchanges.

use anyhow::{Context, Result};
use bytelane_parquet::arrow_array::RecordBatchReader;
use bytelane_parquet::{
    DataPageVersion, Encoding, ReaderBuilder, Writer, WriterOptions, parse_compression,
};
use clap::Parser;
use std::fs::File;
use std::path::PathBuf;

#[derive(Parser)]
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
    #[arg(long, default_value_t = 3000)]
    page_rows: usize,
    #[arg(long, default_value_t = 4000)]
    row_group_rows: usize,
    #[arg(long, default_value_t = 777)]
    batch_size: usize,
}

fn main() -> Result<()> {
    let copy = Copy::parse();
    let reader = ReaderBuilder::open(&copy.from)?
        .with_batch_size(copy.batch_size)
        .build()?;
    let version = match copy.v2 {
        true => DataPageVersion::V2,
        false => DataPageVersion::V1,
    };
    let options = WriterOptions::default()
        .with_encoding(copy.encoding.parse::<Encoding>()?)
        .with_compression(parse_compression(&copy.compression)?)
        .with_data_page_version(version)
        .with_page_rows(copy.page_rows)
        .with_row_group_rows(copy.row_group_rows);
    let file = File::create(&copy.to).with_context(|| copy.to.display().to_string())?;
    let schema = reader.schema();
    let mut writer = Writer::try_new(file, schema, options)?;
    for batch in reader {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}
