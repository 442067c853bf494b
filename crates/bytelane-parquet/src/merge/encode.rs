//! Columns whose values are encoded again, because their dictionaries cannot be joined.

use super::input::RowGroup;
use super::join::codec::{compression_of, target};
use super::schema::Columns;
use crate::budget::MemoryLimit;
use crate::catch_panic::catch_panic;
use crate::chunk::{Chunk, stored_range};
use crate::rewrite::encode::{Encoded, encode_arrays};
use crate::rewrite::source::{Column, Source};
use crate::stack::with_stack;
use crate::{DataPageVersion, Error, Result, WriterOptions};
use arrow_array::{ArrayRef, new_null_array};

/// Returns the chunks of a column of the output, encoded again; none if the values take too much memory.
pub(super) fn chunks(
    groups: &[RowGroup],
    columns: &Columns,
    root: usize,
) -> Result<Option<Vec<Chunk>>> {
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
    let like = &first.roots[place.root];
    let Ok(read) = like.read() else {
        return Ok(None);
    };
    let mut metadata = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut version = DataPageVersion::V1;
    let mut bytes = 0;
    for (group, _) in &sources {
        for leaf in like.leaves.clone() {
            let own = columns.place(&group.layout, root);
            let own = own.map(|own| own.leaf + leaf - like.leaves.start);
            if let Some(leaf) = own {
                let chunk = group.leaf(leaf).map_err(|error| group.located(error))?;
                bytes += chunk.chunk.bytes();
                let has_two =
                    |it: &super::input::StoredPage| it.page.header.data_page_header_v2.is_some();
                if chunk.data_pages().any(has_two) {
                    version = DataPageVersion::V2;
                }
                metadata.push(chunk.metadata().clone());
            }
        }
    }
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
            source.arrays(column, read, memory, limit, None)
        });
        match values {
            Ok(values) => arrays.extend(values),
            Err(error) if error.is_of_memory() || error.is_obstacle() => return Ok(None),
            Err(error) => return Err(group.located(error)),
        }
    }
    let codec = target(metadata.iter(), true)?;
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
