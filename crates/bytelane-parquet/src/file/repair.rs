//! Repairs footers so that the crate `parquet` accepts them.
//!
//! The crate rejects an entire file because of an annotation that does not fit its column, a bound
//! whose length differs from that of the values, or text that is not UTF-8. It gets a footer
//! without these. The original footer remains unchanged, and a rewrite writes that one.

use crate::catch_panic::catch_panic;
use crate::format::{
    self, ColumnChunk, ColumnMetaData, CompressionCodec, ConvertedType, Encoded, Encoding,
    FieldRepetitionType, FileMetaData, KeyValue, LogicalType, PageEncodingStats, PageType,
    PhysicalType, RowGroup, SchemaElement, Statistics, StatisticsView,
};
use crate::{Error, Result};
use bytes::Bytes;
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::{LogicalType as InParquet, Type};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::schema::types::ColumnDescriptor;
use std::borrow::Cow;

/// Decodes a footer with the crate `parquet`. Its input is encoded from the structs instead of
/// copied from the file: if two fields of a damaged footer have the same id, the crate might use
/// the other one, and rewritten files would be read differently.
pub fn in_parquet(file: &FileMetaData) -> Result<ParquetMetaData> {
    let is_odd = |it: &SchemaElement| !it.unknown_fields.is_empty() || is_odd_group(it);
    match decoded(file) {
        Ok(read)
            // A damaged chunk must not change how the schema is read.
            if !file.schema.iter().any(is_odd)
                && !has_unknown_type(&read)
                && !is_misread(file, &read) =>
        {
            Ok(read)
        }
        read => repaired(file).and_then(|it| decoded(&it)).or(read),
    }
}

/// Returns the metadata of a column chunk in a form that the crate `parquet` accepts.
pub fn chunk_in_parquet(chunk: &ColumnChunk, column: &ColumnDescriptor) -> Result<ColumnChunk> {
    repaired_chunk(chunk, column, true)
}

fn decoded(file: &FileMetaData) -> Result<ParquetMetaData> {
    let footer = format::encode(file)?;
    catch_panic(|| Ok(ParquetMetaDataReader::decode_metadata(&footer)?))
        .map_err(|error| super::footer::damaged(&error))
}

/// Returns whether a leaf has a logical type that the crate `parquet` does not know.
pub(super) fn has_unknown_type(metadata: &ParquetMetaData) -> bool {
    let mut leaves = metadata.file_metadata().schema_descr().columns().iter();
    leaves.any(|leaf| matches!(leaf.logical_type_ref(), Some(InParquet::_Unknown { .. })))
}

/// View of a chunk's metadata that skips quickly to its bounds.
#[derive(bytelane_thrift::Thrift)]
#[thrift(decode_only)]
struct Described<'a> {
    #[thrift(id = 3)]
    meta_data: Option<DescribedValues<'a>>,
}

#[derive(bytelane_thrift::Thrift)]
#[thrift(decode_only)]
struct DescribedValues<'a> {
    #[thrift(id = 11)]
    dictionary_page_offset: Option<i64>,
    #[thrift(id = 12)]
    statistics: Option<StatisticsView<'a>>,
}

/// Returns whether the crate `parquet` has misread a chunk: it truncates bounds that are too long,
/// and reads the position of a dictionary from a field of any type.
fn is_misread(file: &FileMetaData, read: &ParquetMetaData) -> bool {
    let row_groups = file.row_groups.iter().zip(read.row_groups());
    let mut chunks = row_groups.flat_map(|(raw, read)| raw.columns.iter().zip(read.columns()));
    chunks.any(|(raw, read)| {
        let bounds = read.statistics();
        let has_bounds =
            bounds.is_some_and(|it| it.min_bytes_opt().is_some() || it.max_bytes_opt().is_some());
        // Bounds of strings may have any length.
        let has_bounds = has_bounds && read.column_type() != Type::BYTE_ARRAY;
        let dictionary = read.dictionary_page_offset();
        if !has_bounds && dictionary.is_none() {
            return false;
        }
        let described = raw.decode_part::<Described<'_>>();
        !described.is_ok_and(|described| {
            let values = described.meta_data.unwrap_or_default();
            let bounds = values.statistics.unwrap_or_default();
            let fits = !has_bounds || fits(&bounds, read.column_descr());
            fits && values.dictionary_page_offset == dictionary
        })
    })
}

