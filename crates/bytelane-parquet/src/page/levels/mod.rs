//! Decodes and encodes the levels of pages: which slots have values, and where lists begin.

pub(super) mod bits;
pub(super) mod empty_runs;
mod page_levels;
mod starts;
mod validity;
mod whole_runs;

pub use page_levels::{LeafLevels, PageLevels, bits_from, first_level};
pub use validity::Validity;
pub use whole_runs::left_of_runs;
