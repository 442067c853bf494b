//! Columns as trees: the leaves' arrays, and the lists, structs and maps around them.

use super::leaf::{LeafArray, Levels};
use crate::page::{LeafLevels, bits_from};
use crate::{Error, Problem, Result};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, GenericListViewArray, MapArray,
    OffsetSizeTrait, StructArray, UInt64Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef, Fields};
use arrow_select::take::take;
use bytelane::Detected;
use bytelane::validity;
use bytelane::validity::lists::{List, Offset};
use parquet::arrow::ProjectionMask;
use parquet::basic::Repetition;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

/// A column, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Node {
    data_type: DataType,
    /// The list around it.
    list: Option<List<u8>>,
    /// The definition level from which on it is not null, if it may be.
    valid_from: Option<u8>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// By its number among the leaves that are read.
    Leaf(usize),
    Struct(Vec<Node>),
    /// Lists of any kind, and their entries. Maps are lists of structs.
    List(List<u8>, Box<Node>),
}

/// A leaf that is read.
#[derive(Clone, Debug)]
pub(super) struct LeafPlan {
    /// Its number in the file's schema.
    pub(super) column: usize,
    pub(super) data_type: DataType,
    pub(super) levels: LeafLevels,
}

/// The columns of a projection, and their leaves.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) columns: Vec<Node>,
    pub(super) leaves: Vec<LeafPlan>,
}

/// Where a type is in the schema.
#[derive(Clone, Copy, Debug)]
struct Context {
    definition: u8,
    repetition: u8,
    list: Option<List<u8>>,
    /// The definition level from which on that list has an entry.
    slot: u8,
    /// Whether it is within a list or a struct.
    is_nested: bool,
}

/// Walks over a schema of Parquet and one of Arrow at the same time.
struct Planner<'a> {
    projection: &'a ProjectionMask,
    /// Leaves of the file so far.
    next: usize,
    leaves: Vec<LeafPlan>,
}

impl Plan {
    /// Of the fields that the crate `parquet` makes of a projection.
    pub(super) fn new(
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
            leaves: planner.leaves,
        })
    }
}

impl Planner<'_> {
    /// The children of a group that Arrow has.
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

    /// What may be repeated, or null.
    fn node(&mut self, of: &Type, data_type: &DataType, at: Context) -> Result<Node> {
        let is_repeated = of.get_basic_info().repetition() == Repetition::REPEATED;
        match entry_field(data_type) {
            // Lists of old files: nothing around the entries.
            Some(entry) if is_repeated => self.list(of, of, data_type, entry, at),
            Some(entry) => {
                let [repeated] = children(of) else {
                    return Err(not_readable(data_type));
                };
                let at = at.maybe_null(of)?;
                let is_map = matches!(data_type, DataType::Map(..));
                let item = match is_map || is_entry(of, repeated) {
                    true => repeated,
                    false => &repeated.get_fields()[0],
                };
                self.list(repeated, item, data_type, entry, at)
            }
            None if is_repeated => Err(not_readable(data_type)),
            None => self.value(of, data_type, at.maybe_null(of)?),
        }
    }

    /// Lists: `repeated` has an entry for each, which is it, or in it.
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
        let entries = match std::ptr::eq(repeated, item) {
            true => self.value(item, entry.data_type(), within)?,
            false => self.node(item, entry.data_type(), within)?,
        };
        Ok(Node {
            data_type: data_type.clone(),
            list: at.list,
            valid_from: at.valid_from(),
            kind: Kind::List(list, Box::new(entries)),
        })
    }

    /// A leaf or a struct, whose own levels are in the context.
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
    /// The context within a type that may be null.
    fn maybe_null(self, of: &Type) -> Result<Self> {
        if of.get_basic_info().repetition() != Repetition::OPTIONAL {
            return Ok(self);
        }
        let definition = self.definition.checked_add(1).ok_or_else(too_deep)?;
        Ok(Self { definition, ..self })
    }

    /// The definition level from which on a type is not null, if it may be. One that cannot be null itself is null
    /// with the structs around it.
    fn valid_from(self) -> Option<u8> {
        (self.definition > self.slot).then_some(self.definition)
    }
}

/// Whether the repeated group of a list is its entry, or the entry is the only field of it: "Backward-compatibility rules"
/// of [LogicalTypes.md](https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists).
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
    match of.is_group() {
        true => of.get_fields(),
        false => &[],
    }
}

