//! Converts types of columns, and their values, between the file and Arrow.

pub(crate) mod bare;
pub(crate) mod extension;
pub(crate) mod fields;
pub(crate) mod geo;
pub(crate) mod hash;
pub(crate) mod physical;
pub(crate) mod stored;
pub mod unite;
pub(crate) mod written;
