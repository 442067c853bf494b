//! The stage `fuzz`: builds the fuzz targets and lets each run for a few seconds, from seeds and
//! from what earlier runs have found.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::process::{cargo, program, root, run};

/// What `cargo fuzz` passes to a nightly compiler; the stable one takes these as well.
const RUSTFLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1 \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// How long each target runs.
const SECONDS: u32 = 5;

/// Where targets find inputs to start from: in the directory whose name theirs begins with.
const GOLDEN: &str = "testdata/golden";

pub fn run_stage() -> Result<()> {
    let build = "build --release --manifest-path fuzz/Cargo.toml --target-dir target/fuzz";
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    run(cargo(build)
        .args(["--target", &host])
        .env("RUSTFLAGS", RUSTFLAGS))?;
    let seeds = "run --locked --package bytelane-testkit --bin fuzz_seeds fuzz/corpus";
    run(&mut cargo(seeds))?;
    let targets = targets()?;
    ensure!(!targets.is_empty(), "fuzz/fuzz_targets holds no target");
    for target in &targets {
        let [corpus, artifacts] =
            ["corpus", "artifacts"].map(|kind| format!("fuzz/{kind}/{target}/"));
        fs::create_dir_all(root().join(&corpus))?;
        fs::create_dir_all(root().join(&artifacts))?;
        let mut command = program(root().join(format!("target/fuzz/{host}/release/{target}")));
        command
            .arg(corpus)
            .arg(format!("-artifact_prefix={artifacts}"));
        let family = target.split('_').next().unwrap_or(target);
        let golden = format!("{GOLDEN}/{family}");
        if root().join(&golden).is_dir() {
            command.arg(golden);
        }
        command.arg(format!("-max_total_time={SECONDS}"));
        run(command.args([
            "-rss_limit_mb=1024",
            "-timeout=10",
            "-print_final_stats=1",
            "-verbosity=0",
        ]))?;
    }
    Ok(())
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
    targets.sort();
    Ok(targets)
}
