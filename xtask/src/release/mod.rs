//! `cargo xtask release`: makes what a release publishes for Linux, and tries it in clean systems. The workflow
//! `release` does the same for macOS and Windows, on their machines.

mod command;
mod package;
mod platform;
mod system;
mod wheel;

use std::process::ExitCode;

use anyhow::Result;

use crate::test::needs::Need;
use crate::test::outcome::{list, names, run_stage, summarise};
use crate::test::stages::{PYTHON, Stage, release};
use platform::{AARCH64_GNU, AARCH64_MUSL, X86_64_GNU, X86_64_MUSL};

/// Options of `cargo xtask release`.
#[derive(clap::Args)]
pub struct Options {
    /// Make only these
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 1.., value_parser = names(STAGES.iter()))]
    only: Vec<String>,

    /// Cargo's profile; `quick` tries the steps in less time
    #[arg(long, default_value = "release")]
    profile: String,

    /// Show what can be made, and what this machine lacks for it; make nothing
    #[arg(long)]
    list: bool,
}

/// Makes the artifacts one after the other, even if one fails, and prints a summary.
pub fn run_command(options: &Options) -> Result<ExitCode> {
    if options.list {
        list(STAGES.iter());
        return Ok(ExitCode::SUCCESS);
    }
    platform::set_profile(&options.profile);
    let named = !options.only.is_empty();
    let chosen = |stage: &&Stage| !named || options.only.iter().any(|name| name == stage.name);
    let made = STAGES
        .iter()
        .filter(chosen)
        .map(|stage| (stage, run_stage(stage, named)));
    let code = summarise(&made.collect::<Vec<_>>());
    println!("the artifacts are in {}", platform::artifacts()?.display());
    Ok(code)
}

const OBJDUMP: Need = Need::Program("objdump", "Debian: binutils");
const DEBOOTSTRAP: Need = Need::Program("debootstrap", "Debian: debootstrap");
const QEMU: Need = Need::Program("qemu-aarch64-static", "Debian: qemu-user-static");
const AARCH64_LIBRARIES: Need = Need::File(
    "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
    "Debian: libc6-arm64-cross",
);
const AARCH64_PACKAGES: Need = Need::Answers(
    &["apt-cache", "show", "python3:arm64"],
    "Debian: dpkg --add-architecture arm64, apt-get update",
);

/// Requires the standard library of a target.
macro_rules! library {
    ($triple:literal) => {
        Need::Answers(
            &[
                "sh",
                "-c",
                concat!("test -d $(rustc --print sysroot)/lib/rustlib/", $triple),
            ],
            concat!("rustup target add ", $triple),
        )
    };
}

/// Everything that is made, by name.
static STAGES: &[Stage] = &[
    release("command-x86_64-gnu", 1200, || command::make(&X86_64_GNU))
        .about("archive and .deb of the command, tried on the oldest Debian")
        .needs(&[
            PYTHON,
            OBJDUMP,
            DEBOOTSTRAP,
            library!("x86_64-unknown-linux-gnu"),
        ]),
    release("command-x86_64-musl", 1200, || command::make(&X86_64_MUSL))
        .about("archive of the command without libraries, tried in an empty directory")
        .needs(&[PYTHON, library!("x86_64-unknown-linux-musl")]),
    release("command-aarch64-gnu", 1200, || command::make(&AARCH64_GNU))
        .about("archive and .deb of the command, tried in an emulator")
        .needs(&[
            PYTHON,
            OBJDUMP,
            QEMU,
            AARCH64_LIBRARIES,
            library!("aarch64-unknown-linux-gnu"),
        ]),
    release("command-aarch64-musl", 1200, || {
        command::make(&AARCH64_MUSL)
    })
    .about("archive of the command without libraries, tried in an emulator")
    .needs(&[PYTHON, QEMU, library!("aarch64-unknown-linux-musl")]),
    release("wheel-x86_64-gnu", 1200, || wheel::make(&X86_64_GNU))
        .about("wheel for glibc, tried on the Debian with the oldest Python")
        .needs(&[
            PYTHON,
            OBJDUMP,
            DEBOOTSTRAP,
            library!("x86_64-unknown-linux-gnu"),
        ]),
    release("wheel-x86_64-musl", 1200, || wheel::make(&X86_64_MUSL))
        .about("wheel for musl")
        .needs(&[PYTHON, library!("x86_64-unknown-linux-musl")]),
    release("try-wheel-musl", 60, || wheel::try_musl(&X86_64_MUSL))
        .about("the wheel for musl, tried on a system with Python for musl")
        .needs(&[Need::Folder(
            wheel::MUSL_SYSTEM,
            "the root directory of Alpine with python3",
        )]),
    release("wheel-aarch64-gnu", 1200, || wheel::make(&AARCH64_GNU))
        .about("wheel for glibc on 64-bit ARM, tried on Debian's Python in an emulator")
        .needs(&[
            PYTHON,
            OBJDUMP,
            QEMU,
            AARCH64_PACKAGES,
            library!("aarch64-unknown-linux-gnu"),
        ]),
    release("wheel-aarch64-musl", 1200, || wheel::make(&AARCH64_MUSL))
        .about("wheel for musl on 64-bit ARM, which the workflow tries")
        .needs(&[PYTHON, library!("aarch64-unknown-linux-musl")]),
];
