//! The stage `dependencies`: checks the licence and the source of every crate that a user would
//! compile.
//!
//! It reads the list in `deny.toml`, which `cargo deny check` reads too. That program takes longer
//! to compile than everything else that continuous integration installs (3.7 minutes on two cores),
//! so the two checks that matter here use the output of `cargo tree` instead.

use std::fs;

use anyhow::{Context, Result, ensure};
use spdx::{Expression, Licensee, ParseMode};
use toml::Table;

use crate::process::{cargo, output, root};

pub fn run_stage() -> Result<()> {
    let licences = Licences::read()?;
    let tree = "tree --locked --workspace --all-features --target all --prefix none --no-dedupe";
    let mut tree = cargo(tree);
    let lines = output(tree.args(["--format", "{l}\t{p}"]))?.text;
    let mut crates: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
    crates.sort_unstable();
    crates.dedup();
    for line in &crates {
        let (licence, package) = line.split_once('\t').context("cargo tree printed no tab")?;
        licences
            .check(licence, package)
            .with_context(|| format!("the licence of {package}"))?;
        check_source(package)?;
    }
    println!(
        "{} crates have permitted licences and come from the registry",
        crates.len()
    );
    core_has_no_dependencies()
}

/// Permitted licences, from `deny.toml`.
struct Licences {
    /// List `licenses.allow`.
    all: Vec<Licensee>,
    /// List `licenses.exceptions`: additional licences for single crates.
    of_one: Vec<(String, Vec<Licensee>)>,
}

impl Licences {
    fn read() -> Result<Self> {
        let text = fs::read_to_string(root().join("deny.toml")).context("cannot read deny.toml")?;
        let table: Table = text.parse().context("deny.toml is not TOML")?;
        let licences = &table["licenses"];
        let exceptions = licences["exceptions"].as_array();
        let of_one = exceptions.into_iter().flatten().map(|exception| {
            let name = exception["crate"].as_str();
            let name = name.context("an exception in deny.toml names no crate")?;
            Ok((name.to_owned(), licensees(&exception["allow"])?))
        });
        Ok(Self {
            all: licensees(&licences["allow"])?,
            of_one: of_one.collect::<Result<_>>()?,
        })
    }

    /// Checks the licence of a package, which `cargo tree` shows as its name and version.
    fn check(&self, text: &str, package: &str) -> Result<()> {
        let licence = Expression::parse_mode(text, ParseMode::LAX)
            .with_context(|| format!("`{text}` is no SPDX expression"))?;
        let name = package.split(' ').next();
        let exceptions = self.of_one.iter().filter(|(of, _)| Some(&**of) == name);
        let allowed = self.all.iter().chain(exceptions.flat_map(|(_, more)| more));
        let permitted =
            licence.evaluate(|wanted| allowed.clone().any(|have| have.satisfies(wanted)));
        ensure!(permitted, "deny.toml does not allow `{text}`");
        Ok(())
    }
}

/// Parses a list of licences in `deny.toml`.
fn licensees(list: &toml::Value) -> Result<Vec<Licensee>> {
    let list = list.as_array().context("a list of licences is no list")?;
    let licensee = |value: &toml::Value| {
        let name = value
            .as_str()
            .context("a licence in deny.toml is no text")?;
        Licensee::parse(name).with_context(|| format!("{name} is no SPDX licence"))
    };
    list.iter().map(licensee).collect()
}

/// Checks the source of a package. `cargo tree` shows it in parentheses unless it is the standard
/// registry; the only other allowed source is a directory of this workspace. An asterisk marks a
/// crate that was listed before: one that depends on itself, for its tests.
fn check_source(package: &str) -> Result<()> {
    let root = root()
        .to_str()
        .context("the workspace's path is not UTF-8")?;
    let notes = package
        .split('(')
        .skip(1)
        .map(|note| note.trim_end().trim_end_matches(')'));
    for note in notes {
        let known = note == "proc-macro" || note == "*" || note.starts_with(root);
        ensure!(
            known,
            "{package} comes neither from the registry nor from this workspace"
        );
    }
    Ok(())
}

/// Checks that the core crate has no dependencies, with any features.
fn core_has_no_dependencies() -> Result<()> {
    let tree = "tree --locked --package bytelane --all-features --target all --edges normal,build";
    let tree = output(&mut cargo(tree))?.text;
    ensure!(
        tree.trim().lines().count() == 1,
        "the core crate has dependencies:\n{tree}"
    );
    Ok(())
}
