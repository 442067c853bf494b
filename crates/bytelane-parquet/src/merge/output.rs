//! Writes the output files.

use super::MergeOptions;
use super::outcome::MergedFile;
use crate::file::{FileWriter, Output};
use crate::format::{self, FileMetaData, MAGIC};
use crate::{Error, Result};
use std::fs::{File, Permissions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Bytes at the end of a file other than row groups and schema: lengths and the final magic number.
const REST: u64 = 24;

/// Fraction of the requested file size that suffices.
const NEAR: f64 = 0.98;

/// Remaining size of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Minimum number of bytes to add.
    pub least: u64,
    /// Number of bytes to add to reach the requested size.
    pub most: u64,
}

/// File being written.
struct Writing {
    output: Output,
    path: PathBuf,
    writer: FileWriter<BufWriter<File>>,
    rows: u64,
}

/// All output files.
pub(super) struct Outputs<'a> {
    path: &'a Path,
    options: &'a MergeOptions,
    permissions: Option<&'a Permissions>,
    footer: &'a FileMetaData,
    footer_bytes: u64,
    current: Option<Writing>,
    finished: Vec<(Output, MergedFile)>,
}

impl<'a> Outputs<'a> {
    pub(super) fn new(
        path: &'a Path,
        options: &'a MergeOptions,
        permissions: Option<&'a Permissions>,
        footer: &'a FileMetaData,
    ) -> Result<Self> {
        Ok(Self {
            path,
            options,
            permissions,
            footer,
            footer_bytes: format::encode(footer)?.len() as u64 + REST,
            current: None,
            finished: Vec::new(),
        })
    }

    /// Returns how many bytes the current file may still take; `None` if file sizes are not
    /// limited.
    pub(super) fn room(&self) -> Option<Room> {
        let bytes = self.options.file_bytes?.get();
        let used = match &self.current {
            Some(file) => file.writer.position() + file.writer.tail_bytes(),
            None => MAGIC.len() as u64,
        };
        let used = used + self.footer_bytes;
        let least = (NEAR * bytes as f64) as u64;
        Some(Room {
            least: least.saturating_sub(used),
            most: bytes.saturating_sub(used),
        })
    }

    /// Returns whether the file has no row group yet.
    pub(super) fn is_new(&self) -> bool {
        self.current.is_none()
    }

    /// Returns the writer of the current file. Creates the file if there is none.
    pub(super) fn writer(&mut self) -> Result<&mut FileWriter<BufWriter<File>>> {
        let writing = match self.current.take() {
            Some(writing) => writing,
            None => self.begin()?,
        };
        Ok(&mut self.current.insert(writing).writer)
    }

    fn begin(&self) -> Result<Writing> {
        let path = match self.options.file_bytes {
            Some(_) => numbered(self.path, self.finished.len()),
            None => self.path.to_owned(),
        };
        let begin = || {
            let output = Output::begin(&path, self.permissions, self.options.force)?;
            let sink = BufWriter::with_capacity(1 << 20, output.file().try_clone()?);
            let writer = FileWriter::new(sink, Some(path.clone()))?;
            Ok((output, writer))
        };
        let (output, writer) = begin().map_err(|error: Error| error.in_file(&path))?;
        Ok(Writing {
            output,
            path,
            writer,
            rows: 0,
        })
    }

    /// Counts the rows of a row group.
    pub(super) fn add_rows(&mut self, rows: u64) {
        if let Some(current) = &mut self.current {
            current.rows += rows;
        }
    }

    /// Finishes the current file; the next row group starts another one.
    pub(super) fn end_file(&mut self) -> Result<()> {
        let Some(mut current) = self.current.take() else {
            return Ok(());
        };
        let row_groups = current.writer.row_groups();
        let footer = FileMetaData {
            num_rows: current.rows as i64,
            ..self.footer.clone()
        };
        current.writer.finish(footer)?;
        let file = MergedFile {
            bytes: current.writer.position(),
            rows: current.rows,
            path: current.path,
            row_groups,
        };
        self.finished.push((current.output, file));
        Ok(())
    }

    /// Returns the temporary paths of the files; `None` if outputs are not regular files.
    pub(super) fn unfinished(&self) -> Option<Vec<PathBuf>> {
        let outputs = self.finished.iter().map(|(output, _)| output);
        outputs
            .map(|output| output.unfinished().map(Path::to_owned))
            .collect()
    }

    /// Renames all files to their final names.
    pub(super) fn finish(self) -> Result<Vec<MergedFile>> {
        let files = self.finished.into_iter().map(|(output, file)| {
            output.finish().map_err(|error| error.in_file(&file.path))?;
            Ok(file)
        });
        files.collect()
    }
}

/// Returns the path of one of several files: `merged.parquet` becomes `merged-00000.parquet`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number:05}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
