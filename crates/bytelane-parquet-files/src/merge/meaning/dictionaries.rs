//! Reads the dictionaries of the inputs' Arrow dictionaries: their keys must suffice for the entries of a whole output,
//! and the entries of ordered ones must keep their order.

use super::Known;
use crate::merge::join::{Dictionary, entries_of};
use crate::merge::part::Input;
use crate::merge::schema::Columns;
use crate::merge::window::Window;
use crate::opened::OpenedFile;
use arrow_schema::{DataType, Field, FieldRef};
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::chunk::{stored_dictionary, stored_range};
use bytelane_parquet::format::{ColumnChunk, Encoding, PageType};
use bytelane_parquet::types::fields::{children, leaves, with_children};
use bytelane_parquet::types::physical;
use bytelane_parquet::types::unite::{
    categories, is_enum, is_ordered, is_stored_alike, united_order, wide_enough,
};
use bytelane_parquet::{Error, Problem, Result};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescriptor;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Number of entries from which on 32-bit keys are needed in any case.
const MANY: usize = 1 << 17;

/// Entries of an ordered dictionary, PLAIN-encoded.
#[derive(Debug)]
pub(in crate::merge) struct Order {
    pub bytes: Bytes,
    pub count: usize,
}

/// Dictionaries of a leaf of the output in all inputs.
struct Leaf {
    root: usize,
    number: usize,
    /// Its type in the output.
    data_type: DataType,
    /// Physical type of its entries in all inputs so far, and their width.
    stored: Option<(Type, Option<usize>)>,
    is_ordered: bool,
    /// Distinct entries.
    distinct: Option<Dictionary>,
    /// Upper limit of the number of values that are not among them.
    others: u64,
    /// Entries in an order that all inputs agree with, and the first file that has some.
    order: Option<(Vec<Bytes>, std::path::PathBuf)>,
    /// Set if the inputs do not agree with each other, or an order is not known.
    is_unordered: bool,
}

