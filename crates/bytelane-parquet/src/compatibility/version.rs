//! Versions of programs.

use crate::{Error, Problem, Result};
use std::fmt;
use std::str::FromStr;

/// Version of a program: `26`, `1.2` or `12.0.1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// First number.
    pub major: u16,
    /// Second number; 0 if there is none.
    pub minor: u16,
    /// Third number; 0 if there is none.
    pub patch: u16,
}

pub(super) const fn version(major: u16, minor: u16, patch: u16) -> Version {
    Version {
        major,
        minor,
        patch,
    }
}

impl fmt::Display for Version {
    /// Omits trailing zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            major,
            minor,
            patch,
        } = self;
        match (minor, patch) {
            (0, 0) => write!(f, "{major}"),
            (_, 0) => write!(f, "{major}.{minor}"),
            _ => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

impl FromStr for Version {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers: Option<Vec<u16>> = text.split('.').map(|part| part.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[major]) => Ok(version(major, 0, 0)),
            Some(&[major, minor]) => Ok(version(major, minor, 0)),
            Some(&[major, minor, patch]) => Ok(version(major, minor, patch)),
            _ => Err(
                Problem::Option(format!("{text:?} is not a version such as 12 or 1.2.3")).into(),
            ),
        }
    }
}
