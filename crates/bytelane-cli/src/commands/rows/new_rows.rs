//! Rows in a new Parquet file.

use crate::files::{DASH, Target};
use crate::verb::Verb;
use crate::{progress, readable, standard};
use anyhow::anyhow;
use arrow_array::RecordBatch;
use bytelane_parquet_files::rows::{RowsOptions, RowsWriter};
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// New Parquet file, or standard output, to which one is copied.
pub struct NewRows<'a> {
    path: &'a Path,
    inputs: Vec<PathBuf>,
    options: RowsOptions,
    target: Target,
    verb: Verb,
    rows: u64,
    /// Writer, once the columns are known.
    writer: Option<RowsWriter>,
}

impl<'a> NewRows<'a> {
    pub fn new(path: &'a Path, inputs: Vec<PathBuf>, options: RowsOptions) -> anyhow::Result<Self> {
        Ok(Self {
            path,
            inputs,
            options,
            target: Target::new(path)?,
            verb: Verb::writing(progress::bar(0, "{pos} rows")?)?,
            rows: 0,
            writer: None,
        })
    }

    pub fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            empty => {
                let inputs: Vec<&Path> = self.inputs.iter().map(PathBuf::as_path).collect();
                let (path, schema) = (self.target.path(), batch.schema());
                let writer = RowsWriter::create(path, schema, &inputs, &self.options)?;
                empty.insert(writer)
            }
        };
        writer.write(batch)?;
        self.rows += batch.num_rows() as u64;
        self.check_running()
    }

    /// Returns an error after a signal. A signal may also end the program that the input comes from, which must not look like
    /// the end of the rows.
    fn check_running(&self) -> anyhow::Result<()> {
        match self.verb.count(self.rows) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(anyhow!("interrupted")),
        }
    }

    /// Completes the file, unless reading failed, and says what it has.
    pub fn finish(self, read: anyhow::Result<()>) -> anyhow::Result<()> {
        let mut out = BufWriter::new(standard::output()?);
        let read = read.and_then(|()| self.check_running());
        let written = read.and_then(|()| {
            let writer = self.writer.ok_or_else(|| anyhow!("no file was read"))?;
            Ok(writer.finish()?)
        });
        let written = self.verb.finish(written)?;
        let mut out = self.target.publish(&mut out)?;
        let name = if self.target.is_stream() {
            DASH.to_owned()
        } else {
            readable::path(self.path)
        };
        let summary = format!(
            "{name}: {} rows in {}, {}",
            written.rows,
            readable::plural(written.row_groups, "row group"),
            readable::size(written.bytes)
        );
        writeln!(out, "{summary}")?;
        Ok(out.flush()?)
    }
}
