//! Checks constants that refer to others: these may be defined later, but not in a cycle.

use crate::idl::program::{DefinitionId, FileId, Program};
use crate::idl::source::Error;
use crate::idl::syntax::*;
use std::collections::HashMap;

/// Maximum number of other constants that a constant may refer to in a chain.
const DEPTH: usize = 200;

/// Checks that no constant is part of its own value.
pub(crate) fn check(program: &Program) -> Result<(), Error> {
    let mut checker = Checker {
        program,
        state: HashMap::new(),
    };
    for id in program.definitions() {
        if let Kind::Const(_, value) = &program.definition(id).kind {
            checker.constant(id, value, DEPTH)?;
        }
    }
    Ok(())
}

struct Checker<'a> {
    program: &'a Program,
    /// Height of each checked constant: the length of its chain of references. `None` while it is
    /// checked.
    state: HashMap<DefinitionId, Option<usize>>,
}

impl Checker<'_> {
    /// Returns the height of a constant, which may be at most `left`.
    fn constant(&mut self, id: DefinitionId, value: &Value, left: usize) -> Result<usize, Error> {
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
        let height = 1 + self.value(id.0, value, left - 1)?;
        if height > DEPTH {
            return too_long();
        }
        self.state.insert(id, Some(height));
        Ok(height)
    }

    /// Returns the height of the highest constant in a value.
    fn value(&mut self, file: FileId, value: &Value, left: usize) -> Result<usize, Error> {
        let program = self.program;
        if let Some((id, meant)) = program.constant(file, value) {
            return self.constant(id, meant, left);
        }
        let mut height = 0;
        match &value.kind {
            Literal::List(values) => {
                for value in values {
                    height = height.max(self.value(file, value, left)?);
                }
            }
            Literal::Map(entries) | Literal::Struct(_, entries) => {
                for (key, value) in entries {
                    height = height.max(self.value(file, key, left)?);
                    height = height.max(self.value(file, value, left)?);
                }
            }
            Literal::Integer(_) | Literal::Double(_) | Literal::String(_) | Literal::Name(_) => {}
        }
        Ok(height)
    }
}
