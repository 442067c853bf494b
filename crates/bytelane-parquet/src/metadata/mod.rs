//! A file's metadata as its bytes: what the crate `parquet` does not tell, or does not write.

mod fields;
mod footer;
mod page;

pub(crate) use fields::{Fields, Parquet};
pub(crate) use footer::{Footer, MAGIC, chunk_range, read_footer};
#[cfg(test)]
pub(crate) use page::DataPage;
pub(crate) use page::{Page, PageHeader, PageLocation, PageType, Pages, encoding_name};
