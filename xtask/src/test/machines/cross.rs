//! Runs the core's tests on a given instruction set: natively, or cross-compiled and emulated.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, cargo, output, program, root};
use crate::timings;

/// Packages tested on every target: those without heavy dependencies.
const PACKAGES: &str = "--package bytelane --package bytelane-testkit";

/// Debian's Rust compiler. It is newer than the Debian release, and Debian has its standard
/// libraries for other targets, or their source.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_SOURCE: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";

/// Target of the tests, and how they run on this machine.
pub struct Target {
    pub triple: &'static str,
    /// Expected best backend on the target.
    pub backend: &'static str,
    pub linker: Option<&'static str>,
    /// Program that runs a test, with its arguments, where `{root}` is the workspace's directory;
    /// empty if the machine runs the tests natively.
    pub runner: &'static str,
    pub rustflags: &'static str,
    /// Crates to build if the standard library is built from source.
    pub library: &'static str,
    /// Additional flags in that case, which the target's own distribution would provide.
    pub source_rustflags: &'static str,
}

/// x86-64 on this machine, with AVX-512. All stages for x86-64 run the programs of the stage `rust`, so that nothing is
/// compiled for them.
pub const AVX512: Target = Target {
    triple: X86_64,
    backend: "avx512",
    linker: None,
    runner: "",
    rustflags: "",
    library: "std,panic_abort",
    source_rustflags: "",
};

const X86_64: &str = "x86_64-unknown-linux-gnu";

/// The oldest processor with AVX2.
pub const HASWELL: Target = Target {
    backend: "avx2",
    runner: "qemu-x86_64-static -cpu Haswell",
    ..AVX512
};

/// A processor with SSE4.2, and nothing later.
pub const NEHALEM: Target = Target {
    backend: "sse4.1",
    runner: "qemu-x86_64-static -cpu Nehalem",
    ..AVX512
};

/// 64-bit ARM, with NEON. Tests for other machines are linked statically: their libraries are not on the path of the
/// emulator.
pub const AARCH64: Target = Target {
    triple: "aarch64-unknown-linux-gnu",
    backend: "neon",
    linker: Some("aarch64-linux-gnu-gcc"),
    runner: "qemu-aarch64-static",
    rustflags: "-Ctarget-feature=+crt-static",
    ..AVX512
};

/// 32-bit ARM, with NEON, which is detected.
pub const ARMV7: Target = Target {
    triple: "armv7-unknown-linux-gnueabihf",
    backend: "neon",
    linker: Some("arm-linux-gnueabihf-gcc"),
    runner: "qemu-arm-static",
    ..AARCH64
};

/// 32-bit ARM without NEON, such as Tegra 2.
pub const ARMV7_WITHOUT_NEON: Target = Target {
    backend: "scalar",
    runner: "qemu-arm-static -cpu cortex-a9,neon=off",
    ..ARMV7
};

/// A target whose `usize` has 32 bits; an x86-64 kernel runs it.
pub const I686: Target = Target {
    triple: "i686-unknown-linux-gnu",
    backend: "scalar",
    linker: Some("i686-linux-gnu-gcc"),
    runner: "",
    ..AARCH64
};

/// A big-endian target.
pub const S390X: Target = Target {
    triple: "s390x-unknown-linux-gnu",
    backend: "scalar",
    linker: Some("s390x-linux-gnu-gcc"),
    runner: "qemu-s390x-static",
    ..AARCH64
};

/// WebAssembly, which has no threads: a standard library built from source leaves calls of thread
/// functions undefined, and they become traps.
pub const WASM: Target = Target {
    triple: "wasm32-wasip1",
    backend: "scalar",
    linker: Some("wasm-ld-22"),
    runner: "node --no-warnings {root}/xtask/wasi.mjs",
    rustflags: "",
    library: "std,panic_abort",
    source_rustflags: "-Clink-self-contained=no -L/usr/lib/wasm32-wasi \
        -Clink-arg=/usr/lib/wasm32-wasi/crt1-command.o -Clink-arg=--unresolved-symbols=ignore-all",
};

/// A microcontroller, without an operating system and so without `std`.
pub const THUMB: Target = Target {
    triple: "thumbv7em-none-eabi",
    backend: "scalar",
    rustflags: "",
    library: "core,alloc",
    ..AVX512
};

/// WebAssembly in a browser, where `std` has no system to call.
pub const WASM_UNKNOWN: Target = Target {
    triple: "wasm32-unknown-unknown",
    ..THUMB
};

/// Source of a target's standard library.
pub enum Toolchain {
    /// The pinned toolchain has it.
    Pinned,
    /// Debian's compiler has it.
    Debian,
    /// Debian's compiler builds it from Debian's source.
    DebianSource,
}

