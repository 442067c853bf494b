//! The stage `features`: checks what users of the published crates rely on besides the default
//! build.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::process::{cargo, compile, output, program, root};
use crate::root::{read_toml, rust_version};
use crate::test::machines::cross::{THUMB, WASM_UNKNOWN, build_quickly};

pub fn run_stage() -> Result<()> {
    rust_version_is_tested()?;
    for features in ["", "alloc", "std", "sse41", "avx2", "alloc,avx512", "neon"] {
        let lints = "clippy --locked --package bytelane --lib --no-default-features";
        let mut command = cargo(lints);
        compile(command.args(["--features", features, "--", "--deny", "warnings"]))?;
    }
    // The command takes options from these crates as arguments; others do not need `clap`.
    let lints = "clippy --locked --package bytelane-parquet --package bytelane-parquet-files --lib -- --deny warnings";
    compile(&mut cargo(lints))?;
    // The Python package includes the command without the feature `measuring`; by default, the command has no object
    // stores either.
    for package in ["bytelane-python", "bytelane-cli"] {
        let lints = format!("clippy --locked --package {package} -- --deny warnings");
        compile(&mut cargo(&lints))?;
    }
    for features in ["", "alloc"] {
        core_without_std(features)?;
    }
    packages_are_clean()
}

/// Checks that the core's documentation has no broken links, and builds without warnings without
/// `std`.
fn core_without_std(features: &str) -> Result<()> {
    let arguments = "--package bytelane --lib --no-default-features --features";
    let mut doc = cargo("doc --locked --no-deps");
    doc.args(arguments.split_whitespace()).arg(features);
    compile(doc.env("RUSTDOCFLAGS", "--deny warnings"))?;
    for target in [&THUMB, &WASM_UNKNOWN] {
        let mut build = target.cargo("rustc")?;
        build_quickly(&mut build);
        // Nothing runs.
        build.args(["--config", "profile.dev.package.bytelane.opt-level=0"]);
        build.args(arguments.split_whitespace()).arg(features);
        compile(build.args(["--", "--deny", "warnings"]))?;
    }
    Ok(())
}

/// Checks that the pinned toolchain, which runs all tests, is a release of the stated
/// `rust-version`, so that the ordinary build uses the oldest supported compiler.
fn rust_version_is_tested() -> Result<()> {
    let stated = rust_version()?;
    let toolchain = read_toml("rust-toolchain.toml")?;
    let pinned = toolchain["toolchain"]["channel"].as_str();
    let pinned = pinned.context("the toolchain's channel is no text")?;
    ensure!(
        pinned == stated || pinned.starts_with(&format!("{stated}.")),
        "rust-toolchain.toml pins {pinned}, but rust-version is {stated}, which nothing builds with"
    );
    let used = output(program("rustc").arg("--version"))?.text;
    ensure!(
        used.starts_with(&format!("rustc {pinned} ")),
        "the tests run with {used}, not {pinned}"
    );
    Ok(())
}

/// Files that each published package must contain besides its code.
const PACKAGE_FILES: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Expected warning: the project has no public address for the manifest yet.
const NO_ADDRESS: &str = "warning: manifest has no documentation, homepage or repository";

/// Checks that `cargo package` accepts every published crate without a warning, and includes the
/// required files.
fn packages_are_clean() -> Result<()> {
    let packages = published_packages()?;
    let mut command =
        cargo("package --locked --no-verify --allow-dirty --target-dir target/package");
    for package in &packages {
        command.args(["--package", package]);
        let mut list = cargo("package --locked --list --allow-dirty --package");
        let files = output(list.arg(package))?.text;
        for required in PACKAGE_FILES {
            let present = files.lines().any(|file| file == required);
            ensure!(
                present,
                "the package {package} would be published without {required}"
            );
        }
    }
    let messages = output(&mut command)?.errors;
    let warns = |line: &str| line.starts_with("warning:") && line != NO_ADDRESS;
    ensure!(
        !messages.lines().any(warns),
        "cargo package warns:\n{messages}"
    );
    println!("clean packages: {}", packages.join(", "));
    Ok(())
}

/// Returns the workspace's crates, except those with `publish = false`.
fn published_packages() -> Result<Vec<String>> {
    let mut packages = Vec::new();
    for entry in fs::read_dir(root().join("crates"))? {
        let name = entry?
            .file_name()
            .into_string()
            .ok()
            .context("a crate's name is not UTF-8")?;
        let manifest = read_toml(&format!("crates/{name}/Cargo.toml"))?;
        let package = manifest["package"].as_table().context("no [package]")?;
        if package.get("publish").and_then(|publish| publish.as_bool()) != Some(false) {
            packages.push(name);
        }
    }
    packages.sort();
    Ok(packages)
}
