//! Damaged, hostile and unusual files, and the inputs of the fuzzers.

mod contradictions;
mod fuzz;
pub mod fuzzing;
mod hostile;
mod mutated;
mod odd;
