#![doc = include_str!("../README.md")]

mod comments;
#[cfg(feature = "dynamic")]
mod dynamic;
mod format;
mod generate;
mod idl;
mod names;
mod options;
mod references;
mod service;
mod state;
mod types;
mod values;
mod wanted;

pub use idl::source::{Error, Note};

use idl::program::Program;
use options::Style;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Compiles IDL files and everything that they include.
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

/// One generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Name of the module, and of its file without `.rs`.
    pub name: String,
    /// IDL file that it was generated from.
    pub source: PathBuf,
    /// Text of the module.
    pub text: String,
    /// Skipped parts of the file: fbthrift's interactions, streams and sinks.
    pub notes: Vec<Note>,
}

impl Compiler {
    /// Creates a compiler that searches included files next to the files that include them.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a directory in which included files are searched as well.
    #[must_use]
    pub fn include(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directories.push(directory.into());
        self
    }

    /// Sets the path of the crate `bytelane-thrift`, if it has been renamed or is reexported.
    #[must_use]
    pub fn crate_path(mut self, path: impl Into<String>) -> Self {
        self.style.runtime = path.into();
        self
    }

    /// Adds a field `unknown_fields` to each struct and exception, which keeps undeclared fields of
    /// messages, and writes them again.
    #[must_use]
    pub fn keep_unknown_fields(mut self, keep: bool) -> Self {
        self.style.keeps_unknown = keep;
        self
    }

    /// Sets the type of maps, without its parameters, such as `std::collections::HashMap` or
    /// `indexmap::IndexMap` (with the feature `indexmap` of bytelane-thrift). Maps within keys and
    /// sets stay `BTreeMap`, because they must have an order.
    #[must_use]
    pub fn map_type(mut self, path: impl Into<String>) -> Self {
        self.style.map = path.into();
        self
    }

    /// Sets the type of sets, in the same way as [`map_type`](Self::map_type).
    #[must_use]
    pub fn set_type(mut self, path: impl Into<String>) -> Self {
        self.style.set = path.into();
        self
    }

    /// Sets the type of `string`, such as `std::sync::Arc<str>`.
    #[must_use]
    pub fn string_type(mut self, path: impl Into<String>) -> Self {
        self.style.string = path.into();
        self
    }

    /// Sets the type of `binary`, such as `bytes::Bytes`, which shares the memory of the message
    /// (with the feature `bytes` of bytelane-thrift).
    #[must_use]
    pub fn binary_type(mut self, path: impl Into<String>) -> Self {
        self.style.binary = path.into();
        self
    }

    /// Sets the pointer behind which a struct contains itself: `Box` by default, or
    /// `std::sync::Arc`.
    #[must_use]
    pub fn recursive_pointer(mut self, path: impl Into<String>) -> Self {
        self.style.pointer = path.into();
        self
    }

    /// Adds a derive to the types that match a pattern: the Rust name of a type, optionally
    /// preceded by `module.`, in which `*` matches anything.
    ///
    /// ```
    /// # use bytelane_thrift_build::Compiler;
    /// Compiler::new()
    ///     .derive("*", "serde::Serialize")
    ///     .derive("shared.Point*", "Copy");
    /// ```
    #[must_use]
    pub fn derive(mut self, types: impl Into<String>, derive: impl Into<String>) -> Self {
        self.style.derives.push((types.into(), derive.into()));
        self
    }

    /// Uses the types of a file from a module that is generated elsewhere, for example in a crate
    /// of shared IDL. `file` is the end of the file's path, such as `shared/base.thrift`; `module`
    /// is an absolute path, such as `shared_idl::base` or `crate::base`.
    #[must_use]
    pub fn extern_path(mut self, file: impl Into<PathBuf>, module: impl Into<String>) -> Self {
        self.style.external.push((file.into(), module.into()));
        self
    }

