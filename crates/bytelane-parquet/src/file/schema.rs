//! Checks the claims of a footer's schema before allocating memory for it or recursing into it.

use crate::budget::MemoryLimit;
use crate::format::{ElementView, SchemaElement};
use crate::{Error, Problem, Result};

/// Maximum nesting depth of groups. Lists and nulls have levels of 8 bits; required groups have
/// none.
const MAX_DEPTH: usize = 512;

/// Number of bytes of an element in a footer, without its name.
const ELEMENT: u64 = 8;

/// Element of a schema, in any of its representations.
pub(crate) trait Element {
    fn name(&self) -> &[u8];
    fn num_children(&self) -> Option<i32>;
}

impl Element for SchemaElement {
    fn name(&self) -> &[u8] {
        &self.name
    }

    fn num_children(&self) -> Option<i32> {
        self.num_children
    }
}

impl Element for ElementView<'_> {
    fn name(&self) -> &[u8] {
        self.name
    }

    fn num_children(&self) -> Option<i32> {
        self.num_children
    }
}

/// Returns the nesting depth of a schema's groups. Returns an error if it is too deep, or if a
/// group claims more children than there are elements.
pub(crate) fn depth_of_schema(elements: &[impl Element]) -> Result<usize> {
    // Each leaf gets its own path, which contains the names of all groups around it.
    let size = |element: &_| Element::name(element).len() as u64 + ELEMENT;
    let limit = MemoryLimit::default().of_metadata(elements.iter().map(size).sum());
    let mut bytes_of_paths = 0_u64;
    // Number of remaining children and size of the path, for each group around the current element.
    let mut groups: Vec<(usize, u64)> = Vec::new();
    let mut depth = 0;
    for (index, element) in elements.iter().enumerate() {
        while groups.pop_if(|(left, _)| *left == 0).is_some() {}
        let mut path = size(element);
        if let Some((left, around)) = groups.last_mut() {
            *left -= 1;
            path += *around;
        }
        let left = elements.len() - index - 1;
        let children = usize::try_from(element.num_children().unwrap_or(0)).ok();
        let Some(children) = children.filter(|it| *it <= left) else {
            return Err(Error::corrupt(format!(
                "the schema has a group of other children than the {left} elements that follow it"
            )));
        };
        if children > 0 {
            groups.push((children, path));
            depth = depth.max(groups.len());
        } else {
            bytes_of_paths = bytes_of_paths.saturating_add(path);
        }
        if bytes_of_paths > limit {
            return Err(Error::corrupt(format!(
                "the names of its columns take more than {limit} bytes of memory, because groups share long ones"
            )));
        }
        if depth > MAX_DEPTH {
            let problem = format!("its columns are nested in more than {MAX_DEPTH} groups");
            return Err(Problem::Unsupported(problem).into());
        }
    }
    Ok(depth)
}
