//! Requirements of a stage, and how to check them.

use std::path::Path;

use super::machines::cross::Target;
use crate::process;

/// Requirement that must be met before a stage can run.
pub enum Need {
    /// Program on the search path, and where to get it.
    Program(&'static str, &'static str),
    /// File, and where to get it.
    File(&'static str, &'static str),
    /// Environment variable that names a folder, and the required contents of the folder.
    Folder(&'static str, &'static str),
    /// Command that succeeds if the tool is installed, and where to get the tool.
    Answers(&'static [&'static str], &'static str),
    /// Compiler with a standard library for the target.
    StandardLibrary(&'static Target),
    /// Processor with every instruction set that the backend `avx512` requires.
    Avx512,
    /// Host whose native tests are x86-64 tests.
    X86,
}

impl Need {
    /// Returns why the requirement is not met; `None` if it is.
    pub fn missing(&self) -> Option<String> {
        match self {
            Need::Program(name, source) => {
                (!on_search_path(name)).then(|| format!("no program `{name}` ({source})"))
            }
            Need::File(path, source) => {
                (!Path::new(path).exists()).then(|| format!("no file {path} ({source})"))
            }
            Need::Folder(variable, holds) => {
                let folder = std::env::var_os(variable).unwrap_or_default();
                (!Path::new(&folder).is_dir())
                    .then(|| format!("{variable} names no folder ({holds})"))
            }
            Need::Answers(command, source) => {
                let answers = process::output(process::program(command[0]).args(&command[1..]));
                answers
                    .is_err()
                    .then(|| format!("`{}` does not run ({source})", command.join(" ")))
            }
            Need::StandardLibrary(target) => {
                target.toolchain().err().map(|error| format!("{error:#}"))
            }
            Need::Avx512 => avx512_missing(),
            Need::X86 => {
                (!cfg!(target_arch = "x86_64")).then(|| "the host is not x86-64".to_owned())
            }
        }
    }
}

fn on_search_path(program: &str) -> bool {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&directories).any(|directory| directory.join(program).is_file())
}

#[cfg(target_arch = "x86_64")]
fn avx512_missing() -> Option<String> {
    macro_rules! missing {
        ($($feature:tt)*) => {
            [$(($feature, std::arch::is_x86_feature_detected!($feature))),*]
                .into_iter()
                .filter(|(_, present)| !present)
                .map(|(feature, _)| feature)
                .collect::<Vec<_>>()
        };
    }
    let missing = missing!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi" "avx512vbmi2");
    let reason = || {
        format!(
            "the processor lacks {}, and no emulator has it",
            missing.join(", ")
        )
    };
    (!missing.is_empty()).then(reason)
}

#[cfg(not(target_arch = "x86_64"))]
fn avx512_missing() -> Option<String> {
    Some("the host is not x86-64".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::stages::{STAGES, Tier};
    use super::*;

    #[test]
    fn continuous_integration_leaves_out_what_needs_x86_elsewhere() {
        let script = std::fs::read_to_string(process::root().join(".ci/run")).unwrap();
        let needs_x86 = |needs: &[Need]| needs.iter().any(|need| matches!(need, Need::X86));
        let stages = STAGES
            .iter()
            .filter(|stage| stage.tier != Tier::Extended && needs_x86(stage.needs));
        let names: Vec<_> = stages.map(|stage| stage.name).collect();
        let option = format!("without=(--without {})", names.join(","));
        assert!(script.contains(&option), ".ci/run lacks `{option}`");
    }
}
