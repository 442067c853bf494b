//! The stages `fuzz` and `fuzz-long`: build the fuzz targets and run each for a few seconds or
//! minutes, from seeds and from the findings of earlier runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::folder::Folder;
use crate::process::{cargo, compile, program, root, run, run_side_by_side};

/// Flags that `cargo fuzz` passes to a nightly compiler; the stable one accepts them as well.
const RUSTFLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Flag for AddressSanitizer, which the stable compiler accepts, too.
const SANITIZER: &str = "-Zsanitizer=address";

/// Inputs kept in the repository, one file for each target. They are few and short, but together
/// they reach all code that any known input reaches.
const CORPUS: &str = "testdata/fuzz";

/// Arguments of cargo that run the program which reads and writes these inputs.
const SEEDS: &str = "run --locked --package bytelane-testkit --bin fuzz_seeds --";

/// Maximum length of such an input, in bytes.
const LONGEST: u32 = 300;

/// Directory of the seed inputs: those of a target are in the directory whose name is a prefix of
/// the target's name.
const GOLDEN: &str = "testdata/golden";

/// Runs each target for a few seconds.
pub fn run_stage() -> Result<()> {
    let programs = build("target/fuzz", "brief", None)?;
    let targets = targets()?;
    let commands = targets.iter().map(|target| fuzz(&programs, target, 5));
    run_side_by_side(commands.collect::<Result<_>>()?)
}

/// Runs each target for five minutes, and keeps new findings.
pub fn run_long() -> Result<()> {
    let programs = build("target/fuzz-long", "release", Some(SANITIZER))?;
    for target in targets()? {
        run(&mut fuzz(&programs, &target, 300)?)?;
        keep(&programs, &target)?;
    }
    Ok(())
}

/// Builds the targets in a profile, and writes the seed inputs; returns the directory of the programs.
fn build(directory: &str, profile: &str, sanitizer: Option<&str>) -> Result<PathBuf> {
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut command = cargo("build --locked --manifest-path fuzz/Cargo.toml");
    command.args([
        "--profile",
        profile,
        "--target-dir",
        directory,
        "--target",
        &host,
    ]);
    let mut rustflags = RUSTFLAGS.to_owned();
    if let Some(sanitizer) = sanitizer {
        rustflags = format!("{rustflags} {sanitizer}");
        command.env("RUSTC_BOOTSTRAP", "1");
    }
    compile(command.env("RUSTFLAGS", rustflags))?;
    run(cargo(SEEDS).args(["read", CORPUS, "fuzz/corpus"]))?;
    Ok(root().join(directory).join(host).join(profile))
}

/// Returns the command that runs a target for a number of seconds.
fn fuzz(programs: &Path, target: &str, seconds: u32) -> Result<Command> {
    let [found, artifacts] = ["corpus", "artifacts"].map(|kind| format!("fuzz/{kind}/{target}/"));
    Folder::at(&found)?;
    Folder::at(&artifacts)?;
    let mut command = program(programs.join(target));
    // libFuzzer writes findings to the first directory.
    command.arg(found);
    let family = target.split('_').next().unwrap_or(target);
    let golden = format!("{GOLDEN}/{family}");
    if root().join(&golden).is_dir() {
        command.arg(golden);
    }
    command.arg(format!("-artifact_prefix={artifacts}"));
    command.arg(format!("-max_total_time={seconds}"));
    command.args([
        "-rss_limit_mb=2048",
        "-timeout=10",
        "-print_final_stats=1",
        "-verbosity=0",
    ]);
    Ok(command)
}

/// Keeps the shortest inputs that reach all code which any input reaches. Inputs that only reach it
/// more often are not kept: they would triple the number.
fn keep(programs: &Path, target: &str) -> Result<()> {
    let fewest = format!("target/fuzz-kept/{target}");
    Folder::empty(&fewest)?;
    let mut merge = program(programs.join(target));
    merge.args([&fewest, &format!("fuzz/corpus/{target}")]);
    merge.arg(format!("-max_len={LONGEST}"));
    run(merge.args(["-merge=1", "-use_counters=0", "-verbosity=0"]))?;
    run(cargo(SEEDS).args(["keep", &fewest, &format!("{CORPUS}/{target}.txt")]))
}

/// Returns the targets' names, which are their file names.
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
