//! The command `bytelane`.
//!
//! Each subcommand is one file in `commands/`. Exit codes: 0 fine, 1 something was found (where a
//! subcommand says so), 2 error, and 128 and the number of a signal that ended it.

mod backend;
mod cli;
mod commands;
mod files;
mod readable;
mod signals;
mod specification;
mod standard;
mod table;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use std::borrow::Cow;
use std::io;
use std::process::ExitCode;

/// What a subcommand that ran to its end has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: what the user asked to be told of.
    Found,
}

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => return show(answer),
    };
    cli.color.write_global();
    match cli.command.run() {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        // The reader of our output has seen enough: `bytelane .. | head`.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &anyhow::Error) -> ExitCode {
    let red = clap::builder::Styles::styled().get_error().to_owned();
    anstream::eprintln!("{red}error:{red:#} {}", readable::error(error));
    ExitCode::from(2)
}

/// Shows help, the version, or what is wrong with the command line.
fn show(mut answer: clap::Error) -> ExitCode {
    if !answer.use_stderr()
        && let Err(error) = standard::output()
    {
        return fail(&error);
    }
    let escaped = answer.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => match readable::line(text) {
            Cow::Owned(text) => Some((kind, ContextValue::String(text))),
            Cow::Borrowed(_) => None,
        },
        _ => None,
    });
    for (kind, text) in escaped.collect::<Vec<_>>() {
        answer.insert(kind, text);
        // It would say the text once more, as it is.
        answer.insert(ContextKind::Suggested, ContextValue::None);
    }
    answer.exit()
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes
        .into_iter()
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
