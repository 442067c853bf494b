//! Damaged, hostile and unusual files, and the inputs of the fuzzers.

mod bombs;
mod contradictions;
mod fuzz;
pub mod fuzzing;
mod growth;
mod hostile;
mod mutated;
mod odd;
