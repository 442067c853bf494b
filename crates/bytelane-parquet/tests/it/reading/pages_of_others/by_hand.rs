//! Builds files by hand: a column of arbitrary pages, and one of numbers.

use bytelane_parquet::format::{
    ColumnChunk, ColumnMetaData, CompressionCodec, DataPageHeader, DataPageHeaderV2,
    DictionaryPageHeader, Encoded, Encoding, FieldRepetitionType, FileMetaData, ListType,
    LogicalType, PageHeader, PageType, PhysicalType, RowGroup, SchemaElement, encode,
};
use bytes::Bytes;

/// Page: its header, in which the sizes are not set yet, and the bytes after it.
#[derive(Clone)]
pub struct Page(PageHeader, Vec<u8>);

/// Returns a dictionary of `values` values.
pub fn dictionary(values: i32, bytes: &[u8]) -> Page {
    let header = PageHeader {
        page_type: PageType::DictionaryPage,
        dictionary_page_header: Some(DictionaryPageHeader {
            num_values: values,
            encoding: Encoding::Plain,
            ..Default::default()
        }),
        ..Default::default()
    };
    Page(header, bytes.to_vec())
}

/// Returns a version 1 data page. Its levels are in front of the values.
pub fn page(slots: i32, encoding: Encoding, bytes: &[u8]) -> Page {
    let header = PageHeader {
        page_type: PageType::DataPage,
        data_page_header: Some(DataPageHeader {
            num_values: slots,
            encoding,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Some(Encoding::Rle),
            ..Default::default()
        }),
        ..Default::default()
    };
    Page(header, bytes.to_vec())
}

/// Returns a version 2 data page.
pub fn page_v2(
    [rows, slots]: [i32; 2],
    encoding: Encoding,
    [repetition, definition]: [&[u8]; 2],
    values: &[u8],
) -> Page {
    let header = PageHeader {
        page_type: PageType::DataPageV2,
        data_page_header_v2: Some(DataPageHeaderV2 {
            num_values: slots,
            num_rows: rows,
            encoding,
            definition_levels_byte_length: definition.len() as i32,
            repetition_levels_byte_length: repetition.len() as i32,
            is_compressed: Some(false),
            ..Default::default()
        }),
        ..Default::default()
    };
    Page(header, [repetition, definition, values].concat())
}

impl Page {
    /// Sets the number of nulls in the header of a version 2 page.
    pub fn with_nulls(mut self, nulls: i32) -> Self {
        if let Some(page) = &mut self.0.data_page_header_v2 {
            page.num_nulls = nulls;
        }
        self
    }
}

/// Returns levels with their length, as they precede the values of a version 1 page.
pub fn with_length(runs: &[u8]) -> Vec<u8> {
    [&(runs.len() as u32).to_le_bytes(), runs].concat()
}

