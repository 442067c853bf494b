//! Tests columns in FSST: every type of strings, with nulls and in lists, reads as in another encoding.

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, LargeStringArray, ListArray, RecordBatch,
    StringArray, StringViewArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::format::{self, PageType, SymbolTableType};
use bytelane_parquet::{
    DataPageVersion, Encoding, Reader, Writer, WriterOptions, parse_compression,
};
use bytes::Bytes;
use parquet::basic::Compression;
use std::num::NonZero;
use std::sync::Arc;

fn url(i: usize) -> String {
    let host = ["example.com", "cdn.example.com", "api.example.org"][i % 3];
    format!(
        "https://{host}/orders/{i}/items/{}?page={}",
        i * 7919 % 1000,
        i % 50
    )
}

/// Returns a column of each type of strings.
fn columns(rows: usize) -> RecordBatch {
    let text = |i: usize| match i % 11 {
        3 => None,
        5 => Some(String::new()),
        7 => Some(url(i).repeat(i % 40)),
        _ => Some(url(i)),
    };
    let all: Vec<Option<String>> = (0..rows).map(text).collect();
    let raw = (0..rows).map(|i| {
        if i % 9 == 0 {
            vec![0xf0 | i as u8; 8]
        } else {
            url(i).into_bytes()
        }
    });
    let lengths = (0..rows).map(|i| i % 4);
    let lists = OffsetBuffer::from_lengths(lengths.clone());
    let members = StringArray::from_iter((0..lengths.sum()).map(text));
    let member = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let nulls = (0..rows).map(|i| i % 5 != 4).collect::<Vec<_>>().into();
    let list = ListArray::new(member, lists, Arc::new(members), Some(nulls));
    let few = all
        .iter()
        .map(|it| it.as_deref().map(|it| &it[..it.len().min(20)]));
    let columns: [(&str, ArrayRef); 7] = [
        ("text", Arc::new(StringArray::from_iter(&all))),
        ("large", Arc::new(LargeStringArray::from_iter(&all))),
        ("views", Arc::new(StringViewArray::from_iter(&all))),
        ("bytes", Arc::new(BinaryArray::from_iter_values(raw))),
        (
            "required",
            Arc::new(StringArray::from_iter_values((0..rows).map(url))),
        ),
        (
            "keys",
            Arc::new(few.collect::<DictionaryArray<Int32Type>>()),
        ),
        ("list", Arc::new(list)),
    ];
    let columns = columns.into_iter().map(|(name, array)| {
        let is_nullable = array.null_count() > 0;
        (name, array, is_nullable)
    });
    RecordBatch::try_from_iter_with_nullable(columns).expect("a batch")
}

fn write(batch: &RecordBatch, options: WriterOptions) -> Bytes {
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), options).expect("a writer");
    writer.write(batch).expect("rows");
    writer.close().expect("a file");
    file.into()
}

fn read(file: &Bytes, threads: usize) -> Vec<RecordBatch> {
    let reader = Reader::builder(file.clone()).expect("a footer");
    let reader = reader
        .with_batch_size(700)
        .with_threads(NonZero::new(threads).expect("a thread"));
    let batches = reader.build().expect("a reader");
    batches.collect::<Result<_, ArrowError>>().expect("rows")
}

#[test]
fn all_types_of_strings() {
    let batch = columns(5000);
    for compression in ["none", "snappy", "zstd"] {
        for version in [DataPageVersion::V1, DataPageVersion::V2] {
            let options = || {
                WriterOptions::default()
                    .with_compression(parse_compression(compression).expect("a compression"))
                    .with_data_page_version(version)
                    .with_max_rows_per_page(600)
                    .with_row_group_size(2100)
            };
            let file = write(&batch, options().with_encoding(Encoding::Fsst));
            let other = write(
                &batch,
                options().with_encoding(Encoding::DeltaLengthByteArray),
            );
            for threads in [1, 3] {
                assert_eq!(
                    read(&file, threads),
                    read(&other, threads),
                    "{compression}, {version:?}"
                );
            }
            if compression == "none" {
                assert!(
                    file.len() * 3 < other.len() * 2,
                    "{} bytes of {}",
                    file.len(),
                    other.len()
                );
            }
        }
    }
}

#[test]
fn the_footer_says_where_the_symbols_are() {
    let batch = columns(2000);
    let options = WriterOptions::default().with_encoding(Encoding::Fsst);
    let file = write(&batch, options);
    let footer = format::decode_footer(&file).expect("a footer");
    for chunk in &footer.row_groups[0].columns {
        let metadata = chunk.decode().expect("a chunk").meta_data;
        let start = metadata.symbol_table_page_offset.expect("symbols");
        let length = i64::from(metadata.symbol_table_page_length.expect("symbols"));
        assert_eq!(start + length, metadata.data_page_offset);
        assert_eq!(metadata.dictionary_page_offset, None);
        let page = file.slice(start as usize..);
        let (header, _) = format::decode_prefix::<format::PageHeader>(&page).expect("a header");
        assert_eq!(header.page_type, PageType::SymbolTablePage);
        assert!(
            metadata
                .encodings
                .decode()
                .expect("encodings")
                .contains(&format::Encoding::Fsst)
        );
    }
}

