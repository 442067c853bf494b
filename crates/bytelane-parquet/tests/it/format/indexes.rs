//! Tests page headers, page indexes and Bloom filters of a file that the crate `parquet` has written.

use super::decoded;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytelane_parquet::format::{
    BloomFilterHeader, BoundaryOrder, ColumnIndex, Encoded, OffsetIndex, PageHeader, PageType,
    Statistics, decode, encode,
};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::column::page::Page;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::properties::{ReaderProperties, WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use std::sync::Arc;

/// Returns a file of descending numbers and of strings, in pages of 100 rows. The last hundred numbers are
/// null.
fn file(version: WriterVersion) -> Bytes {
    let numbers = (0..400).map(|row| (row < 300).then_some(1000 - row));
    let texts = (0..400).map(|row| (row % 7 > 0).then(|| format!("text {row}")));
    let columns: [(&str, ArrayRef); 2] = [
        ("numbers", Arc::new(Int64Array::from_iter(numbers))),
        ("texts", Arc::new(StringArray::from_iter(texts))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(100)
        .set_dictionary_enabled(true)
        .set_write_page_header_statistics(true)
        .set_bloom_filter_enabled(true);
    let mut file = Vec::new();
    let properties = Some(properties.build());
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), properties).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file.into()
}

fn part(file: &Bytes, offset: Option<i64>, length: Option<i32>) -> Bytes {
    let start = offset.unwrap() as usize;
    file.slice(start..start + length.unwrap() as usize)
}

#[test]
fn page_headers_are_the_same() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let file = file(version);
        let properties = ReaderProperties::builder().set_read_page_statistics(true);
        let options = ReadOptionsBuilder::new().with_reader_properties(properties.build());
        let theirs = SerializedFileReader::new_with_options(file.clone(), options.build());
        let theirs = theirs.unwrap();
        for (leaf, chunk) in decoded(&file).row_groups[0].columns.iter().enumerate() {
            let chunk = chunk.decode().unwrap().meta_data;
            let mut at = chunk.dictionary_page_offset.unwrap() as usize;
            let group = theirs.get_row_group(0).unwrap();
            let mut pages = group.get_column_page_reader(leaf).unwrap();
            while let Some(page) = pages.get_next_page().unwrap() {
                let header: PageHeader = decode(&file.slice(at..)).unwrap();
                let bytes = encode(&header).unwrap();
                assert_eq!(bytes, file[at..at + bytes.len()]);
                at += bytes.len() + header.compressed_page_size as usize;
                compare(&page, &header);
            }
        }
    }
}

fn compare(page: &Page, header: &PageHeader) {
    let in_header = i32::from(header.page_type);
    assert_eq!(page.page_type() as i32, in_header);
    assert_eq!(page.buffer().len(), header.uncompressed_page_size as usize);
    let (values, encoding) = match (header.page_type, page) {
        (PageType::DictionaryPage, Page::DictionaryPage { is_sorted, .. }) => {
            let header = header.dictionary_page_header.as_ref().unwrap();
            assert_eq!(header.is_sorted, Some(*is_sorted));
            (header.num_values, header.encoding)
        }
        (
            PageType::DataPage,
            Page::DataPage {
                def_level_encoding,
                rep_level_encoding,
                statistics,
                ..
            },
        ) => {
            let header = header.data_page_header.as_ref().unwrap();
            let levels = [
                Some(header.definition_level_encoding),
                header.repetition_level_encoding,
            ];
            let levels = levels.map(|encoding| encoding.map(i32::from));
            let theirs = [def_level_encoding, rep_level_encoding].map(|it| Some(*it as i32));
            assert_eq!(levels, theirs);
            compare_statistics(header.statistics.as_ref(), statistics.as_ref());
            (header.num_values, header.encoding)
        }
        (
            PageType::DataPageV2,
            Page::DataPageV2 {
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
                ..
            },
        ) => {
            let header = header.data_page_header_v2.as_ref().unwrap();
            let ours = [
                header.num_nulls,
                header.num_rows,
                header.definition_levels_byte_length,
                header.repetition_levels_byte_length,
            ];
            let theirs = [
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
            ];
            assert_eq!(ours, theirs.map(|number| *number as i32));
            assert_eq!(header.is_compressed, Some(*is_compressed));
            compare_statistics(header.statistics.as_ref(), statistics.as_ref());
            (header.num_values, header.encoding)
        }
        (ours, _) => panic!("{ours:?} instead of {}", page.page_type()),
    };
    assert_eq!(page.num_values() as i32, values);
    assert_eq!(page.encoding() as i32, i32::from(encoding));
}