/// Encodes numbers in PLAIN.
pub fn plain(numbers: &[i32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// Encodes strings in PLAIN.
pub fn plain_strings(strings: &[&str]) -> Vec<u8> {
    strings
        .iter()
        .flat_map(|text| with_length(text.as_bytes()))
        .collect()
}

pub fn required(physical_type: PhysicalType) -> SchemaElement {
    SchemaElement {
        physical_type: Some(physical_type),
        repetition_type: Some(FieldRepetitionType::Required),
        name: "a".into(),
        ..Default::default()
    }
}

pub fn optional(physical_type: PhysicalType) -> SchemaElement {
    SchemaElement {
        repetition_type: Some(FieldRepetitionType::Optional),
        ..required(physical_type)
    }
}

/// Returns the same column with the annotation for strings.
pub fn strings(of: SchemaElement) -> SchemaElement {
    let text = LogicalType::Text(Default::default());
    SchemaElement {
        logical_type: Some(Encoded::new(&text).unwrap()),
        ..of
    }
}

/// Column `a` of one row group.
pub struct Column {
    /// Groups around the leaf, and the leaf.
    pub elements: Vec<SchemaElement>,
    pub pages: Vec<Page>,
    pub rows: i64,
    pub slots: i64,
    /// Change to the footer's description of the column.
    pub change: fn(&mut ColumnChunk),
}

impl Column {
    pub fn flat(of: SchemaElement, rows: i64, pages: Vec<Page>) -> Self {
        Self {
            elements: vec![of],
            pages,
            rows,
            slots: rows,
            change: |_| {},
        }
    }

    /// Describes lists of values. Neither lists nor values may be null.
    pub fn of_lists(of: PhysicalType, [rows, slots]: [i64; 2], pages: Vec<Page>) -> Self {
        let list = LogicalType::List(ListType::default());
        let group = |name: &'static str, repetition| SchemaElement {
            repetition_type: Some(repetition),
            name: name.into(),
            num_children: Some(1),
            ..Default::default()
        };
        let around = SchemaElement {
            logical_type: Some(Encoded::new(&list).unwrap()),
            ..group("a", FieldRepetitionType::Required)
        };
        let repeated = group("list", FieldRepetitionType::Repeated);
        let item = SchemaElement {
            name: "element".into(),
            ..required(of)
        };
        Self {
            elements: vec![around, repeated, item],
            pages,
            rows,
            slots,
            change: |_| {},
        }
    }

    pub fn changed(self, change: fn(&mut ColumnChunk)) -> Self {
        Self { change, ..self }
    }

    /// Returns a file of this column and of `n`, the row numbers.
    pub fn file(&self) -> Bytes {
        let mut file = b"PAR1".to_vec();
        let path = self.elements.iter().map(|it| it.name.clone()).collect();
        let leaf = self.elements.last().unwrap().physical_type.unwrap();
        let mut chunk = written(&self.pages, leaf, path, self.slots, &mut file);
        (self.change)(&mut chunk);
        let numbers = plain(&(0..self.rows as i32).collect::<Vec<_>>());
        let numbers = [page(self.rows as i32, Encoding::Plain, &numbers)];
        let int = PhysicalType::Int32;
        let numbers = written(&numbers, int, vec!["n".into()], self.rows, &mut file);
        let root = SchemaElement {
            name: "schema".into(),
            num_children: Some(2),
            ..Default::default()
        };
        let number = SchemaElement {
            name: "n".into(),
            ..required(int)
        };
        let row_group = RowGroup {
            columns: [chunk, numbers].map(|it| Encoded::new(&it).unwrap()).into(),
            num_rows: self.rows,
            ..Default::default()
        };
        let footer = FileMetaData {
            version: 1,
            schema: [&[root], &self.elements[..], &[number]].concat(),
            num_rows: self.rows,
            row_groups: vec![row_group],
            ..Default::default()
        };
        let footer = encode(&footer).unwrap();
        let length = (footer.len() as u32).to_le_bytes();
        [&file, &footer, &length[..], b"PAR1"].concat().into()
    }
}

/// Appends the pages of a chunk. Returns its description for the footer.
fn written(
    pages: &[Page],
    physical_type: PhysicalType,
    path: Vec<Bytes>,
    slots: i64,
    file: &mut Vec<u8>,
) -> ColumnChunk {
    let start = file.len();
    let (mut data, mut dictionary) = (None, None);
    for Page(header, bytes) in pages {
        let place = match header.page_type {
            PageType::DictionaryPage => &mut dictionary,
            _ => &mut data,
        };
        place.get_or_insert(file.len() as i64);
        let header = PageHeader {
            uncompressed_page_size: bytes.len() as i32,
            compressed_page_size: bytes.len() as i32,
            ..header.clone()
        };
        file.extend(encode(&header).unwrap());
        file.extend(bytes);
    }
    let size = (file.len() - start) as i64;
    ColumnChunk {
        meta_data: ColumnMetaData {
            physical_type,
            encodings: Encoded::new(&vec![Encoding::Plain, Encoding::Rle]).unwrap(),
            path_in_schema: Some(Encoded::new(&path).unwrap()),
            codec: CompressionCodec::Uncompressed,
            num_values: slots,
            total_uncompressed_size: size,
            total_compressed_size: size,
            data_page_offset: data.unwrap(),
            dictionary_page_offset: dictionary,
            ..Default::default()
        },
        ..Default::default()
    }
}
