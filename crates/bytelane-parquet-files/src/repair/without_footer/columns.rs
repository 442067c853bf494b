//! Reads the columns of a file from the footer of another one.

use super::offsets::with_offsets;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::file::{in_parquet, read_file_metadata};
use bytelane_parquet::format::{ColumnOrder, CompressionCodec, FileMetaData};
use bytelane_parquet::input::InputFile;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::{Problem, Result};
use bytes::Bytes;
use parquet::schema::types::ColumnDescPtr;
use std::path::Path;

/// Columns of the file with the schema.
pub(super) struct Columns {
    pub(super) footer: FileMetaData,
    pub(super) leaves: Vec<ColumnDescPtr>,
    pub(super) paths: Vec<Vec<Bytes>>,
    pub(super) orders: Option<Vec<ColumnOrder>>,
    /// Compressions of its first row group.
    pub(super) codecs: Option<Vec<CompressionCodec>>,
}

impl Columns {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = InputFile::open(path)?;
        let (footer, depth) = catch_panic(|| read_file_metadata(&file))?;
        let bare = FileMetaData {
            row_groups: Vec::new(),
            ..footer.clone()
        };
        let metadata = with_stack(depth, || in_parquet(&bare))?;
        let leaves = metadata.file_metadata().schema_descr().columns().to_vec();
        let paths = leaves.iter().map(|leaf| {
            let names = leaf.path().parts().iter();
            names
                .map(|name| Bytes::from(name.clone().into_bytes()))
                .collect()
        });
        let first = footer.row_groups.first().map(|group| {
            let chunks = group.columns.iter();
            chunks
                .map(|chunk| Ok(chunk.decode()?.meta_data.codec))
                .collect::<Result<Vec<_>>>()
        });
        let codecs = first.transpose()?.filter(|it| it.len() == leaves.len());
        if leaves.is_empty() {
            return Err(Problem::Input("the schema has no columns".to_owned()).into());
        }
        Ok(Self {
            paths: paths.collect(),
            orders: footer.column_orders.clone(),
            footer: with_offsets(bare, leaves.len())?,
            leaves,
            codecs,
        })
    }
}
