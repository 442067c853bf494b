//! Tests files that are encrypted and decrypted here. The tests of the Python package exchange files with pyarrow.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, RecordBatchReader, StringArray};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::parquet::file::properties::BloomFilterProperties;
use bytelane_parquet::{
    ColumnOptions, DataPageVersion, DecryptedFile, DecryptionKeys, Encoding, EncryptionAlgorithm,
    EncryptionKeys, Key, Problem, Reader, Result, Writer, WriterOptions,
};
use bytes::Bytes;
use std::sync::Arc;

const ROWS: i64 = 3000;

fn key(byte: u8, length: usize) -> Key {
    Key::new(vec![byte; length]).unwrap()
}

fn batch() -> RecordBatch {
    let numbers = Int64Array::from_iter_values(0..ROWS);
    let names = (0..ROWS).map(|i| (i % 11 != 0).then(|| format!("name {}", i % 50)));
    let lists = (0..ROWS).map(|i| (i % 5 != 0).then(|| (0..i % 4).map(|it| Some(it as i32))));
    let columns: [(&str, ArrayRef, bool); 3] = [
        ("number", Arc::new(numbers), false),
        ("name", Arc::new(StringArray::from_iter(names)), true),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
            true,
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn written(options: WriterOptions, keys: &EncryptionKeys) -> Bytes {
    let batch = batch();
    let options = options
        .with_row_group_size(1000)
        .with_max_rows_per_page(100);
    let mut writer = Writer::try_new_encrypted(Vec::new(), batch.schema(), options, keys).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap().into()
}

fn read(file: &Bytes, keys: &DecryptionKeys, selection: &Selection) -> Result<RecordBatch> {
    let builder = Reader::builder(DecryptedFile::open(file.clone(), keys)?)?.with_batch_size(700);
    let reader = selection.choose(builder)?.build()?;
    let schema = reader.schema();
    let batches = reader.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(arrow_select::concat::concat_batches(&schema, &batches)?)
}

/// Returns ways to encrypt a file, and the keys to read all of it.
fn ways() -> Vec<(EncryptionKeys, DecryptionKeys)> {
    let mut ways = Vec::new();
    for (length, algorithm) in [
        (16, EncryptionAlgorithm::AesGcm),
        (24, EncryptionAlgorithm::AesGcmCtr),
        (32, EncryptionAlgorithm::AesGcm),
    ] {
        for has_plaintext_footer in [false, true] {
            let keys = EncryptionKeys::new(key(1, length))
                .with_algorithm(algorithm)
                .with_plaintext_footer(has_plaintext_footer);
            let all = DecryptionKeys::default().with_footer_key(key(1, length));
            ways.push((keys.clone(), all.clone()));
            let keys = keys
                .with_column_key("name", key(2, length))
                .with_plain_column("list")
                .with_aad_prefix("table", false);
            let all = all
                .with_column_key("name", key(2, length))
                .with_aad_prefix("table");
            ways.push((keys, all));
        }
    }
    ways
}

#[test]
fn encrypted_files_are_read() {
    let filter = ColumnOptions::default().with_bloom_filter(BloomFilterProperties::default());
    let options = [
        WriterOptions::default().with_column("name", filter.clone()),
        WriterOptions::default()
            .with_data_page_version(DataPageVersion::V2)
            .with_write_page_checksum(true)
            .with_column("number", filter),
    ];
    for (keys, all) in ways() {
        for options in &options {
            let file = written(options.clone(), &keys);
            let everything = read(&file, &all, &Selection::default()).unwrap();
            assert_eq!(everything, batch());
            for filter in [
                "number between 1510 and 1512",
                "name = 'name 7' and number > 2900",
            ] {
                let selection = Selection::default().with_filter(filter.parse().unwrap());
                let found = read(&file, &all, &selection).unwrap();
                assert!(
                    (1..=3).contains(&found.num_rows()),
                    "{filter}: {}",
                    found.num_rows()
                );
            }
        }
    }
}

#[test]
fn columns_without_keys_are_errors_only_if_they_are_read() {
    let keys = EncryptionKeys::new(key(1, 16));
    let keys = keys.with_named_column_key("name", key(2, 16), "kc1");
    for keys in [keys.clone(), keys.with_plaintext_footer(true)] {
        let file = written(WriterOptions::default(), &keys);
        let some = DecryptionKeys::default().with_footer_key(key(1, 16));
        let selection = Selection::default().with_columns(["number", "list"]);
        assert_eq!(
            read(&file, &some, &selection).unwrap().num_rows(),
            ROWS as usize
        );
        for keys in [some.clone(), some.with_column_key("name", key(3, 16))] {
            let error = read(&file, &keys, &Selection::default()).unwrap_err();
            assert!(matches!(error.problem(), Problem::Decryption(_)), "{error}");
            assert_eq!(error.place().column.as_deref(), Some("name"));
        }
        let retrieving = DecryptionKeys::default().with_key_retriever(|_| Ok(Some(key(2, 16))));
        let retrieving = retrieving.with_footer_key(key(1, 16));
        assert_eq!(
            read(&file, &retrieving, &Selection::default()).unwrap(),
            batch()
        );
    }
}

#[test]
fn pages_cannot_be_exchanged() {
    let keys = EncryptionKeys::new(key(1, 16));
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_compression(Compression::UNCOMPRESSED);
    let file = written(options, &keys);
    let all = DecryptionKeys::default().with_footer_key(key(1, 16));
    let opened = Reader::builder(DecryptedFile::open(file.clone(), &all).unwrap()).unwrap();
    let starts: Vec<usize> = opened.metadata().row_groups()[..2]
        .iter()
        .map(|it| it.column(0).data_page_offset() as usize)
        .collect();
    let length = |at: usize| 4 + u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let page = |at: usize| length(at) + length(at + length(at));
    let second = starts[0] + page(starts[0]);
    for other in [second, starts[1]] {
        let size = page(starts[0]).min(page(other));
        assert_eq!((page(starts[0]), page(other)), (size, size));
        let mut changed = file.to_vec();
        changed.copy_within(other..other + size, starts[0]);
        let selection = Selection::default().with_columns(["number"]);
        let error = read(&changed.into(), &all, &selection).unwrap_err();
        assert!(matches!(error.problem(), Problem::Decryption(_)), "{error}");
    }
}

#[test]
fn changed_files_are_refused() {
    let mut state = 5_u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % bound
    };
    for (keys, all) in ways() {
        // Without tags, changes of pages may go unnoticed.
        let has_tags = !format!("{keys:?}").contains("AesGcmCtr");
        let file = written(WriterOptions::default(), &keys);
        let selection = Selection::default().with_columns(["number", "name"]);
        let want = read(&file, &all, &selection).unwrap();
        for _ in 0..60 {
            let mut changed = file.to_vec();
            let at = below(file.len() - 4) + 4;
            changed[at] ^= 1 << below(8);
            if below(4) == 0 {
                changed.truncate(at);
            }
            if let Ok(read) = read(&changed.into(), &all, &selection) {
                assert!(read == want || !has_tags);
            }
        }
    }
}

#[test]
fn keys_of_other_columns_are_refused() {
    let batch = batch();
    let keys = EncryptionKeys::new(key(1, 16)).with_column_key("nome", key(2, 16));
    let options = WriterOptions::default();
    let error = Writer::try_new_encrypted(Vec::new(), batch.schema(), options, &keys).unwrap_err();
    assert!(
        matches!(error.problem(), Problem::NoSuchColumn(_)),
        "{error}"
    );
}
