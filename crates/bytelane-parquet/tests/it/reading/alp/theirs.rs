//! Writes and reads ALP pages with the crate `parquet`.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{get_column_reader, get_typed_column_reader};
use parquet::data_type::DataType;
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type};
use std::sync::Arc;

fn column<T: DataType>() -> Arc<Type> {
    let column = Type::primitive_type_builder("v", T::get_physical_type());
    let column = column.with_repetition(parquet::basic::Repetition::REQUIRED);
    Arc::new(column.build().expect("a column of numbers"))
}

/// Writes a file with these values, without definition levels.
fn file<T: DataType>(values: &[T::T], per_page: usize) -> Bytes {
    let schema = Type::group_type_builder("schema").with_fields(vec![column::<T>()]);
    let schema = Arc::new(schema.build().expect("a schema"));
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::ALP)
        .set_compression(Compression::UNCOMPRESSED)
        .set_data_page_row_count_limit(per_page);
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

/// Returns the pages that it writes, each with the number of its values.
pub fn encode<T: DataType>(values: &[T::T], per_page: usize) -> Vec<(Bytes, usize)> {
    let reader = SerializedFileReader::new(file::<T>(values, per_page)).expect("a file");
    let group = reader.get_row_group(0).expect("a row group");
    let pages = group.get_column_page_reader(0).expect("a column");
    let page = |page: Result<Page>| match page.expect("a page") {
        Page::DataPage {
            buf,
            num_values,
            encoding: Encoding::ALP,
            ..
        } => (buf, num_values as usize),
        other => panic!("no page of ALP: {:?}", other.page_type()),
    };
    pages.map(page).collect()
}

/// Returns the values that it reads from a page.
pub fn decode<T: DataType>(page: &[u8], count: usize) -> Result<Vec<T::T>> {
    let page = Page::DataPage {
        buf: Bytes::copy_from_slice(page),
        num_values: count as u32,
        encoding: Encoding::ALP,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let column = ColumnDescriptor::new(column::<T>(), 0, 0, ColumnPath::new(Vec::new()));
    let reader = get_column_reader(Arc::new(column), Box::new(One(Some(page))));
    let mut values = Vec::new();
    get_typed_column_reader::<T>(reader).read_records(count, None, None, &mut values)?;
    Ok(values)
}

/// Reader of a column with only one page.
struct One(Option<Page>);

impl Iterator for One {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.0.take().map(Ok)
    }
}

impl PageReader for One {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        Ok(self.0.take())
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0 = None;
        Ok(())
    }
}
