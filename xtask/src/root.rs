//! Finds the workspace, and reads its manifests.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use toml::Table;

/// Returns the workspace's root directory.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
}

/// Returns the `rust-version` that the crates state.
pub fn rust_version() -> Result<String> {
    let manifest = read_toml("Cargo.toml")?;
    let version = &manifest["workspace"]["package"]["rust-version"];
    Ok(version
        .as_str()
        .context("rust-version is no text")?
        .to_owned())
}

/// Reads a manifest of the workspace, such as `Cargo.toml`.
pub fn read_toml(path: &str) -> Result<Table> {
    let text =
        fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))?;
    text.parse().with_context(|| format!("{path} is not TOML"))
}
