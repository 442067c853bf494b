//! Columns of a file and their types in Arrow, and the trees that leaves are parts of.

mod fitted;
mod plan;
mod tree;
mod types;

pub(super) use fitted::{can_exist, fitted};
pub(super) use plan::{LeafPlan, Plan};
pub(super) use tree::Kind;
pub(super) use types::{with_whole_intervals, without_other_values};
