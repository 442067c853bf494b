//! Checks constants that refer to others: these may be defined later, but not in a cycle.

use crate::idl::program::{DefinitionId, FileId, Program};
use crate::idl::source::Error;
use crate::idl::syntax::*;
use std::collections::HashMap;

/// Maximum number of other constants that a constant may refer to in a chain.
const DEPTH: usize = 200;

/// Checks that no constant is part of its own value. Returns all constants, each after those that
/// it refers to.
pub(crate) fn check(program: &Program) -> Result<Vec<DefinitionId>, Error> {
    let mut checker = Checker {
        program,
        state: HashMap::new(),
        order: Vec::new(),
    };
    for id in program.definitions() {
        if let Kind::Const(_, value) = &program.definition(id).kind {
            checker.constant(id, value, DEPTH)?;
        }
    }
    Ok(checker.order)
}

struct Checker<'a> {
    program: &'a Program,
    /// Height of each checked constant: the length of its chain of references. `None` while it is
    /// checked.
    state: HashMap<DefinitionId, Option<usize>>,
    order: Vec<DefinitionId>,
}

impl<'a> Checker<'a> {
    /// Returns the height of a constant, which may be at most `left`.
    fn constant(
        &mut self,
        id: DefinitionId,
        value: &'a Value,
        left: usize,
    ) -> Result<usize, Error> {
        let name = &self.program.definition(id).name;
        let too_long = || {
            let message = format!("`{}` leads over more than {DEPTH} constants", name.text);
            self.program.error(id.0, name.place, message)
        };
        match self.state.get(&id) {
            Some(Some(height)) => return Ok(*height),
            Some(None) => {
                let message = format!("the constant `{}` refers to itself", name.text);
                return self.program.error(id.0, name.place, message);
            }
            None if left == 0 => return too_long(),
            None => {}
        }
        self.state.insert(id, None);
        let (mut found, mut height) = (Vec::new(), 1);
        self.references(id.0, value, &mut found);
        for (id, value) in found {
            height = height.max(1 + self.constant(id, value, left - 1)?);
        }
        if height > DEPTH {
            return too_long();
        }
        self.state.insert(id, Some(height));
        self.order.push(id);
        Ok(height)
    }

    /// Finds the constants that a value names, with their values.
    fn references(
        &self,
        file: FileId,
        value: &'a Value,
        found: &mut Vec<(DefinitionId, &'a Value)>,
    ) {
        found.extend(self.program.constant(file, value));
        match &value.kind {
            Literal::List(values) => {
                for value in values {
                    self.references(file, value, found);
                }
            }
            Literal::Map(entries) | Literal::Struct(_, entries) => {
                for (key, value) in entries {
                    self.references(file, key, found);
                    self.references(file, value, found);
                }
            }
            Literal::Integer(_) | Literal::Double(_) | Literal::String(_) | Literal::Name(_) => {}
        }
    }
}
