//! Environment variable `BYTELANE_BACKEND`.

use anyhow::Context;
use bytelane::Backend;

const VARIABLE: &str = "BYTELANE_BACKEND";

/// Activates the backend that the environment names, if any, and returns it.
pub fn force_from_environment() -> anyhow::Result<Option<Backend>> {
    let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let name = name.to_string_lossy();
    let force = || -> anyhow::Result<Backend> {
        let backend = name.parse()?;
        Backend::set_active(backend)?;
        Ok(backend)
    };
    force()
        .map(Some)
        .with_context(|| format!("{VARIABLE}={name}"))
}
