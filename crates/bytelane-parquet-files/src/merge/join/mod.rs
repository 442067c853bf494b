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

pub(super) use dictionary::{Dictionary, Entries, dictionary_of, entries_of};
pub(super) use pages::encoded_page;

use super::leaf::Leaf;
use super::meaning::Order;
use bytelane_parquet::statistics::Compare;
use parquet::schema::types::ColumnDescriptor;

/// Chunk of an input.
pub(super) enum Input {
    Leaf(Box<Leaf>),
    /// Number of rows, all null.
    Missing(u64),
}

/// Joins the chunks of a leaf.
pub(super) struct Join<'a> {
    pub column: &'a ColumnDescriptor,
    pub inputs: &'a [Input],
    /// Order of the bounds, if it is the same in all inputs.
    pub compare: Option<Compare>,
    /// Set if dictionaries of any size may be joined.
    pub any_dictionary: bool,
    /// Entries with which the dictionary begins, if its order is part of the type.
    pub order: Option<&'a Order>,
}

impl Join<'_> {
    /// Returns whether there is nothing to join.
    fn is_copy(&self) -> bool {
        self.inputs.len() == 1 && self.order.is_none()
    }

    fn leaves(&self) -> impl Iterator<Item = &Leaf> + Clone {
        self.inputs.iter().filter_map(|input| match input {
            Input::Leaf(leaf) => Some(&**leaf),
            Input::Missing(_) => None,
        })
    }
}