fn count_leaves(of: &Type) -> usize {
    match of.is_group() {
        true => of.get_fields().iter().map(|it| count_leaves(it)).sum(),
        false => 1,
    }
}

/// The entries of lists.
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

fn not_readable(data_type: &DataType) -> Error {
    Problem::Unsupported(format!("its groups cannot be read as {data_type}")).into()
}

fn too_deep() -> Error {
    Problem::Unsupported("it is nested more than 255 levels deep".to_owned()).into()
}

fn not_levels(error: validity::Error) -> Error {
    Error::corrupt(format!("the levels: {error}"))
}

impl Node {
    /// The array of a column, from those of its leaves, of which it takes its own.
    pub(super) fn assemble(
        &self,
        backend: Detected,
        leaves: &mut [Option<LeafArray>],
    ) -> Result<ArrayRef> {
        // The levels of any leaf tell of all ancestors.
        let levels = self.take_levels(leaves);
        self.array(backend, &levels, leaves)
    }

    fn take_levels(&self, leaves: &mut [Option<LeafArray>]) -> Levels {
        let leaf = leaves[self.first_leaf()].as_mut();
        leaf.map(|leaf| std::mem::take(&mut leaf.levels))
            .unwrap_or_default()
    }

    fn first_leaf(&self) -> usize {
        match &self.kind {
            Kind::Leaf(leaf) => *leaf,
            Kind::Struct(children) => children.first().map_or(0, Node::first_leaf),
            Kind::List(_, entries) => entries.first_leaf(),
        }
    }

    fn array(
        &self,
        backend: Detected,
        levels: &Levels,
        leaves: &mut [Option<LeafArray>],
    ) -> Result<ArrayRef> {
        match &self.kind {
            Kind::Leaf(leaf) => match leaves[*leaf].take() {
                Some(leaf) => Ok(leaf.array),
                None => Err(not_readable(&self.data_type)),
            },
            Kind::Struct(children) => {
                let nulls = self.nulls(backend, levels)?;
                let arrays = children.iter().enumerate().map(|(number, child)| {
                    if number == 0 {
                        return child.array(backend, levels, leaves);
                    }
                    // Of the same ancestors; but those below are its own.
                    let own = child.take_levels(leaves);
                    child.array(backend, &own, leaves)
                });
                let arrays = arrays.collect::<Result<Vec<_>>>()?;
                self.structs(arrays, nulls)
            }
            Kind::List(list, entries) => {
                let array = entries.array(backend, levels, leaves)?;
                let nulls = self.list_nulls(backend, *list, levels)?;
                self.lists(backend, *list, levels, array, nulls)
            }
        }
    }

    fn structs(&self, arrays: Vec<ArrayRef>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let DataType::Struct(fields) = &self.data_type else {
            return Err(not_readable(&self.data_type));
        };
        Ok(Arc::new(StructArray::try_new(
            fields.clone(),
            arrays,
            nulls,
        )?))
    }

    /// Which structs are null.
    fn nulls(&self, backend: Detected, levels: &Levels) -> Result<Option<NullBuffer>> {
        let Some(from) = self.valid_from else {
            return Ok(None);
        };
        let (repetition, definition) = (&levels.repetition[..], &levels.definition[..]);
        let mut bits = vec![0; definition.len().div_ceil(8)];
        let found = match (self.list, repetition) {
            (None, []) => {
                let valid = bits_from(backend, from, definition, &mut bits)?;
                return Ok(null_buffer(bits, definition.len(), valid));
            }
            // As if it were a list: one for each row.
            (None, _) => {
                let rows = List::<u8>::new(from.into()).ok_or_else(too_deep)?;
                rows.validity_uninit_with(backend, repetition, definition, &mut bits[..])
            }
            (Some(list), _) => {
                list.entries_uninit_with(backend, from, repetition, definition, &mut bits[..])
            }
        };
        let (_, found) = found.map_err(not_levels)?;
        Ok(null_buffer(bits, found.count, found.valid))
    }

    fn list_nulls(
        &self,
        backend: Detected,
        list: List<u8>,
        levels: &Levels,
    ) -> Result<Option<NullBuffer>> {
        if self.valid_from.is_none() {
            return Ok(None);
        }
        let mut bits = vec![0; levels.definition.len().div_ceil(8)];
        let (repetition, definition) = (&levels.repetition[..], &levels.definition[..]);
        let (_, found) = list
            .validity_uninit_with(backend, repetition, definition, &mut bits[..])
            .map_err(not_levels)?;
        Ok(null_buffer(bits, found.count, found.valid))
    }

