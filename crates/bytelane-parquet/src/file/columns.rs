//! Decodes the parts of a footer that concern some columns of a file.

use super::schema::depth_of_schema;
use crate::catch_panic::catch_panic;
use crate::format::{
    self, Encoded, FileMetaData, FileView, KeyValue, KeyValueView, NodeView, Placed, RowGroup,
    RowGroupView, SchemaElement, SortingColumn,
};
use crate::options::roots_of;
use crate::types::written::written_message;
use crate::{Error, Result};
use arrow_ipc::root_as_message;
use arrow_schema::{Field, Schema};
use bytes::Bytes;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Element of the schema, and its bytes.
type Node<'a> = Placed<NodeView<'a>>;

/// Selected top-level columns of a schema.
#[derive(Default)]
struct Roots {
    /// Positions among all top-level columns.
    positions: Vec<usize>,
    /// Ranges of schema elements: the columns, and the elements within them.
    elements: Vec<Range<usize>>,
    leaves: Vec<usize>,
    /// Number of all top-level columns, and of all leaves.
    position_count: usize,
    leaf_count: usize,
}

/// Returns a footer with the top-level columns that contain these paths, and their nesting depth.
/// Returns `None` if the footer does not follow the format, or if no column is found.
pub(super) fn of_columns(footer: &Bytes, paths: &[&str]) -> Option<(FileMetaData, usize)> {
    let view: FileView<'_, Node<'_>> = format::view(footer)?;
    let roots = Roots::find(&view.schema, paths)?;
    if !view.unknown_fields.is_empty() || roots.positions.is_empty() {
        return None;
    }
    let nodes = roots
        .elements
        .iter()
        .flat_map(|it| &view.schema[it.clone()]);
    let nodes = view.schema.first().into_iter().chain(nodes);
    let schema = nodes.map(|node| format::decode_part(&footer[node.range.clone()]));
    let mut schema: Vec<SchemaElement> = schema.collect::<Result<_>>().ok()?;
    schema.first_mut()?.num_children = i32::try_from(roots.positions.len()).ok();
    let row_groups = view.row_groups.value.into_iter();
    let row_groups = row_groups.map(|row_group| row_group.of_leaves(&roots, footer));
    let pairs = view.key_value_metadata;
    let pairs = pairs.map(|pairs| pairs.iter().map(|it| pair(it, &roots)).collect());
    let orders = match view.column_orders {
        None => None,
        Some(orders) if orders.len() != roots.leaf_count => return None,
        Some(orders) => {
            let orders = roots.leaves.iter().map(|leaf| orders[*leaf].decode(footer));
            Some(orders.collect::<Result<_>>().ok()?)
        }
    };
    let depth = depth_of_schema(&schema).ok()?;
    let file = FileMetaData {
        version: view.version,
        schema,
        num_rows: view.num_rows,
        row_groups: row_groups.collect::<Option<_>>()?,
        key_value_metadata: pairs,
        created_by: view
            .created_by
            .map(|it| Bytes::copy_from_slice(it.as_bytes())),
        column_orders: orders,
        ..Default::default()
    };
    Some((file, depth))
}

impl Roots {
    /// Finds the top-level columns that contain these paths. Returns `None` if the schema is
    /// damaged.
    fn find(schema: &[Node<'_>], paths: &[&str]) -> Option<Self> {
        let names = paths.iter().flat_map(|path| roots_of(path));
        let names = names.map(str::as_bytes);
        let names: HashSet<&[u8], ahash::RandomState> = names.collect();
        let children = |node: &Node<'_>| usize::try_from(node.value.num_children.unwrap_or(0)).ok();
        let mut roots = Self {
            position_count: children(schema.first()?)?,
            ..Self::default()
        };
        let mut end = 1;
        for position in 0..roots.position_count {
            let start = end;
            let is_wanted = names.contains(schema.get(start)?.value.name);
            let mut left = 1_usize;
            while left > 0 {
                let node = schema.get(end)?;
                let within = children(node)?;
                left = (left - 1).checked_add(within)?;
                if within == 0 && node.value.physical_type.is_some() {
                    roots.leaves.extend(is_wanted.then_some(roots.leaf_count));
                    roots.leaf_count += 1;
                }
                end += 1;
            }
            if is_wanted {
                roots.positions.push(position);
                roots.elements.push(start..end);
            }
        }
        (end == schema.len()).then_some(roots)
    }
}

impl RowGroupView {
    fn of_leaves(self, roots: &Roots, footer: &Bytes) -> Option<RowGroup> {
        if self.columns.len() != roots.leaf_count {
            return None;
        }
        let columns = roots.leaves.iter().map(|leaf| {
            let chunk = self.columns[*leaf].bytes(footer);
            Encoded::of_bytes(footer.slice_ref(chunk))
        });
        let sorted = |it: &SortingColumn| {
            let leaf = usize::try_from(it.column_idx).ok()?;
            let place = roots.leaves.binary_search(&leaf).ok()?;
            Some(SortingColumn {
                column_idx: i32::try_from(place).ok()?,
                ..it.clone()
            })
        };
        // Rows are sorted by the first columns only, so that sorting columns after a missing one do
        // not apply.
        let sorting = self.sorting_columns.as_ref();
        let sorting = sorting.map(|it| it.iter().map_while(sorted).collect());
        Some(RowGroup {
            columns: columns.collect(),
            total_byte_size: self.total_byte_size,
            num_rows: self.num_rows,
            sorting_columns: sorting,
            file_offset: self.file_offset,
            total_compressed_size: self.total_compressed_size,
            ordinal: self.ordinal,
            unknown_fields: self.unknown_fields,
        })
    }
}

/// Returns a key-value pair of the file. Restricts an Arrow schema to the wanted columns.
fn pair(pair: &KeyValueView<'_>, roots: &Roots) -> KeyValue {
    let arrow = |value| of_arrow_schema(value, roots).ok();
    let value = match pair.value {
        Some(value) if pair.key == ARROW_SCHEMA_META_KEY => {
            Some(arrow(value).unwrap_or_else(|| value.to_owned()))
        }
        value => value.map(str::to_owned),
    };
    KeyValue {
        key: Bytes::copy_from_slice(pair.key.as_bytes()),
        value: value.map(Bytes::from),
        unknown_fields: pair.unknown_fields.clone(),
    }
}

/// Restricts an encoded Arrow schema to the wanted columns. Returns an error if it does not fit the
/// file's columns.
fn of_arrow_schema(encoded: &str, roots: &Roots) -> Result<String> {
    let odd = || Error::corrupt("the Arrow schema is damaged");
    let message = written_message(encoded)?;
    let message = root_as_message(&message).map_err(|_| odd())?;
    let schema = message.header_as_schema().ok_or_else(odd)?;
    let fields = schema.fields().ok_or_else(odd)?;
    if fields.len() != roots.position_count {
        return Err(odd());
    }
    let fields = roots.positions.iter().map(|position| {
        // The conversion panics if the message is damaged.
        catch_panic(|| Ok(Field::from(fields.get(*position))))
    });
    let fields = fields.collect::<Result<Vec<_>>>()?;
    let pairs = schema.custom_metadata().into_iter().flatten();
    let pairs = pairs.filter_map(|it| Some((it.key()?.to_owned(), it.value()?.to_owned())));
    let pairs: HashMap<_, _> = pairs.collect();
    Ok(encode_arrow_schema(&Schema::new_with_metadata(
        fields, pairs,
    )))
}
