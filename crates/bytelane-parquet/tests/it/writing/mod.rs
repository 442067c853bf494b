//! Arrays to files.

mod auto;
mod promise;
mod round_trip;
mod writer;
mod writer_memory;
