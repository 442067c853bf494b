//! Builds arrays of strings: with offsets, views, dictionary keys, or decimals.

pub(super) mod decimal;
pub(super) mod keys;
pub(super) mod offsets;
pub(super) mod views;
