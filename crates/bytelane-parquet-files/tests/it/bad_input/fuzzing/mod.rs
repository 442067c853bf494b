//! Checks inputs of the fuzz targets, which include these files as well.

pub mod chunk;
pub mod files;
pub mod reader;
pub mod rewrite;
pub mod rows;
