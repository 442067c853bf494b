//! All integration tests of the crate, in one program: each program would be linked with every dependency.

mod advise;
mod allocation;
mod alp;
mod alp_files;
mod any;
mod auto;
mod columns;
mod files;
mod filter;
mod floors;
mod format;
mod fuzz;
mod fuzzing;
mod given;
mod golden;
mod hostile;
mod mutated;
mod odd;
mod pages;
mod promise;
mod reader;
mod rewrite;
mod round_trip;
mod stored;
mod validity;
mod writer;
