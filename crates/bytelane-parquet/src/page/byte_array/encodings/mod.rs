//! Decodes strings in each encoding, as ranges in the page or as copies.

pub(in crate::page) mod codes;
pub(super) mod copy;
pub(in crate::page) mod delta;
pub(super) mod delta_length;
pub(super) mod dictionary;
pub(in crate::page) mod indices;
pub(super) mod plain;
pub(super) mod room;
