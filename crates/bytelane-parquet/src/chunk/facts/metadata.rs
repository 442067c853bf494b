//! Compares the metadata of a chunk in the footer with its column and its pages, and puts it right.

use super::{Contradiction, Fact, Facts};
use crate::Result;
use crate::chunk::{Page, count_page, physical_type};
use crate::format::{ColumnMetaData, Encoded, Encoding, PageEncodingStats, PageType, Statistics};
use crate::statistics::Compare;
use bytes::Bytes;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

impl Facts<'_> {
    pub(super) fn check_metadata(&self, found: &mut Vec<Contradiction>) {
        let Some(metadata) = self.metadata else {
            return;
        };
        let mut add = |fact, problem: &str| {
            found.push(Contradiction {
                fact,
                page: None,
                problem: problem.to_owned(),
            });
        };
        if !is_of_column(metadata, self.column) {
            add(
                Fact::Type,
                "the footer gives it another type or path than the schema",
            );
        }
        if self.has_other_encodings(metadata) {
            add(
                Fact::Encodings,
                "the footer names other encodings than those of its pages",
            );
        }
        let statistics = metadata.statistics.as_ref();
        if let Some(Ok(statistics)) = statistics.map(Encoded::decode) {
            if !self.can_be_bounds(&statistics) {
                add(
                    Fact::BoundSizes,
                    "its minimum and maximum cannot be values of its type, or are in the wrong order",
                );
            }
            if let Some(nulls) = statistics.null_count.filter(|it| !self.may_be_nulls(*it)) {
                add(
                    Fact::ChunkNulls,
                    &format!(
                        "the statistics count {nulls} nulls, but its pages have another number"
                    ),
                );
            }
        }
        let sizes = metadata.size_statistics.as_ref();
        let Some(Ok(sizes)) = sizes.map(Encoded::decode) else {
            return;
        };
        let levels = [
            (
                &sizes.repetition_level_histogram,
                self.column.max_rep_level(),
            ),
            (
                &sizes.definition_level_histogram,
                self.column.max_def_level(),
            ),
        ];
        let are_levels = levels
            .into_iter()
            .all(|(levels, greatest)| self.may_be_histogram(levels.as_deref(), greatest));
        if !are_levels {
            add(
                Fact::Histograms,
                "its level histograms have another length or sum than its levels",
            );
        }
        let is_string = self.column.physical_type() == Type::BYTE_ARRAY;
        let bytes = sizes.unencoded_byte_array_data_bytes;
        if bytes.is_some_and(|bytes| bytes < 0 || !is_string) {
            let physical = self.column.physical_type();
            add(
                Fact::StringBytes,
                &format!(
                    "the footer gives a size of strings for {physical}, which pyarrow refuses to read"
                ),
            );
        }
    }

    fn has_other_encodings(&self, metadata: &ColumnMetaData) -> bool {
        let Ok(named) = metadata.encodings.decode() else {
            return false;
        };
        let named: BTreeSet<Encoding> = named.into_iter().collect();
        let mut used = BTreeMap::new();
        for encoding in self.pages.iter().flatten().filter_map(|page| page.encoding) {
            *used.entry(encoding).or_insert(0) += 1;
        }
        let is_unknown = |it: &Encoding| matches!(it, Encoding::Unknown(_));
        let lacks = used.keys().any(|it| !named.contains(it));
        if lacks || (named.iter().any(is_unknown) && !used.keys().any(is_unknown)) {
            return true;
        }
        let stats = metadata.encoding_stats.as_ref();
        let Some(Ok(stats)) = stats.map(Encoded::decode) else {
            return false;
        };
        let mut counted = BTreeMap::new();
        for it in &stats {
            if it.page_type != PageType::DictionaryPage {
                *counted.entry(it.encoding).or_insert(0) += i64::from(it.count);
            }
        }
        counted.retain(|_, count| *count != 0);
        self.pages.iter().all(Option::is_some) && counted != used
    }

    /// Returns whether a bound has the size of a value, or may be one that was cut.
    pub(super) fn can_be_bound(&self, bound: &Bytes) -> bool {
        let length = usize::try_from(self.column.type_length()).unwrap_or(0);
        match self.column.physical_type() {
            Type::BOOLEAN => bound.len() == 1,
            Type::INT32 | Type::FLOAT => bound.len() == 4,
            Type::INT64 | Type::DOUBLE => bound.len() == 8,
            Type::INT96 => bound.len() == 12,
            Type::BYTE_ARRAY => true,
            Type::FIXED_LEN_BYTE_ARRAY => bound.len() <= length,
        }
    }

    fn can_be_bounds(&self, statistics: &Statistics) -> bool {
        let fits = |bound: &Bytes| self.can_be_bound(bound);
        let bounds = [
            &statistics.min_value,
            &statistics.max_value,
            &statistics.min,
            &statistics.max,
        ];
        if !bounds.into_iter().flatten().all(fits) {
            return false;
        }
        let compare = self
            .compare
            .filter(|it| !matches!(it, Compare::Float | Compare::Half));
        let both = statistics
            .min_value
            .as_ref()
            .zip(statistics.max_value.as_ref());
        let both = both.zip(compare);
        both.is_none_or(|((least, most), it)| it.values(least, most) != Ordering::Greater)
    }

    /// Returns whether the chunk can have this number of nulls. Lists may count empty lists or not.
    fn may_be_nulls(&self, claimed: i64) -> bool {
        let nulls = self.pages.iter().map(|page| page.as_ref()?.nulls);
        let counted: Option<i64> = nulls.sum();
        let is_required = self.column.max_def_level() == 0;
        (0..=self.values).contains(&claimed)
            && counted.is_none_or(|counted| counted == claimed)
            && (claimed == 0 || !is_required)
    }

    /// Returns whether the histogram of levels up to `greatest` counts each value of the chunk. It may be missing, or
    /// empty if there are no levels.
    fn may_be_histogram(&self, levels: Option<&[i64]>, greatest: i16) -> bool {
        let Some(levels) = levels.filter(|it| greatest > 0 || !it.is_empty()) else {
            return true;
        };
        let sum = levels.iter().copied().fold(0, i64::saturating_add);
        let is_one_each = usize::try_from(greatest).is_ok_and(|it| levels.len() == it + 1);
        is_one_each && sum == self.values && levels.iter().all(|it| *it >= 0)
    }
}

