//! A file with everything that it includes, and lookup of names.

use crate::idl::source::{Error, Note, Place, SharedSource};
use crate::idl::syntax::*;
use crate::idl::words;
use std::collections::HashMap;
use std::path::Path;

/// Number of a file in a [`Program`].
pub(crate) type FileId = usize;

/// A definition: its file and its number there.
pub(crate) type DefinitionId = (FileId, usize);

/// A parsed file, and its includes.
pub(crate) struct File {
    pub(crate) source: SharedSource,
    pub(crate) document: Document,
    /// Included files by the name before a dot, which several may share.
    pub(super) includes: HashMap<String, Vec<FileId>>,
    pub(super) definitions: HashMap<String, usize>,
    /// Name of the Rust module.
    pub(crate) module: String,
    /// Path of the module, if it is generated elsewhere.
    pub(crate) external: Option<String>,
}

impl File {
    /// Returns the skipped parts of the program.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let notes = self.document.notes.iter();
        notes
            .map(|note| Note::at(&self.source, note.place, &note.text))
            .collect()
    }
}

/// Files, each after those that it includes.
#[derive(Default)]
pub(crate) struct Program {
    pub(crate) files: Vec<File>,
    /// All constants, each after those that it refers to.
    pub(crate) constants: Vec<DefinitionId>,
}

impl Program {
    pub(crate) fn definition(&self, (file, index): DefinitionId) -> &Definition {
        &self.files[file].document.definitions[index]
    }

    /// Returns all definitions, in order.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = DefinitionId> {
        let numbers = |(file, f): (usize, &File)| {
            (0..f.document.definitions.len()).map(move |index| (file, index))
        };
        self.files.iter().enumerate().flat_map(numbers)
    }

    pub(crate) fn error<T>(
        &self,
        file: FileId,
        place: Place,
        message: impl Into<String>,
    ) -> Result<T, Error> {
        Err(Error::at(&self.files[file].source, place, message))
    }

    /// Finds the definition of a name used in a file: one in the file, or `include.definition`.
    pub(crate) fn find(&self, file: FileId, name: &str) -> Option<DefinitionId> {
        let in_file = |file: FileId, name: &str| {
            self.files[file]
                .definitions
                .get(name)
                .map(|&index| (file, index))
        };
        in_file(file, name).or_else(|| {
            let (include, name) = name.rsplit_once('.')?;
            let included = self.files[file].includes.get(include);
            // If several files define a name, the last one counts, as in Apache's compiler.
            let included = included.into_iter().flatten().rev().copied();
            // A file's own name refers to itself, as in fbthrift.
            let own = (include == stem(&self.files[file].source.path)).then_some(file);
            included.chain(own).find_map(|file| in_file(file, name))
        })
    }

    /// Returns the constant that a value refers to, and its value.
    pub(crate) fn constant(&self, file: FileId, value: &Value) -> Option<(DefinitionId, &Value)> {
        let Literal::Name(name) = &value.kind else {
            return None;
        };
        let id = self.find(file, name)?;
        match &self.definition(id).kind {
            Kind::Const(_, meant) => Some((id, meant)),
            _ => None,
        }
    }

    /// Returns the number of a name such as `Color.RED`.
    pub(crate) fn variant(&self, file: FileId, name: &str) -> Option<i32> {
        let (enumeration, variant) = name.rsplit_once('.')?;
        let id = self.find(file, enumeration)?;
        let Kind::Enum(variants) = &self.definition(id).kind else {
            return None;
        };
        variants
            .iter()
            .find(|found| found.name.text == variant)
            .map(|found| found.value)
    }

    /// Resolves the typedefs of a type. Returns the file in which the result is written, and the
    /// type. An error if a name is undefined, or does not refer to a type.
    pub(crate) fn resolve<'a>(
        &'a self,
        file: FileId,
        ty: &'a Type,
    ) -> Result<(FileId, Resolved<'a>), Error> {
        let (mut here, mut current) = (file, ty);
        // No typedef leads to itself: `cycles::check` has ensured that.
        loop {
            let name = match current {
                Type::Base(base) => return Ok((here, Resolved::Base(*base))),
                Type::List(element) => return Ok((here, Resolved::List(element))),
                Type::Set(element) => return Ok((here, Resolved::Set(element))),
                Type::Map(key, value) => return Ok((here, Resolved::Map(key, value))),
                Type::Named(name) => name,
            };
            let Some(id) = self.find(here, &name.text) else {
                if let Some(base) = words::base(&name.text) {
                    return Ok((here, Resolved::Base(base)));
                }
                return self.error(here, name.place, format!("unknown type `{}`", name.text));
            };
            match &self.definition(id).kind {
                Kind::Typedef(next) => (here, current) = (id.0, next),
                Kind::Enum(variants) => return Ok((here, Resolved::Enum(id, variants))),
                Kind::Struct(shape, fields) => {
                    return Ok((here, Resolved::Struct(id, *shape, fields)));
                }
                Kind::Const(..) | Kind::Service(..) | Kind::Interaction => {
                    return self.error(here, name.place, format!("`{}` is not a type", name.text));
                }
            }
        }
    }
}

/// A type with its typedefs resolved.
pub(crate) enum Resolved<'a> {
    Base(Base),
    List(&'a Type),
    Set(&'a Type),
    Map(&'a Type, &'a Type),
    Enum(DefinitionId, &'a [Variant]),
    Struct(DefinitionId, Shape, &'a [Field]),
}

/// Returns the name by which other files refer to a file.
pub(crate) fn stem(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_stem().unwrap_or_default().to_string_lossy()
}
