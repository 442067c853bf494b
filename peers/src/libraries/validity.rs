//! Reading and writing arrays with nulls, as the crate `parquet` does.

use super::parquet_work::Kind;
use super::{Comparison, Peer, Peers, parquet};

const VALUES: &[usize] = &[64, 1024, 20_000];

pub const fn levels() -> Comparison {
    Comparison {
        specification: "validity:max_level=1",
        data: &["bits_1"],
        values: VALUES,
        varied: false,
        ours: None,
        peers: |_| parquet::peers(2, Kind::Levels),
    }
}

pub const fn values(specification: &'static str, peers: Peers) -> Comparison {
    Comparison {
        specification,
        data: &["random"],
        values: VALUES,
        varied: false,
        ours: None,
        peers,
    }
}

/// Creates peers for values of `V` bytes with a percentage of nulls.
pub fn nulls<const V: usize, const PERCENT: usize>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    parquet::peers(V, Kind::Nulls(PERCENT))
}
