//! Files as they are written: piece by piece, and under their names when they are complete.

mod output;
mod writer;

pub use output::NewFile;
pub(crate) use output::{Output, is_stream};
pub(crate) use writer::FileWriter;
