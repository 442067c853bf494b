//! Other libraries for the same work, compiled from source.

use std::path::Path;

use anyhow::{Context, Result};

use super::OBJDUMP;
use crate::listing::disassemble;
use crate::peers::streamvbyte_sources;
use crate::process::{cargo, program, root, run};
use crate::test::machines::cross::AARCH64;
use crate::test::needs::Need;

const C: &str = "aarch64-linux-gnu-gcc";
const CXX: &str = "aarch64-linux-gnu-g++";

/// Compilers for the sources of other libraries.
pub const COMPILERS: [Need; 2] = [
    Need::Program(C, "Debian: gcc-aarch64-linux-gnu"),
    Need::Program(CXX, "Debian: g++-aarch64-linux-gnu"),
];

/// Packages that the comparison depends on, and the names of their libraries.
const PACKAGES: &[(&str, &str)] = &[
    ("base64-simd", "base64_simd"),
    ("base64-turbo", "base64_turbo"),
    ("simdutf", "simdutf"),
    ("simdutf8", "simdutf8"),
    ("svb", "svb"),
];

/// The build of the C library of Stream VByte asks for the instructions of this machine, so its sources are compiled
/// one by one.
const SOURCES: &[&str] = &["streamvbyte_encode", "streamvbyte_decode"];

const TARGET_DIR: &str = "target/cross/peers";

/// Returns the listing of all of these libraries.
pub fn listing() -> Result<String> {
    let mut build = cargo("build --locked --manifest-path peers/Cargo.toml --release --target-dir");
    build.args([TARGET_DIR, "--target", AARCH64.triple]);
    for (package, _) in PACKAGES {
        build.args(["--package", package]);
    }
    AARCH64.prepare(&mut build)?;
    let suffix = AARCH64.triple.replace('-', "_");
    run(build
        .env(format!("CC_{suffix}"), C)
        .env(format!("CXX_{suffix}"), CXX))?;
    let deps = root()
        .join(TARGET_DIR)
        .join(AARCH64.triple)
        .join("release/deps");
    let mut libraries = compile_c()?;
    for (package, library) in PACKAGES {
        let found = newest(&deps, &format!("lib{library}-"))?;
        libraries.push(
            found.with_context(|| format!("{package} has no library in {}", deps.display()))?,
        );
    }
    disassemble(OBJDUMP, &libraries)
}

/// Returns the newest library of a directory whose name begins so.
fn newest(directory: &Path, prefix: &str) -> Result<Option<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(prefix) && name.ends_with(".rlib") {
            found.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    Ok(found
        .into_iter()
        .max()
        .map(|(_, path)| path.display().to_string()))
}

/// Compiles the C library, and returns its objects.
fn compile_c() -> Result<Vec<String>> {
    let directory = streamvbyte_sources()?;
    let compile = |name: &&str| {
        let object = root().join(TARGET_DIR).join(format!("{name}.o"));
        run(program(C)
            .args(["-O3", "-D__ARM_NEON__", "-c", "-I"])
            .arg(directory.join("include"))
            .arg(directory.join("src").join(format!("{name}.c")))
            .arg("-o")
            .arg(&object))?;
        Ok(object.display().to_string())
    };
    SOURCES.iter().map(compile).collect()
}
