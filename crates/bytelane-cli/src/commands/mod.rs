//! The subcommands, one file each.

pub mod advise;
#[cfg(feature = "measuring")]
pub mod bench;
pub mod completions;
pub mod cpu;
pub mod diff;
pub mod inspect;
#[cfg(not(feature = "measuring"))]
pub mod not_measuring;
#[cfg(feature = "measuring")]
pub mod report;
pub mod rewrite;
pub mod rows;
pub mod thrift;
pub mod transcode;
