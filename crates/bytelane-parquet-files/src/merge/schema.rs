//! Builds the schema of the output, and maps the columns of each input to it.
//!
//! Top-level columns are matched by name. A column that an input lacks, or has with the null type,
//! is null there.

mod edit;
mod elements;
mod names;

use super::meaning::{Fields, elements_of, field_id};
use crate::edits::{renamed_array, renamed_schema};
use arrow_array::ArrayRef;
use arrow_schema::FieldRef;
use bytelane_parquet::format::{FieldRepetitionType, FileMetaData, LogicalType, SchemaElement};
use bytelane_parquet::types::unite::{is_stored_alike, unite, words};
use bytelane_parquet::{Error, Problem, Result};
use elements::{have_same_structure, is_widened, join_elements, text};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Top-level column with everything nested in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Root {
    pub elements: Vec<SchemaElement>,
    pub leaves: usize,
    /// Its meaning; `None` if Arrow has no type for it.
    pub field: Option<FieldRef>,
    /// Set if values of an input are converted, so that all are encoded again.
    pub is_converted: bool,
    /// Value of a new column in all rows, as an array of length 1.
    pub constant: Option<ArrayRef>,
    /// First file that has it.
    pub file: PathBuf,
}

/// Columns of an input, in the order of the output.
pub(super) type Layout = Vec<Option<Place>>;

/// Position of a column in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of its first leaf.
    pub leaf: usize,
    /// Number of its leaves.
    pub leaves: usize,
    /// Number of the column.
    pub root: usize,
    /// Index of its element in the schema.
    pub element: usize,
    /// Set if it has the null type.
    is_null: bool,
}

/// Columns of the output.
#[derive(Debug, Default)]
pub(super) struct Columns {
    root: SchemaElement,
    pub roots: Vec<Root>,
    /// Number of each column, by its name.
    by_name: HashMap<bytes::Bytes, usize>,
    /// Schema that was added last, its fields, and its layout.
    last: Option<(Vec<SchemaElement>, Fields, Layout)>,
    /// Set if the columns, or their meanings, differ from those of the first file.
    pub changed: bool,
    /// Set if a field is optional in the output and required in an input, or has another name.
    pub is_widened: bool,
    /// Former and new names of columns and members, and former names that an input has.
    renamed: Vec<(String, String)>,
    found: HashSet<String>,
}

impl Root {
    /// Returns a column with these elements, one of which is its own.
    fn new(elements: Vec<SchemaElement>, field: Option<FieldRef>, file: &Path) -> Self {
        let leaves = elements.iter();
        let leaves = leaves.filter(|it| it.num_children.unwrap_or(0) <= 0);
        Self {
            leaves: leaves.count(),
            elements,
            field,
            is_converted: false,
            constant: None,
            file: file.to_owned(),
        }
    }

    pub(super) fn name(&self) -> String {
        text(&self.elements[0])
    }

    /// Returns the error for a column of another file that differs.
    fn refuses(&self, difference: &str, other: &Self, path: &Path) -> Error {
        let problem = format!("{difference} in {}", self.file.display());
        refused(&problem, other, path)
    }

    fn is_optional(&self) -> bool {
        self.elements[0].repetition_type == Some(FieldRepetitionType::Optional)
    }

    /// Returns whether it has the null type.
    fn is_null(&self) -> bool {
        let logical = self.elements[0].logical_type.as_ref();
        let logical = logical.and_then(|it| it.decode().ok());
        self.elements.len() == 1
            && self.is_optional()
            && matches!(logical, Some(LogicalType::Null(_)))
    }
}

/// Joins the elements of a column in two files; the difference if they are incompatible.
fn joined(elements: &mut [SchemaElement], other: &Root) -> std::result::Result<(), String> {
    if elements.len() != other.elements.len() {
        return Err("has other members than".to_owned());
    }
    let (own_free, other_free) = (names::free(elements), names::free(&other.elements));
    let are_free = own_free.iter().zip(&other_free);
    let pairs = elements.iter_mut().zip(&other.elements);
    for ((own, element), (own_free, free)) in pairs.zip(are_free) {
        join_elements(own, element, *own_free && *free).map_err(|difference| {
            match other.elements.len() {
                1 => difference,
                _ => format!("its member {} {difference}", text(element)),
            }
        })?;
    }
    Ok(())
}

