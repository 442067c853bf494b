//! Writes documents and records.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Writes a temporary file, then renames it, so that a document is never incomplete.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    let beside = path.with_extension("incomplete");
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}
