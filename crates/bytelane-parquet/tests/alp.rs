//! Pages of the encoding ALP as the crate `parquet` writes them, decoded by `bytelane::alp`.

use bytelane::alp::{self, Float};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::Page;
use parquet::data_type::{DataType, DoubleType, FloatType};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// A file with these values, without definition levels.
fn file<T: DataType>(physical: &str, values: &[T::T]) -> Bytes {
    let schema = format!("message schema {{ required {physical} v; }}");
    let schema = Arc::new(parse_message_type(&schema).expect("a schema"));
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::ALP)
        .set_compression(Compression::UNCOMPRESSED)
        .set_data_page_row_count_limit(5000);
    let properties = Arc::new(properties.build());
    let mut written = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut written, schema, properties).expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    let mut column = group.next_column().expect("a column").expect("one of them");
    let batch = column.typed::<T>().write_batch(values, None, None);
    assert_eq!(batch.expect("it takes all values"), values.len());
    column.close().expect("the end of the column");
    group.close().expect("the end of the row group");
    writer.close().expect("the end of the file");
    written.into()
}

fn pages_hold<T: DataType>(physical: &str, values: &[T::T])
where
    T::T: Float + bytemuck::Pod,
{
    let reader = SerializedFileReader::new(file::<T>(physical, values)).expect("a file");
    let group = reader.get_row_group(0).expect("a row group");
    let pages = group.get_column_page_reader(0).expect("a column");
    let mut read: Vec<T::T> = Vec::new();
    for page in pages {
        let page = page.expect("a page");
        let Page::DataPage {
            buf,
            num_values,
            encoding,
            ..
        } = page
        else {
            panic!("no data page");
        };
        assert_eq!(encoding, Encoding::ALP);
        let count = num_values as usize;
        assert_eq!(alp::validate::<T::T>(&buf), Ok((count, buf.len())));
        alp::decode_append(&buf, count, &mut read).expect("a page of the other encoder");
        let ours = alp::encode_to_vec(&read[read.len() - count..]).expect("a small page");
        assert!(
            ours.len() <= buf.len(),
            "{} bytes for {}",
            ours.len(),
            buf.len()
        );
    }
    let (expected, read): (&[u8], &[u8]) =
        (bytemuck::cast_slice(values), bytemuck::cast_slice(&read));
    assert!(expected == read, "{physical}: the bits of all values");
}

fn random(i: u64) -> u64 {
    (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
}

#[test]
fn bytelane_reads_what_the_crate_parquet_writes_and_writes_no_more() {
    let kinds: [&dyn Fn(u64) -> f64; 6] = [
        &|i| (random(i) % 100_000) as f64 / 100.0,
        &|i| -((random(i) % 1_000_000) as f64),
        &|i| f64::from_bits(random(i)),
        &|i| {
            [
                f64::NAN,
                -0.0,
                0.1,
                f64::INFINITY,
                5e-324,
                9_007_199_254_740_993.0,
            ][i as usize % 6]
        },
        &|i| {
            if i % 40 == 0 {
                f64::NAN
            } else {
                (i % 777) as f64 / 8.0
            }
        },
        &|_| 2.5,
    ];
    for kind in kinds {
        for count in [1, 7, 1024, 1025, 20_000] {
            let values: Vec<f64> = (0..count).map(kind).collect();
            pages_hold::<DoubleType>("double", &values);
            let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            pages_hold::<FloatType>("float", &values);
        }
    }
}
