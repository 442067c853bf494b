//! Plans a merge: the files, their columns, and their row groups.

use super::facts::KeyValues;
use super::meaning::{self, Order as Entries};
use super::options::{MergeOptions, Repair};
use super::outcome::Notes;
use super::part::{Input, Part};
use super::schema::{Columns, Layout, Root};
use super::window::Window;
use crate::edits::{Deletes, KeptRows, pairs_with_deleted};
use crate::opened::OpenedFile;
use arrow_schema::DataType;
use bytelane_parquet::budget::{MemoryLimit, RowLimit};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::file::{in_parquet, mend_schema};
use bytelane_parquet::format::{
    ColumnOrder, FileMetaData, KeyValue, RowGroup, SchemaElement, TypeDefinedOrder,
};
use bytelane_parquet::parallel::Workers;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::types::fields::leaves;
use bytelane_parquet::types::written::written_schema;
use bytelane_parquet::{ColumnOptions, Error, Problem, Result, WriterOptions};
use bytes::Bytes;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use parquet::basic::{ColumnOrder as InParquet, SortOrder};
use parquet::file::reader::Length;
use parquet::schema::types::SchemaDescPtr;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Maximum number of column chunks of all inputs whose footers are kept.
const CHUNKS_KEPT: usize = 1 << 16;

/// Maximum number of files that are opened ahead of the work with them.
pub(super) const OPEN_FILES: u64 = 64;

/// Plan of a merge, made before pages are read.
pub(super) struct Plan<'a> {
    pub inputs: Vec<Input<'a>>,
    pub parts: Vec<Part>,
    /// Number of row groups of all inputs.
    pub row_groups: usize,
    /// Number of rows of all inputs that are deleted.
    pub deleted_rows: u64,
    /// Total size of the inputs in bytes.
    pub bytes: u64,
    pub columns: Columns,
    /// Footer of the output without row groups.
    pub footer: FileMetaData,
    /// Leaves of the output.
    pub schema: SchemaDescPtr,
    /// Nesting depth of its columns.
    pub depth: usize,
    /// Parts to add to the outputs.
    pub repair: Option<Repair>,
    /// Set if damaged pages are left out.
    pub is_salvage: bool,
    /// Set if nothing may be left of deleted values in row groups that lose rows, or in all.
    pub scrubs: bool,
    pub scrubs_all: bool,
    /// Set if pages stay as they are, also if new ones would be smaller.
    pub keeps_pages: bool,
    pub row_limit: RowLimit,
    pub memory: MemoryLimit,
    pub workers: Workers,
    /// Row groups of a damaged file that are not sorted as they say.
    pub unsorted: Vec<usize>,
    /// Programs that must be able to read encoded columns.
    pub readers: Readers,
    /// Entries of ordered dictionaries, by column and number of the leaf within it.
    orders: BTreeMap<(usize, usize), Arc<Entries>>,
    compare: Vec<Option<Compare>>,
}

/// Order of a leaf's bounds in the inputs so far.
#[derive(Clone, Debug, PartialEq)]
enum Order {
    Unseen,
    Same(ColumnOrder),
    Unknown,
}