/// Widens the keys of dictionaries whose entries in all inputs need it. Returns the entries of ordered dictionaries, by
/// column and number of the leaf within it.
pub(in crate::merge) fn orders(
    inputs: &[Input<'_>],
    columns: &mut Columns,
) -> Result<BTreeMap<(usize, usize), Arc<Order>>> {
    let mut orders = orders_of_enums(columns);
    let mut wanted = wanted(columns);
    if wanted.is_empty() {
        return Ok(orders);
    }
    let mut known = Known::default();
    for input in inputs {
        let file = input.open()?;
        let in_file = file.schema().map_err(|error| error.in_file(input.path))?;
        let fields = columns.renamed_fields(&known.of(&file.footer, file.depth));
        let fields = fields.by_name();
        for leaf in &mut wanted {
            let Some(place) = columns.place(&input.layout, leaf.root) else {
                continue;
            };
            let root = &columns.roots[leaf.root];
            // Without types of its own, a file has those of the output.
            let own = fields.get(&root.elements[0].name[..]).copied();
            let twin = root.field.as_ref().zip(own.or(root.field.as_ref()));
            let twin = twin.and_then(|(field, own)| twin_of(field, own, leaf.number));
            let Some((number, own)) = twin else {
                continue; // The file lacks the member.
            };
            if *own.data_type() == DataType::Null {
                continue;
            }
            let at = place.leaf + number;
            let column = in_file.columns().get(at).filter(|_| number < place.leaves);
            let is_alike = is_stored_alike(own.data_type(), &leaf.data_type);
            for (index, row_group) in file.footer.row_groups.iter().enumerate() {
                let chunk = row_group.columns.get(at).map(|it| it.decode()).transpose();
                let added = chunk.and_then(|chunk| {
                    let (Some(column), Some(chunk)) = (column, chunk) else {
                        leaf.others = leaf.others.saturating_add(MANY as u64);
                        return Ok(());
                    };
                    let is_joined = inputs.len() > 1;
                    leaf.add(&file, &chunk, (column, is_alike), input.path, is_joined)
                });
                let located = |error: Error| {
                    let error = error.in_column(root.name()).in_row_group(index);
                    error.in_file(input.path)
                };
                added.map_err(located)?;
            }
        }
    }
    for leaf in wanted {
        let entries = leaf.entries();
        let root = &mut columns.roots[leaf.root];
        if let Some(field) = &root.field {
            let widened = with_leaf(field, &mut leaf.number.clone(), &|leaf| {
                widened(leaf, entries)
            });
            columns.changed |= widened != *field;
            root.field = Some(widened);
        }
        if let Some((order, _)) = leaf.order.filter(|_| !leaf.is_unordered) {
            let count = order.len();
            let bytes = Bytes::from(order.concat());
            orders.insert((leaf.root, leaf.number), Arc::new(Order { bytes, count }));
        }
    }
    Ok(orders)
}

/// Returns the categories of Polars' Enums. They are part of their types, and all dictionaries of a file begin with them.
fn orders_of_enums(columns: &Columns) -> BTreeMap<(usize, usize), Arc<Order>> {
    let mut orders = BTreeMap::new();
    for (root, column) in columns.roots.iter().enumerate() {
        let fields = column.field.iter().flat_map(leaves);
        for (number, field) in fields.enumerate() {
            let DataType::Dictionary(_, values) = field.data_type() else {
                continue;
            };
            if !is_ordered(field) || !values.is_string() {
                continue;
            }
            if let Some(categories) = categories(field) {
                let mut bytes = Vec::new();
                for category in &categories {
                    bytes.extend((category.len() as u32).to_le_bytes());
                    bytes.extend(category.as_bytes());
                }
                let (bytes, count) = (bytes.into(), categories.len());
                orders.insert((root, number), Arc::new(Order { bytes, count }));
            }
        }
    }
    orders
}

/// Returns the leaves whose dictionaries matter.
fn wanted(columns: &Columns) -> Vec<Leaf> {
    let mut wanted = Vec::new();
    for (root, column) in columns.roots.iter().enumerate() {
        let fields = column.field.iter().flat_map(leaves);
        for (number, field) in fields.enumerate() {
            let DataType::Dictionary(keys, _) = field.data_type() else {
                continue;
            };
            let is_narrow = keys.primitive_width().is_some_and(|width| width <= 2);
            let is_ordered = is_ordered(field);
            if !is_enum(field) && (is_narrow || is_ordered) {
                wanted.push(Leaf {
                    root,
                    number,
                    data_type: field.data_type().clone(),
                    stored: None,
                    is_ordered,
                    distinct: None,
                    others: 0,
                    order: None,
                    is_unordered: false,
                });
            }
        }
    }
    wanted
}

impl Leaf {
    /// Returns an upper limit of the number of entries of all inputs.
    fn entries(&self) -> usize {
        let distinct = self.distinct.as_ref().map_or(0, Dictionary::len);
        distinct.saturating_add(usize::try_from(self.others).unwrap_or(usize::MAX))
    }

    /// Adds the dictionary of a chunk.
    fn add(
        &mut self,
        file: &OpenedFile<Window>,
        chunk: &ColumnChunk,
        (column, is_alike): (&ColumnDescriptor, bool),
        path: &Path,
        is_joined: bool,
    ) -> Result<()> {
        let metadata = &chunk.meta_data;
        let values = u64::try_from(metadata.num_values).unwrap_or(0);
        if values == 0 {
            return Ok(());
        }
        let statistics = metadata.statistics.as_ref();
        let statistics = statistics.map(|it| it.decode()).transpose()?;
        let nulls = statistics.and_then(|it| it.null_count).unwrap_or(0);
        // A chunk of nulls may have a dictionary of unused entries.
        let values = values.saturating_sub(u64::try_from(nulls).unwrap_or(0));
        let range = stored_range(chunk, file.reader.len())?;
        let memory = MemoryLimit::default();
        let dictionary = stored_dictionary(&file.reader, metadata, range, column, memory)?;
        if values > 0 && (dictionary.is_none() || has_other_pages(chunk)?) {
            self.others = self.others.saturating_add(values);
            if self.is_ordered && is_joined {
                return Err(not_in_dictionary());
            }
            self.is_unordered = true;
        }
        let Some((bytes, count)) = dictionary else {
            return Ok(());
        };
        let width = match column.physical_type() {
            Type::BYTE_ARRAY => None,
            _ => physical::width(column),
        };
        let stored = (column.physical_type(), width);
        if !is_alike || *self.stored.get_or_insert(stored) != stored {
            // The bytes of these entries are no entries of the output.
            self.others = self.others.saturating_add(count as u64);
            if self.is_ordered && count > 0 {
                return Err(of_other_types());
            }
            return Ok(());
        }
        if self.is_ordered {
            let entries = entries_of(width, &bytes, count)?;
            self.add_order(entries, path, is_joined)?;
        }
        if self.entries() < MANY {
            let distinct = self.distinct.get_or_insert_with(|| Dictionary::new(width));
            distinct.add(&bytes, count, u32::MAX as usize)?;
        }
        Ok(())
    }

    fn add_order(&mut self, entries: Vec<Bytes>, path: &Path, is_joined: bool) -> Result<()> {
        let Some((own, first)) = &mut self.order else {
            self.order = Some((entries, path.to_owned()));
            return Ok(());
        };
        match united_order(own, &entries) {
            Some(united) => *own = united,
            None if is_joined => {
                let problem = format!(
                    "cannot be merged: the categories of its ordered dictionary have another order than in {}; give them one order before",
                    first.display()
                );
                return Err(Problem::Input(problem).into());
            }
            None => self.is_unordered = true,
        }
        Ok(())
    }
}

fn of_other_types() -> Error {
    let problem = "cannot be merged: it is an ordered dictionary, but the types of its categories differ between the files; give them one type before";
    Problem::Input(problem.to_owned()).into()
}

fn not_in_dictionary() -> Error {
    let problem = "cannot be merged: it is an ordered dictionary, but some of its pages do not use a dictionary, so the order of its categories is not known";
    Problem::Input(problem.to_owned()).into()
}

/// Returns whether some values of a chunk with a dictionary may be stored without it.
fn has_other_pages(chunk: &ColumnChunk) -> Result<bool> {
    let metadata = &chunk.meta_data;
    let of_indices = |encoding: &Encoding| {
        matches!(
            encoding,
            Encoding::RleDictionary | Encoding::PlainDictionary
        )
    };
    if let Some(counts) = &metadata.encoding_stats {
        let counts = counts.decode()?;
        let mut data = counts
            .iter()
            .filter(|it| it.page_type != PageType::DictionaryPage);
        return Ok(data.any(|it| !of_indices(&it.encoding) && it.count > 0));
    }
    // PLAIN may also be the encoding of the dictionary.
    let known = [Encoding::Rle, Encoding::BitPacked];
    let encodings = metadata.encodings.decode()?;
    Ok(!encodings
        .iter()
        .all(|it| of_indices(it) || known.contains(it)))
}

fn widened(leaf: &Field, entries: usize) -> DataType {
    match leaf.data_type() {
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(Box::new(wide_enough(keys, entries)), values.clone())
        }
        other => other.clone(),
    }
}

