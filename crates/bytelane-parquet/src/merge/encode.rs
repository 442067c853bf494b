//! Re-encodes columns whose dictionaries cannot be joined.

use super::input::{Leaf, RowGroup, Window};
use super::join::Input;
use super::join::codec::{compression_of, target};
use super::plan::Plan;
use crate::budget::{Budget, MemoryLimit, extent};
use crate::catch_panic::catch_panic;
use crate::chunk::{Chunk, stored_range};
use crate::rewrite::encode::{Encoded, encode_arrays};
use crate::rewrite::source::{Column, Read, Source};
use crate::stack::with_stack;
use crate::{DataPageVersion, Error, Result, WriterOptions};
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_cast::cast;

/// Returns the re-encoded chunks of an output column; `None` if the values exceed the memory limit.
pub(super) fn chunks(
    groups: &[RowGroup],
    plan: &Plan<'_>,
    root: usize,
    inputs: &[Vec<Input>],
) -> Result<Option<Vec<Chunk>>> {
    let columns = &plan.columns;
    let mut sources = Vec::new();
    for group in groups {
        let source = match columns.place(&group.layout, root) {
            Some(place) => {
                let open = || {
                    let footer = (*group.file.footer).clone();
                    Source::of_footer(group.file.window.clone(), footer, group.file.depth)
                };
                let source = with_stack(group.file.depth, open);
                Some((source.map_err(|error| group.located(error))?, place))
            }
            None => None,
        };
        sources.push((group, source));
    }
    let Some((first, place)) = sources.iter().find_map(|(_, source)| source.as_ref()) else {
        return Ok(None);
    };
    let output;
    let like = if plan.columns.is_widened {
        let window = first.reader.clone();
        output = Source::of_footer(window, plan.footer.clone(), plan.depth)?;
        &output.roots[root]
    } else {
        &first.roots[place.root]
    };
    let Ok(read) = like.read() else {
        return Ok(None);
    };
    let leaves = || {
        let leaves = inputs.iter().flatten();
        leaves.filter_map(|input| match input {
            Input::Leaf(leaf) => Some(&**leaf),
            Input::Missing(_) => None,
        })
    };
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let has_two = leaves()
        .flat_map(Leaf::data_pages)
        .any(|page| page.version() == DataPageVersion::V2);
    let version = if has_two {
        DataPageVersion::V2
    } else {
        DataPageVersion::V1
    };
    let bytes = leaves().map(|leaf| leaf.chunk.bytes()).sum();
    let memory = MemoryLimit::default();
    let limit = memory.of_column(bytes);
    let data_type = read.arrow.fields()[0].data_type();
    for (group, source) in &sources {
        let Some((source, place)) = source else {
            arrays.push(new_null_array(data_type, group.rows as usize));
            continue;
        };
        let own = &source.roots[place.root];
        let values = catch_panic(|| {
            let row_group = source.row_group(group.index)?;
            let part = source.part(&row_group, own)?;
            let ranges = part.chunks.iter();
            let ranges = ranges.map(|chunk| stored_range(chunk, group.file.window_length()));
            let ranges = ranges.collect::<Result<Vec<_>>>()?;
            let column = Column {
                row_group: &row_group,
                root: own,
                part: &part,
                ranges: &ranges,
            };
            let read = own
                .read()
                .as_ref()
                .map_err(|why| Error::corrupt(why.clone()))?;
            arrays_of(source, column, read, memory, limit, group)
        });
        match values {
            Ok(values) => {
                for values in values {
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
    let codec = target(leaves().map(Leaf::metadata), true)?;
    let Some(compression) = compression_of(codec)? else {
        return Ok(None);
    };
    let options = WriterOptions::default()
        .with_compression(compression)
        .with_data_page_version(version);
    match encode_arrays(like, &read.arrow, arrays, options)? {
        Encoded::Chunks(chunks) => Ok(Some(chunks)),
        Encoded::Obstacle(_) => Ok(None),
    }
}

/// Returns the values of a column of a row group, or of its selected rows.
fn arrays_of(
    source: &Source<Window>,
    column: Column<'_>,
    read: &Read,
    memory: MemoryLimit,
    limit: u64,
    group: &RowGroup,
) -> Result<Vec<ArrayRef>> {
    let Some(wanted) = &group.part else {
        return source.arrays(column, read, memory, limit, None);
    };
    let wanted = wanted.start as usize..wanted.end as usize;
    let used = Budget::new(limit).reservation();
    let (mut arrays, mut at) = (Vec::new(), 0);
    for array in source.rows(column, read, None, memory, column.batch_rows())? {
        let array = array?;
        let rows = wanted.start.max(at)..wanted.end.min(at + array.len());
        if !rows.is_empty() {
            let array = array.slice(rows.start - at, rows.len());
            used.add(extent(&array))?;
            arrays.push(array);
        }
        at += array.len();
        if at >= wanted.end {
            break;
        }
    }
    Ok(arrays)
}
