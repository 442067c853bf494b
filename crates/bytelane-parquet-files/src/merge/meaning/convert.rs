//! Encodes columns whose values have to be converted, because they mean the same in other units or widths.

use crate::merge::input::RowGroup;
use crate::merge::join::codec::{like, target};
use crate::merge::plan::Plan;
use crate::merge::schema::Place;
use arrow_array::{ArrayRef, UInt32Array, new_null_array};
use arrow_schema::{DataType, Schema};
use arrow_select::take::take;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::choice::{Chooser, Learned};
use bytelane_parquet::chunk::{Chunk, Column};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::read::ReaderBuilder;
use bytelane_parquet::types::stored::{stored_schema, to_stored};
use bytelane_parquet::types::unite::convert;
use bytelane_parquet::{Error, Result, WriterOptions};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::basic::Compression;
use std::sync::Arc;

/// Column whose values are converted.
pub(in crate::merge) struct Converting<'a> {
    pub plan: &'a Plan<'a>,
    pub groups: &'a [RowGroup],
    pub root: usize,
}

impl Converting<'_> {
    /// Returns the new chunks of all leaves, their compression, and the size of the old ones.
    pub(in crate::merge) fn chunks(
        &self,
        learned: &mut Learned,
    ) -> Result<(Vec<Chunk>, Compression, u64)> {
        let root = &self.plan.columns.roots[self.root];
        let field = root.field.as_ref();
        let field = field.ok_or_else(|| Error::corrupt("a column without a type"))?;
        let schema = Arc::new(Schema::new(vec![Arc::clone(field)]));
        let stored = Arc::clone(&stored_schema(&schema).fields()[0]);
        let first = self.plan.columns.first_leaf(self.root);
        let in_file = self.plan.schema.get_column_root_ptr(first);
        let column = Column::new(Arc::clone(&stored), in_file)?;
        let mut arrays = Vec::new();
        let (mut bytes, mut chunks) = (0, Vec::new());
        for group in self.groups {
            let Some(place) = self.plan.columns.place(&group.layout, self.root) else {
                let rows = group.rows as usize;
                arrays.push(match &root.constant {
                    None => new_null_array(stored.data_type(), rows),
                    Some(value) => to_stored(&repeated(value, rows)?, stored.data_type())?,
                });
                continue;
            };
            let described = &group.file.footer.row_groups[group.index];
            for chunk in described.columns.iter().skip(place.leaf).take(place.leaves) {
                let chunk = chunk.decode().map_err(|error| group.located(error))?;
                bytes += u64::try_from(chunk.meta_data.total_compressed_size).unwrap_or(0);
                chunks.push((group, chunk));
            }
            let values =
                catch_panic(|| self.arrays(group, place, field.data_type(), stored.data_type()));
            arrays.extend(values.map_err(|error| group.located(error))?);
        }
        if chunks.is_empty() {
            // A new column is compressed like the first one.
            for group in self.groups {
                let described = &group.file.footer.row_groups[group.index];
                for chunk in described.columns.iter().take(1) {
                    chunks.push((group, chunk.decode().map_err(|error| group.located(error))?));
                }
            }
        }
        let codec = target(chunks.iter().map(|(_, chunk)| &chunk.meta_data), true)?;
        let compression = like(
            codec,
            self.plan.memory,
            chunks
                .iter()
                .map(|(group, chunk)| (&group.file.reader, chunk)),
        )?;
        let compression = compression.unwrap_or(Compression::SNAPPY);
        let mut options = WriterOptions::default()
            .with_compression(compression)
            .with_readers(self.readers());
        options.columns = self.plan.column_options(self.root);
        let leaves = Chooser::new(&options).encode_learning(&column, arrays, learned, None)?;
        let chunks = leaves.into_iter().map(|leaf| leaf.chunk).collect();
        Ok((chunks, compression, bytes))
    }

    fn readers(&self) -> Readers {
        self.plan.readers.clone()
    }

    /// Returns the values of a row group in the type in which they are stored.
    fn arrays(
        &self,
        group: &RowGroup,
        place: Place,
        united: &DataType,
        stored: &DataType,
    ) -> Result<Vec<ArrayRef>> {
        let mut builder = ReaderBuilder::try_new(group.file.reader.clone())?;
        if let Some(limit) = self.plan.memory.0 {
            builder = builder.with_memory_limit(limit);
        }
        let mask = ProjectionMask::roots(builder.parquet_schema(), [place.root]);
        let mut builder = builder
            .with_projection(mask)
            .with_row_groups(vec![group.index]);
        if let Some(rows) = &group.part {
            let rows = rows
                .iter()
                .map(|rows| rows.start as usize..rows.end as usize);
            let all = group.all_rows() as usize;
            let rows = RowSelection::from_consecutive_ranges(rows, all);
            builder = builder.with_row_selection(rows);
        }
        let batches = builder.build()?.map(|batch| {
            let batch = batch?;
            let (columns, schema) = (&self.plan.columns, batch.schema());
            let values = columns.renamed(batch.column(0), schema.field(0).name())?;
            let values = convert(&values, united)?;
            to_stored(&values, stored)
        });
        let arrays = batches.collect::<Result<Vec<_>>>()?;
        let rows: usize = arrays.iter().map(|array| array.len()).sum();
        if rows as u64 == group.rows {
            Ok(arrays)
        } else {
            let problem = format!("it has {rows} rows, but the row group {}", group.rows);
            Err(Error::corrupt(problem))
        }
    }
}

/// Returns an array with one value in all rows.
pub(in crate::merge) fn repeated(value: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    Ok(take(value, &UInt32Array::from(vec![0; rows]), None)?)
}
