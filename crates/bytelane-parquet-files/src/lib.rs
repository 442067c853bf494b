//! Work on whole Parquet files: [`merge`](merge::merge), [`rewrite`](rewrite::rewrite), [`repair`](repair::repair),
//! [`edit`](edit::edit), [`check`](check::check), [`diff`](diff::diff), [`inspect`](inspect::inspect), and [`advise`], which finds the best
//! encoding for each column. [`rows`] writes new files,
//! [`convert`] reads other formats, and [`stats`] describes values.

pub mod advise;
pub mod check;
pub mod convert;
pub mod diff;
pub mod edit;
pub mod edits;
pub mod inspect;
pub mod merge;
mod opened;
pub mod repair;
pub mod rewrite;
pub mod rows;
pub mod schema;
pub mod stats;
