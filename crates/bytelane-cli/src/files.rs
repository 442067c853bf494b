//! Inputs and outputs: files or pipes. No half-written files remain, and no file is replaced unasked.

use crate::{readable, signals, standard};
use anyhow::{Context, bail};
use bytelane_parquet::options::flags::{self, ArgAction};
use bytelane_parquet::{NewFile, Replace};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// Name that means standard input or output.
pub const DASH: &str = "-";

/// Buffer size of the writer, in bytes.
const WRITE_BUFFER: usize = 1 << 16;

/// File or standard input.
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
    /// Opens `path`; `None` and `-` mean standard input.
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

    /// Returns the name of the input in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the length in bytes, if known in advance. This is a hint, because files can grow.
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

/// Permission to replace existing files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Force {
    /// Replace existing files, even read-only ones
    #[arg(id = "force", long = "force", action = ArgAction::SetTrue, value_parser = flags::switch::<Replace>())]
    pub replace: Replace,
}

/// Returns whether a path means standard output.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new(DASH) || standard::is_output(path)
}

/// Takes the output from the paths of a command: `INPUT.. OUTPUT`. The parser takes all of them as inputs; see
/// [`Cli::read`](crate::cli::Cli::read).
pub fn last_path(paths: &mut Vec<PathBuf>) -> anyhow::Result<PathBuf> {
    match paths.pop() {
        Some(output) if !paths.is_empty() => Ok(output),
        _ => bail!("OUTPUT is missing: after the inputs, name the file or directory to write"),
    }
}

/// Parquet file that a command writes: a file, or standard output, to which it is copied once it is complete.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    stream: Option<TempDir>,
}

impl Target {
    /// Prepares to write to `path`; `-` means standard output.
    pub fn new(path: &Path) -> anyhow::Result<Self> {
        if !is_stream(path) {
            let path = path.to_owned();
            return Ok(Self { path, stream: None });
        }
        let directory = tempfile::Builder::new().prefix(".bytelane-").tempdir()?;
        Ok(Self {
            path: directory.path().join("output.parquet"),
            stream: Some(directory),
        })
    }

    /// Returns the path to write to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file goes to standard output, so that a summary must go elsewhere.
    pub fn is_stream(&self) -> bool {
        self.stream.is_some()
    }

    /// Copies the complete file to standard output, if that is the output. Returns where the summary goes: to standard
    /// output, or then to standard error.
    pub fn publish<'a>(&self, out: &'a mut impl Write) -> anyhow::Result<Box<dyn Write + 'a>> {
        if !self.is_stream() {
            return Ok(Box::new(out));
        }
        io::copy(&mut File::open(&self.path)?, out).context("standard output")?;
        out.flush().context("standard output")?;
        Ok(Box::new(io::stderr().lock()))
    }
}

/// Standard output, or a file that appears under its name only when [`finish`](Output::finish) is
/// called.
#[derive(Debug)]
pub enum Output {
    Stdout {
        stdout: BufWriter<StdoutLock<'static>>,
        /// True if the output would go to a terminal without an explicit request.
        to_people: bool,
    },
    File {
        file: BufWriter<File>,
        new: NewFile,
        path: PathBuf,
    },
}

impl Output {
    /// Prepares to write to `path`; `None` and `-` mean standard output. `input` is the file that is read, if any.
    pub fn create(
        path: Option<&Path>,
        input: Option<&Path>,
        replace: Replace,
    ) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new(DASH)) else {
            let stdout = BufWriter::with_capacity(WRITE_BUFFER, standard::output()?);
            let to_people = path.is_none() && io::stdout().is_terminal();
            return Ok(Self::Stdout { stdout, to_people });
        };
        let inputs: Vec<&Path> = input.into_iter().collect();
        let new = removed_if_interrupted(|| NewFile::create_or_replace(path, replace, &inputs))?;
        let file = new.file().try_clone();
        let file = file.with_context(|| format!("cannot write {}", readable::path(path)))?;
        Ok(Self::File {
            file: BufWriter::with_capacity(WRITE_BUFFER, file),
            new,
            path: path.to_owned(),
        })
    }

    /// Completes the output: the file now has its final name.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let message = format!("cannot write {}", self.name());
        self.flush().with_context(|| message.clone())?;
        match self {
            Self::Stdout { .. } => Ok(()),
            Self::File { new, .. } => new.finish().context(message),
        }
    }

    /// Returns the name of the output in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout { .. } => "standard output".to_owned(),
            Self::File { path, .. } => readable::path(path),
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
            Self::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout { stdout, .. } => stdout.flush(),
            Self::File { file, .. } => file.flush(),
        }
    }
}

/// Creates a file that is removed on Ctrl-C and other termination signals, as long as it has this
/// name.
fn removed_if_interrupted(
    create: impl FnOnce() -> bytelane_parquet::Result<NewFile>,
) -> anyhow::Result<NewFile> {
    static HALF_WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let half_written = || HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    // The signal handler waits until the new file is among those to remove.
    let mut paths = half_written();
    if paths.is_empty() {
        signals::on_signal(move |status| {
            for path in half_written().iter() {
                // It may have been renamed or removed already; errors cannot be reported any more.
                let _ = fs::remove_file(path);
            }
            // The main thread may be blocked on its input.
            signals::end(status);
        })?;
    }
    let file = create()?;
    paths.extend(file.unfinished().map(Path::to_owned));
    Ok(file)
}
