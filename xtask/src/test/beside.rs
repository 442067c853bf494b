//! Runs stages with directories of their own in a second process, at the same time as the others: compilers and emulators often
//! keep only one processor busy.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use crate::process::root;
use crate::timings;

/// Running process, whose output is shown when it has ended.
pub struct Beside {
    process: Child,
    output: PathBuf,
}

impl Beside {
    /// Starts the stages of these names, if there are any.
    pub fn start(names: &[&str]) -> Result<Option<Self>> {
        if names.is_empty() {
            return Ok(None);
        }
        let output = root().join("target/beside.txt");
        let file = File::create(&output)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["test", "--require", "all", "--only", &names.join(",")]);
        if timings::enabled() {
            command.arg("--timings");
        }
        let command = command.stdin(Stdio::null()).stdout(file.try_clone()?);
        println!("\n==> beside the next stages: {}", names.join(", "));
        Ok(Some(Self {
            process: command.stderr(file).spawn()?,
            output,
        }))
    }

    /// Waits for the stages, and shows their output. Returns whether they passed.
    pub fn finish(mut self) -> Result<bool> {
        let status = self.process.wait()?;
        let output = fs::read(&self.output).context("cannot read the output of other stages")?;
        println!(
            "\n==> the stages beside the others\n{}",
            String::from_utf8_lossy(&output)
        );
        Ok(status.success())
    }
}
