//! Inputs and outputs: files or pipes, and no half-written file.

use crate::{readable, signals, standard};
use anyhow::{Context, bail};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// The name that means standard input or output.
const DASH: &str = "-";

/// Bytes that the writer collects before a system call.
const WRITE_BUFFER: usize = 1 << 16;

/// A file or standard input.
#[derive(Debug)]
pub struct Input {
    name: String,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Stdin(io::Stdin),
    File { file: File, bytes: Option<u64> },
}

impl Input {
    /// Opens `path`; none and `-` mean standard input.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new(DASH)) else {
            return Ok(Self {
                name: "standard input".into(),
                source: Source::Stdin(standard::input()?),
            });
        };
        let name = readable::path(path);
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let metadata = file
            .metadata()
            .with_context(|| format!("cannot read {name}"))?;
        if metadata.is_dir() {
            bail!("{name} is a directory; give a file, or {DASH} for standard input");
        }
        let bytes = metadata.is_file().then_some(metadata.len());
        Ok(Self {
            name,
            source: Source::File { file, bytes },
        })
    }

    /// How the input is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its length in bytes, where that is known beforehand. A hint: files can grow.
    pub fn length(&self) -> Option<u64> {
        match self.source {
            Source::Stdin(_) => None,
            Source::File { bytes, .. } => bytes,
        }
    }
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::Stdin(stdin) => stdin.read(bytes),
            Source::File { file, .. } => file.read(bytes),
        }
    }
}

/// Standard output, or a file that appears under its name when [`finish`](Output::finish) is
/// called and not before.
#[derive(Debug)]
pub enum Output {
    Stdout {
        stdout: BufWriter<StdoutLock<'static>>,
        /// Whether a person would see what is written, and did not ask for it by name.
        to_people: bool,
    },
    /// Written beside `path` and renamed at the end.
    File {
        beside: BufWriter<NamedTempFile>,
        path: PathBuf,
    },
    /// A device or a named pipe: nothing to rename.
    Device {
        device: BufWriter<File>,
        path: PathBuf,
    },
}

impl Output {
    /// Prepares to write to `path`; none and `-` mean standard output.
    pub fn create(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(file) = path.filter(|path| *path != Path::new(DASH)) else {
            let stdout = BufWriter::with_capacity(WRITE_BUFFER, standard::output()?);
            let to_people = path.is_none() && io::stdout().is_terminal();
            return Ok(Self::Stdout { stdout, to_people });
        };
        Self::create_file(file)
    }

    fn create_file(path: &Path) -> anyhow::Result<Self> {
        let cannot_write = || format!("cannot write {}", readable::path(path));
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => bail!("{} is a directory", readable::path(path)),
            Ok(there) if !there.is_file() => {
                let device = File::options()
                    .write(true)
                    .open(path)
                    .with_context(cannot_write)?;
                let device = BufWriter::with_capacity(WRITE_BUFFER, device);
                Ok(Self::Device {
                    device,
                    path: path.to_owned(),
                })
            }
            Ok(there) => {
                // A rename would replace a file that nobody may write to: ask first.
                File::options()
                    .write(true)
                    .open(path)
                    .with_context(cannot_write)?;
                // A symbolic link is followed: its target is replaced, not the link.
                let path = fs::canonicalize(path).with_context(cannot_write)?;
                Self::beside(path, Some(there.permissions()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut path = path.to_owned();
                // A link to a file that is not there yet; the system has found that links end.
                while let Ok(to) = fs::read_link(&path) {
                    path = path.parent().unwrap_or(Path::new("")).join(to);
                }
                Self::beside(path, None)
            }
            Err(error) => Err(error).with_context(cannot_write),
        }
    }

    /// Starts the file beside `path` that will be renamed to it.
    fn beside(path: PathBuf, permissions: Option<fs::Permissions>) -> anyhow::Result<Self> {
        let cannot_write = || format!("cannot write {}", readable::path(&path));
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bytelane-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask
        let create = || builder.tempfile_in(directory);
        let beside = removed_if_interrupted(create).with_context(cannot_write)?;
        if let Some(permissions) = permissions {
            beside
                .as_file()
                .set_permissions(permissions)
                .with_context(cannot_write)?;
        }
        Ok(Self::File {
            beside: BufWriter::with_capacity(WRITE_BUFFER, beside),
            path,
        })
    }

    /// Completes the output: from here on the file is there under its name.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let message = format!("cannot write {}", self.name());
        let finish = || -> io::Result<()> {
            self.flush()?;
            if let Self::File { beside, path } = self {
                let (beside, _) = beside.into_parts();
                beside.persist(path).map_err(|error| error.error)?;
            }
            Ok(())
        };
        finish().context(message)
    }

    /// How the output is called in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout { .. } => "standard output".to_owned(),
            Self::File { path, .. } | Self::Device { path, .. } => readable::path(path),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout {
                to_people: true, ..
            } if bytes.contains(&0) => Err(io::Error::other(
                "not writing binary data to the terminal; use -o FILE, or -o - to write it anyway",
            )),
            Self::Stdout { stdout, .. } => stdout.write(bytes),
            Self::File { beside, .. } => beside.write(bytes),
            Self::Device { device, .. } => device.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout { stdout, .. } => stdout.flush(),
            Self::File { beside, .. } => beside.flush(),
            Self::Device { device, .. } => device.flush(),
        }
    }
}

/// Creates a file that Ctrl-C, and other signals that ask the process to end, remove as long as it
/// has this name.
fn removed_if_interrupted(
    create: impl FnOnce() -> io::Result<NamedTempFile>,
) -> io::Result<NamedTempFile> {
    static HALF_WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let half_written = || HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    // The signal handler waits until the new file is among those to remove.
    let mut paths = half_written();
    if paths.is_empty() {
        signals::on_signal(move |status| {
            for path in half_written().iter() {
                // It may have been renamed or removed already; there is no one left to tell.
                let _ = fs::remove_file(path);
            }
            std::process::exit(status);
        })?;
    }
    let file = create()?;
    paths.push(file.path().to_owned());
    Ok(file)
}
