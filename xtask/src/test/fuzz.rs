//! The stages `fuzz` and `fuzz-long`: build the fuzz targets and let each run for a few seconds or
//! minutes, from seeds and from what earlier runs have found.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::process::{cargo, program, root, run};

/// What `cargo fuzz` passes to a nightly compiler; the stable one takes these as well.
const RUSTFLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1 \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// AddressSanitizer, with the stable compiler too.
const SANITIZER: &str = "-Zsanitizer=address";

/// The inputs that the repository keeps: few and short, and together they reach what all that were
/// ever found reach.
const CORPUS: &str = "testdata/fuzz";

/// The longest input that is kept there, in bytes.
const LONGEST: u32 = 300;

/// Where targets find inputs to start from: in the directory whose name theirs begins with.
const GOLDEN: &str = "testdata/golden";

/// Each target for some seconds.
pub fn run_stage() -> Result<()> {
    let programs = build("target/fuzz", None)?;
    for target in targets()? {
        fuzz(&programs, &target, 5)?;
    }
    Ok(())
}

/// Each target for five minutes; what is new then is kept.
pub fn run_long() -> Result<()> {
    let programs = build("target/fuzz-long", Some(SANITIZER))?;
    for target in targets()? {
        fuzz(&programs, &target, 300)?;
        keep(&programs, &target)?;
    }
    Ok(())
}

/// Builds the targets, and writes the inputs to start from; the directory with the programs.
fn build(directory: &str, sanitizer: Option<&str>) -> Result<PathBuf> {
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut command = cargo("build --locked --release --manifest-path fuzz/Cargo.toml");
    command.args(["--target-dir", directory, "--target", &host]);
    let mut rustflags = RUSTFLAGS.to_owned();
    if let Some(sanitizer) = sanitizer {
        rustflags = format!("{rustflags} {sanitizer}");
        command.env("RUSTC_BOOTSTRAP", "1");
    }
    run(command.env("RUSTFLAGS", rustflags))?;
    let seeds = "run --locked --package bytelane-testkit --bin fuzz_seeds fuzz/corpus";
    run(&mut cargo(seeds))?;
    Ok(root().join(directory).join(host).join("release"))
}

/// Runs a target for some seconds.
fn fuzz(programs: &Path, target: &str, seconds: u32) -> Result<()> {
    let [found, artifacts] = ["corpus", "artifacts"].map(|kind| format!("fuzz/{kind}/{target}/"));
    fs::create_dir_all(root().join(&found))?;
    fs::create_dir_all(root().join(&artifacts))?;
    let mut command = program(programs.join(target));
    // What is found goes to the first directory.
    command.arg(found);
    let family = target.split('_').next().unwrap_or(target);
    for directory in [format!("{CORPUS}/{target}"), format!("{GOLDEN}/{family}")] {
        if root().join(&directory).is_dir() {
            command.arg(directory);
        }
    }
    command.arg(format!("-artifact_prefix={artifacts}"));
    command.arg(format!("-max_total_time={seconds}"));
    run(command.args([
        "-rss_limit_mb=2048",
        "-timeout=10",
        "-print_final_stats=1",
        "-verbosity=0",
    ]))
}

/// Adds to the kept inputs the shortest that reach what none of them reaches.
fn keep(programs: &Path, target: &str) -> Result<()> {
    let kept = format!("{CORPUS}/{target}");
    fs::create_dir_all(root().join(&kept))?;
    let mut command = program(programs.join(target));
    command.args([kept, format!("fuzz/corpus/{target}")]);
    command.arg(format!("-max_len={LONGEST}"));
    run(command.args(["-merge=1", "-verbosity=0"]))
}

/// The targets' names, which are those of their files.
fn targets() -> Result<Vec<String>> {
    let directory = root().join("fuzz/fuzz_targets");
    let entries = fs::read_dir(&directory).context("cannot list fuzz/fuzz_targets")?;
    let mut targets = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.file_stem().and_then(|name| name.to_str());
            targets.push(
                name.context("a fuzz target's name is not UTF-8")?
                    .to_owned(),
            );
        }
    }
    ensure!(!targets.is_empty(), "fuzz/fuzz_targets holds no target");
    targets.sort();
    Ok(targets)
}
