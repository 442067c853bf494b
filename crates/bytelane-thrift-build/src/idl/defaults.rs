//! Detects default values that contain themselves: creating one would not end.

use crate::idl::program::{DefinitionId, Program, Resolved};
use crate::idl::recursion::components;
use crate::idl::source::{Error, Place};
use crate::idl::syntax::*;
use crate::idl::typed::{Typed, is_named};
use crate::options::Style;
use crate::state::TypeNumber;
use crate::types::Types;
use std::collections::{HashMap, HashSet};

/// Returns the types of a program, no default value of which contains itself.
pub(crate) fn types_of<'a>(program: &'a Program, style: &'a Style) -> Result<Types<'a>, Error> {
    let types = Types::of(program, style)?;
    check(&types)?;
    Ok(types)
}

/// Checks that no struct's default value contains the struct itself.
fn check(types: &Types<'_>) -> Result<(), Error> {
    let program = types.program;
    let mut nodes = HashMap::new();
    let mut made = Vec::new();
    for id in program.definitions() {
        if let Kind::Struct(shape, fields) = &program.definition(id).kind {
            nodes.insert(id, made.len());
            made.push((id, made_by(types, id, *shape, fields)?));
        }
    }
    let targets =
        |(_, made): &(_, Vec<Made<'_>>)| made.iter().map(|made| nodes[&made.id]).collect();
    let component = components(&made.iter().map(targets).collect::<Vec<_>>());
    for (node, (id, made)) in made.iter().enumerate() {
        for Made { id: target, cause } in made {
            if let Some((field, place)) = cause
                && component[node] == component[nodes[target]]
            {
                let message = format!("the default value of `{field}` contains itself");
                return program.error(id.0, *place, message);
            }
        }
    }
    Ok(())
}

/// A struct that is created with its defaults, because of a field's default value or its type
/// alone.
struct Made<'a> {
    id: DefinitionId,
    cause: Option<(&'a str, Place)>,
}

/// Returns the structs that are created with their defaults as part of the default value of a
/// struct.
fn made_by<'a>(
    types: &'a Types<'a>,
    id: DefinitionId,
    shape: Shape,
    fields: &'a [Field],
) -> Result<Vec<Made<'a>>, Error> {
    let mut made = Vec::new();
    for field in fields {
        let held = types.held(Some(id), id.0, shape, field)?;
        if shape == Shape::Union && held.pointer.is_some() {
            continue;
        }
        match &field.default {
            Some(value) if shape != Shape::Union => {
                let typed = Typed::new(id.0, value, &field.ty);
                let found = match held.optional && types.is_no_member(typed)? {
                    true => Vec::new(),
                    false => Search::structs_in(types, typed)?,
                };
                let cause = Some((&*field.name.text, value.place));
                made.extend(found.into_iter().map(|id| Made { id, cause }));
            }
            _ if held.optional => {}
            _ => {
                if let Resolved::Struct(id, ..) = types.program.resolve(id.0, &field.ty)?.1 {
                    made.push(Made { id, cause: None });
                }
            }
        }
        // The default value of a union is that of its first member.
        if shape == Shape::Union {
            break;
        }
    }
    Ok(made)
}

/// Search for the structs in a value that take fields from their defaults.
struct Search<'a> {
    types: &'a Types<'a>,
    found: Vec<DefinitionId>,
    /// Values of constants that are still to be searched.
    left: Vec<Typed<'a>>,
    /// Constants that were found, with their types.
    seen: HashSet<(DefinitionId, TypeNumber)>,
}

impl<'a> Search<'a> {
    fn structs_in(types: &'a Types<'a>, typed: Typed<'a>) -> Result<Vec<DefinitionId>, Error> {
        let mut search = Self {
            types,
            found: Vec::new(),
            left: vec![typed],
            seen: HashSet::new(),
        };
        while let Some(typed) = search.left.pop() {
            search.value(typed)?;
        }
        Ok(search.found)
    }

    fn value(&mut self, typed: Typed<'a>) -> Result<(), Error> {
        let types = self.types;
        let program = types.program;
        if let Some((id, value)) = program.constant(typed.file, typed.value) {
            let number = types.number(typed.type_file, typed.ty, false, None)?;
            if self.seen.insert((id, number)) {
                let file = id.0;
                self.left.push(Typed {
                    file,
                    value,
                    ..typed
                });
            }
            return Ok(());
        }
        let (type_file, resolved) = program.resolve(typed.type_file, typed.ty)?;
        let inside = |value, ty| Typed {
            file: typed.file,
            value,
            type_file,
            ty,
        };
        match (resolved, &typed.value.kind) {
            (Resolved::List(element) | Resolved::Set(element), Literal::List(values)) => {
                for value in values {
                    self.value(inside(value, element))?;
                }
            }
            (Resolved::Map(key_type, value_type), Literal::Map(entries)) => {
                for (key, value) in entries {
                    self.value(inside(key, key_type))?;
                    self.value(inside(value, value_type))?;
                }
            }
            (
                Resolved::Struct(id, shape, fields),
                Literal::Map(entries) | Literal::Struct(_, entries),
            ) => {
                let mut given = 0;
                for (key, value) in entries {
                    let Some(field) = fields.iter().find(|field| is_named(key, &field.name)) else {
                        continue;
                    };
                    given += 1;
                    let typed = Typed {
                        type_file: id.0,
                        ..inside(value, &field.ty)
                    };
                    let held = types.held(Some(id), id.0, shape, field)?;
                    if !(held.optional && types.is_no_member(typed)?) {
                        self.value(typed)?;
                    }
                }
                if shape != Shape::Union && (given < fields.len() || types.style.keeps_unknown) {
                    self.found.push(id);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
