//! Standard input and output, if the process has them.

use anyhow::bail;
use std::io::{self, Stdin, StdoutLock};
use std::path::Path;

/// Returns standard input.
///
/// # Errors
/// The stream was closed when the process began.
pub fn input() -> anyhow::Result<Stdin> {
    if at_start::INPUT.is_closed() {
        bail!("cannot read standard input: it is closed; name a file, or redirect it");
    }
    Ok(io::stdin())
}

/// Returns standard output.
///
/// # Errors
/// The stream was closed when the process began.
pub fn output() -> anyhow::Result<StdoutLock<'static>> {
    if at_start::OUTPUT.is_closed() {
        bail!("cannot write standard output: it is closed; redirect it to a file, or to /dev/null");
    }
    Ok(io::stdout().lock())
}

/// Returns whether a path is another name of standard output, such as `/dev/stdout`, where that is a file, a pipe or a
/// socket.
#[cfg(unix)]
pub fn is_output(path: &Path) -> bool {
    use rustix::fs::{FileType, fstat, stat};
    let (Ok(own), Ok(other)) = (fstat(rustix::stdio::stdout()), stat(path)) else {
        return false;
    };
    // Writing to a device cannot damage a file.
    let is_device = FileType::from_raw_mode(own.st_mode) == FileType::CharacterDevice;
    !is_device && (own.st_dev, own.st_ino) == (other.st_dev, other.st_ino)
}

#[cfg(not(unix))]
pub fn is_output(_: &Path) -> bool {
    false
}

/// Streams that the process inherited.
///
/// Before `main`, Rust's runtime opens `/dev/null` in place of standard streams that are closed, so
/// that no other file takes their numbers. It opens it for reading and writing, as Python does for
/// `subprocess.DEVNULL`: `main` cannot tell a closed stream from one that the caller discards. Hence
/// a constructor, which runs before the runtime, looks at the streams.
#[cfg(unix)]
mod at_start {
    use rustix::fd::BorrowedFd;
    use rustix::fs::{OFlags, fcntl_getfl};
    use rustix::stdio;
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static INPUT: Stream = Stream(AtomicBool::new(false));
    pub static OUTPUT: Stream = Stream(AtomicBool::new(false));

    /// Standard stream; true if the process cannot use it.
    pub struct Stream(AtomicBool);

    impl Stream {
        pub fn is_closed(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }

        /// Records whether a stream is closed, or open only for the other direction.
        fn look(&self, stream: BorrowedFd<'_>, other: OFlags) {
            let is_open = fcntl_getfl(stream).is_ok_and(|mode| mode & OFlags::RWMODE != other);
            self.0.store(!is_open, Ordering::Relaxed);
        }
    }

    // SAFETY: before `main` the standard library may not be ready. This code does not use it: it
    // makes system calls, and stores to atomics that are constants until then.
    ctor::declarative::ctor! {
        #[ctor(unsafe)]
        fn look() {
            INPUT.look(stdio::stdin(), OFlags::WRONLY);
            OUTPUT.look(stdio::stdout(), OFlags::RDONLY);
        }
    }
}

#[cfg(not(unix))]
mod at_start {
    pub static INPUT: Stream = Stream;
    pub static OUTPUT: Stream = Stream;

    /// Standard stream of unknown state.
    pub struct Stream;

    impl Stream {
        pub fn is_closed(&self) -> bool {
            false
        }
    }
}