impl Columns {
    /// Returns no columns yet. Those of the inputs get new names.
    pub(super) fn new(renamed: &[(String, String)]) -> Self {
        Self {
            is_widened: !renamed.is_empty(),
            changed: !renamed.is_empty(),
            renamed: renamed.to_vec(),
            ..Self::default()
        }
    }

    /// Gives the members of the values of a column, which has this name in its file, their new names.
    pub(super) fn renamed(&self, values: &ArrayRef, name: &str) -> Result<ArrayRef> {
        renamed_array(values, name, &self.renamed)
    }

    /// Gives the fields of a file their new names.
    pub(super) fn renamed_fields(&self, fields: &Fields) -> Fields {
        fields.renamed(&self.renamed)
    }

    /// Numbers the columns by their names.
    fn index(&mut self) {
        let names = self.roots.iter().map(|root| root.elements[0].name.clone());
        self.by_name = names.zip(0..).collect();
        self.last = None;
    }

    /// Adds the columns of a file, which have these meanings, and returns their layout.
    pub(super) fn add(
        &mut self,
        file: &FileMetaData,
        given: &Fields,
        path: &Path,
    ) -> Result<Layout> {
        if let Some((schema, last, layout)) = &self.last
            && *schema == file.schema
            && last == given
        {
            return Ok(layout.clone());
        }
        let (schema, renamed);
        let (elements, fields) = if self.renamed.is_empty() {
            (&file.schema, given)
        } else {
            schema = renamed_schema(&file.schema, &self.renamed, &mut self.found);
            renamed = self.renamed_fields(given);
            (&schema, &renamed)
        };
        let roots = roots(elements, fields, path)?;
        let is_first = self.roots.is_empty();
        if is_first {
            self.root = file.schema.first().cloned().unwrap_or_default();
        }
        let mut layout = vec![None; self.roots.len()];
        let (mut leaf, mut element) = (0, 1);
        for (number, root) in roots.into_iter().enumerate() {
            let place = Place {
                leaf,
                leaves: root.leaves,
                root: number,
                element,
                is_null: root.is_null(),
            };
            leaf += root.leaves;
            element += root.elements.len();
            let name = &root.elements[0].name;
            match self.by_name.get(name).copied() {
                Some(at) if layout[at].is_some() => {
                    let problem = "several columns have this name";
                    return Err(refused(problem, &root, path));
                }
                Some(at) => {
                    self.join(at, root, path)?;
                    layout[at] = Some(place);
                }
                None => {
                    self.changed |= !is_first;
                    self.by_name.insert(name.clone(), self.roots.len());
                    self.roots.push(root);
                    layout.push(Some(place));
                }
            }
        }
        self.last = Some((file.schema.clone(), given.clone(), layout.clone()));
        Ok(layout)
    }

