//! Writing of files.

pub mod keys;
pub mod sink;
pub mod writer;
