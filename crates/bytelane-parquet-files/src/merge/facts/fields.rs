//! Table of the fields of footers and page indexes, and how each is joined.

use std::fmt;

/// How a fact about several files is joined to a fact about all their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Kept if all inputs that have it agree; left out with a note otherwise.
    Equal,
    /// Like [`Equal`](Self::Equal), and left out with a note if the columns of the output are not those of each input.
    Described,
    /// All inputs must have the same; otherwise, they are refused, or the claim is left out.
    Same,
    /// Made from those of all inputs.
    Joined,
    /// Made from the output.
    Recomputed,
    /// Left out.
    Dropped,
    /// Files that have it are refused.
    Refused,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Equal => "kept if equal",
            Self::Described => "kept if equal and the columns are the same",
            Self::Same => "must be the same",
            Self::Joined => "joined",
            Self::Recomputed => "recomputed",
            Self::Dropped => "left out",
            Self::Refused => "refused",
        })
    }
}

/// Field of the metadata of a file, or key of its key-value metadata.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Fact {
    /// Struct of `parquet.thrift` that has the field; empty for a key.
    pub of: &'static str,
    /// Name of the field or key.
    pub name: &'static str,
    /// How it is joined.
    pub rule: Rule,
    /// New value, or the meaning of the key.
    pub how: &'static str,
}

impl Fact {
    pub(super) const fn new(
        of: &'static str,
        name: &'static str,
        rule: Rule,
        how: &'static str,
    ) -> Self {
        Self {
            of,
            name,
            rule,
            how,
        }
    }
}

