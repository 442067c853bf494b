//! Joins the chunks of a leaf: pages, dictionaries, indexes and statistics.

mod add;
mod bloom;
pub(super) mod bounds;
pub(super) mod codec;
mod describe;
mod dictionary;
pub(super) mod entry;
mod estimate;
mod index;
mod leaf;
mod pages;

pub(super) use dictionary::{Dictionary, entries_of, lengths};
pub(super) use leaf::{Input, Join, uses_dictionary};
pub(super) use pages::encoded_page;