impl<'a> Plan<'a> {
    /// Reads the footers of all inputs.
    pub(super) fn new(
        paths: &[&'a Path],
        options: &MergeOptions,
        notes: &mut Notes,
    ) -> Result<Self> {
        if paths.is_empty() {
            return Err(Problem::Option("name the files to merge".to_owned()).into());
        }
        let edits = &options.edits;
        let mut columns = Columns::new(&edits.rename);
        let deletes = Deletes::new(edits.delete_where.as_ref(), &edits.delete_rows, paths)?;
        let (mut inputs, mut parts): (Vec<Input<'_>>, Vec<Part>) = Default::default();
        let mut orders: Vec<Vec<Order>> = Vec::new();
        let mut pairs = KeyValues::default();
        let mut known = meaning::Known::default();
        let mut created_by = None;
        let (mut bytes, mut depth, mut version) = (0, 0, 1);
        let (mut row_groups, mut chunks, mut all_rows) = (0, 0, 0_u64);
        let columns_kept = options.salvage().and_then(|it| it.columns.as_deref());
        let open = |(number, path): (usize, &'a Path)| {
            let file = Window::open(path, columns_kept)?;
            let kept = match (&deletes, options.salvage()) {
                (Some(deletes), _) => Some(deletes.kept(number, file.reader.clone(), &file.footer)),
                (None, salvage) => salvage.map(|it| Ok(it.rows.clone())),
            };
            let kept = kept.transpose().map_err(|error| error.in_file(path))?;
            let leaks = match &kept {
                Some(kept) if edits.scrub => {
                    let leaks = pairs_with_deleted(file.reader.clone(), &file.footer, kept);
                    leaks.map_err(|error| error.in_file(path))?
                }
                _ => Vec::new(),
            };
            Ok((path, file, kept, leaks))
        };
        type Opening<'a> = (
            &'a Path,
            OpenedFile<Window>,
            Option<Vec<Arc<KeptRows>>>,
            Vec<Bytes>,
        );
        let mut add = |(path, file, kept, leaks): Opening<'a>| {
            let footer = &file.footer;
            bytes += file.reader.len();
            depth = depth.max(file.depth);
            created_by.clone_from(&footer.created_by);
            version = version.max(footer.version);
            row_groups += footer.row_groups.len();
            let fields = known.of(footer, file.depth);
            let layout = columns.add(footer, &fields, path)?;
            pairs.add(footer, path)?;
            pairs.leaks.extend(leaks);
            add_orders(&mut orders, &columns, &layout, footer);
            let is_split = options.split_rows().is_some() || options.file_size().is_some();
            if is_split || deletes.is_some() {
                let checked = file.check_rows(options.row_limit());
                checked.map_err(|error| error.in_file(path))?;
            }
            for (index, row_group) in footer.row_groups.iter().enumerate() {
                all_rows = all_rows.saturating_add(row_group.num_rows.unsigned_abs());
                let kept = kept.as_ref().map(|it| it.get(index).cloned());
                let kept = kept.map(Option::unwrap_or_default);
                let part = part((inputs.len(), index), row_group, kept);
                parts.push(part.map_err(|error| error.in_row_group(index).in_file(path))?);
            }
            let layout = match inputs.last() {
                Some(last) if *last.layout == layout => Arc::clone(&last.layout),
                _ => Arc::new(layout),
            };
            chunks += footer
                .row_groups
                .iter()
                .map(|it| it.columns.len())
                .sum::<usize>();
            let is_kept = chunks <= CHUNKS_KEPT || options.salvage().is_some();
            let closed = is_kept.then(|| file.close());
            let closed = closed.transpose().map_err(|error| error.in_file(path))?;
            inputs.push(Input {
                path,
                layout,
                closed,
            });
            Ok(())
        };
        let workers = Workers::new(options.threads())?;
        let files = paths.iter().enumerate();
        let files = files.map(|(number, path)| (1, (number, *path)));
        workers.in_order((OPEN_FILES, 0), files, open, &mut add, || Ok(()))?;
        parts.retain(|part| part.len() > 0);
        let layouts: Vec<(&Path, &Layout)> =
            inputs.iter().map(|it| (it.path, &*it.layout)).collect();
        columns.check(&layouts)?;
        let edited = columns.edit(edits)?;
        orders = edited.of(&orders, &Vec::new());
        let mut layouts: Vec<(Arc<Layout>, Arc<Layout>)> = Vec::new();
        for input in &mut inputs {
            let known = layouts.last().filter(|(former, _)| *former == input.layout);
            let layout = match known {
                Some((_, layout)) => Arc::clone(layout),
                None => Arc::new(edited.layout(&input.layout)),
            };
            let former = std::mem::replace(&mut input.layout, Arc::clone(&layout));
            layouts.push((former, layout));
        }
        let are_edited = |root: &Root| {
            let name = root.name();
            root.constant.is_some()
                || edits
                    .promote
                    .iter()
                    .any(|(it, _)| edits.new_name(it) == name)
        };
        for (at, root) in columns.roots.iter().enumerate() {
            if root.is_converted {
                let known = ColumnOrder::TypeOrder(TypeDefinedOrder::default());
                orders[at] = vec![Order::Same(known); root.leaves];
                if are_edited(root) {
                    continue;
                }
                notes.add(format!(
                    "column {} was encoded again: its types in the inputs differ",
                    root.name()
                ));
            }
        }
        let is_mended = options.repair().is_some() || options.salvage().is_some();
        // Pages of a file that is repaired stay as they are, and some may be damaged.
        let entries = if is_mended {
            BTreeMap::new()
        } else {
            meaning::orders(&inputs, &mut columns)?
        };
        let orders = orders.concat();
        let own = |order: &Order| match order {
            Order::Same(order) => order.clone(),
            _ => ColumnOrder::TypeOrder(TypeDefinedOrder::default()),
        };
        let rows = parts.iter().map(Part::len).fold(0, u64::saturating_add);
        let mut footer = FileMetaData {
            version,
            schema: columns.schema(),
            num_rows: i64::try_from(rows).map_err(|_| {
                let problem =
                    "its rows, with those of the files before it, are more than a file can have";
                Error::corrupt(problem).in_file(paths[paths.len() - 1])
            })?,
            key_value_metadata: pairs.finish(&columns, rows, edits, notes),
            created_by: match options.repair() {
                // It names the program that wrote and counted the values.
                Some(_) => created_by,
                None => Some(WriterOptions::default().created_by.into()),
            },
            column_orders: Some(orders.iter().map(own).collect()),
            ..Default::default()
        };
        if options.salvage().is_some() {
            mend_names(&mut footer.schema, notes);
            mend_schema(&mut footer.schema).map_err(|error| error.in_file(paths[0]))?;
            if let Some(pairs) = &mut footer.key_value_metadata {
                mend_arrow_schema(pairs, notes);
            }
        }
        let metadata = with_stack(depth, || in_parquet(&footer))?;
        let schema = metadata.file_metadata().schema_descr_ptr();
        let compare = schema
            .columns()
            .iter()
            .zip(&orders)
            .map(|(column, order)| match order {
                Order::Same(_) => {
                    Compare::of(column, InParquet::TYPE_DEFINED_ORDER(SortOrder::SIGNED))
                }
                _ => None,
            });
        let compare: Vec<Option<Compare>> = compare.collect();
        if let Some(at) = orders.iter().position(|order| *order == Order::Unknown) {
            let column = schema.columns().get(at).map(|it| it.path().string());
            notes.add(format!(
                "bounds of some columns, such as {}, were left out: not all inputs say how they are ordered",
                column.unwrap_or_default()
            ));
        }
        Ok(Self {
            inputs,
            parts,
            row_groups,
            deleted_rows: deletes.map_or(0, |_| all_rows.saturating_sub(rows)),
            bytes,
            columns,
            footer,
            schema,
            depth,
            repair: options.repair().cloned(),
            is_salvage: options.salvage().is_some(),
            scrubs: edits.scrub,
            scrubs_all: edits.scrub && !edits.deletes_rows(),
            keeps_pages: options.keeps_pages(),
            row_limit: options.row_limit(),
            memory: options.memory(),
            workers,
            unsorted: options
                .salvage()
                .map_or_else(Vec::new, |it| it.unsorted.clone()),
            readers: options.readers.clone(),
            orders: entries,
            compare,
        })
    }

