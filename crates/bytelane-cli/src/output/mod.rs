//! Output that people and programs read: standard streams, tables, progress, numbers and names.

mod layout;
#[cfg(feature = "measuring")]
pub mod measured;
pub mod progress;
pub mod readable;
pub mod standard;
pub mod table;
