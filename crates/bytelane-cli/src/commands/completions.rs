//! `bytelane completions`.

use crate::{Outcome, standard};
use clap_complete::Shell;
use std::io::Write;

/// Print a shell completion script
///
/// For bash, with bash-completion installed:
///
///     bytelane completions bash > ~/.local/share/bash-completion/completions/bytelane
///
/// For fish:
///
///     bytelane completions fish > ~/.config/fish/completions/bytelane.fish
///
/// For zsh, in a directory listed in $fpath:
///
///     bytelane completions zsh > ~/.zfunc/_bytelane
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

impl Arguments {
    /// Prints the script for a command.
    pub fn run(self, command: &mut clap::Command) -> anyhow::Result<Outcome> {
        // Write to memory first: the generator panics if it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "bytelane", &mut script);
        standard::output()?.write_all(&script)?;
        Ok(Outcome::Fine)
    }
}
