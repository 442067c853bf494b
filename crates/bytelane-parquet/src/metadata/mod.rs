//! A file's metadata: its footer, and the headers of its pages.

mod footer;
mod page;
mod schema;

pub(crate) use footer::{
    Footer, chunk_range, in_parquet, pages_at, read_file_metadata, read_footer, standard,
};
pub(crate) use page::{Page, Pages, encoding_name};
