//! The extended stage `idl-corpus`: compiles Thrift IDL files of other projects.

use anyhow::Result;

use crate::process::{cargo, run};

/// Prints which files do not compile and why. Fails if none of a project compile, or if rustc
/// rejects the generated code.
pub fn run_stage() -> Result<()> {
    let test =
        "test --locked --package bytelane-thrift-build --test it -- corpus:: --ignored --nocapture";
    run(&mut cargo(test))
}
