//! Reading and writing arrays with nulls, as the crate `parquet` does.

use super::parquet_work::Kind;
use super::{Comparison, Peer, comparison, parquet};

pub const COMPARISON: Comparison = comparison(&["random"], &[64, 1024, 20_000], false);

/// Creates peers for values of `V` bytes with a percentage of nulls.
pub fn nulls<const V: usize, const PERCENT: usize>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    parquet::peers(V, Kind::Nulls(PERCENT))
}
