//! Plans the leaves to read for a projection, and the trees that they belong to.

use super::tree::{Kind, Node, not_readable, too_deep};
use crate::page::LeafLevels;
use crate::{Error, Problem, Result};
use arrow_schema::{DataType, FieldRef, Fields};
use bytelane::validity::lists::List;
use parquet::arrow::ProjectionMask;
use parquet::basic::Repetition;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

/// Leaf to read.
#[derive(Clone, Debug)]
pub(crate) struct LeafPlan {
    /// Number of the leaf in the file's schema.
    pub(crate) column: usize,
    pub(crate) data_type: DataType,
    pub(crate) levels: LeafLevels,
}

/// Columns of a projection and their leaves.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) columns: Vec<Node>,
    /// Names of the columns.
    pub(crate) names: Vec<String>,
    pub(crate) leaves: Vec<LeafPlan>,
}

/// Position of a type in the schema.
#[derive(Clone, Copy, Debug)]
struct Context {
    definition: u8,
    repetition: u8,
    list: Option<List<u8>>,
    /// Minimum definition level at which that list has an entry.
    slot: u8,
    /// Set within a list or a struct.
    is_nested: bool,
}

/// Traverses a Parquet schema and an Arrow schema in parallel.
struct Planner<'a> {
    projection: &'a ProjectionMask,
    /// Number of leaves of the file so far.
    next: usize,
    leaves: Vec<LeafPlan>,
}

impl Plan {
    /// Plans a projection from the fields that the crate `parquet` derives from it.
    pub(crate) fn new(
        schema: &SchemaDescriptor,
        projection: &ProjectionMask,
        fields: &Fields,
    ) -> Result<Self> {
        let mut planner = Planner {
            projection,
            next: 0,
            leaves: Vec::new(),
        };
        let context = Context {
            definition: 0,
            repetition: 0,
            list: None,
            slot: 0,
            is_nested: false,
        };
        let types = schema.root_schema().get_fields();
        let columns = planner.fields(types, fields, context)?;
        for leaf in &planner.leaves {
            let column = schema.column(leaf.column);
            let found = [column.max_def_level(), column.max_rep_level()];
            let of = leaf.levels;
            if found != [of.max_definition, of.max_repetition].map(i16::from) {
                let problem = format!("the groups around it cannot be read as {}", leaf.data_type);
                let error = Error::new(Problem::Unsupported(problem));
                return Err(error.in_column(column.path().string()));
            }
        }
        Ok(Self {
            columns,
            names: fields.iter().map(|field| field.name().clone()).collect(),
            leaves: planner.leaves,
        })
    }
}

