//! The command `bytelane`.
//!
//! Each subcommand is one file in `commands/`. Exit codes: 0 success, 1 something was found (for
//! subcommands that document this), 2 error, and 128 plus the number of the signal that ended it.

#[cfg(all(
    not(miri),
    any(
        all(target_os = "linux", target_env = "gnu"),
        target_os = "macos",
        windows
    )
))]
mod allocator;
mod backend;
mod cli;
mod commands;
mod decryption;
mod files;
mod output;
#[cfg(feature = "measuring")]
mod provenance;
mod search;
mod signals;
mod specification;
mod verb;

use bytelane_parquet::{Caller, Problem};
use bytelane_parquet_files::rewrite::STREAM;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::panic;
use std::path::Path;
use std::sync::Once;

use output::{progress, readable, standard, table};

pub use signals::End;

/// Outcome of a subcommand that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: the subcommand found what it searches for.
    Found,
}

/// Lets the allocator keep free memory for a few seconds, if it is this crate's allocator. [`run`] does so
/// itself.
pub fn keep_memory() {
    #[cfg(all(
        not(miri),
        any(
            all(target_os = "linux", target_env = "gnu"),
            target_os = "macos",
            windows
        )
    ))]
    allocator::keep_memory();
}

/// Runs the command with these arguments; the first one is its name. Returns the exit code.
///
/// Help, the version and errors in the arguments are printed. A termination signal ends the command
/// early, with its exit code. If the command may be waiting for input at that time, it cannot return:
/// it calls `end`, on a thread of its own, with the exit code for the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>, end: End) -> u8 {
    keep_memory();
    signals::end_with(end);
    let cli = match cli::Cli::read(arguments) {
        Ok(cli) => cli,
        Err(answer) => return show(answer),
    };
    cli.color.write_global();
    leave_out_contained_panics();
    bytelane_parquet::set_caller(Caller::Command);
    bytelane_store::install();
    let keys = cli.decryption_keys.as_deref();
    let are_set = keys.map_or(Ok(()), |keys| decryption::set_keys(keys, &cli.command));
    match are_set.and_then(|()| cli.command.run()) {
        Ok(Outcome::Fine) => 0,
        Ok(Outcome::Found) => 1,
        // The reader of our output has stopped reading: `bytelane .. | head`.
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => match error.downcast_ref::<signals::Interrupted>() {
            Some(signals::Interrupted(status)) => u8::try_from(*status).unwrap_or(u8::MAX),
            None => fail(&error),
        },
    }
}

fn fail(error: &anyhow::Error) -> u8 {
    let red = clap::builder::Styles::styled().get_error().to_owned();
    anstream::eprintln!("{red}error:{red:#} {}", readable::error(error));
    2
}

/// Shows help, the version, or an error in the command line.
fn show(mut answer: clap::Error) -> u8 {
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
        // It would repeat the text unescaped.
        answer.insert(ContextKind::Suggested, ContextValue::None);
    }
    if let Some(hint) = hint(&answer) {
        let hints = ContextValue::StyledStrs(vec![hint.into()]);
        answer.remove(ContextKind::SuggestedSubcommand);
        answer.insert(ContextKind::Suggested, hints);
    }
    // A failure to print cannot be reported.
    let _ = answer.print();
    u8::try_from(answer.exit_code()).unwrap_or(u8::MAX)
}

/// Subcommands of other programs and of the Python package, and what to use here.
const ELSEWHERE: [(&str, &str); 11] = [
    (
        "meta",
        "`bytelane inspect FILE --metadata` shows the metadata",
    ),
    ("info", "`bytelane inspect FILE` shows the metadata"),
    (
        "show",
        "`bytelane head FILE` shows rows, and `bytelane inspect FILE` the metadata",
    ),
    (
        "ls",
        "`bytelane count DIRECTORY` lists the files and their rows",
    ),
    (
        "rows",
        "`bytelane head FILE` shows the first rows, and `bytelane cat FILE` all",
    ),
    ("rowcount", "`bytelane count FILE` counts the rows"),
    (
        "size",
        "`bytelane inspect FILE` shows the size of each column",
    ),
    ("compare", "`bytelane diff FILE FILE` compares the rows"),
    ("concat", "`bytelane merge FILE.. OUTPUT` joins files"),
    (
        "delta",
        "the Python package has this command: pip install \"bytelane[deltalake]\"",
    ),
    (
        "iceberg",
        "the Python package has this command: pip install \"bytelane[iceberg]\"",
    ),
];

/// Returns what to use instead of a subcommand or flag that only other programs have.
fn hint(answer: &clap::Error) -> Option<String> {
    let text = |kind| match answer.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match answer.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand)?;
            let (_, hint) = ELSEWHERE.iter().find(|(known, _)| *known == name)?;
            Some((*hint).to_owned())
        }
        ErrorKind::UnknownArgument => {
            // For `-100`, clap names `-1`, the first of the flags.
            let first = text(ContextKind::InvalidArg)?;
            let count = std::env::args().find_map(|argument| {
                let digits = argument.strip_prefix('-')?;
                let is_count =
                    argument.starts_with(first) && digits.bytes().all(|it| it.is_ascii_digit());
                is_count.then(|| digits.to_owned())
            });
            count.map(|digits| format!("give the number of rows as `-n`, as in `-n {digits}`"))
        }
        _ => None,
    }
}

/// Suppresses the messages of panics on malformed files that are reported as errors.
fn leave_out_contained_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !bytelane_parquet::is_caught() {
                report(panic);
            }
        }));
    });
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    if let Some(error) = error.downcast_ref::<bytelane_parquet::Error>() {
        let is_output = error.place().file.as_deref() == Some(Path::new(STREAM));
        return is_output
            && matches!(error.problem(), Problem::Io(cause) if cause.kind() == io::ErrorKind::BrokenPipe);
    }
    let causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes
        .into_iter()
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
