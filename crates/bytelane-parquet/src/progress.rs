//! Progress of long work, which its caller can cancel.

use crate::{Problem, Result};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Progress callback of long work, if there is one: the amounts done and total, whose unit depends on the work.
///
/// ```
/// use bytelane_parquet::Progress;
/// use std::ops::ControlFlow;
///
/// let progress = Progress::new(|done, total| {
///     println!("{done} of {total}");
///     ControlFlow::Continue(())
/// });
/// # drop(progress);
/// ```
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Callback>>);

type Callback = dyn Fn(u64, u64) -> ControlFlow<()> + Send + Sync;

impl Progress {
    /// Calls a function repeatedly. It returns `Break` to cancel the work with [`Problem::Cancelled`].
    pub fn new(callback: impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(callback)))
    }

    /// Returns a callback that can only cancel the work: it reports that all is done, whatever it is called with.
    #[doc(hidden)]
    pub fn at_end(&self, total: u64) -> impl Fn(u64) -> ControlFlow<()> + Send + Sync + 'static {
        let progress = self.clone();
        move |_| match progress.report(total, total) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Reports progress; an error if the work is cancelled.
    #[doc(hidden)]
    pub fn report(&self, done: u64, total: u64) -> Result<()> {
        match &self.0 {
            Some(callback) if callback(done, total).is_break() => Err(Problem::Cancelled.into()),
            _ => Ok(()),
        }
    }
}

impl From<Arc<Callback>> for Progress {
    fn from(callback: Arc<Callback>) -> Self {
        Self(Some(callback))
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").finish_non_exhaustive()
    }
}
