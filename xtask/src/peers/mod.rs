//! `cargo xtask peers`: compares bytelane with other libraries; see `peers/README.md`.

mod level;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use bytelane_measure::row::{read_csv, write_csv};

use crate::folder::write;
use crate::process::{self, cargo, compile, output, program, root, run};
use crate::record::median;
pub use level::Level;

/// The options of `cargo xtask peers`.
#[derive(clap::Args)]
pub struct Options {
    /// Limit bytelane and the other libraries to this instruction set
    #[arg(long)]
    level: Option<Level>,

    /// Arguments for the comparison; `--help` after `--` shows them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Shared library from a wheel on PyPI.
struct Wheel {
    /// Name and version, in pip's syntax.
    requirement: &'static str,
    /// Directory of the library in the wheel, and the start of its file name.
    library: (&'static str, &'static str),
    /// Environment variable from which the comparison reads the library's path.
    variable: &'static str,
}

const WHEELS: &[Wheel] = &[
    Wheel {
        requirement: "pyarrow==26.0.1",
        library: ("pyarrow", "libarrow.so."),
        variable: "BYTELANE_PEERS_LIBARROW",
    },
    Wheel {
        requirement: "blosc2==4.14.1",
        library: ("blosc2/lib", "libblosc2.so."),
        variable: "BYTELANE_PEERS_LIBBLOSC2",
    },
];

/// Measures, and passes on the arguments.
pub fn run_command(options: &Options) -> Result<ExitCode> {
    measure(options.level, &options.arguments)?;
    Ok(ExitCode::SUCCESS)
}

/// Measures in a number of processes, and writes the medians to a file. Takes names of codecs, if not all are to be
/// measured, and options of the comparison.
pub fn record(path: &Path, level: Option<Level>, runs: u8, choice: &[String]) -> Result<()> {
    let mut measured = Vec::new();
    for number in 1..=runs {
        let run = root().join(format!("target/peers/run-{number}.csv"));
        let mut arguments = vec!["--output".into(), run.clone().into()];
        arguments.extend(choice.iter().map(OsString::from));
        measure(level, &arguments)?;
        let text = fs::read(&run).with_context(|| run.display().to_string())?;
        measured.push(read_csv(&text)?);
    }
    let mut text = Vec::new();
    write_csv(&median::join(&measured)?, &mut text)?;
    write(path, text)
}

fn measure(level: Option<Level>, arguments: &[OsString]) -> Result<()> {
    let mut command = comparison("--release", level, arguments)?;
    run(command.env("BYTELANE_PEERS_PARQUET_NATIVE", build_native(level)?))
}

/// Runs every comparison once, briefly, to check that all results agree. It compiles the comparison, its tests and
/// `native`, which only records load, at the same time.
pub fn run_stage() -> Result<()> {
    let packages = ["--package", "peers", "--package", "native"];
    compile(
        peers("build", "--profile=dev", None)
            .args(packages)
            .args(["--lib", "--bins", "--tests"]),
    )?;
    process::test(|| Ok(peers("test", "--profile=dev", None)), &[])?;
    run(&mut comparison("--profile=dev", None, &["--quick".into()])?)
}

/// Returns a cargo command for the comparison. All of these have the same flags; otherwise the C
/// libraries and their dependents would be compiled again.
fn peers(subcommand: &str, profile: &str, level: Option<Level>) -> Command {
    let mut command = cargo(subcommand);
    command.args(["--locked", "--manifest-path", "peers/Cargo.toml", profile]);
    command.args(["--target-dir", "peers/target"]);
    command.env("CMAKE_TOOLCHAIN_FILE", root().join("peers/flags.cmake"));
    match level {
        Some(level) => level.limit_build(&mut command),
        // The C library of Stream VByte uses SIMD only if the compiler targets this machine.
        None => {
            command.env("CFLAGS", "-O3 -march=native");
        }
    }
    command
}

/// Compiles the comparison, and returns the command that runs it.
fn comparison(profile: &str, level: Option<Level>, arguments: &[OsString]) -> Result<Command> {
    compile(&mut peers("build", profile, level))?;
    let mut command = peers("run", profile, level);
    command.args(["--quiet", "--"]).args(arguments);
    // The crate fbthrift creates errors internally while it reads a valid message, each with a
    // backtrace if the caller's environment asks for one.
    command.env("RUST_LIB_BACKTRACE", "0");
    for wheel in WHEELS {
        command.env(wheel.variable, wheel.fetch()?);
    }
    if let Some(level) = level {
        level.limit_run(&mut command);
    }
    Ok(command)
}

/// Returns the directory with the sources of the C library of Stream VByte, which come with a crate that the comparison uses.
pub fn streamvbyte_sources() -> Result<PathBuf> {
    let metadata = "metadata --locked --format-version 1 --manifest-path peers/Cargo.toml";
    let metadata: serde_json::Value = serde_json::from_str(&output(&mut cargo(metadata))?.text)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let mut packages = packages.iter();
    let package = packages.find(|package| package["name"] == "streamvbyte-sys");
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let manifest = Path::new(manifest.context("no package streamvbyte-sys")?);
    Ok(manifest.with_file_name("external").join("streamvbyte"))
}

/// Builds the crate `parquet` for this machine, or for the best one with an instruction set, as a shared library.
/// Returns its path.
fn build_native(level: Option<Level>) -> Result<PathBuf> {
    let cpu = level.map_or("native", Level::target_cpu);
    let target = format!("target/peers/{cpu}");
    let mut command = cargo("build --quiet --locked --manifest-path peers/Cargo.toml");
    command.args(["--release", "--package", "native", "--target-dir", &target]);
    run(command.env("RUSTFLAGS", format!("-Ctarget-cpu={cpu}")))?;
    let name = format!("{DLL_PREFIX}native{DLL_SUFFIX}");
    Ok(root().join(target).join("release").join(name))
}

impl Wheel {
    /// Returns the path of the library, and downloads the wheel the first time.
    fn fetch(&self) -> Result<PathBuf> {
        let directory = root().join("target/peers").join(self.requirement);
        if let Some(library) = self.find(&directory) {
            return Ok(library);
        }
        let wheels = directory.join("wheel");
        run(program("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps"])
            .args(["--only-binary=:all:", self.requirement, "--dest"])
            .arg(&wheels))?;
        let wheel = first_file(&wheels, "").context("pip fetched no wheel")?;
        run(program("python3")
            .args(["-m", "zipfile", "-e"])
            .arg(wheel)
            .arg(&directory))?;
        let (place, name) = self.library;
        self.find(&directory)
            .with_context(|| format!("{} carries no {place}/{name}*", self.requirement))
    }

    fn find(&self, directory: &Path) -> Option<PathBuf> {
        let (place, name) = self.library;
        first_file(&directory.join(place), name)
    }
}

/// Returns the first file of a directory whose name starts with `name`.
fn first_file(directory: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let begins = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|file| file.to_string_lossy().starts_with(name))
    };
    paths.into_iter().find(begins)
}
