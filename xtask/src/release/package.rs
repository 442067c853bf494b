//! Lays out the files of a package, and describes it to Debian's tools.

use std::fs;

use anyhow::Result;

use super::platform::GLIBC;
use crate::folder::Folder;
use crate::process::{output, program, run};

/// Creates an empty folder, whose contents become a package.
pub fn folder(name: &str) -> Result<Folder> {
    Folder::empty(format!("target/release-folders/{name}"))
}

/// Adds what Debian requires of a package: its description, and compressed documents.
pub fn add_debian_files(folder: &Folder, architecture: &str) -> Result<()> {
    let kilobytes = output(program("du").arg("-sk").arg(&folder.path))?.text;
    let size = kilobytes.split_whitespace().next().unwrap_or_default();
    folder.write("DEBIAN/control", control(architecture, size))?;
    folder.write("usr/share/doc/bytelane/copyright", COPYRIGHT)?;
    let documents = folder.path.join("usr/share/doc/bytelane");
    fs::rename(documents.join("CHANGELOG.md"), documents.join("changelog"))?;
    let mut compress = program("gzip");
    compress.args(["--best", "--no-name", "--recursive"]);
    run(compress
        .arg(documents.join("changelog"))
        .arg(folder.path.join("usr/share/man")))
}

/// Returns the control file.
fn control(architecture: &str, installed_size: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "\
Package: bytelane
Version: {version}
Architecture: {architecture}
Maintainer: The bytelane authors <bytelane@users.noreply.github.com>
Installed-Size: {installed_size}
Depends: libc6 (>= {GLIBC})
Section: utils
Priority: optional
Description: reads, converts and re-encodes Parquet files
 The command shows rows and metadata of Parquet files, converts them from and to
 CSV, JSON and Arrow, chooses the best encoding of each column, merges, compares
 and repairs them, and encodes and decodes integer lists, base64 and Thrift.
"
    )
}

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: bytelane

Files: *
Copyright: 2026 The bytelane authors
License: MIT or Apache-2.0
 The texts are in /usr/share/doc/bytelane/LICENSE-MIT and
 /usr/share/doc/bytelane/LICENSE-APACHE.
";

/// Returns the time of the last commit, in seconds: packages of one commit are the same, byte for byte.
pub fn seconds() -> Result<String> {
    let time = output(program("git").args(["log", "-1", "--format=%ct"]))?.text;
    Ok(time.trim().to_owned())
}

/// Returns the same time for GNU programs.
pub fn date() -> Result<String> {
    Ok(format!("@{}", seconds()?))
}

#[cfg(test)]
mod tests {
    use super::control;

    #[test]
    fn the_control_file_has_what_dpkg_requires() {
        let text = control("arm64", "12345");
        for line in [
            "Package: bytelane",
            concat!("Version: ", env!("CARGO_PKG_VERSION")),
            "Architecture: arm64",
            "Installed-Size: 12345",
            "Depends: libc6 (>= 2.17)",
        ] {
            assert!(text.lines().any(|it| it == line), "no `{line}` in\n{text}");
        }
        assert!(text.lines().all(|it| it.len() <= 80), "{text}");
        let (fields, description) = text.split_once("\nDescription: ").unwrap();
        assert!(fields.lines().all(|it| it.contains(": ")), "{fields}");
        let mut rest = description.lines().skip(1);
        assert!(rest.all(|it| it.starts_with(' ')), "{description}");
    }
}
