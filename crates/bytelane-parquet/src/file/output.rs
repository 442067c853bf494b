//! Destinations of new files.

use crate::remote::{local_path, remote_files, remote_url, unsupported_scheme};
use crate::{Error, Problem, Result};
use serde::Deserialize;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Component, Path, PathBuf};
use tempfile::NamedTempFile;

/// Maximum number of links to follow one after the other, as in Linux. Links may lead round in a circle.
const LINKS: usize = 40;

/// Existing files that a new file may replace. A file that is also read is replaced in every case, unless it is
/// read-only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "bool")]
#[non_exhaustive]
pub enum Replace {
    /// Only files that are also read; another one is an error, [`Problem::Exists`].
    Inputs,
    /// All but read-only files.
    #[default]
    Writable,
    /// All files.
    All,
}

/// Destination of a new file.
#[derive(Debug)]
pub enum Output {
    /// File that appears under its name only once it is complete. It is written in the directory of
    /// the file that it will replace, so that a crash leaves the existing file unchanged.
    Beside {
        beside: NamedTempFile,
        path: PathBuf,
    },
    /// File that is written locally and stored under its URL once it is complete.
    Remote { local: NamedTempFile, url: String },
    /// Device or named pipe, which is written to and never replaced.
    Stream(File),
}

impl From<bool> for Replace {
    /// Returns [`All`](Self::All) for a caller who insists, and otherwise [`Inputs`](Self::Inputs).
    fn from(is_forced: bool) -> Self {
        if is_forced { Self::All } else { Self::Inputs }
    }
}

impl Replace {
    /// Returns which files the command and Python replace by default.
    #[must_use]
    pub fn unforced() -> Self {
        Self::Inputs
    }

    /// Checks whether a new file may have this name, before work begins that would be in vain. `inputs` are the files that
    /// are read.
    ///
    /// # Errors
    ///
    /// [`Problem::Exists`] if an existing file may not be replaced; the store fails.
    pub fn check(self, path: &Path, inputs: &[&Path]) -> Result<()> {
        if self == Self::Inputs && !is_input(path, inputs) && is_there(path)? {
            return Err(Error::new(Problem::Exists).in_file(path));
        }
        Ok(())
    }
}

impl Output {
    /// Starts the file that will be called `path`. It inherits the permissions of the file that it
    /// replaces. If there is none, it gets `permissions`, or those of any new file. An existing
    /// file is only replaced if `replace` says so.
    pub fn begin(
        path: &Path,
        permissions: Option<&Permissions>,
        replace: Replace,
        inputs: &[&Path],
    ) -> Result<Self> {
        replace.check(path, inputs)?;
        if let Some(url) = remote_url(path) {
            remote_files()?;
            return Ok(Self::Remote {
                local: tempfile::Builder::new().prefix(".bytelane-").tempfile()?,
                url: url.to_owned(),
            });
        }
        let path = &*local_path(path);
        let (path, permissions) = match fs::metadata(path) {
            Err(_) if unsupported_scheme(path).is_some() => {
                let problem = unsupported_scheme(path).unwrap_or_default();
                return Err(Problem::Input(problem).into());
            }
            Ok(there) if there.is_dir() => return Err(Problem::Input(DIRECTORY.into()).into()),
            Ok(there) if !there.is_file() => {
                // Opening a pipe waits for a reader.
                return Ok(Self::Stream(OpenOptions::new().write(true).open(path)?));
            }
            Ok(there) => {
                if replace != Replace::All {
                    check_writable(path, &there)?;
                }
                // Follow a symbolic link, to replace its target instead of the link.
                (fs::canonicalize(path)?, Some(there.permissions()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (behind_links(path), permissions.cloned())
            }
            Err(error) => return Err(error.into()),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bytelane-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(ANYBODY));
        let beside = builder
            .tempfile_in(directory(&path))
            .map_err(|error| without_path(&error, directory(&path)))?;
        if let Some(permissions) = permissions {
            beside.as_file().set_permissions(permissions)?;
        }
        Ok(Self::Beside { beside, path })
    }

    /// Returns the file to write to.
    pub fn file(&self) -> &File {
        match self {
            Self::Beside { beside, .. } => beside.as_file(),
            Self::Remote { local, .. } => local.as_file(),
            Self::Stream(file) => file,
        }
    }

    /// Returns the path of the unfinished file; `None` for a device or a pipe.
    pub fn unfinished(&self) -> Option<&Path> {
        match self {
            Self::Beside { beside, .. } => Some(beside.path()),
            Self::Remote { local, .. } => Some(local.path()),
            Self::Stream(_) => None,
        }
    }

    /// Renames the file to its final name once all of it is on disk, or stores it under its URL.
    pub fn finish(self) -> Result<()> {
        let (beside, path) = match self {
            Self::Beside { beside, path } => (beside, path),
            Self::Remote { local, url } => {
                return Ok(remote_files()?.replace(&url, local.path())?);
            }
            Self::Stream(_) => return Ok(()),
        };
        beside.as_file().sync_all()?;
        beside.persist(&path).map_err(|failed| failed.error)?;
        // The name is on disk once its directory is synced. Some file systems do not support this.
        #[cfg(unix)]
        drop(File::open(directory(&path)).and_then(|directory| directory.sync_all()));
        Ok(())
    }
}

/// Returns whether a path leads to the same file as one of the inputs.
pub fn is_input(path: &Path, inputs: &[&Path]) -> bool {
    let real = |path: &Path| match remote_url(path) {
        Some(_) => Some(path.to_owned()),
        None => fs::canonicalize(local_path(path)).ok(),
    };
    let own = real(path);
    own.is_some() && inputs.iter().any(|input| real(input) == own)
}

/// Returns whether there is a regular file, or an object, with this name.
fn is_there(path: &Path) -> Result<bool> {
    let Some(url) = remote_url(path) else {
        return Ok(fs::metadata(local_path(path)).is_ok_and(|there| there.is_file()));
    };
    match remote_files()?.open(url) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns the absolute path of a file that may not exist yet, without links and `..`.
///
/// # Errors
///
/// The current directory is unknown.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let path = behind_links(path);
    for ancestor in path.ancestors() {
        let existing = if ancestor == Path::new("") {
            Path::new(".")
        } else {
            ancestor
        };
        if let Ok(mut real) = fs::canonicalize(existing) {
            for part in path.strip_prefix(ancestor).unwrap_or(&path).components() {
                match part {
                    // A directory that does not exist yet is no link.
                    Component::ParentDir => drop(real.pop()),
                    part => real.push(part),
                }
            }
            return Ok(real);
        }
    }
    std::path::absolute(path)
}

/// Returns whether the path is that of a device or a named pipe.
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Returns the target of a symbolic link. The target does not exist yet.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(to) = fs::read_link(&path) else { break };
        path = directory(&path).join(to);
    }
    path
}