impl Target {
    /// Returns the first method that this machine has for building for this target.
    pub fn toolchain(&self) -> Result<Toolchain> {
        let sysroot = output(program("rustc").args(["--print", "sysroot"]))?.text;
        let library = |sysroot: &str| {
            let path = Path::new(sysroot.trim()).join("lib/rustlib");
            path.join(self.triple).join("lib").is_dir()
        };
        if library(&sysroot) {
            return Ok(Toolchain::Pinned);
        }
        let advice = format!(
            "no standard library for {}: `rustup target add` it, or take Debian's rustc-web with \
             libstd-rust-web-dev of that architecture or with rust-web-src",
            self.triple
        );
        let toolchain = if library("/usr") {
            Toolchain::Debian
        } else if Path::new(DEBIAN_SOURCE).is_file() {
            Toolchain::DebianSource
        } else {
            bail!(advice);
        };
        check_debian_compiler().context(advice)?;
        Ok(toolchain)
    }

    /// Returns the cargo command that builds with this target's toolchain, linker and runner.
    pub fn cargo(&self, subcommand: &str) -> Result<Command> {
        let mut command = cargo(subcommand);
        command.arg("--locked");
        if self.triple != X86_64 {
            command.args(["--target-dir", "target/cross", "--target", self.triple]);
        }
        self.prepare(&mut command)?;
        Ok(command)
    }

    /// Returns the grid of the tests. Only emulators run the kernels for NEON. The stage `rust` covers the others, and the
    /// portable code.
    fn grid(&self) -> &'static str {
        match self.backend {
            "neon" => "reduced",
            _ => "sparse",
        }
    }

    /// Makes a program that runs cargo use this target's toolchain, linker and runner.
    pub fn prepare(&self, command: &mut Command) -> Result<()> {
        let name = |suffix: &str| {
            let triple = self.triple.to_uppercase().replace('-', "_");
            format!("CARGO_TARGET_{triple}_{suffix}")
        };
        if let Some(linker) = self.linker {
            command.env(name("LINKER"), linker);
        }
        let root = root()
            .to_str()
            .context("the workspace's path is not UTF-8")?;
        let mut runner = self.runner.replace("{root}", root);
        // Node does not pass environment variables to WebAssembly.
        if timings::enabled() && self.triple != WASM.triple {
            runner = timings::runner(&runner);
        }
        if !runner.is_empty() {
            command.env(name("RUNNER"), runner);
        }
        let toolchain = self.toolchain()?;
        let mut rustflags = self.rustflags.to_owned();
        if !matches!(toolchain, Toolchain::Pinned) {
            // The libraries of the compiler that built this program must not take precedence.
            command
                .env("RUSTC", DEBIAN_RUSTC)
                .env_remove("LD_LIBRARY_PATH");
        }
        if matches!(toolchain, Toolchain::DebianSource) {
            command
                .env("RUSTC_BOOTSTRAP", "1")
                .arg(format!("-Zbuild-std={}", self.library));
            rustflags = format!("{rustflags} {}", self.source_rustflags);
        }
        command.env("RUSTFLAGS", rustflags.trim());
        Ok(())
    }
}

/// Checks that Debian's compiler is installed and at least as new as `rust-version`.
fn check_debian_compiler() -> Result<()> {
    let text = output(program(DEBIAN_RUSTC).arg("--version"))?.text;
    let version = text.split_whitespace().nth(1).unwrap_or_default();
    let stated = crate::root::rust_version()?;
    let numbers = |version: &str| -> Vec<u32> {
        version
            .split(['.', '-', '+'])
            .map_while(|part| part.parse().ok())
            .collect()
    };
    if numbers(version) < numbers(&stated) {
        bail!("{DEBIAN_RUSTC} has version {version}, older than {stated}");
    }
    Ok(())
}

/// Runs the core's tests on the target, on a reduced grid if it is emulated. The tests fail if the
/// target's best backend is not the expected one.
pub fn test(target: &Target) -> Result<()> {
    test_some(target, &[])
}

/// Runs those of the core's tests that the arguments of the test program choose.
pub fn test_some(target: &Target, arguments: &[&str]) -> Result<()> {
    let make = || {
        let mut command = target.cargo("test")?;
        command.args(PACKAGES.split_whitespace()).arg("--tests");
        if target.triple != X86_64 {
            build_quickly(&mut command);
        }
        command.env("BYTELANE_TEST_GRID", target.grid());
        command.env("BYTELANE_TEST_EXPECT", target.backend);
        Ok(command)
    };
    process::test(make, arguments)
}

/// Builds without debug information, and without optimising third-party code, including the
/// standard library: it is compiled once for each target and runs for only a few seconds.
pub fn build_quickly(command: &mut Command) {
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    command.args(["--config", r#"profile.dev.package."*".opt-level=0"#]);
}
