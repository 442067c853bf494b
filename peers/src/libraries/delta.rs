//! The crate `parquet`.

use super::parquet_work::Kind;
use super::{Comparison, Peer, comparison, parquet};

pub const COMPARISON: Comparison = comparison(&[], &[8, 32, 128, 4096, 100_000], false);

pub fn peers<const K: usize>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    parquet::peers(K, Kind::Delta)
}
