//! The subcommands, one file each.

pub mod advise;
#[cfg(feature = "measuring")]
pub mod bench;
pub mod check;
pub mod completions;
pub mod cpu;
pub mod dataset;
pub mod diff;
pub mod edit;
pub mod inspect;
pub mod manual;
pub mod merge;
#[cfg(not(feature = "measuring"))]
pub mod not_measuring;
pub mod repair;
#[cfg(feature = "measuring")]
pub mod report;
pub mod rewrite;
pub mod rows;
pub mod schema;
pub mod thrift;
pub mod transcode;
