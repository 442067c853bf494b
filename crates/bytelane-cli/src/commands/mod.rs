//! The subcommands, one file each.

pub mod advise;
pub mod bench;
pub mod check;
pub mod completions;
pub mod cpu;
pub mod diff;
pub mod inspect;
pub mod merge;
pub mod repair;
pub mod report;
pub mod rewrite;
pub mod rows;
pub mod thrift;
pub mod transcode;
