//! Platforms that releases are built for on a Linux machine, with zig as the C compiler and linker.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};

use crate::folder::Folder;
use crate::process::{output, program, root};
use crate::test::languages::python::environment_with;

/// Oldest glibc that programs for glibc run with: that of RHEL 7. Rust's standard library needs it.
pub const GLIBC: &str = "2.17";

/// Directory of cargo's output. It is separate, because other builds use other C compilers.
pub const TARGET_DIRECTORY: &str = "target/zig";

static PROFILE: OnceLock<String> = OnceLock::new();

/// Sets cargo's profile for all builds that follow.
pub fn set_profile(name: &str) {
    PROFILE.get_or_init(|| name.to_owned());
}

/// Returns cargo's profile.
pub fn profile() -> &'static str {
    PROFILE.get().map_or("release", String::as_str)
}

/// Target of a release.
pub struct Platform {
    pub triple: &'static str,
    /// Compatibility tag of the wheel.
    pub wheel: &'static str,
    /// Debian's name of the architecture, if there is a package for Debian.
    pub debian: Option<&'static str>,
    /// Emulator that runs its programs, with arguments; empty if this machine runs them.
    emulator: &'static [&'static str],
}

pub const X86_64_GNU: Platform = Platform {
    triple: "x86_64-unknown-linux-gnu",
    wheel: "manylinux2014",
    debian: Some("amd64"),
    emulator: &[],
};

pub const X86_64_MUSL: Platform = Platform {
    triple: "x86_64-unknown-linux-musl",
    wheel: "musllinux_1_2",
    debian: None,
    ..X86_64_GNU
};

pub const AARCH64_GNU: Platform = Platform {
    triple: "aarch64-unknown-linux-gnu",
    debian: Some("arm64"),
    // Debian's libc6-arm64-cross has the dynamic linker.
    emulator: &["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
    ..X86_64_GNU
};

pub const AARCH64_MUSL: Platform = Platform {
    triple: "aarch64-unknown-linux-musl",
    emulator: &["qemu-aarch64-static"],
    ..X86_64_MUSL
};

impl Platform {
    /// Returns whether programs use glibc.
    pub fn has_glibc(&self) -> bool {
        self.triple.ends_with("-gnu")
    }

    /// Returns whether an emulator runs its programs.
    pub fn is_emulated(&self) -> bool {
        !self.emulator.is_empty()
    }

    /// Returns cargo-zigbuild's name of the target, which ends in the version of glibc.
    pub fn zig_target(&self) -> String {
        if self.has_glibc() {
            format!("{}.{GLIBC}", self.triple)
        } else {
            self.triple.to_owned()
        }
    }

    /// Returns the command that runs a program of this platform.
    pub fn run(&self, executable: impl AsRef<OsStr>) -> Command {
        match self.emulator {
            [] => program(executable),
            [emulator, arguments @ ..] => {
                let mut command = program(emulator);
                command.args(arguments).arg(executable);
                command
            }
        }
    }

    /// Checks that a program or library needs no newer glibc than it may.
    pub fn check_glibc(&self, binary: &std::path::Path) -> Result<()> {
        if !self.has_glibc() {
            return Ok(());
        }
        let symbols = output(program("objdump").arg("-T").arg(binary))?.text;
        let newest = newest_glibc(&symbols).context("objdump shows no version of glibc")?;
        let allowed = version(GLIBC);
        let shown = newest.map(|number| number.to_string()).join(".");
        ensure!(
            newest <= allowed,
            "{} needs glibc {shown}, newer than {GLIBC}",
            binary.display()
        );
        println!("needs glibc {shown}");
        Ok(())
    }
}

/// Returns the newest version of glibc among the symbols that `objdump -T` shows.
fn newest_glibc(symbols: &str) -> Option<[u32; 2]> {
    let versions = symbols.split("GLIBC_").skip(1);
    versions.map(version).max()
}

/// Returns the first two numbers of a version.
fn version(text: &str) -> [u32; 2] {
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '.');
    let mut numbers = text[..end.unwrap_or(text.len())].split('.');
    std::array::from_fn(|_| numbers.next().and_then(|it| it.parse().ok()).unwrap_or(0))
}

/// Returns a command for one of the tools that pip installs: maturin, cargo-zigbuild and auditwheel. It finds zig.
pub fn tool(name: &str) -> Result<Command> {
    let requirements = "xtask/src/release/requirements.txt";
    let python = environment_with("target/release-tools", requirements)?;
    let directory = python.parent().context("a program is in a directory")?;
    let mut directories = vec![directory.to_owned()];
    let path = env::var_os("PATH").unwrap_or_default();
    directories.extend(env::split_paths(&path));
    let mut command = program(directory.join(name));
    command
        .env("PATH", env::join_paths(directories)?)
        .env("CARGO_TARGET_DIR", root().join(TARGET_DIRECTORY));
    Ok(command)
}

/// Returns the directory of the finished artifacts.
pub fn artifacts() -> Result<PathBuf> {
    Ok(Folder::at("target/release-artifacts")?.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_found_by_number() {
        let symbols = "\
0000 DF *UND*  0000 (GLIBC_2.2.5) memcpy
0000 DF *UND*  0000 (GLIBC_2.17) clock_gettime
0000 DF *UND*  0000 (GLIBC_2.3.4) __snprintf_chk
0000 DF *UND*  0000  _Unwind_Resume\n";
        assert_eq!(newest_glibc(symbols), Some([2, 17]));
        assert_eq!(newest_glibc("0000 DF *UND*  0000  _Unwind_Resume\n"), None);
        assert!(version("2.34) fstat64") > version(GLIBC));
    }

    #[test]
    fn only_targets_for_glibc_name_its_version() {
        assert_eq!(AARCH64_GNU.zig_target(), "aarch64-unknown-linux-gnu.2.17");
        assert_eq!(X86_64_MUSL.zig_target(), "x86_64-unknown-linux-musl");
    }
}
