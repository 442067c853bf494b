//! Errors of streams, and of places in one.

use core::fmt;

/// Why a stream could not be read. Offsets count from the first control byte.
pub type Error = crate::Error<ErrorKind>;

/// Kind of fault in a stream, or in a place in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends within the control bytes.
    Controls {
        /// The number of values that the control bytes would be for.
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
    /// A place beyond the last value.
    Position {
        /// The value asked for.
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
