//! Contains all integration tests of the crate. A single program avoids linking every dependency several
//! times.

mod advise;
mod allocation;
mod bad_input;
mod check;
mod diff;
mod edit;
#[path = "../../../bytelane-parquet/tests/it/given/mod.rs"]
mod given;
mod merge;
mod repair;
mod rewrite;
mod salvage;
mod stats;
