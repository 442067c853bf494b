//! The extended stage `idl-corpus`: files of Thrift's IDL that others wrote.

use anyhow::Result;

use crate::process::{cargo, run};

/// Prints which files do not compile and why. It fails if none of a project do, or if rustc rejects
/// what is generated.
pub fn run_stage() -> Result<()> {
    let test =
        "test --locked --package bytelane-thrift-build --test it -- corpus:: --ignored --nocapture";
    run(&mut cargo(test))
}
