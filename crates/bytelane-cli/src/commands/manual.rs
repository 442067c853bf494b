//! `bytelane man`.

use crate::Outcome;
use crate::output::readable;
use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Write the manual pages
///
/// There is one page per command, such as bytelane-head(1). To install them for one user:
///
///     bytelane man ~/.local/share/man/man1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Directory of the pages; it is created if necessary, and pages there are replaced
    directory: PathBuf,
}

impl Arguments {
    /// Writes the pages of a command.
    pub fn run(self, command: Command) -> anyhow::Result<Outcome> {
        let directory = &self.directory;
        let mut command = command.disable_help_subcommand(true);
        command.build();
        fs::create_dir_all(directory)
            .and_then(|()| write(&command, directory))
            .with_context(|| format!("cannot write pages to {}", readable::path(directory)))?;
        Ok(Outcome::Fine)
    }
}

fn write(command: &Command, directory: &Path) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        write(subcommand, directory)?;
    }
    let page = Man::new(command.clone()).manual("Commands of bytelane");
    page.source(concat!("bytelane ", env!("CARGO_PKG_VERSION")))
        .generate_to(directory)
        .map(drop)
}
