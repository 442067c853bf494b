//! Tests files with arbitrary columns, encodings and pages, which the crate `parquet` reads as well.

pub mod arrays;
mod footers;
mod written;

use arrays::{Numbers, array, data_type};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::{Reader, arrow_array, arrow_schema, parquet};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReaderBuilder, RowSelection, RowSelector};
use parquet::basic::{Compression, Encoding, Type, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::SchemaDescriptor;
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use std::num::NonZero;
use std::sync::Arc;

fn batch(numbers: &mut Numbers, rows: usize) -> RecordBatch {
    let columns = 1 + numbers.below(3);
    let fields = (0..columns).map(|column| {
        let depth = numbers.below(4);
        let of = data_type(numbers, depth);
        let is_nullable = of == DataType::Null || numbers.below(3) > 0;
        Field::new(format!("column{column}"), of, is_nullable)
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = schema.fields().iter();
    let columns = columns.map(|field| array(numbers, field, rows)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options).expect("columns of one length")
}

/// Returns an encoding that the crate `parquet` writes for the type.
fn encoding(numbers: &mut Numbers, physical: Type) -> Encoding {
    let encodings: &[Encoding] = match physical {
        Type::BOOLEAN => &[Encoding::PLAIN, Encoding::RLE],
        Type::INT32 | Type::INT64 => &[
            Encoding::PLAIN,
            Encoding::DELTA_BINARY_PACKED,
            Encoding::BYTE_STREAM_SPLIT,
        ],
        Type::FLOAT | Type::DOUBLE => &[Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT],
        Type::BYTE_ARRAY => &[
            Encoding::PLAIN,
            Encoding::DELTA_LENGTH_BYTE_ARRAY,
            Encoding::DELTA_BYTE_ARRAY,
        ],
        Type::FIXED_LEN_BYTE_ARRAY => &[
            Encoding::PLAIN,
            Encoding::BYTE_STREAM_SPLIT,
            Encoding::DELTA_BYTE_ARRAY,
        ],
        Type::INT96 => &[Encoding::PLAIN],
    };
    encodings[numbers.below(encodings.len())]
}

fn properties(numbers: &mut Numbers, schema: &SchemaDescriptor) -> WriterProperties {
    let zstd = Compression::ZSTD(ZstdLevel::try_new(1).expect("a level"));
    let page_rows = [20, 300, 1 << 20][numbers.below(3)];
    let mut properties = WriterProperties::builder()
        .set_writer_version(
            [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0][numbers.below(2)],
        )
        .set_compression([Compression::UNCOMPRESSED, Compression::SNAPPY, zstd][numbers.below(3)])
        .set_statistics_enabled(
            [EnabledStatistics::Page, EnabledStatistics::None][numbers.below(2)],
        )
        .set_offset_index_disabled(numbers.below(2) == 0)
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(page_rows.min(64))
        .set_dictionary_page_size_limit([300, 1 << 20][numbers.below(2)])
        .set_max_row_group_row_count(Some([400, 1 << 20][numbers.below(2)]));
    for column in schema.columns() {
        let path = column.path().clone();
        let encoding = encoding(numbers, column.physical_type());
        properties = properties
            .set_column_dictionary_enabled(path.clone(), numbers.below(2) == 0)
            .set_column_encoding(path, encoding);
    }
    properties.build()
}

fn file(numbers: &mut Numbers, batch: &RecordBatch) -> Bytes {
    let schema = parquet::arrow::ArrowSchemaConverter::new();
    let schema = schema.convert(&batch.schema()).expect("a schema");
    let properties = properties(numbers, &schema);
    let mut file = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).expect("a schema");
    writer.write(batch).expect("a batch");
    writer.close().expect("a file");
    file.into()
}

/// Returns a selection of rows to skip and read, which may extend past the last row.
fn selection(numbers: &mut Numbers, rows: usize) -> RowSelection {
    let most = [4, 40, 400][numbers.below(3)];
    let (mut selectors, mut selected) = (Vec::new(), 0);
    while selected < rows {
        let row_count = numbers.below(most).min(rows - selected);
        let skip = numbers.below(2) == 0;
        selectors.push(RowSelector { row_count, skip });
        selected += row_count;
        if numbers.below(40) == 0 {
            break;
        }
    }
    selectors.into()
}

fn some_leaves(numbers: &mut Numbers, schema: &SchemaDescriptor) -> ProjectionMask {
    let leaves = (0..schema.num_columns()).filter(|_| numbers.below(3) > 0);
    ProjectionMask::leaves(schema, leaves.collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn any_file_is_read_as_by_the_crate_parquet(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let rows = [1, 60, 1000][numbers.below(3)];
        let batch = batch(&mut numbers, rows);
        let file = file(&mut numbers, &batch);
        let theirs = ParquetRecordBatchReaderBuilder::try_new(file.clone()).expect("a footer");
        footers::check(&file, batch.schema().field(0).name());
        let ours = Reader::builder(file).expect("a footer");
        prop_assert_eq!(ours.schema(), theirs.schema());
        let batch_size = [7, 100, 4096][numbers.below(3)];
        let threads = NonZero::new(1 + numbers.below(5) / 3 * 2).expect("not 0");
        let (mut ours, mut theirs) = (
            ours.with_batch_size(batch_size).with_threads(threads),
            // Read all rows at once, because Arrow cannot concatenate all of its array types.
            theirs.with_batch_size(rows),
        );
        if numbers.below(2) == 0 {
            let rows = selection(&mut numbers, rows);
            ours = ours.with_row_selection(rows.clone());
            theirs = theirs.with_row_selection(rows);
        }
        if numbers.below(3) == 0 {
            let leaves = some_leaves(&mut numbers, theirs.parquet_schema());
            ours = ours.with_projection(leaves.clone());
            theirs = theirs.with_projection(leaves);
        }
        if numbers.below(4) == 0 {
            let (offset, limit) = (numbers.below(rows), numbers.below(rows));
            ours = ours.with_offset(offset).with_limit(limit);
            theirs = theirs.with_offset(offset).with_limit(limit);
        }
        // The crate `parquet` cannot read only a part of a map.
        let Ok(theirs) = theirs.build() else {
            prop_assert!(ours.build().is_err());
            return Ok(());
        };
        let schema = arrow_array::RecordBatchReader::schema(&theirs);
        let ours = ours.build().expect("a reader");
        prop_assert_eq!(&arrow_array::RecordBatchReader::schema(&ours), &schema);
        let theirs: Vec<_> = theirs.map(|batch| batch.expect("rows")).collect();
        let mut read = 0;
        for batch in ours {
            let batch = batch.expect("rows");
            prop_assert!(batch.num_rows() <= batch_size);
            let same = theirs[0].slice(read, batch.num_rows());
            prop_assert!(batch == same, "{:#?}\n{:?}\n{:?}", schema, batch, same);
            read += batch.num_rows();
        }
        prop_assert_eq!(read, theirs.iter().map(RecordBatch::num_rows).sum::<usize>());
    }
}
