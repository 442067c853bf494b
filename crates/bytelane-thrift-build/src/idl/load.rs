//! Reads files with everything that they include.

use crate::idl::constants;
use crate::idl::cycles;
use crate::idl::parser::parse;
use crate::idl::program::{File, FileId, Program, stem};
use crate::idl::source::{Error, Place, SharedSource, Source};
use crate::idl::syntax::*;
use crate::idl::words;
use crate::names::{Unique, snake_case};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Program {
    /// Reads files and everything that they include, relative to themselves or to `directories`.
    /// `external` has the ends of paths of files whose modules are generated elsewhere, and the
    /// paths of these modules.
    pub(crate) fn load(
        paths: &[PathBuf],
        directories: &[PathBuf],
        external: &[(PathBuf, String)],
    ) -> Result<Self, Error> {
        let mut loader = Loader {
            program: Self::default(),
            directories,
            known: HashMap::new(),
        };
        for path in paths {
            loader.load(path, None)?;
        }
        let mut modules = Unique::default();
        for file in &mut loader.program.files {
            let path = &file.source.path;
            let elsewhere = external.iter().find(|(end, _)| path.ends_with(end));
            file.external = elsewhere.map(|(_, module)| module.clone());
            if file.external.is_some() {
                continue;
            }
            file.module = modules.name(module_name(file));
        }
        cycles::check(&loader.program)?;
        loader.program.skip_makers_of_interactions();
        loader.program.constants = constants::check(&loader.program)?;
        Ok(loader.program)
    }

    /// Removes functions that return an interaction: only the definitions distinguish it from a
    /// struct.
    fn skip_makers_of_interactions(&mut self) {
        for file in 0..self.files.len() {
            for index in 0..self.files[file].document.definitions.len() {
                let Kind::Service(_, functions) =
                    &self.files[file].document.definitions[index].kind
                else {
                    continue;
                };
                let makes = functions.iter().map(|function| match &function.returns {
                    Some(Type::Named(name)) => {
                        let id = self.find(file, &name.text);
                        id.is_some_and(|id| self.definition(id).kind == Kind::Interaction)
                    }
                    _ => false,
                });
                let mut makes = makes.collect::<Vec<_>>().into_iter();
                let document = &mut self.files[file].document;
                let Kind::Service(_, functions) = &mut document.definitions[index].kind else {
                    unreachable!("it was one above")
                };
                functions.retain(|Function { name, .. }| {
                    let makes = makes.next() == Some(true);
                    if makes {
                        let text = format!(
                            "the function `{}` is skipped: it returns an interaction",
                            name.text
                        );
                        let place = name.place;
                        document.notes.push(Name { text, place });
                    }
                    !makes
                });
            }
        }
    }
}

struct Loader<'a> {
    program: Program,
    directories: &'a [PathBuf],
    /// Files by their canonical paths; `None` while they are being read.
    known: HashMap<PathBuf, Option<FileId>>,
}

impl Loader<'_> {
    /// Reads a file unless it is already known. `from` is the `include` that names it.
    fn load(&mut self, path: &Path, from: Option<(&SharedSource, Place)>) -> Result<FileId, Error> {
        let error = |message: String| match from {
            Some((source, place)) => Error::at(source, place, message),
            None => Error::with(path, message),
        };
        let unreadable = |reason: std::io::Error| {
            let of = if from.is_some() {
                format!(" {}", path.display())
            } else {
                String::new()
            };
            error(format!("cannot read the file{of}: {reason}"))
        };
        let canonical = path.canonicalize().map_err(unreadable)?;
        match self.known.get(&canonical) {
            Some(Some(id)) => return Ok(*id),
            Some(None) => return Err(error("this file includes itself".to_owned())),
            None => self.known.insert(canonical.clone(), None),
        };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let source = source(path, bytes)?;
        let document = parse(&source)?;
        let includes = self.includes(&source, &document)?;
        let mut definitions = HashMap::new();
        for (index, definition) in document.definitions.iter().enumerate() {
            let name = &definition.name;
            let is_const = matches!(definition.kind, Kind::Const(..));
            if !is_const && words::is_reserved(&name.text, document.has_package) {
                let message = format!(
                    "`{}` is a built-in type; give this definition another name",
                    name.text
                );
                return Err(Error::at(&source, name.place, message));
            }
            if definitions.insert(name.text.clone(), index).is_some() {
                let message = format!("`{}` is defined already", name.text);
                return Err(Error::at(&source, name.place, message));
            }
        }
        let id = self.program.files.len();
        let module = String::new();
        self.program.files.push(File {
            source,
            document,
            includes,
            definitions,
            module,
            external: None,
        });
        self.known.insert(canonical, Some(id));
        Ok(id)
    }

    fn includes(
        &mut self,
        source: &SharedSource,
        document: &Document,
    ) -> Result<HashMap<String, Vec<FileId>>, Error> {
        let mut includes: HashMap<_, Vec<FileId>> = HashMap::new();
        for Include {
            path: written,
            alias,
        } in &document.includes
        {
            let beside = source
                .path
                .parent()
                .unwrap_or(Path::new(""))
                .join(&written.text);
            let elsewhere = self
                .directories
                .iter()
                .map(|directory| directory.join(&written.text));
            let found = std::iter::once(beside)
                .chain(elsewhere)
                .find(|path| path.exists());
            let Some(path) = found else {
                // fbthrift's compiler includes these files; only annotations refer to them.
                if written.text.starts_with("thrift/annotation/") {
                    continue;
                }
                let message = format!(
                    "file `{}` not found; name the directory that the path begins in with \
                     `Compiler::include`, or with `-I` on the command line",
                    written.text
                );
                return Err(Error::at(source, written.place, message));
            };
            let id = self.load(&path, Some((source, written.place)))?;
            let name = alias.clone().unwrap_or_else(|| stem(&path).into_owned());
            includes.entry(name).or_default().push(id);
        }
        Ok(includes)
    }
}

/// Returns a source file, whose text must be UTF-8.
fn source(path: &Path, bytes: Vec<u8>) -> Result<SharedSource, Error> {
    let path = path.to_owned();
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Arc::new(Source { path, text })),
        Err(error) => {
            let place = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let message = format!(
                "the byte {:#04x} is not UTF-8; convert the file to UTF-8",
                bytes[place]
            );
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Err(Error::at(&Source { path, text }, Place(place), message))
        }
    }
}

/// Returns the name of a module: `namespace rs a.b` gives `a_b`; otherwise it is the name of the
/// file.
fn module_name(file: &File) -> String {
    let namespaces = &file.document.namespaces;
    let ours = namespaces
        .iter()
        .find(|(scope, _)| matches!(&**scope, "rs" | "rust"));
    snake_case(ours.map_or(&*stem(&file.source.path), |(_, name)| &name.text))
}
