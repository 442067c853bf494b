//! Rows as text, for people and for programs.

pub mod cells;
mod json;
pub mod output;
pub mod table;
mod texts;
mod vertical;
