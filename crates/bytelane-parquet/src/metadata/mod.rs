//! A file's metadata as its bytes: what the crate `parquet` does not tell, or does not write.

mod fields;
mod footer;
mod page;
mod schema;

pub(crate) use fields::{Fields, Parquet};
pub(crate) use footer::{
    COLUMN_METADATA, COLUMNS, Footer, MAGIC, ROW_GROUPS, chunk_range, is_standard, read_footer,
    read_footer_bytes,
};
#[cfg(test)]
pub(crate) use page::DataPage;
pub(crate) use page::{Page, PageHeader, PageLocation, PageType, Pages, encoding_name};
pub(crate) use schema::without_misfits;
