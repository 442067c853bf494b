//! A file's metadata: its footer, and the headers of its pages.

mod footer;
mod page;
mod repair;
mod schema;

pub(crate) use footer::{
    Footer, MAGIC, change_footer, chunk_range, encode_footer, read_file_metadata, read_footer,
};
pub(crate) use page::{Page, Pages, encoding_name};
pub(crate) use repair::{chunk_in_parquet, in_parquet};
