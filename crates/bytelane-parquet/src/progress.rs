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

    /// Returns a callback that can only cancel the work: it reports that all is done, whatever it is called with.
    pub(crate) fn at_end(
        &self,
        total: u64,
    ) -> impl Fn(u64) -> ControlFlow<()> + Send + Sync + 'static {
        let progress = self.clone();
        move |_| match progress.report(total, total) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Reports progress; an error if the work is cancelled.
    pub(crate) fn report(&self, done: u64, total: u64) -> Result<()> {
        match &self.0 {
            Some(callback) if callback(done, total).is_break() => Err(Problem::Cancelled.into()),
            _ => Ok(()),
        }
    }
}