    /// Writes all modules into `mod.rs`, instead of a file for each.
    #[must_use]
    pub fn one_file(mut self, one_file: bool) -> Self {
        self.style.one_file = one_file;
        self
    }

    /// Calls a function with each [`Note`] while [`compile`](Self::compile) runs.
    #[must_use]
    pub fn on_note(mut self, report: fn(&Note)) -> Self {
        self.on_note = Some(report);
        self
    }

    /// Compiles files and their includes to modules, each after those that it uses.
    ///
    /// # Errors
    ///
    /// [`Error`] with file, line and column.
    pub fn modules(&self, files: &[impl AsRef<Path>]) -> Result<Vec<Module>, Error> {
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        let program = Program::load(&files, &self.directories, &self.style.external)?;
        let texts = generate::generate(&program, &self.style)?;
        let modules = program.files.iter().zip(texts);
        let modules = modules.filter(|(file, _)| file.external.is_none());
        let modules = modules.map(|(file, (text, notes))| Module {
            name: file.module.clone(),
            source: file.source.path.clone(),
            text,
            notes: file.notes().into_iter().chain(notes).collect(),
        });
        Ok(modules.collect())
    }

    /// Compiles files into a directory: a file for each module, and `mod.rs`, which declares them
    /// all. Returns the paths of the files. Files that would not change are not written.
    ///
    /// # Errors
    ///
    /// [`Error`] for an error in the IDL, or for a file that cannot be written; in the first case,
    /// nothing is written.
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
        let list = if self.style.one_file {
            inline(&modules)
        } else {
            declarations(&modules)
        };
        self.write_modules(&modules, &list, directory.as_ref())
    }

    /// Compiles files from a build script into `OUT_DIR`, and tells Cargo to run the script again
    /// when one of them changes. Skipped parts become Cargo warnings. The crate includes the
    /// modules with
    ///
    /// ```ignore
    /// mod idl {
    ///     include!(concat!(env!("OUT_DIR"), "/mod.rs"));
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`compile`](Self::compile), and an error if `OUT_DIR` is not set.
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
        // `mod name;` is resolved relative to the file that includes this one; `include!` relative
        // to this file.
        let list = if self.style.one_file {
            inline(&modules)
        } else {
            inclusions(&modules)
        };
        self.write_modules(&modules, &list, &directory)
    }

    fn write_modules(
        &self,
        modules: &[Module],
        list: &str,
        directory: &Path,
    ) -> Result<Vec<PathBuf>, Error> {
        fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))?;
        let own_files = if self.style.one_file { &[] } else { modules };
        let files = own_files
            .iter()
            .map(|module| (format!("{}.rs", module.name), &*module.text));
        let mut paths = Vec::new();
        for (name, text) in files.chain([("mod.rs".to_owned(), list)]) {
            let path = directory.join(name);
            write_if_changed(&path, text).map_err(|error| unwritable(&path, &error))?;
            paths.push(path);
        }
        Ok(paths)
    }
}

fn declarations(modules: &[Module]) -> String {
    let lines = modules
        .iter()
        .map(|module| format!("pub mod {};\n", module.name));
    lines.collect()
}

fn inclusions(modules: &[Module]) -> String {
    let lines = modules.iter().map(|Module { name, .. }| {
        format!("pub mod {name} {{\n    include!(\"{name}.rs\");\n}}\n")
    });
    lines.collect()
}

/// Returns all modules with their contents. Strings may span lines, so nothing is indented.
fn inline(modules: &[Module]) -> String {
    let texts = modules
        .iter()
        .map(|Module { name, text, .. }| format!("pub mod {name} {{\n{text}}}\n"));
    texts.collect::<Vec<_>>().join("\n")
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::with(path, format!("cannot write the file: {error}"))
}

/// Writes to a temporary file, then renames it: a concurrent reader sees the old file or the new
/// one.
fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let beside = path.with_extension(format!("rs.{}", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // If the file cannot be removed, nothing more can be done.
        let _ = fs::remove_file(&beside);
    }
    written
}
