//! `bytelane thrift`.

use crate::{Outcome, readable, standard};
use bytelane_thrift_build::Compiler;
use std::io::Write;
use std::path::PathBuf;

/// Compile Thrift IDL files
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Compile(Compile),
}

/// Compile Thrift IDL files to Rust types for bytelane-thrift
///
/// Each file, and each file that it includes, becomes a module of plain structs and enums with
/// `#[derive(Thrift)]`; `mod.rs` declares them all. Prints the paths. Files whose content would not
/// change are not written.
#[derive(Debug, clap::Args)]
struct Compile {
    /// The files, with the extension .thrift
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The directory for the modules; created if necessary
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// A directory to search for included files, besides that of the including file
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Give each struct and exception a field `unknown_fields`: it keeps the fields of messages that
    /// the IDL does not declare, and writes them again
    #[arg(long)]
    keep_unknown_fields: bool,
    /// The path of the crate bytelane-thrift, if it has been renamed or is reexported
    #[arg(long, value_name = "PATH")]
    crate_path: Option<String>,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        match self.command {
            Command::Compile(arguments) => arguments.run(),
        }
    }
}

impl Compile {
    fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let mut compiler = Compiler::new()
            .keep_unknown_fields(self.keep_unknown_fields)
            .on_note(|note| eprintln!("{note}"));
        if let Some(path) = self.crate_path {
            compiler = compiler.crate_path(path);
        }
        for directory in self.include {
            compiler = compiler.include(directory);
        }
        let paths = compiler.compile(&self.files, &self.output)?;
        for path in paths {
            writeln!(out, "{}", readable::path(&path))?;
        }
        Ok(Outcome::Fine)
    }
}