    /// Joins a column with a column of the output.
    fn join(&mut self, at: usize, other: Root, path: &Path) -> Result<()> {
        let own = &mut self.roots[at];
        match (own.is_null(), other.is_null()) {
            (true, false) if other.is_optional() => {
                *own = other;
                self.changed = true;
                return Ok(());
            }
            (false, true) if own.is_optional() => return Ok(()),
            _ => {}
        }
        let mut elements = own.elements.clone();
        let joined = joined(&mut elements, &other);
        let (Some(field), Some(other_field)) = (&own.field, &other.field) else {
            // Columns that Arrow has no types for can only have equal ones.
            joined.map_err(|difference| own.refuses(&difference, &other, path))?;
            self.set_elements(at, elements, &other);
            return Ok(());
        };
        let differ = || {
            let (one, other_words) = (words(other_field), words(field));
            let difference = if one == other_words {
                joined
                    .clone()
                    .err()
                    .unwrap_or_else(|| "differs from that".to_owned())
            } else {
                format!("is {one}, but {other_words}")
            };
            own.refuses(&difference, &other, path)
        };
        let united = match unite(field, other_field) {
            Ok(united) if field_id(field, other_field).is_some() => united,
            _ => return Err(differ()),
        };
        let alike = |field: &FieldRef| is_stored_alike(field.data_type(), united.data_type());
        let are_alike = alike(field) && alike(other_field);
        // Annotations that Arrow does not have are part of the type, too.
        let is_other_annotation = field.data_type() == other_field.data_type()
            && have_same_structure(&own.elements, &other.elements);
        if joined.is_err() && is_other_annotation {
            return Err(differ());
        }
        let is_changed = united != **field || united != **other_field;
        if joined.is_err() || !are_alike {
            let Some(fresh) = elements_of(&united)? else {
                return Err(differ());
            };
            let is_same = |elements: &[SchemaElement]| have_same_structure(elements, &fresh);
            let are_kept = are_alike
                && !own.is_converted
                && is_same(&own.elements)
                && is_same(&other.elements);
            elements = fresh;
            if are_kept {
                let all = own.elements.iter().zip(&other.elements);
                for (element, (own, other)) in elements.iter_mut().zip(all) {
                    element.field_id = own.field_id.or(other.field_id);
                    element.repetition_type = match is_widened(own, other) {
                        Some(true) => Some(FieldRepetitionType::Optional),
                        _ => own.repetition_type,
                    };
                }
            } else {
                self.roots[at].is_converted = true;
            }
        }
        self.changed |= is_changed;
        let own = &mut self.roots[at];
        own.field = Some(Arc::new(united));
        if own.is_converted {
            own.leaves = elements
                .iter()
                .filter(|it| it.num_children.unwrap_or(0) <= 0)
                .count();
        }
        self.set_elements(at, elements, &other);
        Ok(())
    }

    /// Replaces the elements of a column by those that join them with another file's.
    fn set_elements(&mut self, at: usize, elements: Vec<SchemaElement>, other: &Root) {
        let own = &mut self.roots[at];
        if !own.is_converted {
            let all = own.elements.iter().zip(&elements).zip(&other.elements);
            for ((before, after), other) in all {
                let is_new = after.repetition_type != before.repetition_type;
                self.changed |= is_new;
                self.is_widened |= is_new || after.repetition_type != other.repetition_type;
            }
        }
        own.elements = elements;
    }

    /// Returns an error if a column that an input lacks cannot be null.
    pub(super) fn check(&self, layouts: &[(&Path, &Layout)]) -> Result<()> {
        for (at, root) in self.roots.iter().enumerate() {
            if root.is_optional() {
                continue;
            }
            let lacks = |(_, layout): &&(&Path, &Layout)| self.place(layout, at).is_none();
            if let Some((path, _)) = layouts.iter().find(lacks) {
                let problem = format!(
                    "the file does not have the column, which is not optional in {}",
                    root.file.display()
                );
                return Err(refused(&problem, root, path));
            }
        }
        Ok(())
    }

    /// Returns the position of an output column in an input; `None` if the column is null there.
    pub(super) fn place(&self, layout: &Layout, root: usize) -> Option<Place> {
        let place = layout.get(root).copied().flatten();
        place.filter(|place| !place.is_null || self.roots[root].is_null())
    }

    /// Returns the first leaf of a column of the output.
    pub(super) fn first_leaf(&self, root: usize) -> usize {
        self.roots[..root].iter().map(|root| root.leaves).sum()
    }

    /// Returns the output leaf that corresponds to a leaf of an input.
    pub(super) fn leaf_of(&self, layout: &Layout, leaf: usize) -> Option<usize> {
        let mut first = 0;
        for (at, root) in self.roots.iter().enumerate() {
            if let Some(place) = self.place(layout, at)
                && !root.is_converted
                && (place.leaf..place.leaf + root.leaves).contains(&leaf)
            {
                return Some(first + leaf - place.leaf);
            }
            first += root.leaves;
        }
        None
    }

