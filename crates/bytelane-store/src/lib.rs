//! Reads and writes Parquet files on object stores.
//!
//! After [`install`], all functions of `bytelane-parquet` with a path of a file also accept URLs:
//! `s3://`, `gs://`, `az://`, and `https://` for reading. Credentials come from the environment, in the
//! variables that the tools of each provider use.
//!
//! - A file is read in ranges, each with a bounded number of retries. Each answer must have the expected
//!   length and be of the version that was opened; a file that has changed is an error that names it.
//! - A reader requests the pages of a row group before it decodes them: ranges close to each other together, several at the
//!   same time, and up to a budget.
//! - A file is stored as a whole. [`Store::put_if_absent`] never replaces another object. If the answer of
//!   a store is lost, the object is read and compared; its state is never guessed.
//!
//! The feature `network` connects to stores; without it, only stores that a program registers are known.

mod connect;
mod error;
mod find;
mod install;
mod object;
mod parts;
mod process;
#[cfg(feature = "network")]
mod profile;
mod put;
mod retry;
mod store;
mod url;

pub use error::{Error, Problem, Result};
pub use find::{
    FindOptions, FoundFile, Listing, Owner, PARTITION_TYPES, Partition, Tree, check_one_partition,
    check_outputs, find, list, no_files, outputs_of, partition_columns, partition_type,
    partitions_in, sync_directory, table_files, table_sides, tree_of,
};
pub use install::install;
pub use object::Object;
pub use put::Put;
pub use store::{Meta, Store};
pub use url::Location;

/// Crate whose stores [`Store::register`] accepts.
pub use object_store;
