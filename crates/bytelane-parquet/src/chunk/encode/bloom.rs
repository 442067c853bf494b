//! The Bloom filter of a chunk.

use crate::page::DenseValues;
use crate::{Result, WriterOptions};
use parquet::bloom_filter::Sbbf;
use parquet::schema::types::ColumnDescriptor;

/// A filter while values are inserted, if one is wanted.
pub(super) struct BloomFilter(Option<(Sbbf, f64)>);

impl BloomFilter {
    /// The filter that the options have for a column.
    pub(super) fn new(column: &ColumnDescriptor, options: &WriterOptions) -> Result<Self> {
        let wanted = options.bloom_filter_of(column.path().clone());
        let filter = wanted.map(|wanted| {
            let filter = Sbbf::new_with_ndv_fpp(wanted.ndv(), wanted.fpp())?;
            Ok((filter, wanted.fpp()))
        });
        filter.transpose().map(Self)
    }

    /// Inserts values.
    pub(super) fn insert(&mut self, values: DenseValues<'_>) {
        let Some((filter, _)) = &mut self.0 else {
            return;
        };
        match values {
            DenseValues::Fixed(bytes, width) => {
                bytes
                    .chunks_exact(width)
                    .for_each(|value| filter.insert(value));
            }
            DenseValues::Bits(bits) => bits.iter().for_each(|bit| filter.insert(&bit)),
            DenseValues::Strings(strings) => strings.iter().for_each(|it| filter.insert(*it)),
            DenseValues::Indices(_) => {}
        }
    }

    /// Returns the filter as a file has it, no larger than its values need.
    pub(super) fn finish(self) -> Result<Option<Vec<u8>>> {
        let encoded = self.0.map(|(mut filter, probability)| {
            filter.fold_to_target_fpp(probability);
            let mut bytes = Vec::new();
            filter.write(&mut bytes)?;
            Ok(bytes)
        });
        encoded.transpose()
    }
}
