//! A file's metadata: its footer, and the headers of its pages.

mod footer;
mod page;
mod repair;
mod schema;

pub(crate) use footer::{Footer, chunk_range, pages_at, read_file_metadata, read_footer};
pub(crate) use page::{Page, Pages, encoding_name};
pub(crate) use repair::{chunk_in_parquet, in_parquet};
