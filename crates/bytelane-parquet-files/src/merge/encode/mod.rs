//! Re-encodes columns whose dictionaries cannot be joined.

mod numbers;

use super::input::RowGroup;
use super::join::Input;
use super::join::codec::{like, target};
use super::leaf::Leaf;
use super::plan::Plan;
use super::schema::Place;
use super::window::Window;
use crate::opened::OpenedFile;
use crate::rewrite::encode::{Encoded, encode_arrays};
use crate::rewrite::source::{Column, Read, Source};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_cast::cast;
use arrow_schema::{DataType, FieldRef};
use arrow_select::concat::concat;
use arrow_select::dictionary::garbage_collect_any_dictionary;
use bytelane_parquet::budget::{Budget, MemoryLimit, extent, has_room_for};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::choice::Learned;
use bytelane_parquet::chunk::{Chunk, stored_range};
use bytelane_parquet::format::{self, CompressionCodec, FileMetaData, SchemaElement};
use bytelane_parquet::types::fields::leaves;
use bytelane_parquet::types::unite::is_ordered;
use bytelane_parquet::{DataPageVersion, Encodings, Error, Problem, Result, WriterOptions};
use parquet::basic::Compression;
use parquet::file::properties::BloomFilterProperties;
use parquet::file::reader::Length;

/// Re-encodes a column of the output.
pub(super) struct Encoding<'a> {
    pub groups: &'a [RowGroup],
    pub plan: &'a Plan<'a>,
    pub root: usize,
    /// Chunks of the column's leaves in all row groups.
    pub inputs: &'a [Vec<Input>],
    /// Set if no dictionary is tried, because the joined one would be too large.
    pub without_dictionaries: bool,
    /// Set if nothing of deleted values may be left: dictionaries have only the entries that are used, and Bloom filters are made
    /// again.
    pub scrubs: bool,
}

