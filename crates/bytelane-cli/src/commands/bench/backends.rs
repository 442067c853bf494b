//! Option that restricts a benchmark to some backends.

use crate::backend;
use anyhow::bail;
use bytelane::Backend;

#[derive(Debug, clap::Args)]
pub struct Backends {
    /// Backends [default: all that this CPU can run, or BYTELANE_BACKEND]
    #[arg(long = "backend", value_name = "NAME", value_delimiter = ',')]
    backends: Vec<Backend>,
}

impl Backends {
    /// Returns the backends requested by the option or the environment; an empty list means all.
    pub fn asked_for(mut self) -> anyhow::Result<Vec<Backend>> {
        if let Some(forced) = backend::force_from_environment()?
            && self.backends.is_empty()
        {
            self.backends.push(forced);
        }
        if let Some(&missing) = self.backends.iter().find(|backend| !backend.is_available()) {
            bail!(bytelane::Unavailable(missing));
        }
        Ok(self.backends)
    }
}

/// Returns the backends to measure: the requested ones, or all if the list is empty.
pub fn or_all(asked_for: &[Backend]) -> Vec<Backend> {
    match asked_for {
        [] => Backend::available().collect(),
        named => named.to_vec(),
    }
}