    fn lists(
        &self,
        backend: Detected,
        list: List<u8>,
        levels: &Levels,
        entries: ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef> {
        Ok(match &self.data_type {
            DataType::List(field) => {
                let offsets = offsets::<i32>(backend, list, levels)?;
                list_array(field, offsets, entries, nulls)?
            }
            DataType::LargeList(field) => {
                let offsets = offsets::<i64>(backend, list, levels)?;
                list_array(field, offsets, entries, nulls)?
            }
            DataType::ListView(field) => {
                let offsets = offsets::<i32>(backend, list, levels)?;
                list_view_array(field, &offsets, entries, nulls)?
            }
            DataType::LargeListView(field) => {
                let offsets = offsets::<i64>(backend, list, levels)?;
                list_view_array(field, &offsets, entries, nulls)?
            }
            DataType::Map(field, sorted) => {
                let offsets = offsets::<i32>(backend, list, levels)?;
                let DataType::Struct(_) = entries.data_type() else {
                    return Err(not_readable(&self.data_type));
                };
                let entries = StructArray::from(entries.to_data());
                let map = MapArray::try_new(Arc::clone(field), offsets, entries, nulls, *sorted)?;
                Arc::new(map)
            }
            DataType::FixedSizeList(field, length) => {
                let offsets = offsets::<i64>(backend, list, levels)?;
                fixed_size_lists(field, *length, &offsets, &entries, nulls)?
            }
            other => return Err(not_readable(other)),
        })
    }
}

fn null_buffer(bits: Vec<u8>, count: usize, valid: usize) -> Option<NullBuffer> {
    let nulls = || NullBuffer::new(BooleanBuffer::new(bits.into(), 0, count));
    (valid < count).then(nulls)
}

fn offsets<O: Offset + OffsetSizeTrait>(
    backend: Detected,
    list: List<u8>,
    levels: &Levels,
) -> Result<OffsetBuffer<O>> {
    let (repetition, definition) = (&levels.repetition[..], &levels.definition[..]);
    let mut offsets = vec![O::default(); definition.len() + 1];
    let written = list.offsets_uninit_with(backend, repetition, definition, &mut offsets[..]);
    let count = written.map_err(not_levels)?.len();
    offsets.truncate(count);
    Ok(OffsetBuffer::new(offsets.into()))
}

fn list_array<O: OffsetSizeTrait>(
    field: &FieldRef,
    offsets: OffsetBuffer<O>,
    entries: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let lists = GenericListArray::try_new(Arc::clone(field), offsets, entries, nulls)?;
    Ok(Arc::new(lists))
}

fn list_view_array<O: OffsetSizeTrait>(
    field: &FieldRef,
    offsets: &OffsetBuffer<O>,
    entries: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let starts = ScalarBuffer::from(offsets[..offsets.len() - 1].to_vec());
    let sizes = offsets.windows(2).map(|pair| pair[1] - pair[0]);
    let sizes: ScalarBuffer<O> = sizes.collect();
    let lists = GenericListViewArray::try_new(Arc::clone(field), starts, sizes, entries, nulls)?;
    Ok(Arc::new(lists))
}

/// Lists of one length. Null ones have no entries in the file, but in Arrow.
fn fixed_size_lists(
    field: &FieldRef,
    length: i32,
    offsets: &OffsetBuffer<i64>,
    entries: &ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let count = offsets.len() - 1;
    let wanted = i64::from(length);
    let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let other = (0..count).find(|row| {
        let found = offsets[*row + 1] - offsets[*row];
        found != if is_null(*row) { 0 } else { wanted }
    });
    if let Some(row) = other {
        return Err(Error::corrupt(format!(
            "a list of {} values where all have {length}",
            offsets[row + 1] - offsets[row]
        )));
    }
    let entries = match &nulls {
        None => Arc::clone(entries),
        Some(_) => {
            // Any entry will do where none may be null.
            let other = (!field.is_nullable() && !entries.is_empty()).then_some(0);
            let mut places = Vec::new();
            for row in 0..count {
                let start = offsets[row];
                let place = |at: i64| match is_null(row) {
                    true => other,
                    false => Some((start + at) as u64),
                };
                places.extend((0..wanted).map(place));
            }
            take(entries, &UInt64Array::from(places), None)?
        }
    };
    let field = Arc::clone(field);
    let lists = FixedSizeListArray::try_new_with_length(field, length, entries, nulls, count)?;
    Ok(Arc::new(lists))
}
