//! Tries artifacts in clean systems: Debian's in a directory, emulators, and directories with nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::package::folder;
use super::platform::Platform;
use crate::folder::Folder;
use crate::process::{output, program, root, run};

/// Oldest release of Debian on its mirrors.
const OLDEST: (&str, &str) = ("bullseye", "man-db,bash-completion,fish,zsh");

/// Release of Debian with the oldest Python that wheels are for.
pub const WITH_PYTHON: (&str, &str) = ("bookworm", "python3,python3-venv");

/// Directory of trials in a system.
const TRIAL: &str = "trial";

/// Root directory of a system.
pub struct System {
    root: PathBuf,
}

impl System {
    /// Returns a release of Debian with these packages besides the required ones; it is installed once.
    pub fn debian((release, packages): (&str, &str)) -> Result<Self> {
        let root = root().join("target/release-systems").join(release);
        let complete = root.join("complete");
        if !complete.exists() {
            run(program("debootstrap")
                .args(["--variant=minbase", "--include", packages, release])
                .arg(&root))?;
            fs::write(&complete, "").context("cannot write to a new system")?;
        }
        Ok(Self { root })
    }

    /// Returns a system that exists.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Returns an empty directory of the system, and its path in the system.
    pub fn trial(&self) -> Result<(PathBuf, PathBuf)> {
        let directory = Folder::empty(self.root.join(TRIAL))?;
        Ok((directory.path, Path::new("/").join(TRIAL)))
    }

    /// Returns a command that runs in the system, with nothing of this one's environment.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = program("chroot");
        command
            .arg(&self.root)
            .args(words)
            .env_clear()
            .env(
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            )
            .env("HOME", "/root")
            .env("LC_ALL", "C.UTF-8");
        command
    }
}

/// Unpacks the archive, and tries the command: in an old system if it is for glibc, and alone if it is for musl.
pub fn try_archive(platform: &Platform, archive: &Path) -> Result<()> {
    let unpack = |to: &Path| {
        let mut tar = program("tar");
        tar.args(["--strip-components=1", "--extract", "--file"]);
        run(tar.arg(archive).arg("--directory").arg(to))
    };
    if platform.is_emulated() {
        let folder = folder("trial")?;
        unpack(&folder.path)?;
        let command = folder.path.join("bin/bytelane");
        return try_command(|| platform.run(&command), &folder.path, &folder.path);
    }
    let system = if platform.has_glibc() {
        System::debian(OLDEST)?
    } else {
        System::at(&folder("alone")?.path)
    };
    let (directory, seen) = system.trial()?;
    unpack(&directory)?;
    let command = format!("/{TRIAL}/bin/bytelane");
    try_command(|| system.command(&[&command]), &directory, &seen)
}

/// Installs the package in an old system, tries it, and removes it.
pub fn try_debian(platform: &Platform, package: &Path) -> Result<()> {
    let listed = output(program("dpkg-deb").arg("--contents").arg(package))?.text;
    ensure!(listed.contains("./usr/bin/bytelane\n"), "{listed}");
    if platform.is_emulated() {
        println!("not installed: dpkg of another architecture would need binfmt_misc");
        return Ok(());
    }
    let system = System::debian(OLDEST)?;
    let (directory, seen) = system.trial()?;
    fs::copy(package, directory.join("bytelane.deb")).context("cannot copy the package")?;
    run(&mut system.command(&["dpkg", "--install", &format!("/{TRIAL}/bytelane.deb")]))?;
    try_command(|| system.command(&["bytelane"]), &directory, &seen)?;
    for (script, expected) in IN_SHELLS {
        let found = output(&mut system.command(&["sh", "-c", script]))?.text;
        ensure!(found.contains(expected), "`{script}` shows {found:?}");
    }
    run(&mut system.command(&["dpkg", "--purge", "bytelane"]))?;
    let left = output(&mut system.command(&["find", "/usr", "-name", "*bytelane*"]))?.text;
    ensure!(left.is_empty(), "the package leaves {left}");
    Ok(())
}

/// Scripts that use the manual pages and the completions, and a part of their outputs.
const IN_SHELLS: [(&str, &str); 5] = [
    ("man bytelane-head | cat", "--where"),
    ("man --where bytelane-dataset-plan", "/usr/share/man/man1/"),
    (
        "bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader bytelane; complete -p bytelane'",
        "-F _bytelane",
    ),
    // Conditions of completions see no command line in a script of fish 3.1, so this looks for their functions.
    (
        "fish -c 'complete -C\"bytelane \"; functions -q __fish_bytelane_needs_command; and echo loaded'",
        "loaded",
    ),
    (
        "zsh -fc 'autoload -U compinit; compinit -u; echo $_comps[bytelane]'",
        "_bytelane",
    ),
];

/// Tries the command: what it says of itself, and rows that it writes to a Parquet file and reads.
fn try_command(command: impl Fn() -> Command, directory: &Path, seen: &Path) -> Result<()> {
    fs::write(directory.join("trades.csv"), "id,price\n1,99.5\n2,101.25\n")
        .context("cannot write an input")?;
    let [csv, parquet] = ["trades.csv", "trades.parquet"].map(|name| seen.join(name));
    let version = output(command().arg("--version"))?.text;
    let expected = concat!("bytelane ", env!("CARGO_PKG_VERSION"), "\n");
    ensure!(version == expected, "the command says {version:?}");
    print!("{}", output(command().arg("cpu"))?.text);
    output(command().arg("convert").arg(csv).arg(&parquet))?;
    let mut head = command();
    head.args(["head", "--where", "price > 100", "--format", "csv"]);
    let rows = output(head.arg(parquet))?.text;
    ensure!(rows == "id,price\n2,101.25\n", "`head` shows {rows:?}");
    Ok(())
}