/// Returns a chunk's type of symbols.
fn symbols_of(file: &Bytes) -> Option<SymbolTableType> {
    let footer = format::decode_footer(file).expect("a footer");
    let chunk = footer.row_groups[0].columns[0].decode().expect("a chunk");
    let page = file.slice(chunk.meta_data.symbol_table_page_offset? as usize..);
    let (header, _) = format::decode_prefix::<format::PageHeader>(&page).expect("a header");
    Some(header.symbol_table_page_header.expect("symbols").table_type)
}

#[test]
fn large_chunks_of_long_frequent_parts_have_codes_of_16_bits() {
    let line = |i: usize| {
        let (path, agent) = (
            ["products", "images"][i % 2],
            ["curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0)"][i / 7 % 2],
        );
        let size = i * 7919 % 100_003;
        format!(
            "10.0.3.{} - - [12/Mar/2025 +0000] \"GET /{path}/{size} HTTP/1.1\" 200 \"-\" \"{agent}\"",
            i % 256
        )
    };
    let batch = |rows| {
        let lines = StringArray::from_iter((0..rows).map(|i| (i % 10 != 3).then(|| line(i))));
        RecordBatch::try_from_iter([("line", Arc::new(lines) as ArrayRef)]).expect("a batch")
    };
    let options = || WriterOptions::default().with_compression(Compression::UNCOMPRESSED);
    for (rows, expected) in [
        (2_000, SymbolTableType::Fsst),
        (20_000, SymbolTableType::Fsst16),
    ] {
        let batch = batch(rows);
        let file = write(&batch, options().with_encoding(Encoding::Fsst));
        assert_eq!(symbols_of(&file), Some(expected), "{rows} rows");
        let other = write(&batch, options().with_encoding(Encoding::Plain));
        assert_eq!(read(&file, 1), read(&other, 1));
        assert!(
            3 * file.len() < other.len(),
            "{} of {}",
            file.len(),
            other.len()
        );
    }
}

#[test]
fn bytes_that_do_not_become_smaller_are_stored_otherwise() {
    let mut state = 1u64;
    let strings = (0..2000).map(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state.to_le_bytes()
    });
    let strings = BinaryArray::from_iter_values(strings);
    let batch =
        RecordBatch::try_from_iter([("random", Arc::new(strings) as ArrayRef)]).expect("a batch");
    let file = write(
        &batch,
        WriterOptions::default().with_encoding(Encoding::Fsst),
    );
    let chunk = format::decode_footer(&file).expect("a footer").row_groups[0].columns[0]
        .decode()
        .expect("a chunk");
    assert_eq!(chunk.meta_data.symbol_table_page_offset, None);
    let rows: Vec<RecordBatch> = read(&file, 1);
    assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 2000);
}

#[test]
fn rows_are_selected_and_filtered() {
    let batch = columns(5000);
    let options = |encoding| {
        let options = WriterOptions::default().with_encoding(encoding);
        options
            .with_max_rows_per_page(300)
            .with_row_group_size(1800)
    };
    let files = [Encoding::Fsst, Encoding::Plain].map(|encoding| write(&batch, options(encoding)));
    let conditions = [
        "text = 'https://example.com/orders/303/items/457?page=3'",
        "text < 'https://api.example.org/orders/2'",
        "text is null",
        "required in ('https://cdn.example.com/orders/4/items/676?page=4', '')",
        "views >= 'https://example.com/orders/4' and keys is not null",
    ];
    for condition in conditions {
        let [ours, other] = [&files[0], &files[1]].map(|file| {
            let builder = Reader::builder(file.clone()).expect("a footer");
            let chosen = Selection::default().with_filter(condition.parse().expect("a condition"));
            let builder = chosen.choose(builder).expect("rows");
            let rows = builder
                .build()
                .expect("a reader")
                .collect::<Result<Vec<_>, ArrowError>>();
            arrow_select::concat::concat_batches(&batch.schema(), &rows.expect("rows"))
                .expect("rows")
        });
        assert_eq!(ours, other, "{condition}");
        assert!(ours.num_rows() > 0, "{condition}");
    }
}

#[test]
fn damaged_files_give_rows_or_errors() {
    let batch = columns(300);
    let file = write(
        &batch,
        WriterOptions::default().with_encoding(Encoding::Fsst),
    );
    let end = file.len() - 1500;
    let mut read_whole = 0;
    for at in (4..end).step_by(7) {
        let mut damaged = file.to_vec();
        damaged[at] ^= 1 << (at % 8);
        let Ok(builder) = Reader::builder(Bytes::from(damaged)) else {
            continue;
        };
        let Ok(reader) = builder.build() else {
            continue;
        };
        read_whole += usize::from(reader.collect::<Result<Vec<_>, ArrowError>>().is_ok());
    }
    assert!(read_whole < (end / 7) * 9 / 10, "most changes are found");
}
