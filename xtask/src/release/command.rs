//! Builds the command, and packs it with its manual pages and completions: an archive, and a package for Debian.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::package;
use super::platform::{Platform, TARGET_DIRECTORY, artifacts, profile, tool};
use super::system;
use crate::folder::Folder;
use crate::process::{compile, output, program, root, run};

/// Makes the archive and the package, and tries them.
pub fn make(platform: &Platform) -> Result<()> {
    let built = build(platform)?;
    platform.check_glibc(&built)?;
    let archive = archive(platform, &built)?;
    system::try_archive(platform, &archive)?;
    if let Some(architecture) = platform.debian {
        let package = debian(platform, architecture, &built)?;
        system::try_debian(platform, &package)?;
    }
    Ok(())
}

/// Builds the command with all features, without symbols.
fn build(platform: &Platform) -> Result<PathBuf> {
    let options = "zigbuild --locked --package bytelane-cli --all-features";
    let mut build = tool("cargo-zigbuild")?;
    build
        .args(options.split_whitespace())
        .args(["--profile", profile(), "--target", &platform.zig_target()])
        .args([
            "--config",
            &format!("profile.{}.strip='symbols'", profile()),
        ]);
    compile(&mut build)?;
    let directory = root().join(TARGET_DIRECTORY).join(platform.triple);
    Ok(directory.join(profile()).join("bytelane"))
}

/// Packs the command for any Linux, in folders as below `~/.local`.
fn archive(platform: &Platform, built: &Path) -> Result<PathBuf> {
    let name = format!("bytelane-{}-{}", env!("CARGO_PKG_VERSION"), platform.triple);
    let folder = package::folder(&name)?;
    share(platform, built, &folder)?;
    let zsh = output(platform.run(built).args(["completions", "zsh"]))?.text;
    folder.write("share/zsh/site-functions/_bytelane", &zsh)?;
    let archive = artifacts()?.join(format!("{name}.tar.gz"));
    let parent = folder.path.parent().context("the folder is in another")?;
    run(program("tar")
        .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .args(["--mtime", &package::date()?, "--directory"])
        .arg(parent)
        .args(["--gzip", "--create", "--file"])
        .arg(&archive)
        .arg(&name))?;
    Ok(archive)
}

/// Makes the package for Debian.
fn debian(platform: &Platform, architecture: &str, built: &Path) -> Result<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("bytelane_{version}_{architecture}");
    let folder = package::folder(&name)?;
    let user = folder.below("usr")?;
    share(platform, built, &user)?;
    let zsh = output(platform.run(built).args(["completions", "zsh"]))?.text;
    user.write("share/zsh/vendor-completions/_bytelane", &zsh)?;
    package::add_debian_files(&folder, architecture)?;
    let package = artifacts()?.join(format!("{name}.deb"));
    run(program("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(&folder.path)
        .arg(&package)
        .env("SOURCE_DATE_EPOCH", package::seconds()?))?;
    Ok(package)
}

/// Adds the files that have the same places in the archive and in the package.
fn share(platform: &Platform, built: &Path, folder: &Folder) -> Result<()> {
    folder.copy(built, "bin/bytelane")?;
    let pages = folder.below("share/man/man1")?;
    run(platform.run(built).arg("man").arg(&pages.path))?;
    ensure!(
        fs::read_dir(&pages.path)?.count() > 20,
        "there are manual pages missing"
    );
    for (shell, path) in [
        ("bash", "share/bash-completion/completions/bytelane"),
        ("fish", "share/fish/vendor_completions.d/bytelane.fish"),
    ] {
        let script = output(platform.run(built).args(["completions", shell]))?.text;
        folder.write(path, &script)?;
    }
    let documents = folder.below("share/doc/bytelane")?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"] {
        documents.copy(&root().join(file), file)?;
    }
    documents.copy(&root().join("crates/bytelane-cli/README.md"), "README.md")
}
