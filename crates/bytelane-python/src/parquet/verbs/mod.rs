//! Verbs on files: advice, rewriting, merging, comparing, checking and repairing.

pub mod advise;
pub mod find;
pub mod merge;
pub mod rewrite;
