//! Converts types of columns, and their values, between the file and Arrow.

pub mod bare;
pub(crate) mod extension;
pub mod fields;
pub mod geo;
pub(crate) mod hash;
pub mod named;
pub mod physical;
pub mod stored;
pub mod unite;
pub mod written;
