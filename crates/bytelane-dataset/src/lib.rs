//! Plans how to merge, split or rewrite the Parquet files of a data set, and runs plans to write a
//! new root.
//!
//! A plan is made from footers and from samples of values. A run writes a new directory and never
//! changes the old one: each output is read back, compared with its sources, and published once. A
//! journal records finished work, so a run continues where an earlier one stopped.
//!
//! ```no_run
//! use bytelane_dataset::{PlanOptions, RunOptions, plan, run, verify};
//!
//! let plan = plan("lake", &PlanOptions::default())?;
//! let outcome = run(&plan, "lake.new", &RunOptions::default())?;
//! assert!(outcome.is_complete());
//! assert!(verify("lake", "lake.new", |_| std::ops::ControlFlow::Continue(()))?.is_same());
//! # Ok::<(), bytelane_dataset::Error>(())
//! ```

mod bytes;
mod error;
mod footer;
mod hash;
mod identity;
mod journal;
mod listing;
mod plan;
mod root;
mod run;
mod swap;
mod verify;

pub use error::{Error, Result};
pub use listing::{Listing, SourceFile, list};
pub use plan::{
    Action, ClassAdvice, ColumnSaving, Expected, Plan, PlanOptions, PromisedOrder, Schema,
    SortAdvice, SortBy, Spread, Unit, Unreadable, plan, plan_files,
};
pub use run::{FailedUnit, Progress, Run, RunOptions, Shard, run};
pub use swap::{Deleted, delete, swap};
pub use verify::{GroupDifference, Verified, verify};

/// Name of the directory in a new root that contains the journal. Programs that read data sets skip
/// names that begin with an underscore.
pub const STATE_DIRECTORY: &str = "_bytelane";
