//! What a footer's schema claims, checked before anything is allocated for it or recursed into.

use super::Fields;
use crate::{Error, Problem, Result};

/// The field of `FileMetaData` in parquet.thrift with the elements of the schema.
const SCHEMA: i16 = 2;

/// The field of `SchemaElement` with the number of its children.
const CHILDREN: i16 = 5;

/// How many groups may be within each other. Lists and nulls have levels of 8 bits; required groups have none.
const MAX_DEPTH: usize = 512;

/// How deep the groups of a schema are nested; an error if that is too deep, or if a group claims more children than
/// there are elements.
pub(crate) fn depth_of_schema(file: &Fields) -> Result<usize> {
    let damaged = |error| Error::corrupt(format!("the footer is damaged: {error}"));
    if file.is_repeated(SCHEMA) {
        return Err(Error::corrupt("the footer has two schemas"));
    }
    let elements = file.items(SCHEMA).map_err(damaged)?;
    // For each group around an element, the children to come.
    let mut groups: Vec<usize> = Vec::new();
    let mut depth = 0;
    for (index, element) in elements.iter().enumerate() {
        let (element, _) = Fields::read(element).map_err(damaged)?;
        while groups.pop_if(|left| *left == 0).is_some() {}
        if let Some(left) = groups.last_mut() {
            *left -= 1;
        }
        let children = element.get::<i32>(CHILDREN).map_err(damaged)?;
        let (children, left) = (children.unwrap_or(0), elements.len() - index - 1);
        let children = usize::try_from(children).ok().filter(|it| *it <= left);
        let Some(children) = children.filter(|_| !element.is_repeated(CHILDREN)) else {
            return Err(Error::corrupt(format!(
                "the schema has a group of other children than the {left} elements that follow it"
            )));
        };
        if children > 0 {
            groups.push(children);
            depth = depth.max(groups.len());
        }
        if depth > MAX_DEPTH {
            let problem = format!("its columns are nested in more than {MAX_DEPTH} groups");
            return Err(Problem::Unsupported(problem).into());
        }
    }
    Ok(depth)
}