    /// Returns the entries of a leaf's dictionary, if their order is part of its type.
    pub(super) fn order(&self, root: usize, number: usize) -> Option<&Entries> {
        self.orders.get(&(root, number)).map(|it| &**it)
    }

    /// Returns how the leaves of a column are written, if they are encoded.
    pub(super) fn column_options(&self, root: usize) -> BTreeMap<String, ColumnOptions> {
        let column = &self.columns.roots[root];
        let first = self.columns.first_leaf(root);
        let fields = column.field.iter().flat_map(leaves).enumerate();
        let options = fields.map(|(number, field)| {
            let leaf = &self.schema.columns()[first + number];
            let order = self.order(root, number);
            let mut options = ColumnOptions::default();
            options.as_dictionary = matches!(field.data_type(), DataType::Dictionary(..));
            options.entries = order.map(|it| (it.bytes.clone(), it.count));
            (leaf.path().string(), options)
        });
        options.collect()
    }

    /// Returns the order of a leaf's bounds, if it is known and the same in all inputs.
    pub(super) fn compare(&self, leaf: usize) -> Option<Compare> {
        self.compare.get(leaf).copied().flatten()
    }
}

/// Replaces bytes of names that are not UTF-8, which some readers refuse.
fn mend_names(schema: &mut [SchemaElement], notes: &mut Notes) {
    for element in schema {
        if let Cow::Owned(name) = String::from_utf8_lossy(&element.name) {
            notes.add(format!(
                "the name of column {name} is damaged: it was not UTF-8"
            ));
            element.name = name.into();
        }
    }
}

