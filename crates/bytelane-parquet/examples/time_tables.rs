//! Reads and writes an entire file each time it is told to. `benchmarks/python/compare.py` starts
//! and measures it, to compare the Python package with this crate.
//!
//! Arguments: a file to read, and a path to write the same table to. Input: lines with `read` or
//! `write`. Output: one line for each, when it is done.

use bytelane_parquet::arrow_array::RecordBatch;
use bytelane_parquet::{NewFile, ReaderBuilder, Writer, WriterOptions};
use std::error::Error;
use std::hint::black_box;
use std::io::{Write, stdin, stdout};
use std::path::Path;

/// Batch size in rows: that of a row group in Python by default.
const ROWS: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [source, destination] = arguments.as_slice() else {
        return Err("expected two files".into());
    };
    let table = read(source.as_ref(), ROWS)?;
    for line in stdin().lines() {
        let line = line?;
        match line.as_str() {
            "read" => drop(black_box(read(source.as_ref(), 65_536)?)),
            "write" => write(&table, destination.as_ref())?,
            other => return Err(format!("{other:?} is neither read nor write").into()),
        }
        writeln!(stdout(), "done")?;
        stdout().flush()?;
    }
    Ok(())
}

fn read(path: &Path, rows: usize) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let reader = ReaderBuilder::open(path)?.with_batch_size(rows).build()?;
    Ok(reader.collect::<Result<_, _>>()?)
}

fn write(table: &[RecordBatch], path: &Path) -> Result<(), Box<dyn Error>> {
    let new = NewFile::create(path)?;
    let options = WriterOptions::default().with_row_group_rows(ROWS);
    let mut writer = Writer::try_new(new.file(), table[0].schema(), options)?;
    for batch in table {
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(new.finish()?)
}
