//! Progress of long work, which its caller can cancel.

use crate::{Problem, Result};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Progress callback, if there is one: bytes done and total.
#[derive(Clone, Default)]
pub(crate) struct Progress(Option<Arc<Callback>>);

type Callback = dyn Fn(u64, u64) -> ControlFlow<()> + Send + Sync;

impl Progress {
    pub(crate) fn new(
        callback: impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(callback)))
    }

    /// Reports progress; an error if the work is cancelled.
    pub(crate) fn report(&self, done: u64, total: u64) -> Result<()> {
        match &self.0 {
            Some(callback) if callback(done, total).is_break() => Err(Problem::Cancelled.into()),
            _ => Ok(()),
        }
    }
}
