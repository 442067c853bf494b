//! Limits the length of lines, because readers keep a line in memory.

use std::io::{self, Read};

/// Input that is read from the beginning to the end.
pub type Input = Box<dyn Read + Send>;

/// Maximum length of a line in bytes.
const LONGEST: usize = 256 << 20;

/// Input with lines of a limited length.
pub struct Lines {
    input: Input,
    /// Bytes since the last line break.
    length: usize,
}

impl Lines {
    pub fn new(input: Input) -> Self {
        Self { input, length: 0 }
    }
}

impl Read for Lines {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(to)?;
        self.length = match to[..read].iter().rposition(|byte| *byte == b'\n') {
            Some(last) => read - last - 1,
            None => self.length + read,
        };
        if self.length > LONGEST {
            return Err(io::Error::other(
                "a line has more than 256 MiB, so the input is no text",
            ));
        }
        Ok(read)
    }
}
