//! Lines of journals.

use crate::{Error, Result};
use bytelane_parquet_files::diff::Fingerprint;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// State of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// Its sources are as planned, and work has begun.
    Started,
    /// Its outputs are complete, under temporary names.
    Written,
    /// Its outputs have been read back and have the rows of the sources. Their final names are
    /// known.
    Verified,
    /// Its outputs have their final names.
    Published,
    /// It failed, and nothing was published.
    Failed,
}

impl State {
    /// Returns whether an entry must be stored before the unit goes on. Without the others, the next run finds
    /// out what happened: it reads the outputs of a verified unit, and begins any other one again.
    pub(super) fn is_stored_at_once(self) -> bool {
        matches!(self, Self::Verified | Self::Failed)
    }

    /// Returns the name used in journals.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Written => "written",
            Self::Verified => "verified",
            Self::Published => "published",
            Self::Failed => "failed",
        }
    }
}

/// Output of a unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct OutputFile {
    /// Path relative to the new root.
    pub path: String,
    pub bytes: u64,
}

/// Line of a journal: the state that a unit has reached.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub unit: String,
    pub state: State,
    /// Milliseconds since 1970.
    pub time: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Entry {
    pub(crate) fn new(unit: &str, state: State) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            unit: unit.to_owned(),
            state,
            time: since.map_or(0, |since| since.as_millis() as u64),
            fingerprint: None,
            outputs: Vec::new(),
            error: None,
        }
    }
}

/// First line of a journal, or of each segment of one.
#[derive(Serialize, Deserialize)]
pub(super) struct Header {
    pub version: u32,
    pub plan: String,
    pub shard: String,
    /// Number of the process and time of its start, so that the journals of two runs differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<(u32, u128)>,
}

/// Returns a value as a line of JSON.
pub(super) fn line(value: &impl Serialize) -> Result<Vec<u8>> {
    let text = serde_json::to_vec(value);
    let mut text = text.map_err(|error| Error::Input(format!("the journal: {error}")))?;
    text.push(b'\n');
    Ok(text)
}
