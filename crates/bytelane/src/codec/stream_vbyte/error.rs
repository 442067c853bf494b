//! Errors in streams, and in positions.

use core::fmt;

/// Error of reading a stream. Offsets count from the first control byte.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in a stream, or in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends within the control bytes.
    Controls {
        /// The length of the control bytes.
        needed: usize,
    },
    /// The input ends before the data that the control bytes announce. The offset is that of the
    /// first value whose data are incomplete.
    Data {
        /// The number of that value.
        value: usize,
        /// The number of bytes that it has.
        needed: usize,
        /// The number of its bytes that the input has.
        given: usize,
    },
    /// The position is beyond the last value.
    Position {
        /// The requested value.
        value: usize,
        /// Number of values in the stream.
        values: usize,
    },
    /// The offset of a checkpoint is within the control bytes or past the end: the checkpoint
    /// belongs to another stream.
    Checkpoint,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Controls { needed } => {
                write!(f, "the input ends within its {needed} control bytes")
            }
            Self::Data {
                value,
                needed,
                given,
            } => write!(
                f,
                "value {value} needs {needed} bytes, but the input ends after {given}"
            ),
            Self::Position { value, values } => write!(
                f,
                "value {value} is beyond the {values} values of the stream"
            ),
            Self::Checkpoint => {
                f.write_str("not a position at which a value of this stream begins")
            }
        }
    }
}