/// Returns the number and the field of the leaf of `own` that becomes leaf `number` of the united field. Members of structs
/// are found by name, and the entries of maps by position.
fn twin_of<'a>(
    united: &FieldRef,
    own: &'a FieldRef,
    number: usize,
) -> Option<(usize, &'a FieldRef)> {
    if let (DataType::Map(united, _), DataType::Map(own, _)) = (united.data_type(), own.data_type())
    {
        return twin_within(united, own, number, false);
    }
    let by_name = matches!(united.data_type(), DataType::Struct(_));
    twin_within(united, own, number, by_name)
}

fn twin_within<'a>(
    united: &FieldRef,
    own: &'a FieldRef,
    mut number: usize,
    by_name: bool,
) -> Option<(usize, &'a FieldRef)> {
    let (members, own_members) = (children(united.data_type()), children(own.data_type()));
    if own_members.is_empty() {
        // A leaf, or nulls without a type.
        let is_leaf = members.is_empty() || *own.data_type() == DataType::Null;
        return is_leaf.then_some((0, own));
    }
    for (position, member) in members.into_iter().enumerate() {
        let count = leaves(member).len();
        if number >= count {
            number -= count;
            continue;
        }
        let is_twin = |(at, it): &(usize, &&FieldRef)| match by_name {
            true => it.name() == member.name(),
            false => *at == position,
        };
        let (at, twin) = own_members.iter().enumerate().find(is_twin)?;
        let first: usize = own_members[..at].iter().map(|it| leaves(it).len()).sum();
        let (number, leaf) = twin_of(member, twin, number)?;
        return Some((first + number, leaf));
    }
    None
}

/// Replaces the type of a leaf; `number` is counted down.
fn with_leaf(
    field: &FieldRef,
    number: &mut usize,
    change: &impl Fn(&Field) -> DataType,
) -> FieldRef {
    if !children(field.data_type()).is_empty() {
        return with_children(field, &mut |child| with_leaf(child, number, change));
    }
    let is_it = *number == 0;
    *number = number.wrapping_sub(1);
    if is_it {
        Arc::new(Field::clone(field).with_data_type(change(field)))
    } else {
        Arc::clone(field)
    }
}
