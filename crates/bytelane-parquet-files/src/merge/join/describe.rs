//! Builds the footer entry and the indexes of a joined chunk.

use super::bloom;
use super::bounds;
use super::index::{column_index, offset_index, size_statistics};
use super::pages::{NewPages, START};
use super::{Input, Join};
use crate::merge::input::{bloom_filter, geospatial_statistics};
use crate::merge::leaf::{Entry, Leaf};
use crate::merge::outcome::Notes;
use bytelane_parquet::Result;
use bytelane_parquet::chunk::extent::{self, Extent};
use bytelane_parquet::chunk::{Chunk, physical_type};
use bytelane_parquet::format::{
    ColumnMetaData, CompressionCodec, Encoded, Encoding, GeospatialStatistics, Statistics,
};
use bytes::Bytes;

impl Join<'_> {
    /// Builds a chunk from pages.
    pub(super) fn described(
        &self,
        mut pages: NewPages,
        entries: &[Entry],
        codec: CompressionCodec,
        notes: &mut Notes,
    ) -> Result<Chunk> {
        let rows = self.inputs.iter().map(|input| match input {
            Input::Leaf(leaf) => leaf.rows,
            Input::Missing(rows) => *rows,
        });
        let rows: u64 = rows.sum();
        let locations = pages.locations(rows);
        let (like, encodings) = self.like(codec, notes)?;
        let statistics = self.statistics()?;
        let metadata = ColumnMetaData {
            statistics: statistics.map(|it| Encoded::new(&it)).transpose()?,
            size_statistics: size_statistics(self.inputs, self.column)?,
            geospatial_statistics: self.geospatial_statistics(like.geospatial_statistics, notes)?,
            ..like
        };
        let metadata = pages.metadata(metadata, encodings)?;
        let offset_index = locations.map(|locations| offset_index(entries, locations));
        let column_index = match offset_index {
            Some(_) => column_index(entries, self.compare)?,
            None => None,
        };
        let bytes = std::mem::take(&mut pages.pieces);
        let mut chunk = Chunk::of_pages(bytes, START, metadata, column_index, offset_index);
        chunk.take_bloom_filter(self.bloom_filter(notes)?);
        Ok(chunk)
    }

    /// Returns a Bloom filter of all values, if an input has one: the union of all filters, or a new
    /// one if they cannot be joined.
    fn bloom_filter(&self, notes: &mut Notes) -> Result<Option<Bytes>> {
        let filters = self.leaves().filter_map(|it| it.bloom_filter.as_ref());
        let filters: Vec<&Bytes> = filters.collect();
        if filters.is_empty() {
            return Ok(None);
        }
        let all_have_one = filters.len() == self.leaves().count();
        if let Some(joined) = bloom::joined(&filters).filter(|_| all_have_one) {
            return Ok(Some(joined));
        }
        let made = bloom_filter(self.leaves(), self.column)?;
        if made.is_none() {
            let column = self.column.path().string();
            notes.add(format!(
                "Bloom filters of column {column} were left out: they cannot be joined, nor the values be decoded"
            ));
        }
        Ok(made)
    }

    /// Returns the statistics of all geometries, if the column has some: those that were joined, or new ones.
    fn geospatial_statistics(
        &self,
        joined: Option<Encoded<GeospatialStatistics>>,
        notes: &mut Notes,
    ) -> Result<Option<Encoded<GeospatialStatistics>>> {
        let has_geometries = Extent::new(self.column).is_some();
        if joined.is_some() || !has_geometries {
            return Ok(joined);
        }
        let made = geospatial_statistics(self.leaves(), self.column)?;
        let had_some = |leaf: &Leaf| leaf.metadata().geospatial_statistics.is_some();
        if made.is_none() && self.leaves().any(had_some) {
            let column = self.column.path().string();
            notes.add(format!(
                "geospatial statistics of column {column} were left out: they cannot be joined, nor the values be decoded"
            ));
        }
        made.as_ref().map(Encoded::new).transpose()
    }

    /// Adds metadata of the input values to a re-encoded chunk.
    pub(in crate::merge) fn describe_encoded(
        &self,
        chunk: &mut Chunk,
        notes: &mut Notes,
    ) -> Result<()> {
        let (like, _) = self.like(chunk.metadata().codec, notes)?;
        chunk.take_bloom_filter(self.bloom_filter(notes)?);
        let metadata = chunk.metadata_mut();
        metadata.key_value_metadata = like.key_value_metadata;
        // Those of the new values are tight.
        if metadata.geospatial_statistics.is_none() {
            metadata.geospatial_statistics = like.geospatial_statistics;
        }
        metadata.unknown_fields = like.unknown_fields;
        Ok(())
    }

    /// Joins the statistics of all chunks.
    fn statistics(&self) -> Result<Option<Statistics>> {
        let statistics = self.inputs.iter().map(|input| match input {
            Input::Leaf(leaf) => Ok((bounds::of_chunk(leaf)?, leaf.metadata().num_values)),
            Input::Missing(rows) => {
                let nulls = Statistics {
                    null_count: Some(*rows as i64),
                    ..Default::default()
                };
                Ok((Some(nulls), *rows as i64))
            }
        });
        let statistics = statistics.collect::<Result<Vec<_>>>()?;
        Ok(bounds::joined(&statistics, self.compare))
    }

    /// Returns the metadata that the chunks of all inputs have in common, and the encodings in
    /// their footers.
    fn like(
        &self,
        codec: CompressionCodec,
        notes: &mut Notes,
    ) -> Result<(ColumnMetaData, Vec<Encoding>)> {
        let mut encodings: Vec<Encoding> = Vec::new();
        let mut like: Option<ColumnMetaData> = None;
        for leaf in self.leaves() {
            let metadata = leaf.metadata();
            for encoding in metadata.encodings.decode()? {
                if !encodings.contains(&encoding) {
                    encodings.push(encoding);
                }
            }
            let Some(like) = &mut like else {
                like = Some(metadata.clone());
                continue;
            };
            let column = || self.column.path().string();
            if like.key_value_metadata != metadata.key_value_metadata {
                like.key_value_metadata = None;
                notes.add(format!(
                    "key-value pairs of chunks of column {} differ; they were left out",
                    column()
                ));
            }
            if like.geospatial_statistics != metadata.geospatial_statistics {
                let both = like.geospatial_statistics.take();
                if let Some((one, other)) = both.zip(metadata.geospatial_statistics.as_ref()) {
                    let joined = extent::joined(&one.decode()?, &other.decode()?);
                    like.geospatial_statistics = joined.as_ref().map(Encoded::new).transpose()?;
                }
            }
            if like.unknown_fields != metadata.unknown_fields {
                like.unknown_fields = Default::default();
            }
        }
        if like.is_none() {
            encodings.extend([Encoding::Rle, Encoding::Plain]);
        }
        let path = self.column.path().parts().iter();
        let path: Vec<Bytes> = path.map(|name| name.clone().into_bytes().into()).collect();
        let like = ColumnMetaData {
            codec,
            physical_type: physical_type(self.column.physical_type()),
            path_in_schema: Some(Encoded::new(&path)?),
            ..like.unwrap_or_default()
        };
        Ok((like, encodings))
    }
}
