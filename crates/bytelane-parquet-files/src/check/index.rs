//! Checks the facts about a chunk that the footer, page headers and indexes state.

use super::outcome::Findings;
use bytelane_parquet::Result;
use bytelane_parquet::chunk::facts::{ChunkFacts, Fact, Facts, PageFacts, Reaction, Verb};
use bytelane_parquet::chunk::{Chunk, Page};
use bytelane_parquet::format::{self, ColumnIndex, ColumnOrder};
use bytelane_parquet::statistics::Compare;
use parquet::basic::{ColumnOrder as InParquet, SortOrder, Type};
use parquet::schema::types::ColumnDescriptor;

/// Returns the comparison function of a column's bounds, if their order is known.
pub(crate) fn compare_of(
    column: &ColumnDescriptor,
    order: Option<&ColumnOrder>,
) -> Option<Compare> {
    match order {
        None | Some(ColumnOrder::Unknown(_)) => None,
        Some(_) => Compare::of(column, InParquet::TYPE_DEFINED_ORDER(SortOrder::SIGNED)),
    }
}

/// Checks the facts about a chunk: its rows and values, its statistics and both indexes.
pub(super) fn check(
    chunk: &Chunk,
    pages: &[Page],
    column: &ColumnDescriptor,
    rows: i64,
    order: Option<&ColumnOrder>,
    findings: &mut Findings,
) -> Result<()> {
    let data = pages.iter().filter(|page| page.is_data());
    let data = data.map(|page| Some(PageFacts::of(page, column)));
    let data: Vec<_> = data.collect();
    if chunk.column_index().is_some() && chunk.offset_index().is_none() {
        findings.warning("it has a column index, but no offset index, so readers cannot use it");
    }
    let strings = chunk.offset_index();
    let strings = strings.and_then(|it| it.unencoded_byte_array_data_bytes.as_ref());
    let is_string = column.physical_type() == Type::BYTE_ARRAY;
    if strings.is_some_and(|it| !is_string || it.len() != data.len()) {
        findings
            .warning("the offset index has sizes of strings, but not one for each page of strings");
    }
    let column_index = match chunk.column_index().map(format::decode::<ColumnIndex>) {
        Some(Err(error)) => {
            findings.add_error(error)?;
            None
        }
        Some(Ok(index)) => {
            check_lists(&index, data.len(), column, findings);
            Some(index)
        }
        None => None,
    };
    let statistics = chunk.metadata().statistics.as_ref();
    let statistics = statistics.map(|it| it.decode()).transpose()?;
    let facts = Facts {
        column,
        rows,
        values: chunk.metadata().num_values,
        pages: &data,
        offset_index: chunk.offset_index(),
        column_index: column_index.as_ref(),
        statistics: ChunkFacts::of(statistics.as_ref()),
        compare: compare_of(column, order),
        metadata: Some(chunk.metadata()),
    };
    for it in facts.contradictions() {
        match (it.fact.reaction(Verb::Check), it.page) {
            // `chunk::check` reports these, with the encoding.
            _ if it.fact == Fact::Encodings => {}
            (Reaction::Reports, Some(page)) => findings.error_in_page(page, it.problem),
            (Reaction::Reports, None) => findings.error(it.problem),
            _ => {}
        }
    }
    Ok(())
}

fn check_lists(
    index: &ColumnIndex,
    pages: usize,
    column: &ColumnDescriptor,
    findings: &mut Findings,
) {
    let has_length = |list: &Option<Vec<i64>>, length: usize| {
        list.as_ref().is_none_or(|list| list.len() == length)
    };
    let levels = |greatest: i16| pages * (usize::try_from(greatest).unwrap_or(0) + 1);
    let lists = [
        has_length(&index.nan_counts, pages),
        has_length(
            &index.repetition_level_histograms,
            levels(column.max_rep_level()),
        ),
        has_length(
            &index.definition_level_histograms,
            levels(column.max_def_level()),
        ),
    ];
    if lists.contains(&false) {
        findings.warning(
            "a list of counts of the column index has another length than that of its pages",
        );
    }
}
