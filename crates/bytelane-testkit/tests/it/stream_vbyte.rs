//! Tests specific to `stream_vbyte`: its cursor, and comparison with the bytes of other crates.
//! (The golden files and `peers/` cover the C library.)

use bytelane::Backend;
use bytelane::stream_vbyte::{Format, Integer};
use bytelane_testkit::{all_backends, cursor, on, reduced};
use proptest::prelude::*;

fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(if reduced() { 20 } else { 300 })
}

#[test]
fn the_seeds_of_the_cursor_pass() {
    let seeds = cursor::seeds();
    assert_eq!(seeds.len(), 48);
    seeds.iter().for_each(|seed| cursor::run(seed));
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_cursor_does_the_same_on_any_bytes(
        header in any::<[u8; 2]>(),
        moves in prop::collection::vec(any::<[u8; 3]>(), 0..23),
        stream in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let head = [header[0], header[1], header[0] & 1, moves.len() as u8];
        cursor::run(&[&head[..], moves.as_flattened(), &stream].concat());
    }

    #[test]
    fn lists_of_any_lengths_come_back(list in prop::collection::vec(any::<(u64, u32)>(), 0..700)) {
        let values: Vec<u64> = list.iter().map(|&(bits, shift)| bits >> (shift % 64)).collect();
        let narrow: Vec<u32> = values.iter().map(|&value| value as u32).collect();
        for backend in all_backends() {
            for format in [Format::V1234, Format::V0124] {
                come_back(backend, format, &narrow);
            }
            come_back(backend, Format::V1248, &values);
        }
    }
}

fn come_back<T: Integer>(backend: Backend, plain: Format<T>, values: &[T]) {
    let start = values.last().copied().unwrap_or_default();
    for format in [
        plain,
        plain.zigzag(),
        plain.delta(start),
        plain.delta(start).zigzag(),
    ] {
        let mut encoded = vec![0; on(backend, || format.encoded_len(values))];
        let length = on(backend, || format.encode(values, &mut encoded)).unwrap();
        assert_eq!(length, encoded.len());
        let mut decoded = vec![T::default(); values.len()];
        let read = on(backend, || format.decode(&encoded, &mut decoded));
        assert_eq!(read, Ok(length));
        assert!(decoded == values, "{backend}, {format:?}");
    }
}

#[cfg(target_arch = "x86_64")]
mod others {
    use super::*;
    use streamvbyte64::{Coder, Coder0124, Coder1234, Coder1248};

    /// Encodes with the crate, which accepts only whole groups of four values, and writes its tags
    /// separately from its data.
    fn streamvbyte64<C: Coder>(coder: C, values: &[C::Elem]) -> Vec<u8> {
        let (tags, data) = C::max_compressed_bytes(values.len());
        let (mut tags, mut data) = (vec![0; tags], vec![0; data]);
        let length = coder.encode(values, &mut tags, &mut data);
        [&tags[..], &data[..length]].concat()
    }

    fn agree<T: Integer>(format: Format<T>, values: &[T], theirs: &[u8]) {
        for backend in all_backends() {
            let mut ours = vec![0; format.max_encoded_len(values.len())];
            let length = on(backend, || format.encode(values, &mut ours)).unwrap();
            assert!(ours[..length] == *theirs, "{backend}, {format:?}");
            let mut decoded = vec![T::default(); values.len()];
            assert_eq!(
                on(backend, || format.decode(theirs, &mut decoded)),
                Ok(length)
            );
            assert!(decoded == values, "{backend}, {format:?}");
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn streamvbyte64_and_svb_write_the_same(
            list in prop::collection::vec(any::<(u64, u32)>(), 0..500),
        ) {
            let values: Vec<u64> = list.iter().map(|&(bits, shift)| bits >> (shift % 64)).collect();
            let narrow: Vec<u32> = values.iter().map(|&value| value as u32).collect();
            let whole = values.len() / 4 * 4;
            agree(Format::V1248, &values[..whole], &streamvbyte64(Coder1248::new(), &values[..whole]));
            agree(Format::V1234, &narrow[..whole], &streamvbyte64(Coder1234::new(), &narrow[..whole]));
            agree(Format::V0124, &narrow[..whole], &streamvbyte64(Coder0124::new(), &narrow[..whole]));
            agree(Format::V1248, &values, &svb::u64::U64Coder1248.encode(&values));
            agree(Format::V1234, &narrow, &svb::u32::U32Classic.encode(&narrow));
            agree(Format::V0124, &narrow, &svb::u32::U32Variant0124.encode(&narrow));
        }
    }
}
