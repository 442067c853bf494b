//! Writing of files.

pub mod sink;
pub mod writer;
