//! `cargo xtask peers`: measures other libraries beside bytelane, see `peers/README.md`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::process::{cargo, program, root, run};

/// The options of `cargo xtask peers`.
#[derive(clap::Args)]
pub struct Options {
    /// Arguments for the comparison; `--help` after `--` shows them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// A shared library that a wheel of PyPI carries.
struct Wheel {
    /// Name and version, as pip takes them.
    requirement: &'static str,
    /// The directory of the library in the wheel, and how its name begins.
    library: (&'static str, &'static str),
    /// The variable in which the comparison looks for the library's path.
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

/// Measures, with the arguments as they are.
pub fn run_command(options: &Options) -> Result<ExitCode> {
    compare("--release", &options.arguments)?;
    Ok(ExitCode::SUCCESS)
}

/// Measures everything, to a file.
pub fn record(path: &Path) -> Result<()> {
    let output = ["--format", "csv", "--output"].map(OsString::from);
    compare("--release", &[&output[..], &[path.into()]].concat())
}

/// Runs every comparison once, briefly: that all results agree is what this shows.
pub fn run_stage() -> Result<()> {
    compare("--profile=dev", &["--quick".into()])
}

fn compare(profile: &str, arguments: &[OsString]) -> Result<()> {
    let mut command = cargo("run --quiet --locked --manifest-path peers/Cargo.toml");
    command.arg(profile).arg("--").args(arguments);
    // The C library of Stream VByte has SIMD only where the compiler is told of the machine.
    command.env("CFLAGS", "-O3 -march=native");
    // The crate fbthrift makes errors on its way through a message that is right, each with the
    // backtrace that the caller may have asked for.
    command.env("RUST_LIB_BACKTRACE", "0");
    for wheel in WHEELS {
        command.env(wheel.variable, wheel.fetch()?);
    }
    run(&mut command)
}

impl Wheel {
    /// The path of the library; the wheel is fetched unless it was before.
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

/// The first file of a directory whose name begins so.
fn first_file(directory: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(directory).ok()?;
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
