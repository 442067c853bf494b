//! Writes the output files.

use super::MergeOptions;
use super::outcome::MergedFile;
use crate::file::{FileWriter, Output, is_input, is_there};
use crate::format::{self, FileMetaData, MAGIC};
use crate::remote::{local_path, remote_url};
use crate::{Error, Problem, Replace, Result};
use std::fs::{self, File, Permissions};
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
    inputs: &'a [&'a Path],
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
        inputs: &'a [&'a Path],
        options: &'a MergeOptions,
        permissions: Option<&'a Permissions>,
        footer: &'a FileMetaData,
    ) -> Result<Self> {
        if options.replace == Replace::Inputs && options.file_bytes.is_some() {
            let parts = parts(path).into_iter().map(|(_, part)| part);
            if let Some(part) = parts.into_iter().find(|part| !is_input(part, inputs)) {
                return Err(Error::new(Problem::Exists).in_file(&part));
            }
        }
        Ok(Self {
            path,
            inputs,
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
            let output = Output::begin(&path, self.permissions, self.options.replace, self.inputs)?;
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
        let surplus = self.surplus()?;
        let files = self.finished.into_iter().map(|(output, file)| {
            output.finish().map_err(|error| error.in_file(&file.path))?;
            Ok(file)
        });
        let files = files.collect::<Result<_>>()?;
        for part in surplus {
            fs::remove_file(&part).map_err(|error| Error::from(error).in_file(&part))?;
        }
        Ok(files)
    }

    /// Returns the files of an earlier run that would stay beside the new ones, and have to be removed. An error
    /// if they may not be.
    fn surplus(&self) -> Result<Vec<PathBuf>> {
        if self.options.file_bytes.is_none() {
            return Ok(Vec::new());
        }
        let count = self.finished.len();
        let mut surplus: Vec<PathBuf> = parts(self.path)
            .into_iter()
            .filter_map(|(number, part)| (number >= count).then_some(part))
            .collect();
        let is_removable = self.options.replace == Replace::All && remote_url(self.path).is_none();
        if remote_url(self.path).is_some() {
            let next = numbered(self.path, count);
            surplus.extend(is_there(&next)?.then_some(next));
        }
        match surplus.first() {
            Some(part) if !is_removable => {
                let problem = "it is left over from an earlier run with more files, and would be read together with the new \
                               ones; remove it, or choose another name";
                Err(Error::new(Problem::Input(problem.to_owned())).in_file(part))
            }
            _ => Ok(surplus),
        }
    }
}

/// Returns the existing local files that have the names of outputs, with their numbers.
fn parts(path: &Path) -> Vec<(usize, PathBuf)> {
    if remote_url(path).is_some() {
        return Vec::new();
    }
    let number_of = |name: &Path| -> Option<usize> {
        let (_, digits) = name.file_stem()?.to_str()?.rsplit_once('-')?;
        let number = digits.parse().ok()?;
        (numbered(path, number).file_name() == name.file_name()).then_some(number)
    };
    let path = local_path(path);
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let names = fs::read_dir(directory).into_iter().flatten().flatten();
    let parts = names.filter_map(|entry| Some((number_of(entry.path().as_path())?, entry.path())));
    let mut parts: Vec<_> = parts.collect();
    parts.sort();
    parts
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
