//! Types of columns, in the file and in Arrow, and their values on the way from one to the other.

pub(crate) mod bare;
pub(crate) mod extension;
pub(crate) mod fields;
pub(crate) mod hash;
pub(crate) mod physical;
pub(crate) mod stored;
