//! Shared libraries in wheels from PyPI.

use anyhow::Context;
use libloading::Library;

/// A library of a wheel, which `cargo xtask peers` fetches, identified by the environment variable
/// with its file name.
pub struct Wheel {
    pub library: &'static str,
    pub variable: &'static str,
}

impl Wheel {
    /// Loads the library, for the rest of the process; `None`, with a message, if it was not
    /// fetched.
    pub fn load(&self) -> anyhow::Result<Option<&'static Library>> {
        let Some(path) = std::env::var_os(self.variable) else {
            eprintln!(
                "  without {}: {} is not set (cargo xtask peers sets it)",
                self.library, self.variable
            );
            return Ok(None);
        };
        // SAFETY: the initialisers of this library are those that run whenever Python imports it.
        let library = unsafe { Library::new(&path) }
            .with_context(|| format!("cannot load {}", path.to_string_lossy()))?;
        Ok(Some(Box::leak(Box::new(library))))
    }
}
