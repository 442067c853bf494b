//! Converts chunks of required columns to optional ones: levels are added, values are unchanged.

use crate::merge::join::bounds;
use crate::merge::join::entry::editor;
use crate::merge::leaf::{Leaf, StoredPage};
use bytelane_parquet::chunk::Page;
use bytelane_parquet::format::{self, Encoded};
use bytelane_parquet::page::{Compressor, read_header};
use bytelane_parquet::{Error, Problem, Result};
use parquet::schema::types::ColumnDescriptor;

/// Maps the definition levels of a chunk; `levels` has the new level for each old one.
pub(super) fn widen(mut leaf: Leaf, column: &ColumnDescriptor, levels: &[u8]) -> Result<Leaf> {
    let codec = leaf.metadata().codec;
    let compression = leaf.compression()?.ok_or_else(|| {
        let problem = format!(
            "making a column optional whose pages have the deprecated compression {codec:?}; rewrite the file before"
        );
        Error::new(Problem::Unsupported(problem))
    })?;
    let mut compressor = Compressor::new(compression)?;
    let mut editor = editor(&leaf, column)?.with_definition_levels(levels.to_vec());
    let mut number = 0;
    for stored in &mut leaf.pages {
        if !stored.page.is_data() {
            continue;
        }
        let body = stored.body();
        read_header(&stored.page.header)?.check(&body)?;
        let edited = editor.edit(&stored.page.header, &body, None, &mut compressor);
        let (header, body) = edited.map_err(|error| error.in_page(number))?;
        let mut bytes = format::encode(&header)?;
        let header_length = bytes.len() as u64;
        bytes.extend_from_slice(&body);
        *stored = StoredPage {
            page: Page {
                offset: stored.page.offset,
                header_length,
                header,
            },
            bytes: bytes.into(),
        };
        number += 1;
    }
    let is_required = column.max_def_level() == 0;
    let slots: Vec<i64> = leaf.data_pages().map(|it| it.page.values()).collect();
    for (entry, slots) in leaf.entries.iter_mut().zip(slots) {
        let old = entry.levels[1].take();
        let old = old.or_else(|| is_required.then(|| vec![slots]));
        entry.levels[1] = old.map(|old| histogram(&old, levels));
        if let Some(bounds) = entry.bounds.as_mut().filter(|_| is_required) {
            bounds.nulls = Some(0);
        }
    }
    let statistics = bounds::of_chunk(&leaf)?;
    let sizes = leaf.metadata().size_statistics.as_ref();
    let sizes = sizes.map(|it| it.decode()).transpose()?;
    let values = leaf.metadata().num_values;
    let metadata = leaf.chunk.metadata_mut();
    if let Some(mut statistics) = statistics.filter(|_| is_required) {
        statistics.null_count = Some(0);
        metadata.statistics = Some(Encoded::new(&statistics)?);
    }
    if let Some(mut sizes) = sizes {
        let old = sizes.definition_level_histogram.take();
        let old = old.or_else(|| is_required.then(|| vec![values]));
        sizes.definition_level_histogram = old.map(|old| histogram(&old, levels));
        metadata.size_statistics = Some(Encoded::new(&sizes)?);
    }
    Ok(leaf)
}

/// Returns the number of slots at each new level.
fn histogram(old: &[i64], levels: &[u8]) -> Vec<i64> {
    let greatest = levels.iter().copied().max().unwrap_or(0);
    let mut new = vec![0; usize::from(greatest) + 1];
    for (count, level) in old.iter().zip(levels) {
        new[usize::from(*level)] += count;
    }
    new
}