/// Rules for all fields of footers and page indexes, except those of schemas, which [`unite`](bytelane_parquet::unite) joins.
pub const FIELDS: &[Fact] = &[
    Fact::new(
        "FileMetaData",
        "version",
        Rule::Recomputed,
        "the greatest of the inputs",
    ),
    Fact::new(
        "FileMetaData",
        "schema",
        Rule::Joined,
        "columns by name, with types that unite those of the inputs",
    ),
    Fact::new("FileMetaData", "num_rows", Rule::Recomputed, "counted"),
    Fact::new("FileMetaData", "row_groups", Rule::Joined, "row by row"),
    Fact::new(
        "FileMetaData",
        "key_value_metadata",
        Rule::Joined,
        "key by key",
    ),
    Fact::new(
        "FileMetaData",
        "created_by",
        Rule::Recomputed,
        "bytelane, which wrote the file",
    ),
    Fact::new(
        "FileMetaData",
        "column_orders",
        Rule::Equal,
        "bounds in other orders are left out",
    ),
    Fact::new(
        "FileMetaData",
        "encryption_algorithm",
        Rule::Refused,
        "encrypted files are not read",
    ),
    Fact::new(
        "FileMetaData",
        "footer_signing_key_metadata",
        Rule::Refused,
        "encrypted files are not read",
    ),
    Fact::new("RowGroup", "columns", Rule::Joined, "chunk by chunk"),
    Fact::new(
        "RowGroup",
        "total_byte_size",
        Rule::Recomputed,
        "the sum of the chunks",
    ),
    Fact::new("RowGroup", "num_rows", Rule::Recomputed, "counted"),
    Fact::new(
        "RowGroup",
        "sorting_columns",
        Rule::Joined,
        "kept if the ranges of all inputs follow each other, without nulls and NaN",
    ),
    Fact::new(
        "RowGroup",
        "file_offset",
        Rule::Recomputed,
        "the position in the output",
    ),
    Fact::new(
        "RowGroup",
        "total_compressed_size",
        Rule::Recomputed,
        "the sum of the chunks",
    ),
    Fact::new("RowGroup", "ordinal", Rule::Recomputed, "counted"),
    Fact::new(
        "SortingColumn",
        "column_idx",
        Rule::Recomputed,
        "the number of the column in the output",
    ),
    Fact::new(
        "SortingColumn",
        "descending",
        Rule::Same,
        "row groups that are sorted otherwise lose the claim",
    ),
    Fact::new(
        "SortingColumn",
        "nulls_first",
        Rule::Same,
        "row groups that are sorted otherwise lose the claim",
    ),
    Fact::new(
        "ColumnChunk",
        "file_path",
        Rule::Dropped,
        "all chunks are in the output",
    ),
    Fact::new(
        "ColumnChunk",
        "file_offset",
        Rule::Recomputed,
        "the position in the output",
    ),
    Fact::new("ColumnChunk", "meta_data", Rule::Joined, "field by field"),
    Fact::new(
        "ColumnChunk",
        "offset_index_offset",
        Rule::Recomputed,
        "the position in the output",
    ),
    Fact::new(
        "ColumnChunk",
        "offset_index_length",
        Rule::Recomputed,
        "the size in the output",
    ),
    Fact::new(
        "ColumnChunk",
        "column_index_offset",
        Rule::Recomputed,
        "the position in the output",
    ),
    Fact::new(
        "ColumnChunk",
        "column_index_length",
        Rule::Recomputed,
        "the size in the output",
    ),
    Fact::new(
        "ColumnChunk",
        "crypto_metadata",
        Rule::Refused,
        "encrypted files are not read",
    ),
    Fact::new(
        "ColumnChunk",
        "encrypted_column_metadata",
        Rule::Refused,
        "encrypted files are not read",
    ),
    Fact::new(
        "ColumnMetaData",
        "physical_type",
        Rule::Same,
        "values of other types are converted, or refused",
    ),
    Fact::new(
        "ColumnMetaData",
        "encodings",
        Rule::Joined,
        "those of all pages",
    ),
    Fact::new(
        "ColumnMetaData",
        "path_in_schema",
        Rule::Recomputed,
        "the path in the output",
    ),
    Fact::new(
        "ColumnMetaData",
        "codec",
        Rule::Joined,
        "the codec of most values; other pages are compressed again",
    ),
    Fact::new(
        "ColumnMetaData",
        "num_values",
        Rule::Recomputed,
        "the sum of the pages",
    ),
    Fact::new(
        "ColumnMetaData",
        "total_uncompressed_size",
        Rule::Recomputed,
        "the sum of the pages",
    ),
    Fact::new(
        "ColumnMetaData",
        "total_compressed_size",
        Rule::Recomputed,
        "the sum of the pages",
    ),
    Fact::new(
        "ColumnMetaData",
        "key_value_metadata",
        Rule::Equal,
        "pairs of a chunk",
    ),
    Fact::new(
        "ColumnMetaData",
        "data_page_offset",
        Rule::Recomputed,
        "the position in the output",
    ),
    Fact::new(
        "ColumnMetaData",
        "index_page_offset",
        Rule::Dropped,
        "no reader uses index pages",
    ),
    Fact::new(
        "ColumnMetaData",
        "dictionary_page_offset",
        Rule::Recomputed,
        "the position in the output",
    ),
    Fact::new(
        "ColumnMetaData",
        "statistics",
        Rule::Joined,
        "field by field",
    ),
    Fact::new(
        "ColumnMetaData",
        "encoding_stats",
        Rule::Recomputed,
        "counted",
    ),
    Fact::new(
        "ColumnMetaData",
        "bloom_filter_offset",
        Rule::Recomputed,
        "the position of the joined filter, or of a new one",
    ),
    Fact::new(
        "ColumnMetaData",
        "bloom_filter_length",
        Rule::Recomputed,
        "the size of the joined filter, or of a new one",
    ),
    Fact::new(
        "ColumnMetaData",
        "size_statistics",
        Rule::Joined,
        "field by field",
    ),
    Fact::new(
        "ColumnMetaData",
        "geospatial_statistics",
        Rule::Joined,
        "field by field; computed from the values where an input has none, or rows were cut",
    ),
    Fact::new(
        "ColumnMetaData",
        "symbol_table_page_offset",
        Rule::Recomputed,
        "that of the page of symbols, if all chunks have the same one; else pages in FSST are written in DELTA_LENGTH_BYTE_ARRAY",
    ),
    Fact::new(
        "ColumnMetaData",
        "symbol_table_page_length",
        Rule::Recomputed,
        "that of the page of symbols, if all chunks have the same one; else pages in FSST are written in DELTA_LENGTH_BYTE_ARRAY",
    ),
    Fact::new(
        "Statistics",
        "max",
        Rule::Dropped,
        "its order was never defined",
    ),
    Fact::new(
        "Statistics",
        "min",
        Rule::Dropped,
        "its order was never defined",
    ),
    Fact::new(
        "Statistics",
        "null_count",
        Rule::Joined,
        "the sum, and the rows of inputs without the column",
    ),
    Fact::new(
        "Statistics",
        "distinct_count",
        Rule::Dropped,
        "values of several inputs may be the same",
    ),
    Fact::new(
        "Statistics",
        "max_value",
        Rule::Joined,
        "the greatest value",
    ),
    Fact::new("Statistics", "min_value", Rule::Joined, "the least value"),
    Fact::new(
        "Statistics",
        "is_max_value_exact",
        Rule::Joined,
        "that of the greatest value",
    ),
    Fact::new(
        "Statistics",
        "is_min_value_exact",
        Rule::Joined,
        "that of the least value",
    ),
    Fact::new("Statistics", "nan_count", Rule::Joined, "the sum"),
    Fact::new(
        "SizeStatistics",
        "unencoded_byte_array_data_bytes",
        Rule::Joined,
        "the sum; only BYTE_ARRAY has it",
    ),
    Fact::new(
        "SizeStatistics",
        "repetition_level_histogram",
        Rule::Joined,
        "the sums",
    ),
    Fact::new(
        "SizeStatistics",
        "definition_level_histogram",
        Rule::Joined,
        "the sums",
    ),
    Fact::new(
        "GeospatialStatistics",
        "bbox",
        Rule::Joined,
        "the box around all boxes, across the antimeridian where one crosses it",
    ),
    Fact::new(
        "GeospatialStatistics",
        "geospatial_types",
        Rule::Joined,
        "those of all inputs",
    ),
    Fact::new(
        "PageEncodingStats",
        "page_type",
        Rule::Recomputed,
        "counted",
    ),
    Fact::new("PageEncodingStats", "encoding", Rule::Recomputed, "counted"),
    Fact::new("PageEncodingStats", "count", Rule::Recomputed, "counted"),
    Fact::new("KeyValue", "key", Rule::Equal, "each key once"),
    Fact::new("KeyValue", "value", Rule::Joined, "by the rule of the key"),
    Fact::new("ColumnIndex", "null_pages", Rule::Joined, "page by page"),
    Fact::new("ColumnIndex", "min_values", Rule::Joined, "page by page"),
    Fact::new("ColumnIndex", "max_values", Rule::Joined, "page by page"),
    Fact::new(
        "ColumnIndex",
        "boundary_order",
        Rule::Recomputed,
        "compared",
    ),
    Fact::new("ColumnIndex", "null_counts", Rule::Joined, "page by page"),
    Fact::new(
        "ColumnIndex",
        "repetition_level_histograms",
        Rule::Joined,
        "page by page",
    ),
    Fact::new(
        "ColumnIndex",
        "definition_level_histograms",
        Rule::Joined,
        "page by page",
    ),
    Fact::new("ColumnIndex", "nan_counts", Rule::Joined, "page by page"),
    Fact::new(
        "OffsetIndex",
        "page_locations",
        Rule::Recomputed,
        "the positions in the output",
    ),
    Fact::new(
        "OffsetIndex",
        "unencoded_byte_array_data_bytes",
        Rule::Joined,
        "page by page",
    ),
    Fact::new(
        "PageLocation",
        "offset",
        Rule::Recomputed,
        "the position in the output",
    ),
    Fact::new(
        "PageLocation",
        "compressed_page_size",
        Rule::Recomputed,
        "the size in the output",
    ),
    Fact::new(
        "PageLocation",
        "first_row_index",
        Rule::Recomputed,
        "counted",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Structs whose fields have rules.
    const STRUCTS: [&str; 13] = [
        "FileMetaData",
        "RowGroup",
        "SortingColumn",
        "ColumnChunk",
        "ColumnMetaData",
        "Statistics",
        "SizeStatistics",
        "GeospatialStatistics",
        "PageEncodingStats",
        "KeyValue",
        "ColumnIndex",
        "OffsetIndex",
        "PageLocation",
    ];

    /// Returns the fields of a struct of the format.
    fn fields(of: &str) -> Vec<&'static str> {
        let code = include_str!("../../../../bytelane-parquet/src/format/generated.rs");
        let start = format!("pub struct {of} {{");
        let after = code.split(&start).nth(1).unwrap();
        let body = after.split("\n}").next().unwrap();
        let names = body.lines().filter_map(|line| {
            let name = line.trim().strip_prefix("pub ")?.split(':').next()?;
            (name != "unknown_fields").then_some(name)
        });
        names.collect()
    }

    #[test]
    fn every_field_of_the_format_has_one_rule() {
        for of in STRUCTS {
            let rows = FIELDS.iter().filter(|fact| fact.of == of);
            let names: Vec<&str> = rows.map(|fact| fact.name).collect();
            assert_eq!(names, fields(of), "{of}");
        }
        assert!(FIELDS.iter().all(|fact| STRUCTS.contains(&fact.of)));
    }

    #[test]
    fn the_documentation_shows_the_rules_of_all_keys() {
        let page = include_str!("../../../../../docs/getting-started/parquet.md");
        for fact in crate::merge::facts::KEYS {
            let row = format!("| `{}` | {} | {} |", fact.name, fact.rule, fact.how);
            assert!(page.contains(&row), "{row}");
        }
    }
}
