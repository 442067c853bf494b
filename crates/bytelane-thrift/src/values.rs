//! Types for Thrift values that have no type in Rust.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// A `uuid`: 16 bytes, most significant first.
///
/// ```
/// use bytelane_thrift::Uuid;
///
/// let id: Uuid = "00112233-4455-6677-8899-aabbccddeeff".parse()?;
/// assert_eq!(id.0[..3], [0x00, 0x11, 0x22]);
/// assert_eq!(id.to_string(), "00112233-4455-6677-8899-aabbccddeeff");
/// # Ok::<(), bytelane_thrift::InvalidUuid>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Uuid(pub [u8; 16]);

/// Error for a text that is not the canonical form of a [`Uuid`]: 32 hexadecimal digits, with
/// hyphens after the 8th, 12th, 16th and 20th.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidUuid;

impl fmt::Display for InvalidUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a UUID: expected 32 hexadecimal digits, in groups of 8, 4, 4, 4 and 12")
    }
}

impl std::error::Error for InvalidUuid {}

/// Length in bytes of the canonical form.
const TEXT_LEN: usize = 36;

impl Uuid {
    /// Returns the canonical form.
    pub(crate) fn to_text(self) -> [u8; TEXT_LEN] {
        let mut text = [b'-'; TEXT_LEN];
        let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
        let mut at = 0;
        for (i, byte) in self.0.into_iter().enumerate() {
            if matches!(i, 4 | 6 | 8 | 10) {
                at += 1;
            }
            text[at] = digit(byte >> 4);
            text[at + 1] = digit(byte & 15);
            at += 2;
        }
        text
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.to_text()))
    }
}

impl FromStr for Uuid {
    type Err = InvalidUuid;

    fn from_str(text: &str) -> Result<Self, InvalidUuid> {
        let text: &[u8; TEXT_LEN] = text.as_bytes().try_into().map_err(|_| InvalidUuid)?;
        let mut nibbles = [0; 32];
        let mut count = 0;
        for (i, &character) in text.iter().enumerate() {
            if matches!(i, 8 | 13 | 18 | 23) {
                if character != b'-' {
                    return Err(InvalidUuid);
                }
                continue;
            }
            let digit = char::from(character).to_digit(16).ok_or(InvalidUuid)?;
            nibbles[count] = digit as u8;
            count += 1;
        }
        let mut bytes = [0; 16];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = nibbles[2 * i] << 4 | nibbles[2 * i + 1];
        }
        Ok(Self(bytes))
    }
}

/// Defines floating-point numbers with a total order.
macro_rules! ordered {
    ($(#[$documentation:meta])* $Ordered:ident $T:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $Ordered(pub $T);

        impl From<$T> for $Ordered {
            fn from(value: $T) -> Self {
                Self(value)
            }
        }

        impl From<$Ordered> for $T {
            fn from($Ordered(value): $Ordered) -> Self {
                value
            }
        }

        impl PartialEq for $Ordered {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other) == Ordering::Equal
            }
        }

        impl Eq for $Ordered {}

        impl PartialOrd for $Ordered {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $Ordered {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.total_cmp(&other.0)
            }
        }

        impl Hash for $Ordered {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.to_bits().hash(state);
            }
        }

        impl fmt::Display for $Ordered {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
ordered! {
    /// A double that can be an element of a set or the key of a map: it has the total order of
    /// [`f64::total_cmp`], which puts -0 before 0 and orders NaNs.
    ///
    /// ```
    /// use bytelane_thrift::Double;
    ///
    /// assert!(Double::from(-0.0) < Double::from(0.0));
    /// assert_eq!(Double(f64::NAN), Double(f64::NAN));
    /// ```
    Double f64
}
ordered! {
    /// A float that can be an element of a set or the key of a map, like [`Double`]. Only fbthrift
    /// has floats.
    ///
    /// ```
    /// use bytelane_thrift::Float;
    ///
    /// assert!(Float::from(-0.0) < Float::from(0.0));
    /// assert_eq!(Float(f32::NAN), Float(f32::NAN));
    /// ```
    Float f32
}
