//! Reading of files and data sets.

pub mod dataset;
pub mod file;
pub mod keys;
pub mod metrics;
pub mod partition;
pub mod source;