/// Returns whether the bounds in statistics can be bounds of a column's values.
pub(super) fn fits(bounds: &StatisticsView<'_>, column: &ColumnDescriptor) -> bool {
    let fits = |bound: &[u8]| match column.physical_type() {
        Type::BOOLEAN => bound.len() == 1,
        Type::INT32 | Type::FLOAT => bound.len() == 4,
        Type::INT64 | Type::DOUBLE => bound.len() == 8,
        Type::INT96 => bound.len() == 12,
        Type::BYTE_ARRAY => true,
        // Long bounds may be truncated.
        Type::FIXED_LEN_BYTE_ARRAY => {
            usize::try_from(column.type_length()).is_ok_and(|length| bound.len() <= length)
        }
    };
    let all = [bounds.min, bounds.max, bounds.min_value, bounds.max_value];
    all.into_iter().flatten().all(fits)
}

/// Returns a footer without the parts that the crate `parquet` rejects.
fn repaired(file: &FileMetaData) -> Result<FileMetaData> {
    let mut schema = file.schema.clone();
    // The first element represents the entire schema.
    for element in schema.iter_mut().skip(1) {
        (element.repetition_type).get_or_insert(FieldRepetitionType::Required);
    }
    let keeps_type: Vec<bool> = schema.iter_mut().filter_map(repair_element).collect();
    let pairs = file.key_value_metadata.as_ref();
    let mut repaired = FileMetaData {
        schema,
        row_groups: Vec::new(),
        key_value_metadata: pairs.map(|pairs| pairs.iter().map(repaired_pair).collect()),
        created_by: file.created_by.as_ref().map(text),
        column_orders: None,
        unknown_fields: Default::default(),
        ..file.clone()
    };
    let read = decoded(&repaired)?;
    let columns = read.file_metadata().schema_descr().columns();
    let row_groups = file.row_groups.iter().map(|row_group| {
        let chunks = row_group.columns.iter().zip(columns).zip(&keeps_type);
        let chunks = chunks.map(|((chunk, column), keeps_type)| {
            Encoded::new(&repaired_chunk(&chunk.decode()?, column, *keeps_type)?)
        });
        Ok(RowGroup {
            columns: chunks.collect::<Result<_>>()?,
            unknown_fields: Default::default(),
            ..row_group.clone()
        })
    });
    repaired.row_groups = row_groups.collect::<Result<_>>()?;
    let orders = file.column_orders.clone();
    repaired.column_orders = orders.filter(|orders| orders.len() == columns.len());
    Ok(repaired)
}

/// Removes annotations from the schema of a damaged file that pyarrow, or the crate `parquet`, would refuse.
///
/// # Errors
///
/// A column has values of a size that no reader supports.
pub fn mend_schema(schema: &mut [SchemaElement]) -> Result<()> {
    for element in schema.iter_mut().skip(1) {
        (element.repetition_type).get_or_insert(FieldRepetitionType::Required);
        if element.physical_type.is_none() || element.num_children.is_some_and(|it| it > 0) {
            element.physical_type = None;
            element.unknown_fields.clear();
            repair_group(element);
        } else {
            mend_leaf(element);
        }
        let problem = match element.physical_type {
            Some(PhysicalType::FixedLenByteArray)
                if element.type_length.is_none_or(|it| it <= 0) =>
            {
                "the footer says that its values have no bytes; salvage other columns"
            }
            None if element.num_children.is_none_or(|it| it <= 0) => {
                "the schema is damaged: it has neither a type nor members"
            }
            _ => continue,
        };
        let name = String::from_utf8_lossy(&element.name);
        return Err(Error::corrupt(problem).in_column(name));
    }
    if !has_arrow_types(schema) {
        // Groups of lists and maps that are not built as such.
        let groups = schema.iter_mut().filter(|it| it.physical_type.is_none());
        groups.for_each(|group| (group.converted_type, group.logical_type) = (None, None));
    }
    Ok(())
}

/// Removes the annotations of a leaf that do not fit it, or each other.
fn mend_leaf(leaf: &mut SchemaElement) {
    leaf.unknown_fields.clear();
    leaf.num_children = None;
    let logical = by_logical_type(leaf).filter(is_readable);
    let converted = by_converted_type(leaf).filter(is_readable);
    let are_same = logical.as_ref().zip(converted.as_ref());
    let are_same = are_same.is_some_and(|(one, other)| converted_in(one) == converted_in(other));
    if !are_same {
        *leaf = logical
            .or(converted)
            .unwrap_or_else(|| without_annotation(leaf));
    }
}