/// Compares statistics. The crate `parquet` omits them from the headers of dictionaries and of some pages of
/// nulls.
fn compare_statistics(
    ours: Option<&Encoded<Statistics>>,
    theirs: Option<&parquet::file::statistics::Statistics>,
) {
    assert_eq!(ours.is_some(), theirs.is_some());
    if let (Some(ours), Some(theirs)) = (ours, theirs) {
        let ours = ours.decode().unwrap();
        assert_eq!(ours.min_value.as_deref(), theirs.min_bytes_opt());
        assert_eq!(ours.max_value.as_deref(), theirs.max_bytes_opt());
        assert_eq!(ours.null_count.map(|it| it as u64), theirs.null_count_opt());
    }
}

#[test]
fn indexes_are_the_same() {
    let file = file(WriterVersion::PARQUET_1_0);
    let theirs = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let theirs = theirs.parse_and_finish(&file).unwrap();
    let theirs = theirs.page_index_for_row_group(0);
    let group = decoded(&file).row_groups.remove(0);
    for (leaf, chunk) in group.columns.iter().enumerate() {
        let chunk = chunk.decode().unwrap();
        let bytes = part(&file, chunk.offset_index_offset, chunk.offset_index_length);
        let index: OffsetIndex = decode(&bytes).unwrap();
        assert_eq!(encode(&index).unwrap(), bytes);
        let locations = index.page_locations.iter();
        let ours: Vec<_> = locations
            .map(|page| (page.offset, page.compressed_page_size, page.first_row_index))
            .collect();
        let their_index = theirs.offset_index(leaf).unwrap();
        let locations = their_index.page_locations().iter();
        let locations: Vec<_> = locations
            .map(|page| (page.offset, page.compressed_page_size, page.first_row_index))
            .collect();
        assert_eq!((ours.len(), ours), (4, locations));
        let sizes = their_index.unencoded_byte_array_data_bytes();
        assert_eq!(index.unencoded_byte_array_data_bytes.as_ref(), sizes);

        let bytes = part(&file, chunk.column_index_offset, chunk.column_index_length);
        let index: ColumnIndex = decode(&bytes).unwrap();
        // The bytes may differ, because lists of bools may have either of two types.
        let again: ColumnIndex = decode(&encode(&index).unwrap().into()).unwrap();
        assert_eq!((&again, index.unknown_fields.len()), (&index, 0));
        let their_index = theirs.column_index(leaf).unwrap();
        let order = their_index.get_boundary_order().unwrap() as i32;
        assert_eq!(i32::from(index.boundary_order), order);
        assert_eq!(index.null_counts, their_index.null_counts().cloned());
        let histograms = index.definition_level_histograms.as_ref();
        assert_eq!(histograms.map(Vec::len), Some(8));
        for page in 0..4 {
            assert_eq!(index.null_pages[page], their_index.is_null_page(page));
            let histogram = their_index.definition_level_histogram(page);
            let ours = histograms.map(|all| &all[2 * page..2 * page + 2]);
            assert_eq!(ours, histogram);
        }
        if let ColumnIndexMetaData::INT64(numbers) = their_index {
            assert_eq!(index.boundary_order, BoundaryOrder::Descending);
            for page in 0..3 {
                let number = |bytes: &Bytes| i64::from_le_bytes(bytes[..].try_into().unwrap());
                assert_eq!(
                    Some(&number(&index.min_values[page])),
                    numbers.min_value(page)
                );
                assert_eq!(
                    Some(&number(&index.max_values[page])),
                    numbers.max_value(page)
                );
            }
        }
    }
}

#[test]
fn bloom_filters_have_the_same_header() {
    let file = file(WriterVersion::PARQUET_1_0);
    for chunk in decoded(&file).row_groups.remove(0).columns {
        let chunk = chunk.decode().unwrap().meta_data;
        let bytes = part(&file, chunk.bloom_filter_offset, chunk.bloom_filter_length);
        let header: BloomFilterHeader = decode(&bytes).unwrap();
        let length = encode(&header).unwrap().len();
        assert_eq!(length + header.num_bytes as usize, bytes.len());
        assert!(header.unknown_fields.is_empty());
    }
}
