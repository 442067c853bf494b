//! Converts rows of nested Arrow arrays to the levels and values of leaves.

mod cut;
mod extent;
mod shred;
mod values;

pub(super) use cut::Cutter;
pub(super) use extent::{Unit, fitting};
pub(super) use shred::shred;
pub(super) use values::LeafValues;

use crate::types::fields::children;
use crate::types::unite::is_ordered;
use arrow_schema::{DataType, FieldRef};

/// Path from the root of a column to one of its leaves.
#[derive(Clone, Debug)]
pub(crate) struct LeafPath {
    /// Nested arrays around the leaf, from the outside in.
    nodes: Vec<Node>,
    /// Set if values of the leaf itself can be null.
    is_nullable: bool,
    /// Definition level of a value.
    max_def: u16,
    /// Number of lists around the leaf.
    max_rep: u16,
    /// Set for an ordered dictionary.
    is_ordered: bool,
}

/// Nested array around a leaf.
#[derive(Clone, Copy, Debug)]
struct Node {
    is_nullable: bool,
    step: Step,
}

/// Step from a nested array to its child.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Field of a struct.
    Field(usize),
    /// Entries of a list or a map.
    Entries,
}

/// Returns whether the type is a run-end encoding of nullable values, which makes the array
/// nullable, too.
fn has_nullable_runs(data_type: &DataType) -> bool {
    matches!(data_type, DataType::RunEndEncoded(_, values) if values.is_nullable())
}

impl LeafPath {
    /// Returns the paths of all leaves of a field, in the order of their columns.
    pub(super) fn all(field: &FieldRef) -> Vec<Self> {
        let mut paths = Vec::new();
        let mut open = vec![(field, field.is_nullable(), Vec::new())];
        while let Some((field, is_nullable, nodes)) = open.pop() {
            let with = |step| {
                let node = Node { is_nullable, step };
                nodes.iter().copied().chain([node]).collect::<Vec<Node>>()
            };
            match field.data_type() {
                DataType::Struct(fields) => {
                    let fields = fields.iter().enumerate().rev();
                    open.extend(fields.map(|(index, child)| {
                        (child, child.is_nullable(), with(Step::Field(index)))
                    }));
                }
                DataType::Map(entries, _) => {
                    // Entries and keys are never null, even if their fields are nullable.
                    let pairs = children(entries.data_type()).into_iter().enumerate().rev();
                    open.extend(pairs.map(|(index, child)| {
                        let mut nodes = with(Step::Entries);
                        nodes.push(Node {
                            is_nullable: false,
                            step: Step::Field(index),
                        });
                        (child, index > 0 && child.is_nullable(), nodes)
                    }));
                }
                other => match children(other).first() {
                    Some(item) => open.push((*item, item.is_nullable(), with(Step::Entries))),
                    None => paths.push(Self {
                        is_ordered: is_ordered(field),
                        ..Self::new(nodes, is_nullable || has_nullable_runs(other))
                    }),
                },
            }
        }
        paths
    }

    fn new(nodes: Vec<Node>, is_nullable: bool) -> Self {
        let is_list = |node: &&Node| matches!(node.step, Step::Entries);
        let lists = nodes.iter().filter(is_list).count();
        let nullable = nodes.iter().filter(|node| node.is_nullable).count();
        Self {
            max_def: (nullable + lists + usize::from(is_nullable)) as u16,
            max_rep: lists as u16,
            nodes,
            is_nullable,
            is_ordered: false,
        }
    }

    /// Returns whether the leaf is an ordered dictionary: its entries and their order are part of its type.
    pub(super) fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// Returns the maximum definition and repetition levels.
    pub(super) fn levels(&self) -> (u16, u16) {
        (self.max_def, self.max_rep)
    }
}