/// Returns the converted type of a leaf according to the crate `parquet`.
fn converted_in(leaf: &SchemaElement) -> Option<parquet::basic::ConvertedType> {
    let read = decoded(&file_of(leaf)).ok()?;
    let columns = read.file_metadata().schema_descr().columns();
    columns.first().map(|column| column.converted_type())
}

fn has_arrow_types(schema: &[SchemaElement]) -> bool {
    let file = FileMetaData {
        schema: schema.to_vec(),
        ..Default::default()
    };
    let Ok(read) = decoded(&file) else {
        return false;
    };
    let columns = read.file_metadata().schema_descr();
    catch_panic(|| Ok(parquet_to_arrow_schema(columns, None)?)).is_ok()
}

/// Returns bytes as text, with replacement characters for invalid UTF-8.
fn text(bytes: &Bytes) -> Bytes {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(_) => bytes.clone(),
        Cow::Owned(text) => text.into(),
    }
}

/// Removes the value of a pair if it is not text.
fn repaired_pair(pair: &KeyValue) -> KeyValue {
    let value = pair.value.clone();
    KeyValue {
        key: text(&pair.key),
        value: value.filter(|value| std::str::from_utf8(value).is_ok()),
        unknown_fields: Default::default(),
    }
}

/// Removes annotations of an element that are unknown or do not fit it. For a leaf, returns false
/// if it lost all of its annotations.
fn repair_element(element: &mut SchemaElement) -> Option<bool> {
    element.unknown_fields.clear();
    element.name = text(&element.name);
    if element.physical_type.is_none() || element.num_children.is_some_and(|it| it > 0) {
        repair_group(element);
        return None;
    }
    element.num_children = None;
    if element.physical_type == Some(PhysicalType::FixedLenByteArray) {
        element.type_length = Some(element.type_length.unwrap_or(0).max(0));
    }
    let annotated = [
        Some(element.clone()),
        by_logical_type(element),
        by_converted_type(element),
    ];
    let fits = annotated.into_iter().flatten().find(is_readable);
    let keeps_type = fits.is_some();
    *element = fits.unwrap_or_else(|| without_annotation(element));
    Some(keeps_type)
}

/// Returns whether an element is a group with an annotation that a repair would remove.
fn is_odd_group(element: &SchemaElement) -> bool {
    let is_group = element.physical_type.is_none() || element.num_children.is_some_and(|it| it > 0);
    let is_annotated = element.converted_type.is_some() || element.logical_type.is_some();
    is_group && is_annotated && {
        let mut repaired = element.clone();
        repair_group(&mut repaired);
        repaired != *element
    }
}

/// Removes annotations of a group, except those of lists, maps and variants.
fn repair_group(element: &mut SchemaElement) {
    element.converted_type = element.converted_type.filter(is_converted_group);
    let logical = element.logical_type.take();
    element.logical_type = logical.filter(|it| it.decode().is_ok_and(|it| is_logical_group(&it)));
}

pub(super) fn is_converted_group(annotation: &ConvertedType) -> bool {
    use ConvertedType::{List, Map, MapKeyValue};
    matches!(annotation, List | Map | MapKeyValue)
}

pub(super) fn is_logical_group(annotation: &LogicalType) -> bool {
    use LogicalType::{List, Map, Variant};
    matches!(annotation, List(_) | Map(_) | Variant(_))
}

fn without_annotation(leaf: &SchemaElement) -> SchemaElement {
    SchemaElement {
        converted_type: None,
        scale: None,
        precision: None,
        logical_type: None,
        ..leaf.clone()
    }
}

/// Returns the leaf with its logical type only, which takes precedence over a different converted
/// type.
fn by_logical_type(leaf: &SchemaElement) -> Option<SchemaElement> {
    let logical = leaf.logical_type.as_ref()?.decode().ok()?;
    let decimal = match &logical {
        LogicalType::Decimal(decimal) => Some(decimal),
        _ => None,
    };
    Some(SchemaElement {
        scale: decimal.map(|it| it.scale),
        precision: decimal.map(|it| it.precision),
        logical_type: leaf.logical_type.clone(),
        ..without_annotation(leaf)
    })
}

