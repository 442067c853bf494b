//! Files that a command works on.

use crate::files::is_stream;
use crate::readable;
use anyhow::bail;
use bytelane_parquet::arrow_schema::DataType;
use bytelane_parquet_files::advise::RAW_ENDINGS;
use bytelane_store::{FindOptions, FoundFile, PARTITION_TYPES, partition_type};
use std::path::{Path, PathBuf};

/// Name that means standard input.
const STANDARD: &str = "-";

/// How to find the files of a command.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Search {
    /// Take all files of a directory, even if it is a table of Delta Lake, Apache Iceberg, Apache Hudi, Apache Paimon or DuckLake, whose
    /// metadata says which files are current
    #[arg(long)]
    pub as_files: bool,
}

/// Columns in the names of directories.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Partitions {
    /// Type of the column in the names of directories such as year=2024 [default: int32 if all its values are, else string]
    #[arg(long = "partition-type", value_name = "NAME=TYPE", value_parser = parse_partition_type)]
    pub types: Vec<(String, DataType)>,
}

impl Search {
    /// Returns the Parquet files at these paths, in directories, and those that match patterns.
    ///
    /// # Errors
    /// A path cannot be read, a directory has no such file, or a table format owns it.
    pub fn find(self, paths: &[PathBuf]) -> anyhow::Result<Vec<FoundFile>> {
        self.find_with(paths, FindOptions::default())
    }

    /// Returns the paths of the same files.
    pub fn paths(self, paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let files = self.find(paths)?.into_iter();
        Ok(files.map(|file| file.path).collect())
    }

    /// Returns the paths of files that can be merged, because they are in one partition.
    pub fn one_partition(self, paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let files = self.find(paths)?;
        if !self.as_files {
            bytelane_store::check_one_partition(&files)?;
        }
        Ok(files.into_iter().map(|file| file.path).collect())
    }

    /// Returns the only file at a path.
    pub fn one(self, path: &Path) -> anyhow::Result<PathBuf> {
        match &mut self.paths(&[path.to_owned()])?[..] {
            [only] => Ok(std::mem::take(only)),
            several => bail!(
                "{} has {} files; name one of them",
                readable::path(path),
                several.len()
            ),
        }
    }

    /// Checks that outputs are not among the files that the next run would read, and replace no file of a table format.
    pub fn check_outputs(
        self,
        inputs: &[PathBuf],
        outputs: &[impl AsRef<Path>],
    ) -> anyhow::Result<()> {
        let outputs: Vec<&Path> = outputs.iter().map(AsRef::as_ref).collect();
        if outputs.iter().any(|output| is_stream(output)) {
            return Ok(());
        }
        let options = FindOptions::default().with_owned(self.as_files);
        let checked = bytelane_store::check_outputs(inputs, &outputs, &options);
        checked.map_err(|error| anyhow::anyhow!("{}", readable::line(&error.to_string())))
    }

    /// Returns the paths of Parquet files, `.npy` files and raw numbers.
    pub fn columns(self, paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let raw = RAW_ENDINGS.iter().map(|(ending, _)| *ending);
        let options = FindOptions::default().with_extensions(["npy"].into_iter().chain(raw));
        let files = self.find_with(paths, options)?.into_iter();
        Ok(files.map(|file| file.path).collect())
    }

    fn find_with(self, paths: &[PathBuf], options: FindOptions) -> anyhow::Result<Vec<FoundFile>> {
        if paths.iter().any(|path| path == Path::new(STANDARD)) {
            bail!(
                "only head, tail, cat, sample and count read a Parquet file from standard input, which is not seekable; save it \
                 to disk first"
            );
        }
        let found = bytelane_store::find(paths, &options.with_owned(self.as_files));
        found.map_err(|error| anyhow::anyhow!("{}", readable::line(&error.to_string())))
    }
}

/// Parses the type of a column in the names of directories: `NAME=TYPE`.
pub fn parse_partition_type(text: &str) -> Result<(String, DataType), String> {
    let (column, name) = text.rsplit_once('=').unwrap_or((text, ""));
    let data_type = partition_type(name);
    let data_type = data_type.map(|data_type| (column.to_owned(), data_type));
    data_type.ok_or_else(|| {
        let known = PARTITION_TYPES.join(", ");
        format!("give NAME=TYPE, as in year=string; known types: {known}")
    })
}
