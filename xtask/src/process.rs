//! Starts other programs. Each command is shown when it starts, and named if it fails.

use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};

pub use crate::root::root;
use crate::timings::{self, Work};

/// Returns a command that starts in the workspace's root, without the environment variables that
/// would change the meaning of a test: compiler flags, and a forced backend.
pub fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(name);
    command
        .current_dir(root())
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("BYTELANE_BACKEND");
    command
}

/// Returns a command for the cargo that runs this program, with its first arguments, separated by
/// spaces.
pub fn cargo(arguments: &str) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = program(cargo);
    command.args(arguments.split_whitespace());
    command
}

/// Shows the command and runs it; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let line = describe(command);
    println!("$ {line}");
    timings::measure(Work::Run, || succeed(command, &line))
}

/// Runs commands, one per processor at a time, and shows the output of each when it ends. All of them run, even
/// if one fails.
pub fn run_side_by_side(commands: Vec<Command>) -> Result<()> {
    let commands = Mutex::new(commands.into_iter());
    let failures = Mutex::new(Vec::new());
    let next = || {
        commands
            .lock()
            .expect("no panic while it was locked")
            .next()
    };
    let work = || {
        while let Some(mut command) = next() {
            if let Err(error) = run_and_show(&mut command) {
                let mut failures = failures.lock().expect("no panic while it was locked");
                failures.push(error.to_string());
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner()?;
    ensure!(failures.is_empty(), "{}", failures.join("; "));
    Ok(())
}

fn run_and_show(command: &mut Command) -> Result<()> {
    let line = describe(command);
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start `{line}`"))?;
    let shown = [output.stdout, output.stderr].concat();
    println!("$ {line}\n{}", String::from_utf8_lossy(&shown));
    let status = output.status;
    ensure!(status.success(), "`{line}` failed: {status}");
    Ok(())
}

/// Runs a command whose time counts as compilation. With `--timings`, cargo also reports which crates
/// took longest.
pub fn compile(command: &mut Command) -> Result<()> {
    let line = describe(command);
    println!("$ {line}");
    let crates = timings::crates(command);
    timings::measure(Work::Compile, || succeed(command, &line))?;
    crates.map_or(Ok(()), |report| report.read())
}

/// Compiles tests and runs them. `make` returns `cargo test` and its options; the arguments follow `--`.
pub fn test(make: impl Fn() -> Result<Command>, arguments: &[&str]) -> Result<()> {
    compile(make()?.arg("--no-run"))?;
    let mut command = make()?;
    command.arg("--").args(arguments);
    if !timings::enabled() {
        return run(&mut command);
    }
    let line = describe(&command);
    println!("$ {line}");
    timings::measure(Work::Run, || {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let lines = child.stdout.take().context("no standard output")?;
        timings::show_tests(BufReader::new(lines))?;
        let status = child.wait()?;
        ensure!(status.success(), "`{line}` failed: {status}");
        Ok(())
    })
}

fn succeed(command: &mut Command, line: &str) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed: {status}");
    Ok(())
}

/// Runs the command and returns its output on both streams; an exit code other than 0 is an error
/// that shows it.
pub fn output(command: &mut Command) -> Result<Output> {
    let line = describe(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let status = output.status;
    ensure!(status.success(), "`{line}` failed: {status}\n{errors}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Output { text, errors })
}

/// Output streams of a finished program.
pub struct Output {
    pub text: String,
    pub errors: String,
}

/// Formats the command as you would type it, including its environment variables.
fn describe(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        let value = value?.to_string_lossy().into_owned();
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value)))
    });
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(program).chain(command.get_args());
    let words = words.map(|word| quoted(&word.to_string_lossy()));
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    if word.contains([' ', '\t']) {
        format!("'{word}'")
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_commands_run_even_if_one_fails() {
        let directory = std::env::temp_dir().join(format!("side-by-side-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let commands = ["false", "touch one", "false", "touch other"].map(|line| {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]).current_dir(&directory);
            shell
        });
        let error = run_side_by_side(commands.into()).unwrap_err().to_string();
        assert_eq!(error.matches("failed").count(), 2, "{error}");
        for file in ["one", "other"] {
            assert!(directory.join(file).is_file(), "{file}");
        }
        std::fs::remove_dir_all(directory).unwrap();
        assert!(run_side_by_side(Vec::new()).is_ok());
    }
}