/// Returns the leaf with its converted type only. Decimals may omit a scale of 0.
fn by_converted_type(leaf: &SchemaElement) -> Option<SchemaElement> {
    Some(SchemaElement {
        converted_type: Some(leaf.converted_type?),
        scale: leaf.precision.map(|_| leaf.scale.unwrap_or(0)),
        precision: leaf.precision,
        ..without_annotation(leaf)
    })
}

/// Returns whether the crate `parquet` can read a schema that consists of this leaf.
fn is_readable(leaf: &SchemaElement) -> bool {
    if *leaf == without_annotation(leaf) {
        return true;
    }
    decoded(&file_of(leaf)).is_ok_and(|read| !has_unknown_type(&read))
}

/// Returns a footer whose schema consists of a leaf.
fn file_of(leaf: &SchemaElement) -> FileMetaData {
    let root = SchemaElement {
        name: "schema".into(),
        num_children: Some(1),
        ..Default::default()
    };
    FileMetaData {
        schema: vec![root, leaf.clone()],
        ..Default::default()
    }
}

/// Returns the fields of a chunk that the crate `parquet` uses. Bounds are ordered by the type in
/// the footer; a column that is read as another type therefore gets none.
fn repaired_chunk(
    chunk: &ColumnChunk,
    column: &ColumnDescriptor,
    has_type: bool,
) -> Result<ColumnChunk> {
    let described = &chunk.meta_data;
    let statistics = described.statistics.as_ref();
    let statistics = statistics.and_then(|it| it.decode().ok());
    let statistics = statistics.map(|it| Encoded::new(&repaired_statistics(it, column, has_type)));
    let encodings = described.encodings.decode().unwrap_or_default();
    let is_known = |it: &Encoding| !matches!(it, Encoding::Fsst | Encoding::Unknown(_));
    let encodings: Vec<Encoding> = encodings.into_iter().filter(is_known).collect();
    let pages = described.encoding_stats.as_ref();
    let pages = pages.filter(|pages| {
        let is_known = |it: &PageEncodingStats| {
            let is_other = matches!(
                it.page_type,
                PageType::SymbolTablePage | PageType::Unknown(_)
            );
            is_known(&it.encoding) && !is_other
        };
        pages.decode().is_ok_and(|pages| pages.iter().all(is_known))
    });
    let size_statistics = described.size_statistics.clone();
    let geospatial = described.geospatial_statistics.clone();
    Ok(ColumnChunk {
        file_path: chunk.file_path.as_ref().map(text),
        meta_data: ColumnMetaData {
            // The schema determines the type.
            physical_type: PhysicalType::default(),
            encodings: Encoded::new(&encodings)?,
            path_in_schema: None,
            // Neither LZO nor an unknown codec can be decompressed.
            codec: match described.codec {
                CompressionCodec::Unknown(_) => CompressionCodec::Lzo,
                known => known,
            },
            key_value_metadata: None,
            statistics: statistics.transpose()?,
            encoding_stats: pages.cloned(),
            size_statistics: size_statistics.filter(|it| it.decode().is_ok()),
            geospatial_statistics: geospatial.filter(|it| it.decode().is_ok()),
            // The crate has no field for it. Both pages come before all data pages.
            dictionary_page_offset: described.first_page_offset(),
            symbol_table_page_offset: None,
            symbol_table_page_length: None,
            unknown_fields: Default::default(),
            ..described.clone()
        },
        crypto_metadata: None,
        encrypted_column_metadata: None,
        unknown_fields: Default::default(),
        ..chunk.clone()
    })
}

/// Removes counts and bounds that cannot be correct.
fn repaired_statistics(
    statistics: Statistics,
    column: &ColumnDescriptor,
    has_type: bool,
) -> Statistics {
    let count = |count: Option<i64>| count.filter(|count| *count >= 0);
    let counts = Statistics {
        null_count: count(statistics.null_count),
        distinct_count: count(statistics.distinct_count),
        nan_count: count(statistics.nan_count),
        unknown_fields: Default::default(),
        ..statistics
    };
    let bounds = StatisticsView {
        max: counts.max.as_deref(),
        min: counts.min.as_deref(),
        max_value: counts.max_value.as_deref(),
        min_value: counts.min_value.as_deref(),
        ..Default::default()
    };
    if has_type && fits(&bounds, column) {
        counts
    } else {
        Statistics {
            min: None,
            max: None,
            min_value: None,
            max_value: None,
            is_min_value_exact: None,
            is_max_value_exact: None,
            ..counts
        }
    }
}
