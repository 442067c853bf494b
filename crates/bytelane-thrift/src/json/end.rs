//! Finds the end of a JSON message without reading it.

/// Search for the end of a message whose bytes may arrive in parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl End {
    /// Returns the number of bytes up to the end, if it is among these bytes, which follow those of
    /// the previous call. A message that does not start with a bracket ends with its first byte.
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        for (i, &byte) in bytes.iter().enumerate() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' if self.depth > 0 => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                _ => {}
            }
            if self.depth == 0 {
                return Some(i + 1);
            }
        }
        None
    }
}
