//! Arrays to files.

mod auto;
mod failures;
mod promise;
mod round_trip;
mod writer;
mod writer_memory;
