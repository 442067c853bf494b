//! Results of codecs.

/// Error of a codec: a message with the position.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Number of bytes written, or read.
pub type Length = Result<usize, Failure>;

/// Result of decoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// Number of encoded bytes read.
    pub read: usize,
    /// Number of bytes of values written.
    pub written: usize,
}
