#![doc = include_str!("../README.md")]

mod constants;
mod generate;
mod lexer;
mod names;
mod parser;
mod program;
mod source;
mod syntax;
mod types;
mod values;

pub use source::{Error, Note};

use program::Program;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Compiles files of the IDL, with everything that they include.
///
/// ```no_run
/// // build.rs
/// bytelane_thrift_build::Compiler::new()
///     .include("idl")
///     .compile_for_build(&["idl/service.thrift"])
///     .unwrap_or_else(|error| panic!("{error}"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    directories: Vec<PathBuf>,
    on_note: Option<fn(&Note)>,
    style: Style,
}

/// How the generated code looks.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// The path of the crate bytelane-thrift.
    pub(crate) runtime: String,
    /// Whether structs keep the fields that they do not declare.
    pub(crate) keeps_unknown: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            runtime: "bytelane_thrift".to_owned(),
            keeps_unknown: false,
        }
    }
}

/// One generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its name, which is also the name of the file without `.rs`.
    pub name: String,
    /// The file of the IDL that it was made from.
    pub source: PathBuf,
    /// Its text.
    pub text: String,
    /// What of the file is skipped: interactions, streams and sinks of fbthrift.
    pub notes: Vec<Note>,
}

impl Compiler {
    /// A compiler that looks for included files beside the files that include them.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a directory in which included files are looked for as well.
    #[must_use]
    pub fn include(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directories.push(directory.into());
        self
    }

    /// Names the crate bytelane-thrift by another path, if it has been renamed or is reexported.
    #[must_use]
    pub fn crate_path(mut self, path: impl Into<String>) -> Self {
        self.style.runtime = path.into();
        self
    }

    /// Gives each struct and exception a field `unknown_fields`, which keeps the fields of messages
    /// that it does not declare, and writes them again.
    #[must_use]
    pub fn keep_unknown_fields(mut self, keep: bool) -> Self {
        self.style.keeps_unknown = keep;
        self
    }

    /// Calls a function with each [`Note`] while [`compile`](Self::compile) runs.
    #[must_use]
    pub fn on_note(mut self, report: fn(&Note)) -> Self {
        self.on_note = Some(report);
        self
    }

    /// Compiles files and what they include to modules, each after those that it uses.
    ///
    /// # Errors
    ///
    /// [`Error`] with file, line and column.
    pub fn modules(&self, files: &[impl AsRef<Path>]) -> Result<Vec<Module>, Error> {
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        let program = Program::load(&files, &self.directories)?;
        let texts = generate::generate(&program, &self.style)?;
        let modules = program.files.iter().zip(texts).map(|(file, text)| Module {
            name: file.module.clone(),
            source: file.source.path.clone(),
            text,
            notes: file.notes(),
        });
        Ok(modules.collect())
    }

    /// Compiles files into a directory: a file for each module, and `mod.rs` that names them all.
    /// Returns the paths of the files. Files that would not change are not written.
    ///
    /// # Errors
    ///
    /// [`Error`] in the IDL, or with a file that cannot be written; nothing is written in the
    /// first case.
    pub fn compile(
        &self,
        files: &[impl AsRef<Path>],
        directory: impl AsRef<Path>,
    ) -> Result<Vec<PathBuf>, Error> {
        let modules = self.modules(files)?;
        if let Some(report) = self.on_note {
            modules
                .iter()
                .flat_map(|module| &module.notes)
                .for_each(report);
        }
        let list = modules
            .iter()
            .map(|module| format!("pub mod {};\n", module.name))
            .collect();
        write_modules(&modules, list, directory.as_ref())
    }

    /// Compiles files from a build script into `OUT_DIR`, and tells Cargo to run the script again
    /// when one of them changes. What is skipped becomes a warning of Cargo. The crate takes the modules with
    ///
    /// ```ignore
    /// mod idl {
    ///     include!(concat!(env!("OUT_DIR"), "/mod.rs"));
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`compile`](Self::compile), and one if `OUT_DIR` is not set.
    pub fn compile_for_build(&self, files: &[impl AsRef<Path>]) -> Result<Vec<PathBuf>, Error> {
        let Some(directory) = std::env::var_os("OUT_DIR").map(PathBuf::from) else {
            let message = "is not set: this function is for build scripts; use `compile` elsewhere";
            return Err(Error::with(Path::new("OUT_DIR"), message));
        };
        let modules = self.modules(files)?;
        for module in &modules {
            println!("cargo::rerun-if-changed={}", module.source.display());
            for note in &module.notes {
                println!("cargo::warning={note}");
            }
        }
        // `mod name;` looks beside the file that includes this one; `include!` looks beside this.
        let list = modules.iter().map(|Module { name, .. }| {
            format!("pub mod {name} {{\n    include!(\"{name}.rs\");\n}}\n")
        });
        let list = list.collect();
        write_modules(&modules, list, &directory)
    }
}

fn write_modules(
    modules: &[Module],
    list: String,
    directory: &Path,
) -> Result<Vec<PathBuf>, Error> {
    fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))?;
    let files = modules
        .iter()
        .map(|module| (format!("{}.rs", module.name), &module.text));
    let mut paths = Vec::new();
    for (name, text) in files.chain([("mod.rs".to_owned(), &list)]) {
        let path = directory.join(name);
        write_if_changed(&path, text).map_err(|error| unwritable(&path, &error))?;
        paths.push(path);
    }
    Ok(paths)
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::with(path, format!("cannot write the file: {error}"))
}

/// Writes beside, then renames: a concurrent reader sees the old file or the new one.
fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let beside = path.with_extension(format!("rs.{}", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // Nothing more can be done about a file that cannot be removed.
        let _ = fs::remove_file(&beside);
    }
    written
}
