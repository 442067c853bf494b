//! The chunks of a leaf joined to one: pages, dictionaries, indexes and statistics.

mod bloom;
pub(super) mod bounds;
pub(super) mod codec;
mod dictionary;
mod index;
mod leaf;
mod pages;

pub(super) use leaf::{Input, Join};
