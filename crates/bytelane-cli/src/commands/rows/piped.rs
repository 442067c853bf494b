//! Pipes whose reading a signal ends.

use crate::files::Input;
use crate::signals;
use std::io::{self, Cursor, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// Number of chunks that are read ahead.
const AHEAD: usize = 4;

/// Time between looks for a signal.
const PAUSE: Duration = Duration::from_millis(50);

/// Input that another thread reads, because nothing else ends the wait for the next bytes of a pipe.
pub struct Piped {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
}

impl Piped {
    pub fn new(mut input: Input) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(AHEAD);
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                loop {
                    let mut bytes = vec![0; CHUNK];
                    let read = match input.read(&mut bytes) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                        read => read,
                    };
                    let is_last = !matches!(read, Ok(1..));
                    let chunk = read.map(|length| {
                        bytes.truncate(length);
                        bytes
                    });
                    if sender.send(chunk).is_err() || is_last {
                        return;
                    }
                }
            })?;
        Ok(Self {
            chunks,
            chunk: Cursor::default(),
        })
    }
}

impl Read for Piped {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.chunk.read(bytes)?;
        if length > 0 || bytes.is_empty() {
            return Ok(length);
        }
        loop {
            match self.chunks.recv_timeout(PAUSE) {
                Ok(chunk) => {
                    self.chunk = Cursor::new(chunk?);
                    return self.chunk.read(bytes);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) if signals::received() => {
                    return Err(io::Error::other("interrupted"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
