//! `bytelane thrift compile`.

use crate::{Outcome, readable, standard};
use bytelane_thrift_build::Compiler;
use std::io::Write;
use std::path::PathBuf;

/// Compile Thrift IDL files to Rust types for bytelane-thrift
///
/// Each file, and each file that it includes, becomes a module of plain structs and enums with
/// `#[derive(Thrift)]`; `mod.rs` declares them all. Prints the paths. Files whose content would not
/// change are not written.
#[derive(Debug, clap::Args)]
pub struct Compile {
    /// The files, with the extension .thrift
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The directory for the modules; created if necessary
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// A directory to search for included files, besides that of the including file
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Give each struct and exception a field `unknown_fields`: it keeps the fields of messages that
    /// the IDL does not declare, and writes them again
    #[arg(long)]
    keep_unknown_fields: bool,
    /// The path of the crate bytelane-thrift, if it has been renamed or is reexported
    #[arg(long, value_name = "PATH")]
    crate_path: Option<String>,
    /// The type of maps, such as std::collections::HashMap or indexmap::IndexMap
    #[arg(long, value_name = "PATH")]
    map_type: Option<String>,
    /// The type of sets, such as std::collections::HashSet or indexmap::IndexSet
    #[arg(long, value_name = "PATH")]
    set_type: Option<String>,
    /// The type of `string`, such as std::sync::Arc<str>
    #[arg(long, value_name = "PATH")]
    string_type: Option<String>,
    /// The type of `binary`, such as bytes::Bytes
    #[arg(long, value_name = "PATH")]
    binary_type: Option<String>,
    /// The pointer behind which a struct contains itself, such as std::sync::Arc
    #[arg(long, value_name = "PATH")]
    recursive_pointer: Option<String>,
    /// Add a derive to the types that match: `--derive '*=serde::Serialize'`
    #[arg(long, value_name = "TYPES=DERIVE", value_parser = pair)]
    derive: Vec<(String, String)>,
    /// Take the types of a file from another module: `--extern-path base.thrift=shared_idl::base`
    #[arg(long, value_name = "FILE=MODULE", value_parser = pair)]
    extern_path: Vec<(String, String)>,
    /// Write all modules into mod.rs
    #[arg(long)]
    one_file: bool,
}

/// Method of the compiler that sets a path.
type Set = fn(Compiler, String) -> Compiler;

/// Splits a string at the first `=`.
fn pair(text: &str) -> Result<(String, String), String> {
    let (of, value) = text
        .split_once('=')
        .ok_or("expected two parts with `=` between them")?;
    Ok((of.to_owned(), value.to_owned()))
}

impl Compile {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let mut compiler = Compiler::new()
            .keep_unknown_fields(self.keep_unknown_fields)
            .one_file(self.one_file)
            .on_note(|note| anstream::eprintln!("note: {note}"));
        let paths: [(_, Set); 6] = [
            (self.crate_path, Compiler::crate_path),
            (self.map_type, Compiler::map_type),
            (self.set_type, Compiler::set_type),
            (self.string_type, Compiler::string_type),
            (self.binary_type, Compiler::binary_type),
            (self.recursive_pointer, Compiler::recursive_pointer),
        ];
        for (path, set) in paths {
            if let Some(path) = path {
                compiler = set(compiler, path);
            }
        }
        for (types, derive) in self.derive {
            compiler = compiler.derive(types, derive);
        }
        for (file, module) in self.extern_path {
            compiler = compiler.extern_path(file, module);
        }
        for directory in self.include {
            compiler = compiler.include(directory);
        }
        let paths = compiler.compile(&self.files, &self.output)?;
        for path in paths {
            writeln!(out, "{}", readable::path(&path))?;
        }
        Ok(Outcome::Fine)
    }
}
