//! Reads the columns of a file from the footer of another one.

use super::offsets::with_offsets;
use crate::opened::{OpenedFile, without_row_groups};
use bytelane_parquet::format::{ColumnOrder, CompressionCodec, FileMetaData};
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
        let file = OpenedFile::open(path)?;
        let leaves = file.schema()?.columns().to_vec();
        let footer = &file.footer;
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
            footer: with_offsets(without_row_groups(footer), leaves.len())?,
            leaves,
            codecs,
        })
    }
}
