//! Contains all integration tests of the crate. A single program avoids linking every dependency several
//! times.

mod advise;
mod allocation;
mod any;
mod bad_input;
mod check;
mod diff;
mod files;
mod filter;
mod format;
mod given;
mod golden;
mod layers;
mod merge;
mod reading;
mod repair;
mod rewrite;
mod salvage;
mod writing;
