//! Strings in each encoding: where the values of a page are, or copies of them.

pub(super) mod copy;
pub(in crate::page) mod delta;
pub(super) mod delta_length;
pub(super) mod dictionary;
pub(super) mod indices;
pub(super) mod plain;
pub(super) mod room;
