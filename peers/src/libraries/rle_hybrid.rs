//! The crate `parquet`. It chooses other runs, which must not be shorter.

use super::parquet_work::Kind;
use super::{Comparison, FRESH, Peer, Work, comparison, is_fresh, parquet};
use bytelane::rle_hybrid::{Effort, Format};

pub const COMPARISON: Comparison = comparison(&[], &[64, 1024, 20_000], false);

/// Creates peers for runs of values of `K` bytes and `WIDTH` bits.
pub fn runs<const K: usize, const WIDTH: usize>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    peers::<K, WIDTH>(Effort::Small)
}

/// Does the same for runs that bytelane chooses without a search.
pub fn fast_runs<const K: usize, const WIDTH: usize>(_: usize) -> anyhow::Result<Vec<Peer>> {
    let mut peers = peers::<K, WIDTH>(Effort::Fast)?;
    for peer in &mut peers {
        peer.decode = None;
    }
    Ok(peers)
}

fn peers<const K: usize, const WIDTH: usize>(effort: Effort) -> anyhow::Result<Vec<Peer>> {
    let mut peers = parquet::peers(K, Kind::Runs(WIDTH))?;
    for peer in &mut peers {
        let work = peer.encode.take();
        peer.encode = work.map(|work| other_runs::<K, WIDTH>(effort, work));
    }
    Ok(peers)
}

/// Does the same for indices whose entries have `K` bytes. The catalog converts entries to indices
/// before it encodes them, which is not work of a codec.
pub fn entries<const K: usize, const WIDTH: usize>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    let mut peers = parquet::peers(K, Kind::Entries(WIDTH))?;
    for peer in &mut peers {
        peer.encode = None;
    }
    Ok(peers)
}

/// Encodes runs. Before timing, the runs are decoded and encoded again as bytelane does.
fn other_runs<const K: usize, const WIDTH: usize>(
    effort: Effort,
    mut encode: Work<'static>,
) -> Work<'static> {
    let format = Format::<u32>::new(WIDTH as u32).expect("at most 32 bits");
    let format = format.effort(effort);
    Box::new(move |values, bytes| {
        if !is_fresh(bytes) {
            return encode(values, bytes);
        }
        let count = values.len() / K;
        let mut theirs = vec![FRESH; 2 * format.max_encoded_len(count) + 64];
        let length = encode(values, &mut theirs);
        let (again, read) = format
            .decode_to_vec(&theirs[..length], count)
            .expect("runs of all values");
        assert_eq!(read, length, "all of its bytes");
        let ours = format.encode(&again, bytes).expect("room for its bytes");
        assert!(ours <= length, "{ours} bytes instead of {length}");
        ours
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::encodings::rle as parquet_rle;
    use parquet_rle::{RleDecoder, RleEncoder};

    fn random(state: &mut u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *state >> 33
    }

    #[test]
    fn parquet_reads_what_bytelane_writes_and_writes_no_less() {
        let mut state = 1;
        for round in 0..20_000 {
            let width = 1 + round % 32;
            let format = Format::<u32>::new(width).expect("at most 32 bits");
            let distinct = [2, 5, 1000, u64::MAX][random(&mut state) as usize % 4];
            let longest = [1, 3, 10, 30, 500][random(&mut state) as usize % 5];
            let count = 1 + random(&mut state) as usize % [20, 300, 3000][round as usize % 3];
            let mut values = Vec::new();
            while values.len() < count {
                let value = random(&mut state) % distinct & ((1 << width) - 1);
                let times = 1 + random(&mut state) % longest;
                values.extend((0..times).map(|_| value as u32));
            }
            values.truncate(count);
            let ours = format.encode_to_vec(&values).expect("they fit");

            let mut encoder = RleEncoder::new(width as u8, 0);
            encoder.put_batch(&values.iter().map(|&value| value.into()).collect::<Vec<_>>());
            let theirs = encoder.consume();
            assert!(
                ours.len() <= theirs.len(),
                "{} bytes of {values:?}",
                ours.len()
            );
            assert_eq!(
                format.decode_to_vec(&theirs, count),
                Ok((values.clone(), theirs.len()))
            );

            let mut decoder = RleDecoder::new(width as u8);
            decoder.set_data(ours.into()).expect("runs");
            let mut read = vec![0u32; count];
            assert_eq!(decoder.get_batch(&mut read).ok(), Some(count));
            assert_eq!(read, values, "{width} bits");
        }
    }
}