    /// Returns the output column that contains a leaf, and the leaf's number within the column.
    pub(super) fn root_of(&self, leaf: usize) -> Option<(usize, usize)> {
        let mut first = 0;
        for (at, root) in self.roots.iter().enumerate() {
            if leaf < first + root.leaves {
                return Some((at, leaf - first));
            }
            first += root.leaves;
        }
        None
    }

    /// Returns the output's definition level for each definition level of an input's leaf; `None`
    /// if they are the same.
    pub(super) fn widened(
        &self,
        place: Place,
        root: usize,
        number: usize,
        schema: &[SchemaElement],
    ) -> Option<Vec<u8>> {
        let new = &self.roots[root].elements;
        let old = schema.get(place.element..place.element + new.len())?;
        let is_same = |(old, new): (&SchemaElement, &SchemaElement)| {
            old.repetition_type == new.repetition_type
        };
        if old.iter().zip(new).all(is_same) {
            return None;
        }
        let path = path_of(new, number);
        let counts = |element: &SchemaElement| {
            u8::from(
                element
                    .repetition_type
                    .is_some_and(|it| it != FieldRepetitionType::Required),
            )
        };
        // A definition level is the number of optional and repeated elements on the path that are
        // present; a required element is present if its group is.
        let mut levels = Vec::new();
        let mut all = 0;
        for at in path {
            if counts(&old[at]) > 0 {
                levels.push(all);
            }
            all += counts(&new[at]);
        }
        levels.push(all);
        let same = levels.iter().copied().eq(0..levels.len() as u8);
        (!same).then_some(levels)
    }

    /// Returns the schema of the output.
    pub(super) fn schema(&self) -> Vec<SchemaElement> {
        let root = SchemaElement {
            num_children: i32::try_from(self.roots.len()).ok(),
            ..self.root.clone()
        };
        let elements = self
            .roots
            .iter()
            .flat_map(|root| root.elements.iter().cloned());
        std::iter::once(root).chain(elements).collect()
    }
}

/// Returns the elements on the path to a leaf of a column.
fn path_of(elements: &[SchemaElement], leaf: usize) -> Vec<usize> {
    let mut open: Vec<(usize, i32)> = Vec::new();
    let mut leaves = 0;
    for (at, element) in elements.iter().enumerate() {
        let children = element.num_children.unwrap_or(0).max(0);
        open.push((at, children));
        if children > 0 {
            continue;
        }
        if leaves == leaf {
            return open.into_iter().map(|(at, _)| at).collect();
        }
        leaves += 1;
        // Groups end with their last child.
        while let Some((_, left)) = open.last_mut() {
            if *left > 1 {
                *left -= 1;
                break;
            }
            open.pop();
        }
    }
    Vec::new()
}

fn refused(problem: &str, root: &Root, path: &Path) -> Error {
    let problem = Problem::Input(format!("cannot be merged: {problem}"));
    Error::new(problem).in_column(root.name()).in_file(path)
}

/// Returns the names of the top-level columns of a schema.
pub(super) fn top_level(schema: &[SchemaElement]) -> Vec<String> {
    let roots = roots(schema, &Fields::default(), Path::new("")).unwrap_or_default();
    roots.iter().map(Root::name).collect()
}

/// Splits a schema, which has been checked, into its columns.
fn roots(schema: &[SchemaElement], fields: &Fields, path: &Path) -> Result<Vec<Root>> {
    let mut roots = Vec::new();
    let fields = fields.by_name();
    let mut rest = schema.get(1..).unwrap_or_default();
    while !rest.is_empty() {
        let (mut open, mut length) = (1_usize, 0);
        while open > 0 {
            let Some(element) = rest.get(length) else {
                return Err(Error::corrupt("the schema ends within a group").in_file(path));
            };
            let children = element.num_children.unwrap_or(0);
            open = open - 1 + usize::try_from(children).unwrap_or(0);
            length += 1;
        }
        let (elements, others) = rest.split_at(length);
        let field = fields.get(&elements[0].name[..]);
        let field = field.map(|it| FieldRef::clone(it));
        roots.push(Root::new(elements.to_vec(), field, path));
        rest = others;
    }
    Ok(roots)
}
