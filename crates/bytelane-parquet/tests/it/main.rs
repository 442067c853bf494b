//! Contains all integration tests of the crate. A single program avoids linking every dependency several
//! times.

mod any;
mod compatibility;
#[cfg(feature = "encryption")]
mod encryption;
mod files;
mod filter;
mod format;
mod given;
mod golden;
mod layers;
mod reading;
mod writing;