/// Removes the name of the unfinished file from an error. The name would mean nothing to users; the
/// error names the final file instead.
fn without_path(error: &io::Error, directory: &Path) -> io::Error {
    match fs::metadata(directory) {
        Ok(_) => error.kind().into(),
        Err(error) => error,
    }
}

/// Permissions of a new file, from which the system removes the bits of the user's umask.
#[cfg(unix)]
const ANYBODY: u32 = 0o666;

/// File that appears under its name only once it is complete; until then, an existing file remains.
///
/// Dropping it unfinished leaves nothing behind. Devices and named pipes are written to directly.
/// Read-only files are not replaced.
///
/// ```no_run
/// use bytelane_parquet::arrow_array::{ArrayRef, Float64Array, RecordBatch};
/// use bytelane_parquet::{NewFile, Writer, WriterOptions};
/// use std::sync::Arc;
///
/// let temperatures: ArrayRef = Arc::new(Float64Array::from(vec![21.5, 21.25]));
/// let batch = RecordBatch::try_from_iter([("temperature", temperatures)])?;
/// let new = NewFile::create("weather.parquet")?;
/// let mut writer = Writer::try_new(new.file(), batch.schema(), WriterOptions::default())?;
/// writer.write(&batch)?;
/// writer.close()?;
/// new.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    output: Output,
    name: PathBuf,
}

impl NewFile {
    /// Starts a file that will have this name. An existing file is replaced, unless it is read-only.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Io`] or [`Problem::ReadOnly`], or [`Problem::Input`] if the path is a
    /// directory.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_or_replace(path, Replace::Writable, &[])
    }

    /// Starts a file that will have this name, and states which existing files it may replace. `inputs` are the files
    /// that are read.
    ///
    /// # Errors
    ///
    /// Same errors as [`create`](Self::create), and [`Problem::Exists`].
    pub fn create_or_replace(
        path: impl AsRef<Path>,
        replace: Replace,
        inputs: &[&Path],
    ) -> Result<Self> {
        let path = path.as_ref();
        let output = Output::begin(path, None, replace, inputs);
        Ok(Self {
            output: output.map_err(|error| error.in_file(path))?,
            name: path.to_owned(),
        })
    }

    /// Returns the file to write to.
    #[must_use]
    pub fn file(&self) -> &File {
        self.output.file()
    }

    /// Returns the path of the unfinished file, which a program can remove if it is interrupted.
    /// Returns `None` for a device or a pipe.
    #[must_use]
    pub fn unfinished(&self) -> Option<&Path> {
        self.output.unfinished()
    }

    /// Renames the file to its final name, or stores it under its URL. Unlike the verbs of `bytelane-parquet-files`, this does
    /// not wait until the file is on disk.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Io`].
    pub fn finish(self) -> Result<()> {
        let failed = |error: Error| error.in_file(&self.name);
        let Output::Beside { beside, path } = self.output else {
            return self.output.finish().map_err(failed);
        };
        let persisted = beside.persist(&path);
        persisted.map(drop).map_err(|it| failed(it.error.into()))
    }
}

/// Error message for a directory as output.
const DIRECTORY: &str = "it is a directory; name a file in it";

/// Returns an error if the existing file is read-only, because a rename would replace it anyway.
fn check_writable(path: &Path, there: &Metadata) -> Result<()> {
    // The superuser may open a read-only file.
    if there.permissions().readonly() {
        return Err(Problem::ReadOnly.into());
    }
    OpenOptions::new().write(true).open(path)?;
    Ok(())
}

/// Returns the directory of a file.
pub fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
