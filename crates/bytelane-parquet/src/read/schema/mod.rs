//! Maps a file's columns to Arrow types, and to the trees that their leaves belong to.

mod fitted;
mod plan;
mod tree;
mod types;

pub(super) use fitted::{can_exist, fitted};
pub(super) use plan::{LeafPlan, Plan};
pub(super) use tree::Kind;
pub(super) use types::{with_whole_intervals, with_zones, without_other_values};
