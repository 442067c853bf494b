//! The crate `parquet`.

use super::ours::Calls;
use super::parquet_work::Kind;
use super::{Comparison, Peer, Peers, parquet};

pub const fn comparison(
    specification: &'static str,
    data: &'static [&'static str],
    peers: Peers,
    ours: fn() -> Calls,
) -> Comparison {
    Comparison {
        specification,
        data,
        values: &[8, 32, 128, 4096, 100_000],
        varied: false,
        ours: Some(ours),
        peers,
    }
}

pub fn peers<const K: usize>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    parquet::peers(K, Kind::Delta)
}
