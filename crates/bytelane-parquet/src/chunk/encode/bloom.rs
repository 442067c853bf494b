//! Builds the Bloom filter of a chunk: a split block filter
//! ([BloomFilter.md](https://github.com/apache/parquet-format/blob/master/BloomFilter.md)), sized
//! for the number of distinct values that were counted.

use crate::format::{
    self, BloomFilterAlgorithm, BloomFilterCompression, BloomFilterHash, BloomFilterHeader,
    SplitBlockAlgorithm, Uncompressed, XxHash,
};
use crate::page::DenseValues;
use crate::{Result, WriterOptions};
use parquet::schema::types::ColumnDescriptor;
use twox_hash::XxHash64;

/// Multipliers from the specification, one per word of a block.
const SALT: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];
/// Block of words, in each of which a value sets one bit.
type Block = [u32; SALT.len()];

/// Size limits of a filter, in bytes. Readers expect a power of two.
const LEAST: usize = size_of::<Block>();
const MOST: usize = 128 << 20;

/// Collector of hashes, if a filter is wanted.
pub(super) struct BloomFilter(Option<Wanted>);

struct Wanted {
    /// False positive rate: the share of absent values that the filter may report as present.
    false_positives: f64,
    /// Hashes of the values so far, as the format defines them. May contain duplicates.
    hashes: Vec<u64>,
}

impl BloomFilter {
    /// Returns whether a filter is wanted.
    pub(super) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Creates the filter that the options request for a column.
    pub(super) fn new(column: &ColumnDescriptor, options: &WriterOptions) -> Self {
        let wanted = options.bloom_filter_of(column.path().clone());
        Self(wanted.map(|wanted| Wanted {
            false_positives: wanted.fpp(),
            hashes: Vec::new(),
        }))
    }

    /// Inserts values.
    pub(super) fn insert(&mut self, values: DenseValues<'_>) {
        let Some(Wanted { hashes, .. }) = &mut self.0 else {
            return;
        };
        let hash = |value: &[u8]| XxHash64::oneshot(0, value);
        match values {
            DenseValues::Fixed(bytes, width) => hashes.extend(bytes.chunks_exact(width).map(hash)),
            DenseValues::Bits(bits) => hashes.extend(bits.iter().map(|it| hash(&[it.into()]))),
            DenseValues::Strings(strings) => hashes.extend(strings.iter().map(|it| hash(it))),
            DenseValues::Indices(_) => {}
        }
    }

    /// Returns the encoded filter.
    pub(super) fn finish(self) -> Result<Option<Vec<u8>>> {
        self.0.map(Wanted::encoded).transpose()
    }
}

impl Wanted {
    fn encoded(mut self) -> Result<Vec<u8>> {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        let mut blocks = vec![Block::default(); self.bytes() / size_of::<Block>()];
        for hash in self.hashes {
            let at = ((hash >> 32) * blocks.len() as u64) >> 32;
            for (word, salt) in blocks[at as usize].iter_mut().zip(SALT) {
                *word |= 1 << ((hash as u32).wrapping_mul(salt) >> 27);
            }
        }
        let mut encoded = format::encode(&BloomFilterHeader {
            num_bytes: (blocks.len() * size_of::<Block>()) as i32,
            algorithm: BloomFilterAlgorithm::Block(SplitBlockAlgorithm::default()),
            hash: BloomFilterHash::Xxhash(XxHash::default()),
            compression: BloomFilterCompression::Uncompressed(Uncompressed::default()),
            unknown_fields: Default::default(),
        })?;
        encoded.extend(blocks.into_iter().flatten().flat_map(u32::to_le_bytes));
        Ok(encoded)
    }

    /// Returns the size of the filter in bytes, for the number of distinct values.
    fn bytes(&self) -> usize {
        let words = SALT.len() as f64;
        let free = (1.0 - self.false_positives.powf(1.0 / words)).ln();
        let bits = -words * self.hashes.len() as f64 / free;
        let bytes = (bits / 8.0).ceil() as usize;
        bytes.clamp(LEAST, MOST).next_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::bloom_filter::Sbbf;

    fn filter(false_positives: f64, values: impl Iterator<Item = u64>) -> Sbbf {
        let mut filter = BloomFilter(Some(Wanted {
            false_positives,
            hashes: Vec::new(),
        }));
        for value in values {
            filter.insert(DenseValues::Fixed(&value.to_le_bytes(), 8));
        }
        let encoded = filter.finish().expect("a filter").expect("one");
        Sbbf::from_bytes(&encoded).expect("a filter of the format")
    }

    #[test]
    fn distinct_values_are_counted() {
        for (values, blocks) in [(0, 1), (1, 1), (30, 1), (10_000, 512), (1_000_000, 32_768)] {
            let once = filter(0.05, 0..values);
            let often = filter(0.05, (0..values).flat_map(|it| [it; 3]));
            assert_eq!((once.num_blocks(), often.num_blocks()), (blocks, blocks));
        }
        assert!(filter(0.001, 0..10_000).num_blocks() > 512);
    }

    #[test]
    fn values_are_found_and_few_others() {
        for wanted in [0.1, 0.01] {
            let filter = filter(wanted, (0..50_000).map(|it| it * 7));
            assert!((0..50_000_u64).all(|it| filter.check(&(it * 7).cast_signed())));
            let others = (0..50_000_u64).filter(|it| filter.check(&(it * 7 + 3).cast_signed()));
            let share = others.count() as f64 / 50_000.0;
            assert!(share <= wanted * 1.1, "{share} of {wanted}");
        }
    }
}
