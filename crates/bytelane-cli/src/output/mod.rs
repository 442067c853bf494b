//! Output that people and programs read: standard streams, tables, progress, numbers and names.

pub mod progress;
pub mod readable;
pub mod standard;
pub mod table;
