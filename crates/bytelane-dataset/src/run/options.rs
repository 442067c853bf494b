//! Defines the options of runs.

use crate::{Error, Result};
use derive_setters::Setters;
use serde::Deserialize;
use std::fmt;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::Arc;

/// Fraction of a plan's units, for one of several processes.
///
/// ```
/// use bytelane_dataset::Shard;
///
/// let shard: Shard = "1/4".parse()?;
/// assert_eq!(shard.to_string(), "1/4");
/// assert!("4/4".parse::<Shard>().is_err());
/// # Ok::<(), bytelane_dataset::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "(usize, usize)")]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// Returns whether the unit with this number belongs to the shard.
    pub(super) fn has(self, number: usize) -> bool {
        number % self.count == self.index
    }

    /// Returns whether other shards have units too.
    pub(super) fn is_part(self) -> bool {
        self.count > 1
    }

    /// Returns the shard's part of file names.
    pub(super) fn name(self) -> String {
        format!("{}-of-{}", self.index, self.count)
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = Error;

    /// Parses `I/N`: shard I of N, counted from 0.
    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            Some((index.parse().ok()?, count.parse().ok()?))
        };
        Self::try_from(parse().unwrap_or_default())
    }
}

impl TryFrom<(usize, usize)> for Shard {
    type Error = Error;

    fn try_from((index, count): (usize, usize)) -> Result<Self> {
        if index < count {
            return Ok(Self { index, count });
        }
        let problem = "give I/N: the share, counted from 0, and the number of shares, as in 0/4";
        Err(Error::Input(problem.to_owned()))
    }
}

/// Progress of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// Size of the sources of finished units, in bytes.
    pub bytes: u64,
    /// Size of the sources of all units to run, in bytes.
    pub total: u64,
    /// Number of finished units.
    pub units: usize,
}

type OnProgress = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;
type OnPoint = dyn Fn(&str, &str) + Send + Sync;

/// Options for running a plan.
///
/// ```
/// use bytelane_dataset::RunOptions;
/// use std::num::NonZero;
///
/// let options = RunOptions::default()
///     .with_jobs(NonZero::new(4).unwrap())
///     .with_shard("0/2".parse()?)
///     .with_retry_failed(true);
/// # Ok::<(), bytelane_dataset::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct RunOptions {
    /// The number of units to process at the same time; each holds a row group in memory twice
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "1"))]
    pub jobs: NonZero<usize>,
    /// Process only this share of the units, counted from 0: for several processes or machines
    #[cfg_attr(feature = "clap", arg(long, value_name = "I/N", default_value_t))]
    pub shard: Shard,
    /// Retry units that failed in an earlier run
    #[cfg_attr(feature = "clap", arg(long))]
    pub retry_failed: bool,
    #[serde(skip)]
    #[setters(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    callbacks: Callbacks,
}

#[derive(Clone, Default)]
struct Callbacks {
    progress: Option<Arc<OnProgress>>,
    point: Option<Arc<OnPoint>>,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").finish_non_exhaustive()
    }
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            jobs: NonZero::<usize>::MIN,
            shard: Shard::default(),
            retry_failed: false,
            callbacks: Callbacks::default(),
        }
    }
}

impl RunOptions {
    /// Sets a progress callback, called often and on several threads. Return `Break` to cancel with
    /// [`Error::Cancelled`].
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.callbacks.progress = Some(Arc::new(progress));
        self
    }

    /// Sets a callback for tests, which end the process in it. It is called with the id of a unit
    /// and the name of the state that has just been recorded in the journal, and with `renamed`
    /// after each output has been renamed.
    #[doc(hidden)]
    #[must_use]
    pub fn with_point_hook(mut self, hook: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.callbacks.point = Some(Arc::new(hook));
        self
    }

    pub(super) fn report(&self, progress: Progress) -> ControlFlow<()> {
        match &self.callbacks.progress {
            Some(report) => report(progress),
            None => ControlFlow::Continue(()),
        }
    }

    pub(super) fn reach(&self, unit: &str, point: &str) {
        if let Some(hook) = &self.callbacks.point {
            hook(unit, point);
        }
    }
}