impl Planner<'_> {
    /// Returns the nodes of a group's children that Arrow has.
    fn fields(&mut self, types: &[TypePtr], fields: &Fields, at: Context) -> Result<Vec<Node>> {
        let mut fields = fields.iter().peekable();
        let mut nodes = Vec::new();
        for of in types {
            let leaves = self.next..self.next + count_leaves(of);
            let is_read = leaves.clone().any(|it| self.projection.leaf_included(it));
            // Arrow has no map without its keys.
            match fields.next_if(|field| is_read && field.name() == of.name()) {
                Some(field) => {
                    let node = self.node(of, field.data_type(), at);
                    nodes.push(node.map_err(|error| error.in_column(of.name()))?);
                }
                None => self.next = leaves.end,
            }
        }
        match fields.next() {
            None => Ok(nodes),
            Some(field) => Err(not_readable(field.data_type())),
        }
    }

    /// Returns the node of a type that may be repeated or null.
    fn node(&mut self, of: &Type, data_type: &DataType, at: Context) -> Result<Node> {
        let is_repeated = of.get_basic_info().repetition() == Repetition::REPEATED;
        match entry_field(data_type) {
            // Lists of old files have no group around the entries.
            Some(entry) if is_repeated => self.list(of, of, data_type, entry, at),
            Some(entry) => {
                let [repeated] = children(of) else {
                    return Err(not_readable(data_type));
                };
                let at = at.maybe_null(of)?;
                let is_map = matches!(data_type, DataType::Map(..));
                let item = if is_map || is_entry(of, repeated) {
                    repeated
                } else {
                    &repeated.get_fields()[0]
                };
                self.list(repeated, item, data_type, entry, at)
            }
            None if is_repeated => Err(not_readable(data_type)),
            None => self.value(of, data_type, at.maybe_null(of)?),
        }
    }

    /// Returns the node of a list: `repeated` is its entry, or contains it.
    fn list(
        &mut self,
        repeated: &Type,
        item: &Type,
        data_type: &DataType,
        entry: &FieldRef,
        at: Context,
    ) -> Result<Node> {
        if repeated.get_basic_info().repetition() != Repetition::REPEATED {
            return Err(not_readable(data_type));
        }
        let valid = u16::from(at.definition);
        let list = match at.list {
            None => List::new(valid),
            Some(outer) => outer.inner(valid),
        };
        let list = list.ok_or_else(too_deep)?;
        let definition = at.definition.checked_add(1).ok_or_else(too_deep)?;
        let within = Context {
            definition,
            repetition: at.repetition.checked_add(1).ok_or_else(too_deep)?,
            list: Some(list),
            slot: definition,
            is_nested: true,
        };
        let entries = if std::ptr::eq(repeated, item) {
            self.value(item, entry.data_type(), within)?
        } else {
            self.node(item, entry.data_type(), within)?
        };
        Ok(Node {
            data_type: data_type.clone(),
            list: at.list,
            valid_from: at.valid_from(),
            kind: Kind::List(list, Box::new(entries)),
        })
    }

    /// Returns the node of a leaf or a struct whose own levels are in the context.
    fn value(&mut self, of: &Type, data_type: &DataType, at: Context) -> Result<Node> {
        let kind = match data_type {
            DataType::Struct(fields) if of.is_group() => {
                let is_nested = true;
                let within = Context { is_nested, ..at };
                Kind::Struct(self.fields(of.get_fields(), fields, within)?)
            }
            _ if of.is_primitive() => {
                self.leaves.push(LeafPlan {
                    column: self.next,
                    data_type: data_type.clone(),
                    levels: LeafLevels {
                        max_definition: at.definition,
                        max_repetition: at.repetition,
                        slot: at.slot,
                        is_nested: at.is_nested,
                    },
                });
                self.next += 1;
                Kind::Leaf(self.leaves.len() - 1)
            }
            _ => return Err(not_readable(data_type)),
        };
        Ok(Node {
            data_type: data_type.clone(),
            list: at.list,
            valid_from: at.valid_from(),
            kind,
        })
    }
}

impl Context {
    /// Returns the context within a type that may be null.
    fn maybe_null(self, of: &Type) -> Result<Self> {
        if of.get_basic_info().repetition() != Repetition::OPTIONAL {
            return Ok(self);
        }
        let definition = self.definition.checked_add(1).ok_or_else(too_deep)?;
        Ok(Self { definition, ..self })
    }

    /// Returns the minimum definition level at which a type is not null; `None` if it is never
    /// null. A type that cannot be null itself is null if the structs around it are.
    fn valid_from(self) -> Option<u8> {
        (self.definition > self.slot).then_some(self.definition)
    }
}

/// Returns whether the repeated group of a list is its entry, rather than the entry being its only
/// field: "Backward-compatibility rules" of
/// [LogicalTypes.md](https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists).
fn is_entry(list: &Type, repeated: &Type) -> bool {
    let [item] = children(repeated) else {
        return true;
    };
    let has_name =
        repeated.name() == "array" || repeated.name() == format!("{}_tuple", list.name());
    let is_repeated = item.get_basic_info().repetition() == Repetition::REPEATED;
    has_name && !is_repeated && !is_list(repeated)
}

fn is_list(of: &Type) -> bool {
    let info = of.get_basic_info();
    let is_converted = info.converted_type() == parquet::basic::ConvertedType::LIST;
    is_converted
        || matches!(
            info.logical_type_ref(),
            Some(parquet::basic::LogicalType::List)
        )
}

fn children(of: &Type) -> &[TypePtr] {
    if of.is_group() { of.get_fields() } else { &[] }
}

fn count_leaves(of: &Type) -> usize {
    if of.is_group() {
        of.get_fields().iter().map(|it| count_leaves(it)).sum()
    } else {
        1
    }
}

/// Returns the field of a list type's entries.
fn entry_field(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => Some(field),
        _ => None,
    }
}
