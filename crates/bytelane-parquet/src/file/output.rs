//! Where a new file goes.

use crate::{Error, Problem, Result};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A place for a new file.
#[derive(Debug)]
pub(crate) enum Output {
    /// A file that appears under its name when it is complete, and not before: it is written beside
    /// the one that it will replace, so that a crash leaves what was there.
    Beside {
        beside: NamedTempFile,
        path: PathBuf,
    },
    /// A device or a named pipe, which is written to and never replaced.
    Stream(File),
}

impl Output {
    /// Begins the file that will be called `path`. It gets the permissions of the file that it
    /// replaces, and `permissions` where there is none, or else those of any new file. A file that is read-only is replaced
    /// if `force` says so.
    pub(crate) fn begin(
        path: &Path,
        permissions: Option<&Permissions>,
        force: bool,
    ) -> Result<Self> {
        let (path, permissions) = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(Problem::Input(DIRECTORY.into()).into()),
            Ok(there) if !there.is_file() => {
                // For a pipe, this waits for a reader.
                return Ok(Self::Stream(OpenOptions::new().write(true).open(path)?));
            }
            Ok(there) => {
                if !force {
                    check_writable(path, &there)?;
                }
                // A symbolic link is followed: its target is replaced, not the link.
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

    /// The file while it is written.
    pub(crate) fn file(&self) -> &File {
        match self {
            Self::Beside { beside, .. } => beside.as_file(),
            Self::Stream(file) => file,
        }
    }

    /// Gives the file its name once all of it is on the disk.
    pub(crate) fn finish(self) -> Result<()> {
        let Self::Beside { beside, path } = self else {
            return Ok(());
        };
        beside.as_file().sync_all()?;
        beside.persist(&path).map_err(|failed| failed.error)?;
        // The name is on the disk when its directory is. Some file systems cannot say so.
        #[cfg(unix)]
        drop(File::open(directory(&path)).and_then(|directory| directory.sync_all()));
        Ok(())
    }
}

/// Returns whether a device or a named pipe has this name.
pub(crate) fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The file that a symbolic link points to, which is not there yet.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // The system has found that they end.
    while let Ok(to) = fs::read_link(&path) {
        path = directory(&path).join(to);
    }
    path
}

/// The same error without the name of the unfinished file, which means nothing to anybody: the error names the file
/// that this was to become.
fn without_path(error: &io::Error, directory: &Path) -> io::Error {
    match fs::metadata(directory) {
        Ok(_) => error.kind().into(),
        Err(error) => error,
    }
}

/// The permissions of a new file, from which the system takes those that the user's umask has.
#[cfg(unix)]
const ANYBODY: u32 = 0o666;

/// A file that appears under its name when it is complete, and not before; until then, what was there stays.
///
/// If this is dropped unfinished, nothing is left of it. A device or a named pipe is written to. A file that is
/// read-only is not replaced.
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
    /// Begins a file that will have this name.
    ///
    /// # Errors
    ///
    /// [`Problem::Io`] and [`Problem::ReadOnly`], [`Problem::Input`] if there is a directory of this name.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let output = Output::begin(path, None, false);
        Ok(Self {
            output: output.map_err(|error| error.in_file(path))?,
            name: path.to_owned(),
        })
    }

    /// The file while it is written.
    #[must_use]
    pub fn file(&self) -> &File {
        self.output.file()
    }

    /// Path of the unfinished file, for a program that removes it when somebody interrupts it. None for a device or a pipe.
    #[must_use]
    pub fn unfinished(&self) -> Option<&Path> {
        match &self.output {
            Output::Beside { beside, .. } => Some(beside.path()),
            Output::Stream(_) => None,
        }
    }

    /// Gives the file its name. Unlike [`rewrite`](crate::rewrite::rewrite), this does not wait until it is on the disk.
    ///
    /// # Errors
    ///
    /// [`Problem::Io`].
    pub fn finish(self) -> Result<()> {
        let Output::Beside { beside, path } = self.output else {
            return Ok(());
        };
        let persisted = beside.persist(&path);
        let failed = |error: Error| error.in_file(&self.name);
        persisted.map(drop).map_err(|it| failed(it.error.into()))
    }
}

/// Why a directory is no output.
const DIRECTORY: &str = "it is a directory; name a file in it";

/// A rename would replace a file that nobody may write to: asks first.
fn check_writable(path: &Path, there: &Metadata) -> Result<()> {
    // The superuser could open it all the same.
    if there.permissions().readonly() {
        return Err(Problem::ReadOnly.into());
    }
    OpenOptions::new().write(true).open(path)?;
    Ok(())
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
