//! Detects typedefs that contain themselves and services that extend themselves.

use crate::idl::program::{DefinitionId, Program};
use crate::idl::source::Error;
use crate::idl::syntax::*;
use std::collections::{HashMap, HashSet};

/// Maximum number of containers and other typedefs that a typedef may lead through.
const DEPTH: usize = 200;

/// Checks that every chain of typedefs ends, and that every service has a first ancestor.
pub(crate) fn check(program: &Program) -> Result<(), Error> {
    let mut typedefs = Typedefs {
        program,
        heights: HashMap::new(),
        path: Vec::new(),
    };
    for id in program.definitions() {
        typedefs.height(id)?;
    }
    services(program)
}

struct Typedefs<'a> {
    program: &'a Program,
    /// Heights of the typedefs that were checked; `None` while they are checked.
    heights: HashMap<DefinitionId, Option<usize>>,
    /// Typedefs being checked, each with the name in it that is followed.
    path: Vec<(DefinitionId, &'a Name)>,
}

impl Typedefs<'_> {
    /// Returns the number of containers and typedefs between a definition and the types it consists
    /// of.
    fn height(&mut self, id: DefinitionId) -> Result<usize, Error> {
        let program = self.program;
        let Kind::Typedef(ty) = &program.definition(id).kind else {
            return Ok(0);
        };
        match self.heights.get(&id) {
            Some(Some(height)) => return Ok(*height),
            Some(None) => return self.refers_to_itself(id),
            None if self.path.len() == DEPTH => return self.too_deep(id),
            None => self.heights.insert(id, None),
        };
        let mut names = Vec::new();
        let mut height = 1 + names_in(ty, 0, &mut names);
        for (depth, name) in names {
            if let Some(next) = program.find(id.0, &name.text) {
                self.path.push((id, name));
                height = height.max(1 + depth + self.height(next)?);
                self.path.pop();
            }
        }
        if height > DEPTH {
            return self.too_deep(id);
        }
        self.heights.insert(id, Some(height));
        Ok(height)
    }

    fn refers_to_itself<T>(&self, id: DefinitionId) -> Result<T, Error> {
        let mut path = self.path.iter();
        let (_, name) = path
            .find(|(other, _)| *other == id)
            .expect("what is being checked is on the path");
        let message = format!("the typedef `{}` refers to itself", name.text);
        self.program.error(id.0, name.place, message)
    }

    fn too_deep<T>(&self, id: DefinitionId) -> Result<T, Error> {
        let name = &self.program.definition(id).name;
        let message = format!(
            "`{}` leads over more than {DEPTH} containers and typedefs",
            name.text
        );
        self.program.error(id.0, name.place, message)
    }
}

/// Collects the names in a type, each with the number of containers around it. Returns the maximum
/// number of containers around anything.
pub(crate) fn names_in<'a>(
    ty: &'a Type,
    depth: usize,
    names: &mut Vec<(usize, &'a Name)>,
) -> usize {
    match ty {
        Type::Base(_) => depth,
        Type::Named(name) => {
            names.push((depth, name));
            depth
        }
        Type::List(element) | Type::Set(element) => names_in(element, depth + 1, names),
        Type::Map(key, value) => {
            let key = names_in(key, depth + 1, names);
            key.max(names_in(value, depth + 1, names))
        }
    }
}

fn services(program: &Program) -> Result<(), Error> {
    let mut checked = HashSet::new();
    for first in program.definitions() {
        let (mut path, mut next) = (HashSet::new(), Some(first));
        while let Some(id) = next.filter(|id| !checked.contains(id)) {
            let definition = program.definition(id);
            let Kind::Service(Some(parent), _) = &definition.kind else {
                break;
            };
            if !path.insert(id) {
                let message = format!("the service `{}` extends itself", definition.name.text);
                return program.error(id.0, parent.place, message);
            }
            next = program.find(id.0, &parent.text);
        }
        checked.extend(path);
    }
    Ok(())
}