/// Returns whether a chunk has the type and the path of this column.
fn is_of_column(metadata: &ColumnMetaData, column: &ColumnDescriptor) -> bool {
    let path = metadata.path_in_schema.as_ref();
    let path = path.and_then(|path| path.decode().ok());
    let is_path = |path: Vec<Bytes>| {
        let parts = column.path().parts();
        // Names that are not UTF-8 are replaced in the schema.
        let path = path.iter().map(|part| String::from_utf8_lossy(part));
        path.eq(parts.iter().map(String::as_str))
    };
    metadata.physical_type == physical_type(column.physical_type()) && path.is_none_or(is_path)
}

/// Determines a fact in the metadata of a chunk again from its pages, or leaves it out.
pub(super) fn replace(
    metadata: &mut ColumnMetaData,
    fact: Fact,
    pages: &[&Page],
    column: &ColumnDescriptor,
) -> Result<()> {
    match fact {
        Fact::Type => {
            metadata.physical_type = physical_type(column.physical_type());
            let parts = column.path().parts();
            // Names that are not UTF-8 are replaced in the schema.
            if !parts
                .iter()
                .any(|part| part.contains(char::REPLACEMENT_CHARACTER))
            {
                let parts = parts
                    .iter()
                    .map(|part| Bytes::from(part.clone().into_bytes()));
                metadata.path_in_schema = Some(Encoded::new(&parts.collect::<Vec<_>>())?);
            }
        }
        Fact::Encodings => {
            let (encodings, counts) = encodings(pages, column);
            metadata.encodings = Encoded::new(&encodings)?;
            metadata.encoding_stats = Some(Encoded::new(&counts)?);
        }
        Fact::Offsets => {
            let is_dictionary = |page: &&&Page| page.header.page_type == PageType::DictionaryPage;
            let offset = |page: Option<&&Page>| page.and_then(|it| i64::try_from(it.offset).ok());
            let claimed = metadata.data_page_offset;
            if !pages.iter().any(|page| offset(Some(page)) == Some(claimed)) {
                let data = offset(pages.iter().find(|page| page.is_data()));
                metadata.data_page_offset = data.unwrap_or(claimed);
            }
            // Some writers store 0 if there is none.
            let none = metadata.dictionary_page_offset.filter(|it| *it <= 0);
            let dictionary = offset(pages.iter().find(is_dictionary));
            metadata.dictionary_page_offset = dictionary.or(none);
        }
        Fact::BoundSizes | Fact::ChunkBounds | Fact::ChunkNulls => {
            let statistics = metadata.statistics.as_ref();
            if let Some(mut statistics) = statistics.map(Encoded::decode).transpose()? {
                match fact {
                    Fact::ChunkNulls => statistics.null_count = None,
                    _ => {
                        statistics = Statistics {
                            null_count: statistics.null_count,
                            nan_count: statistics.nan_count,
                            distinct_count: statistics.distinct_count,
                            unknown_fields: statistics.unknown_fields,
                            ..Default::default()
                        }
                    }
                }
                metadata.statistics = Some(Encoded::new(&statistics)?);
            }
        }
        Fact::Histograms | Fact::StringBytes => metadata.size_statistics = None,
        _ => {}
    }
    Ok(())
}

/// Returns the encodings of pages and their levels, and the number of pages of each kind and encoding.
fn encodings(
    pages: &[&Page],
    column: &ColumnDescriptor,
) -> (Vec<Encoding>, Vec<PageEncodingStats>) {
    let (mut encodings, mut counts) = (Vec::new(), Vec::new());
    for page in pages {
        let Some(encoding) = page.encoding() else {
            continue;
        };
        if !encodings.contains(&encoding) {
            encodings.push(encoding);
        }
        count_page(&mut counts, page.header.page_type, encoding);
    }
    let has_levels = column.max_def_level() > 0 || column.max_rep_level() > 0;
    if has_levels && !encodings.contains(&Encoding::Rle) {
        encodings.push(Encoding::Rle);
    }
    (encodings, counts)
}
