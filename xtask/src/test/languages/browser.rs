//! The stage `browser`: the page of `bytelane report` in a browser, on a phone's and a desktop's
//! screen, light and dark. The screenshots stay in `target/browser`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::python;
use crate::process::{Output, output, program, root, run};

/// Name of the browser in Debian.
pub const BROWSER: &str = "chromium";

/// Parquet file for the page to analyse.
const PARQUET: &str = "testdata/golden/parquet/byte_stream_split_v1.parquet";

/// Texts of the faults that the check must find in `faulty.html`.
const FAULTS: [&str; 13] = [
    "pixels wide",
    "no heading",
    "drawings",
    "\"words\" and \"other words\" overlap",
    "there are 1 figures",
    "the figure 12.3 is not on the screen",
    "stands alone",
    "no room",
    "tells no values",
    "pixels high",
    "the word \"unbroken_words\" is broken",
    "the table of one, two is",
    "asks for http://example.invalid/picture.png",
];

pub fn run_stage() -> Result<()> {
    let directory = root().join("target/browser");
    fs::create_dir_all(&directory)?;
    for (name, text) in [
        ("check.html", include_str!("browser/check.html")),
        ("faulty.html", include_str!("browser/faulty.html")),
    ] {
        fs::write(directory.join(name), text)?;
    }
    faults_are_found(&directory)?;
    let page = directory.join("report.html");
    let command = python::build_programs()?.join("bytelane");
    let arguments = ["report", "--quick", "--sample", "1", "--output"];
    let mut report = program(command);
    report.args(arguments).arg(&page).arg(PARQUET);
    run(report.arg(array_file(&directory)?))?;
    // Without the page's policy, which blocks requests, every request is detected.
    let text = fs::read_to_string(&page)?;
    for file in ["byte_stream_split_v1.parquet", "steps.npy"] {
        ensure!(text.contains(file), "the page does not mention {file}");
    }
    let (before, policy) = text
        .split_once("<meta http-equiv=\"Content-Security-Policy\"")
        .context("the page forbids no requests")?;
    let (_, after) = policy.split_once('>').context("a tag does not end")?;
    fs::write(directory.join("unprotected.html"), [before, after].concat())?;
    for dark in [false, true] {
        for page in ["report.html", "unprotected.html"] {
            let found = faults(&directory, page, dark)?;
            ensure!(found == "none", "{page}, dark: {dark}:\n{found}");
        }
        for (screen, size) in [
            ("phone", "500,4000"),
            ("desk", "1280,4000"),
            ("wide", "1920,4000"),
        ] {
            let shade = if dark { "dark" } else { "light" };
            let picture = directory.join(format!("{screen}-{shade}.png"));
            let picture = format!("--screenshot={}", picture.display());
            browse(
                &directory,
                "report.html",
                dark,
                &[&picture, &format!("--window-size={size}")],
            )?;
        }
    }
    Ok(())
}

/// Writes an `.npy` file for the page to analyse: steps of 100 doubles.
fn array_file(directory: &Path) -> Result<PathBuf> {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (5000,), }\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len())?.to_le_bytes());
    file.extend(header.bytes());
    file.extend((0..5000).flat_map(|value| f64::from(value / 100).to_le_bytes()));
    let path = directory.join("steps.npy");
    fs::write(&path, file)?;
    Ok(path)
}

/// Checks that the check itself finds faults.
fn faults_are_found(directory: &Path) -> Result<()> {
    let found = faults(directory, "faulty.html", false)?;
    for part in FAULTS.iter().chain(&["a message", "ink rgb"]) {
        ensure!(found.contains(part), "the check misses `{part}`:\n{found}");
    }
    Ok(())
}

/// Returns the faults of a page, including its console output; `none` if there are none.
fn faults(directory: &Path, page: &str, dark: bool) -> Result<String> {
    let address = format!("check.html?{page}");
    let shown = browse(directory, &address, dark, &["--dump-dom"])?;
    let Some((_, rest)) = shown.text.split_once("<pre id=\"faults\">") else {
        bail!("the browser shows no result:\n{}", shown.errors);
    };
    let found = rest.split("</pre>").next().unwrap_or_default();
    let console = shown.errors.lines().filter(|line| line.contains("CONSOLE"));
    let messages: Vec<&str> = console.collect();
    match messages.as_slice() {
        [] => Ok(found.to_owned()),
        messages => Ok(format!("{found}\n{}", messages.join("\n"))),
    }
}

/// Opens a page of the directory. Host names are not resolved.
fn browse(directory: &Path, page: &str, dark: bool, arguments: &[&str]) -> Result<Output> {
    let scheme = if dark { 0 } else { 1 };
    let mut command = program(BROWSER);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
        ])
        .args(["--allow-file-access-from-files", "--enable-logging=stderr"])
        .args(["--hide-scrollbars", "--virtual-time-budget=20000"])
        .arg(format!(
            "--user-data-dir={}",
            directory.join("profile").display()
        ))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .args(arguments)
        .arg(format!("file://{}/{page}", directory.display()));
    output(&mut command)
}