impl Encoding<'_> {
    /// Returns the re-encoded chunks and their compression; `None` if the values exceed the memory limit.
    pub(super) fn chunks(
        &self,
        learned: &mut Learned,
    ) -> Result<Option<(Vec<Chunk>, Compression)>> {
        let Some((group, place)) = self
            .groups
            .iter()
            .find_map(|group| Some((group, self.place(group)?)))
        else {
            return Ok(None);
        };
        let elements = &self.plan.columns.roots[self.root].elements;
        let source = if self.plan.columns.is_widened {
            let output = alone(&self.plan.footer, elements);
            Source::new(OpenedFile {
                reader: group.file.reader.clone(),
                footer: output.into(),
                depth: self.plan.depth,
            })?
        } else {
            source_of(group, place)?
        };
        let like = &source.roots[0];
        let Ok(read) = like.read() else {
            return Ok(None);
        };
        let data_type = read.arrow.fields()[0].data_type();
        let Some(mut arrays) = self.arrays(data_type)? else {
            return Ok(None);
        };
        if self.scrubs {
            arrays = without_unused(arrays, &read.arrow.fields()[0])?;
        }
        let codec = target(self.leaves().map(Leaf::metadata), true)?;
        let Some(compression) = self.compression(codec)? else {
            return Ok(None);
        };
        let mut options = WriterOptions::default()
            .with_compression(compression)
            .with_data_page_version(self.version())
            .with_readers(self.plan.readers.clone());
        options.columns = self.plan.column_options(self.root);
        if self.scrubs {
            self.renew_filters(&mut options);
        }
        if self.without_dictionaries {
            let encodings = options.encodings.iter();
            let others =
                encodings.filter(|encoding| *encoding != bytelane_parquet::Encoding::Dictionary);
            let others = Encodings::only(others);
            options = options.with_encodings(others);
        }
        match encode_arrays(like, &read.arrow, arrays, options, learned)? {
            Encoded::Chunks(chunks) => Ok(Some((chunks, compression))),
            Encoded::Obstacle(_) => Ok(None),
        }
    }

    /// Requests new Bloom filters for leaves that have some, and dictionaries without entries that nobody uses.
    fn renew_filters(&self, options: &mut WriterOptions) {
        let first = self.plan.columns.first_leaf(self.root);
        for (number, inputs) in self.inputs.iter().enumerate() {
            let path = self.plan.schema.columns()[first + number].path().string();
            let has_filter = |input: &Input| match input {
                Input::Leaf(leaf) => leaf.bloom_filter.is_some(),
                Input::Missing(_) => false,
            };
            let own = options.columns.entry(path).or_default();
            own.entries = None;
            if inputs.iter().any(has_filter) {
                own.bloom_filter = Some(BloomFilterProperties::default());
            }
        }
    }

    fn place(&self, group: &RowGroup) -> Option<Place> {
        self.plan.columns.place(&group.layout, self.root)
    }

    fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        let leaves = self.inputs.iter().flatten();
        leaves.filter_map(|input| match input {
            Input::Leaf(leaf) => Some(&**leaf),
            Input::Missing(_) => None,
        })
    }

    /// Returns a codec with about the level of the first chunk of the first leaf that has it.
    fn compression(&self, codec: CompressionCodec) -> Result<Option<Compression>> {
        let placed = |group| Some((group, self.place(group)?));
        let chunks = self.groups.iter().filter_map(placed);
        let chunks = chunks.filter_map(|(group, place)| {
            let columns = &group.file.footer.row_groups[group.index].columns;
            Some(columns.get(place.leaf)?.decode().map(|it| (group, it)))
        });
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        like(
            codec,
            self.plan.memory,
            chunks
                .iter()
                .map(|(group, chunk)| (&group.file.reader, chunk)),
        )
    }

    /// Returns the version of new pages.
    fn version(&self) -> DataPageVersion {
        let has_two = self
            .leaves()
            .flat_map(Leaf::data_pages)
            .any(|page| page.version() == DataPageVersion::V2);
        if has_two {
            DataPageVersion::V2
        } else {
            DataPageVersion::V1
        }
    }

    /// Returns the values of all row groups; `None` if they exceed the memory limit.
    fn arrays(&self, data_type: &DataType) -> Result<Option<Vec<ArrayRef>>> {
        if let [inputs] = self.inputs {
            let leaf = self.plan.columns.first_leaf(self.root);
            let column = &self.plan.schema.columns()[leaf];
            let memory = self.plan.memory;
            let numbers = numbers::array(self.groups, inputs, column, data_type, memory)?;
            if let Some(numbers) = numbers {
                return Ok(Some(vec![numbers]));
            }
        }
        let bytes = self.leaves().map(|leaf| leaf.chunk.bytes()).sum();
        let limit = self.plan.memory.of_column(bytes);
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for group in self.groups {
            let Some(place) = self.place(group) else {
                arrays.push(new_null_array(data_type, group.rows as usize));
                continue;
            };
            match catch_panic(|| arrays_of(group, place, self.plan.memory, limit)) {
                Ok(values) => {
                    let element = group.file.footer.schema.get(place.element);
                    let name = element.map(|it| String::from_utf8_lossy(&it.name));
                    let name = name.unwrap_or_default();
                    for values in values {
                        let values = self.plan.columns.renamed(&values, &name)?;
                        // Required members of nested columns may have become optional.
                        if values.data_type() == data_type {
                            arrays.push(values);
                        } else {
                            arrays.push(cast(&values, data_type)?);
                        }
                    }
                }
                Err(error) if error.is_of_memory() || error.is_obstacle() => return Ok(None),
                Err(error) => return Err(group.located(error)),
            }
        }
        Ok(Some(arrays))
    }
}

/// Returns a reader for a column of a row group. It has no other columns and row groups, because there is one for
/// each column.
fn source_of(group: &RowGroup, place: Place) -> Result<Source<Window>> {
    let open = || {
        let footer = &group.file.footer;
        let differ = || Error::corrupt("the footer describes columns that differ from its schema");
        let own = subtree(&footer.schema, place.element);
        let own = own.ok_or_else(differ)?;
        let described = &footer.row_groups[group.index];
        let columns = described.columns.get(place.leaf..place.leaf + place.leaves);
        let footer = FileMetaData {
            row_groups: vec![format::RowGroup {
                columns: columns.ok_or_else(differ)?.to_vec(),
                num_rows: described.num_rows,
                ..Default::default()
            }],
            num_rows: described.num_rows,
            ..alone(footer, own)
        };
        Source::new(OpenedFile {
            footer: footer.into(),
            ..group.file.clone()
        })
    };
    open().map_err(|error| group.located(error))
}

