//! The command as a user runs it.

mod bench;
mod general;
mod thrift;
mod transcode;

use assert_cmd::Command;

/// The command with these arguments, without the caller's own settings.
fn bytelane(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("bytelane"));
    command.args(arguments);
    for variable in ["BYTELANE_BACKEND", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a command that must fail: exit code 2, nothing on standard output. Returns its message.
#[track_caller]
fn failure(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(text(&output.stdout), "");
    assert!(message.starts_with("error: "), "{message}");
    message
}

#[track_caller]
fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
