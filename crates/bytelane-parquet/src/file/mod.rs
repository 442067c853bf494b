//! Reads the footers of files, and writes files piece by piece.

mod columns;
mod footer;
mod output;
mod regular;
mod repair;
mod row_groups;
mod schema;
mod seal;
mod sizes;
mod writer;

pub use footer::{
    OpenFooter, metadata_in_parquet, open_columns, open_footer, read_bare_footer,
    read_columns_metadata, read_file_metadata,
};
pub use output::{NewFile, Replace, real_path};
pub use output::{Output, directory, is_input, is_stream};
pub use repair::{chunk_in_parquet, in_parquet, mend_schema};
pub use row_groups::{LeafChunk, RowGroups};
pub(crate) use seal::Seal;
#[cfg(feature = "encryption")]
pub(crate) use seal::{ChunkPlace, Part};
pub use writer::FileWriter;