/// Returns an element of a schema with all elements within it.
fn subtree(schema: &[SchemaElement], start: usize) -> Option<&[SchemaElement]> {
    let (mut left, mut end) = (1_usize, start);
    while left > 0 {
        let children = schema.get(end)?.num_children.unwrap_or(0);
        left = (left - 1).checked_add(usize::try_from(children).unwrap_or(0))?;
        end += 1;
    }
    schema.get(start..end)
}

/// Returns a footer with the elements of one column, and no row groups.
fn alone(footer: &FileMetaData, elements: &[SchemaElement]) -> FileMetaData {
    let root = footer.schema.first().cloned().unwrap_or_default();
    let root = SchemaElement {
        num_children: Some(1),
        ..root
    };
    FileMetaData {
        version: footer.version,
        schema: [&[root], elements].concat(),
        created_by: footer.created_by.clone(),
        ..Default::default()
    }
}

/// Returns the values of a column of a row group.
fn arrays_of(
    group: &RowGroup,
    place: Place,
    memory: MemoryLimit,
    limit: u64,
) -> Result<Vec<ArrayRef>> {
    let source = source_of(group, place)?;
    let own = &source.roots[0];
    let row_group = source.row_group(0)?;
    let part = source.part(&row_group, own)?;
    // A few bytes can claim any number of nulls: decoding them until they exceed the limit takes long.
    if group.part.is_none() && !part.described.iter().all(|it| has_room_for(limit, it)) {
        return Err(Problem::MemoryLimit { limit }.into());
    }
    let ranges = part.chunks.iter();
    let ranges = ranges.map(|chunk| stored_range(chunk, group.file.reader.len()));
    let ranges = ranges.collect::<Result<Vec<_>>>()?;
    let column = Column {
        row_group: &row_group,
        root: own,
        part: &part,
        ranges: &ranges,
    };
    let read = own.read().as_ref();
    let read = read.map_err(|why| Error::corrupt(why.clone()))?;
    selected(&source, column, read, (memory, limit), group)
}

/// Returns the values of a column of a row group, or of its selected rows.
fn selected(
    source: &Source<Window>,
    column: Column<'_>,
    read: &Read,
    (memory, limit): (MemoryLimit, u64),
    group: &RowGroup,
) -> Result<Vec<ArrayRef>> {
    let Some(wanted) = &group.part else {
        return source.arrays(column, read, memory, limit, None);
    };
    let used = Budget::new(limit).reservation();
    let (mut arrays, mut at) = (Vec::new(), 0);
    for array in source.rows(column, read, None, memory, column.batch_rows())? {
        let array = array?;
        let end = at + array.len() as u64;
        let first = wanted.partition_point(|rows| rows.end <= at);
        let within = wanted[first..].iter().take_while(|rows| rows.start < end);
        for rows in within {
            let rows = rows.start.max(at)..rows.end.min(end);
            let array = array.slice((rows.start - at) as usize, (rows.end - rows.start) as usize);
            used.add(extent(&array))?;
            arrays.push(array);
        }
        at = end;
        if wanted.last().is_none_or(|last| last.end <= at) {
            break;
        }
    }
    Ok(arrays)
}

/// Returns the values with dictionaries that have only the entries that are used, in their order.
fn without_unused(arrays: Vec<ArrayRef>, field: &FieldRef) -> Result<Vec<ArrayRef>> {
    let is_dictionary = |array: &ArrayRef| array.as_any_dictionary_opt().is_some();
    if !arrays.first().is_some_and(is_dictionary) {
        let mut leaves = leaves(field).into_iter();
        if leaves.any(|it| is_ordered(it)) {
            let problem = "scrubbing an ordered dictionary within a list, map or struct";
            return Err(Problem::Unsupported(problem.to_owned()).into());
        }
        return Ok(arrays);
    }
    let all: Vec<&dyn Array> = arrays.iter().map(|array| &**array).collect();
    let all = concat(&all)?;
    let pruned = garbage_collect_any_dictionary(all.as_any_dictionary())?;
    Ok(vec![pruned])
}
