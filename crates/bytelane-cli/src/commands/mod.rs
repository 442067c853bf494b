//! The subcommands, one file each.

pub mod advise;
pub mod bench;
pub mod completions;
pub mod cpu;
pub mod diff;
pub mod inspect;
pub mod report;
pub mod rewrite;
pub mod rows;
pub mod thrift;
pub mod transcode;
