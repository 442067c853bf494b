//! Tests plans and runs over data sets on disk.

mod data;
mod faults;
mod growth;
#[cfg(unix)]
mod histories;
mod kill;
mod plans;
mod roots;
mod runs;

/// Makes a store known in a process that is killed; these tests have none.
fn prepare_store(_directory: &std::path::Path) {}
