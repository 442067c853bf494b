//! Builds the schema of the output, and maps the columns of each input to it.
//!
//! Top-level columns are matched by name. A column that an input lacks, or has with the null type,
//! is null there.

mod names;

use crate::format::{
    ConvertedType, Encoded, FieldRepetitionType, FileMetaData, LogicalType, PhysicalType,
    SchemaElement,
};
use crate::{Error, Problem, Result};
use std::path::{Path, PathBuf};

/// Top-level column with everything nested in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Root {
    pub elements: Vec<SchemaElement>,
    pub leaves: usize,
    /// First file that has it.
    file: PathBuf,
}

/// Columns of an input, in the order of the output.
pub(super) type Layout = Vec<Option<Place>>;

/// Position of a column in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of its first leaf.
    pub leaf: usize,
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
    /// Schema that was added last, and its layout.
    last: Option<(Vec<SchemaElement>, Layout)>,
    /// Set if the columns differ from those of the first file.
    pub changed: bool,
    /// Set if a field is optional in the output and required in an input.
    pub is_widened: bool,
}

impl Root {
    pub(super) fn name(&self) -> String {
        text(&self.elements[0])
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

fn text(element: &SchemaElement) -> String {
    String::from_utf8_lossy(&element.name).into_owned()
}

impl Columns {
    /// Adds the columns of a file, and returns their layout.
    pub(super) fn add(&mut self, file: &FileMetaData, path: &Path) -> Result<Layout> {
        if let Some((schema, layout)) = &self.last
            && *schema == file.schema
        {
            return Ok(layout.clone());
        }
        let roots = roots(&file.schema, path)?;
        let is_first = self.roots.is_empty();
        if is_first {
            self.root = file.schema.first().cloned().unwrap_or_default();
        }
        let mut layout = vec![None; self.roots.len()];
        let (mut leaf, mut element) = (0, 1);
        for (number, root) in roots.into_iter().enumerate() {
            let place = Place {
                leaf,
                root: number,
                element,
                is_null: root.is_null(),
            };
            leaf += root.leaves;
            element += root.elements.len();
            let same_name = |own: &Root| own.elements[0].name == root.elements[0].name;
            match self.roots.iter().position(same_name) {
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
                    self.roots.push(root);
                    layout.push(Some(place));
                }
            }
        }
        self.last = Some((file.schema.clone(), layout.clone()));
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
        if own.elements.len() != other.elements.len() {
            let problem = format!("it has other members than in {}", own.file.display());
            return Err(refused(&problem, &other, path));
        }
        let (own_free, other_free) = (names::free(&own.elements), names::free(&other.elements));
        let is_free = own_free
            .iter()
            .zip(&other_free)
            .map(|(own, other)| *own && *other);
        let pairs = own.elements.iter_mut().zip(&other.elements);
        for ((own_element, element), is_free) in pairs.zip(is_free) {
            let before = own_element.repetition_type;
            let joined = join_elements(own_element, element, is_free);
            self.changed |= own_element.repetition_type != before;
            self.is_widened |= own_element.repetition_type != element.repetition_type;
            self.is_widened |= own_element.repetition_type != before;
            if let Err(difference) = joined {
                let name = text(element);
                let within = match other.elements.len() {
                    1 => String::new(),
                    _ => format!("its member {name} "),
                };
                let problem = format!("{within}{difference} in {}", own.file.display());
                return Err(refused(&problem, &other, path));
            }
        }
        Ok(())
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

/// Joins the elements of a column or member in two files; the reason if they are incompatible. A free name may
/// differ, and remains that of the first file.
fn join_elements(
    own: &mut SchemaElement,
    other: &SchemaElement,
    is_free: bool,
) -> std::result::Result<(), String> {
    if own.name != other.name && !is_free {
        return Err(format!("has the name {}", text(own)));
    }
    let length = |element: &SchemaElement| match element.physical_type {
        Some(PhysicalType::FixedLenByteArray) => element.type_length.unwrap_or(0),
        _ => 0,
    };
    if own.physical_type != other.physical_type || length(own) != length(other) {
        return Err(format!(
            "has the type {}, but {}",
            physical(other),
            physical(own)
        ));
    }
    if own.num_children.unwrap_or(0) != other.num_children.unwrap_or(0) {
        return Err("has other members than".to_owned());
    }
    let is_widened = is_widened(own, other)
        .ok_or_else(|| format!("is {}, but {}", repetition(other), repetition(own)))?;
    join_annotations(own, other)?;
    if is_widened {
        own.repetition_type = Some(FieldRepetitionType::Optional);
    }
    match (own.field_id, other.field_id) {
        (Some(one), Some(two)) if one != two => {
            return Err(format!("has the field id {two}, but {one}"));
        }
        (None, Some(_)) => own.field_id = other.field_id,
        _ => {}
    }
    if own.unknown_fields != other.unknown_fields {
        return Err("has other metadata than".to_owned());
    }
    Ok(())
}

/// Returns true if one of two repetitions is optional and the other required, so that they join to
/// optional, and false if they are the same; `None` if they cannot be joined.
fn is_widened(own: &SchemaElement, other: &SchemaElement) -> Option<bool> {
    use FieldRepetitionType::{Optional, Required};
    match (own.repetition_type, other.repetition_type) {
        (one, two) if one == two => Some(false),
        (Some(Optional | Required), Some(Optional | Required)) => Some(true),
        _ => None,
    }
}

/// Joins annotations: old writers have only converted types, which mean the same.
fn join_annotations(
    own: &mut SchemaElement,
    other: &SchemaElement,
) -> std::result::Result<(), String> {
    if is_plain(own) && is_plain(other) {
        return Ok(());
    }
    let same = match (&own.logical_type, &other.logical_type) {
        (Some(own), Some(other)) => same_type(own, other),
        _ => own.converted_type == other.converted_type,
    };
    let decimal = |element: &SchemaElement| (element.scale.unwrap_or(0), element.precision);
    let both_decimals = own.precision.is_some() && other.precision.is_some();
    if !same || (both_decimals && decimal(own) != decimal(other)) {
        return Err("has another logical type than".to_owned());
    }
    if own.logical_type.is_none() && other.logical_type.is_some() {
        own.logical_type.clone_from(&other.logical_type);
    }
    if own.converted_type.is_none() {
        own.converted_type = other.converted_type;
        own.scale = own.scale.or(other.scale);
        own.precision = own.precision.or(other.precision);
    }
    Ok(())
}

/// Returns whether an annotation adds nothing to the physical type: signed integers of its full
/// width.
fn is_plain(element: &SchemaElement) -> bool {
    let (bits, converted) = match element.physical_type {
        Some(PhysicalType::Int32) => (32, ConvertedType::Int32),
        Some(PhysicalType::Int64) => (64, ConvertedType::Int64),
        _ => return false,
    };
    let logical = element.logical_type.as_ref().map(Encoded::decode);
    let is_whole = |logical: Result<LogicalType>| matches!(logical, Ok(LogicalType::Integer(it)) if it.is_signed && it.bit_width == bits);
    element.converted_type.is_none_or(|it| it == converted) && logical.is_none_or(is_whole)
}

fn same_type(own: &Encoded<LogicalType>, other: &Encoded<LogicalType>) -> bool {
    let decoded = || Some(own.decode().ok()? == other.decode().ok()?);
    own == other || decoded() == Some(true)
}

fn physical(element: &SchemaElement) -> String {
    match (element.physical_type, element.type_length) {
        (None, _) => "of a group".to_owned(),
        (Some(PhysicalType::FixedLenByteArray), Some(length)) => {
            format!("FIXED_LEN_BYTE_ARRAY({length})")
        }
        (Some(physical), _) => format!("{physical:?}").to_uppercase(),
    }
}

fn repetition(element: &SchemaElement) -> &'static str {
    match element.repetition_type {
        Some(FieldRepetitionType::Optional) => "optional",
        Some(FieldRepetitionType::Repeated) => "repeated",
        _ => "required",
    }
}

fn refused(problem: &str, root: &Root, path: &Path) -> Error {
    let problem = Problem::Input(format!("cannot be merged: {problem}"));
    Error::new(problem).in_column(root.name()).in_file(path)
}

/// Splits a schema, which has been checked, into its columns.
fn roots(schema: &[SchemaElement], path: &Path) -> Result<Vec<Root>> {
    let mut roots = Vec::new();
    let mut rest = schema.get(1..).unwrap_or_default();
    while !rest.is_empty() {
        let (mut open, mut length, mut leaves) = (1_usize, 0, 0);
        while open > 0 {
            let Some(element) = rest.get(length) else {
                return Err(Error::corrupt("the schema ends within a group").in_file(path));
            };
            let children = element.num_children.unwrap_or(0);
            leaves += usize::from(children <= 0);
            open = open - 1 + usize::try_from(children).unwrap_or(0);
            length += 1;
        }
        let (elements, others) = rest.split_at(length);
        roots.push(Root {
            elements: elements.to_vec(),
            leaves,
            file: path.to_owned(),
        });
        rest = others;
    }
    Ok(roots)
}
