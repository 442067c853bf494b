//! IDL files of other projects: they compile, and so does the code generated from them.
//!
//! `BYTELANE_IDL_CORPUS` names a folder with a folder for each project. Paths of included files are
//! relative to the latter. Run by `cargo xtask extended --only idl-corpus`.

use bytelane_thrift_build::Compiler;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
#[ignore = "needs BYTELANE_IDL_CORPUS, a folder with .thrift files"]
fn files_of_others_compile() {
    let corpus = std::env::var_os("BYTELANE_IDL_CORPUS").expect(
        "BYTELANE_IDL_CORPUS must name a folder with a folder of .thrift files per project",
    );
    let mut projects: Vec<PathBuf> = entries(Path::new(&corpus))
        .into_iter()
        .filter(|path| path.is_dir())
        .collect();
    projects.sort();
    assert!(!projects.is_empty(), "no folders in BYTELANE_IDL_CORPUS");
    let accepted: Vec<_> = projects
        .iter()
        .map(|project| (project, accepted(project)))
        .collect();
    for (project, files) in accepted {
        assert!(!files.is_empty(), "{}: nothing compiles", project.display());
        check(project, &files);
    }
}

/// Returns the files of a project that compile and that rustc can check, after printing the errors
/// of the others.
fn accepted(project: &Path) -> Vec<PathBuf> {
    let files = idl_files(project);
    let (mut to_check, mut not_checked) = (Vec::new(), 0);
    let mut errors: BTreeMap<String, usize> = BTreeMap::new();
    for file in &files {
        match Compiler::new().include(project).modules(&[file]) {
            Ok(modules) => {
                if modules
                    .iter()
                    .any(|module| names_other_crates(&module.source))
                {
                    not_checked += 1;
                } else {
                    to_check.push(file.clone());
                }
            }
            Err(error) => {
                println!("{error}\n");
                *errors.entry(error.message).or_default() += 1;
            }
        }
    }
    for (message, count) in errors {
        println!("{count:4} {message}");
    }
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name}: {} of {} files compile, {not_checked} of them with types of crates that are not here\n",
        to_check.len() + not_checked,
        files.len()
    );
    to_check
}

/// Returns whether annotations of a file refer to Rust types by paths: rustc would need their
/// crates.
fn names_other_crates(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap();
    let names = |line: &str| {
        let begins = [
            "@rust.Type",
            "@rust.Derive",
            "@rust.Copy",
            "rust.type",
            "rust.derive",
        ];
        begins
            .iter()
            .any(|begin| line.trim_start().starts_with(begin))
    };
    text.lines().any(names)
}

/// Checks that rustc accepts the modules of all files, in one crate, without a warning.
fn check(project: &Path, files: &[PathBuf]) {
    let name = project.file_name().unwrap_or_default();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
    let folder = target.join(name);
    let _ = fs::remove_dir_all(&folder);
    Compiler::new()
        .include(project)
        .compile(files, folder.join("src"))
        .unwrap_or_else(|error| panic!("{error}"));
    let list = fs::read_to_string(folder.join("src/mod.rs")).unwrap();
    fs::write(
        folder.join("src/lib.rs"),
        // Apache's test of recursion has types that are nested deeper than rustc's default.
        format!("#![deny(warnings)]\n#![allow(special_module_name)]\n#![recursion_limit = \"256\"]\n{list}"),
    )
    .unwrap();
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bytelane-thrift");
    let manifest = format!(
        "[package]\nname = \"corpus\"\nversion = \"0.0.0\"\nedition = \"2024\"\nautobins = false\n\n[workspace]\n\n\
         [dependencies]\nbytelane-thrift.path = {:?}\n",
        runtime.canonicalize().unwrap()
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let status = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline", "--target-dir"])
        .arg(target.join("target"))
        .current_dir(&folder)
        .status()
        .unwrap();
    assert!(
        status.success(),
        "rustc rejects what was generated in {}",
        folder.display()
    );
}

/// Returns the files with the extension `.thrift` in a folder, at any depth, in order.
fn idl_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "thrift")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().path()).collect()
}
