//! Tells the command what it was built from and how: a report states it.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    set("BYTELANE_COMMIT", &commit().unwrap_or_default());
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(&rustc, &["--version"]).unwrap_or_default();
    set("BYTELANE_RUSTC", &version);
    set("BYTELANE_BUILD", &build());
}

fn set(name: &str, value: &str) {
    println!("cargo::rustc-env={name}={value}");
}

/// The commit, in a checkout of this repository. Only optimised builds have it: their figures count, and
/// others need not be compiled again after each commit.
fn commit() -> Option<String> {
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    // A package that was unpacked in another repository does not have that one's commit.
    output("git", &["ls-files", "--error-unmatch", "build.rs"])?;
    let log = output("git", &["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo::rerun-if-changed={log}");
    println!("cargo::rerun-if-changed=..");
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"])?;
    let changes = output("git", &["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() {
        commit
    } else {
        format!("{commit} with changes")
    })
}

/// The target, the optimisation and the flags of the compiler.
fn build() -> String {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let (target, level) = (variable("TARGET"), variable("OPT_LEVEL"));
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\x1f', " ");
    let build = format!("{target}, opt-level={level} {flags}");
    build.trim_end().to_owned()
}

/// Returns what a program prints, if it succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
