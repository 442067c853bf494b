//! Arrays to files.

mod auto;
mod failures;
mod promise;
mod round_trip;
mod stored;
mod writer;
mod writer_memory;
