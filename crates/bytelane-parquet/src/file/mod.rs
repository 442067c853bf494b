//! Files: their footers when they are opened, and what is written, piece by piece.

mod footer;
mod output;
mod repair;
mod schema;
mod writer;

pub(crate) use footer::{Footer, read_bare_footer, read_file_metadata, read_footer};
pub use output::NewFile;
pub(crate) use output::{Output, is_stream};
pub(crate) use repair::{chunk_in_parquet, in_parquet};
pub(crate) use writer::FileWriter;
