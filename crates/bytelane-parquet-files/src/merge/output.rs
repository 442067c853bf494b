//! Writes the output files.

use super::options::MergeOptions;
use super::outcome::MergedFile;
use bytelane_parquet::file::{FileWriter, Output, directory, is_input, is_stream};
use bytelane_parquet::format::{self, FileMetaData, MAGIC};
use bytelane_parquet::remote::{local_path, remote_files, remote_url};
use bytelane_parquet::{Error, Problem, Replace, Result};
use std::ffi::{OsStr, OsString};
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

impl MergeOptions {
    /// Returns the path of an output by its number, from 0: without a size of outputs, there is only one.
    #[must_use]
    pub fn output_path(&self, output: &Path, number: usize) -> PathBuf {
        match self.file_size() {
            Some(_) => part_path(output, number),
            None => output.to_owned(),
        }
    }
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
        if options.file_size().is_some() && is_stream(path) {
            let problem = "several files are written, and a device or a pipe is one; name a file";
            return Err(Error::new(Problem::Option(problem.to_owned())).in_file(path));
        }
        if options.replace == Replace::Inputs && options.file_size().is_some() {
            let parts = parts(path)?.into_iter().map(|(_, part)| part);
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
        let bytes = self.options.file_size()?;
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

    /// Returns whether no file has been begun.
    pub(super) fn are_none(&self) -> bool {
        self.current.is_none() && self.finished.is_empty()
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
        let path = self.options.output_path(self.path, self.finished.len());
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
            let removed = match remote_url(&part) {
                Some(url) => remote_files()?.remove(url),
                None => fs::remove_file(&part),
            };
            removed.map_err(|error| Error::from(error).in_file(&part))?;
        }
        Ok(files)
    }

    /// Returns the files of an earlier run that would stay beside the new ones, and have to be removed. An error
    /// if they may not be.
    fn surplus(&self) -> Result<Vec<PathBuf>> {
        if self.options.file_size().is_none() {
            return Ok(Vec::new());
        }
        let count = self.finished.len();
        let surplus = parts(self.path)?.into_iter();
        let surplus = surplus.filter_map(|(number, part)| (number >= count).then_some(part));
        let surplus: Vec<PathBuf> = surplus.collect();
        match surplus.first() {
            Some(part) if self.options.replace != Replace::All => {
                let problem = "it is left over from an earlier run with more files, and would be read together with the new \
                               ones; remove it, or choose another name";
                Err(Error::new(Problem::Input(problem.to_owned())).in_file(part))
            }
            _ => Ok(surplus),
        }
    }
}

/// Returns the existing files that have the names of outputs, with their numbers.
fn parts(path: &Path) -> Result<Vec<(usize, PathBuf)>> {
    let number_of = |name: &OsStr| -> Option<usize> {
        let (_, digits) = Path::new(name).file_stem()?.to_str()?.rsplit_once('-')?;
        let number = digits.parse().ok()?;
        (part_path(path, number).file_name() == Some(name)).then_some(number)
    };
    let names: Vec<OsString> = match remote_url(path) {
        Some(url) => {
            let names = remote_files()?.names_beside(url);
            let names = names.map_err(|error| Error::from(error).in_file(path))?;
            names.into_iter().map(OsString::from).collect()
        }
        None => {
            let entries = fs::read_dir(directory(&local_path(path)));
            let entries = entries.into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name()).collect()
        }
    };
    let local = local_path(path);
    let parts = names.iter();
    let parts = parts.filter_map(|name| Some((number_of(name)?, local.with_file_name(name))));
    let mut parts: Vec<_> = parts.collect();
    parts.sort();
    Ok(parts)
}

/// Returns the path of one of several outputs of a merge: `merged.parquet` becomes `merged-00000.parquet`.
#[must_use]
fn part_path(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number:05}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