/// Encodes the Arrow schema of a damaged file again, so that all readers can decode it, or leaves it out.
fn mend_arrow_schema(pairs: &mut Vec<KeyValue>, notes: &mut Notes) {
    pairs.retain_mut(|pair| {
        if pair.key != ARROW_SCHEMA_META_KEY {
            return true;
        }
        let value = pair.value.as_deref().unwrap_or_default();
        match written_schema(&String::from_utf8_lossy(value)) {
            Ok(schema) => pair.value = Some(encode_arrow_schema(&schema).into()),
            Err(_) => {
                notes.add("the Arrow schema was left out: it is damaged");
                return false;
            }
        }
        true
    });
}

/// Returns the rows of a row group that are kept: all if `kept` is `None`.
fn part(
    (input, index): (usize, usize),
    row_group: &RowGroup,
    kept: Option<Arc<KeptRows>>,
) -> Result<Part> {
    let rows = u64::try_from(row_group.num_rows)
        .map_err(|_| Error::corrupt("a row group with a negative number of rows"))?;
    let rows = kept.as_ref().map_or(rows, |kept| kept.len());
    let mut bytes = 0_u64;
    for chunk in &row_group.columns {
        let size = chunk.decode()?.meta_data.total_compressed_size;
        bytes = bytes.saturating_add(u64::try_from(size).unwrap_or(0));
    }
    Ok(Part {
        input,
        row_group: index,
        rows: 0..rows,
        kept,
        bytes,
    })
}

/// Adds the orders of a file's bounds.
fn add_orders(
    orders: &mut Vec<Vec<Order>>,
    columns: &Columns,
    layout: &Layout,
    footer: &FileMetaData,
) {
    for (at, root) in columns.roots.iter().enumerate() {
        if orders.len() == at {
            orders.push(vec![Order::Unseen; root.leaves]);
        }
        let Some(place) = columns.place(layout, at) else {
            continue;
        };
        // Another type replaces the null type.
        orders[at].resize(root.leaves, Order::Unseen);
        if root.is_converted {
            continue;
        }
        for (leaf, order) in orders[at].iter_mut().enumerate() {
            let all = footer.column_orders.as_ref();
            let known = all.and_then(|all| all.get(place.leaf + leaf));
            let known = known.filter(|it| !matches!(it, ColumnOrder::Unknown(_)));
            *order = match (&*order, known) {
                (Order::Unseen, Some(known)) => Order::Same(known.clone()),
                (Order::Same(same), Some(known)) if same == known => continue,
                _ => Order::Unknown,
            };
        }
    }
}
