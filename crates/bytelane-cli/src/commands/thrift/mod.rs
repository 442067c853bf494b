//! `bytelane thrift`.

mod cat;
mod compile;
mod encode;
mod messages;

use crate::Outcome;

/// Show and write Thrift messages, and compile IDL files
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Cat(cat::Cat),
    Encode(encode::Encode),
    Compile(compile::Compile),
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        match self.command {
            Command::Cat(arguments) => arguments.run(),
            Command::Encode(arguments) => arguments.run(),
            Command::Compile(arguments) => arguments.run(),
        }
    }
}
