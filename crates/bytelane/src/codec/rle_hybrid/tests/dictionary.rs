//! Compares looking up entries while decoding with looking them up afterwards.

use super::*;

fn number(i: usize) -> u64 {
    random(i as u64)
}

/// Looks up on every backend. The dictionary has all indices of the page.
fn looks_up<T: Entry>(entries: &[T], width: u32, longest: u64, count: usize) {
    let dictionary = Dictionary::new(entries);
    assert_eq!(dictionary.values(), entries);
    let format = Format::<u32>::new(width).unwrap();
    let indices: Vec<u32> = values(count, width, longest, count as u64);
    let most = entries.len() as u32;
    let indices: Vec<u32> = indices.into_iter().map(|index| index % most).collect();
    let expected: Vec<T> = indices
        .iter()
        .map(|&index| entries[index as usize])
        .collect();
    let encoded = format.encode_to_vec(&indices).unwrap();
    for backend in backends() {
        let place = std::format!("{backend}, {} entries, width {width}", entries.len());
        for more in [0, 7, 100] {
            let src = [&encoded[..], &std::vec![0xff; more]].concat();
            let mut read = std::vec![T::default(); count];
            let read = dictionary.decode_with(backend, format, &src, &mut read[..]);
            let (read, end) = read.unwrap();
            assert!(*read == expected, "{place}");
            assert_eq!(end, encoded.len(), "{place}");
        }
        for start in thinned([1, 5, 8, 30], 1) {
            let range = usize::min(start, count)..count;
            let mut read = std::vec![T::default(); range.len()];
            let read = dictionary.decode_range_with(
                backend,
                format,
                &encoded,
                range.clone(),
                &mut read[..],
            );
            assert!(*read.unwrap() == expected[range], "{place}");
        }
    }
}

#[test]
fn dictionaries_of_every_size() {
    for count in thinned([1, 8, 15, 16, 17, 40, 200, 257, 272, 300, 530, 1000], 2) {
        for longest in thinned([1, 12], 1) {
            for (entries, width) in
                thinned([(1, 0), (1, 1), (2, 1), (4, 2), (5, 3), (8, 3), (9, 4)], 2)
            {
                let numbers: Vec<u64> = (0..entries).map(number).collect();
                looks_up(&numbers, width, longest, count);
                let numbers: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
                looks_up(&numbers, width, longest, count);
                let numbers: Vec<u128> =
                    (0..entries).map(|i| u128::from(number(i)) << 60).collect();
                looks_up(&numbers, width, longest, count);
            }
            for (entries, width) in thinned([(16, 4), (17, 5), (100, 7), (1000, 10), (1000, 27)], 2)
            {
                let numbers: Vec<f64> = (0..entries).map(|i| number(i) as f64).collect();
                looks_up(&numbers, width, longest, count);
                let numbers: Vec<i32> = (0..entries).map(|i| number(i) as i32).collect();
                looks_up(&numbers, width, longest, count);
                let numbers: Vec<i128> = (0..entries).map(|i| i128::from(number(i))).collect();
                looks_up(&numbers, width, longest, count);
            }
        }
    }
}

/// Returns the error for an index that the dictionary does not have, which must be the same on all
/// backends.
fn misses<T: Entry>(entries: usize, width: u32, src: &[u8], count: usize) -> Error {
    let dictionary = Dictionary::new(&std::vec![T::default(); entries]);
    let format = Format::<u32>::new(width).unwrap();
    let errors = backends().map(|backend| {
        let mut read = std::vec![T::default(); count];
        let read = dictionary.decode_with(backend, format, src, &mut read[..]);
        read.map(|(_, end)| end).unwrap_err()
    });
    let errors: Vec<Error> = errors.collect();
    for error in &errors {
        assert_eq!(*error, errors[0]);
    }
    errors[0]
}

fn misses_everywhere(entries: usize, width: u32, src: &[u8], count: usize) -> Error {
    let error = misses::<u32>(entries, width, src, count);
    assert_eq!(misses::<u64>(entries, width, src, count), error);
    assert_eq!(misses::<u128>(entries, width, src, count), error);
    error
}

#[test]
fn indices_without_an_entry_are_named() {
    for (entries, width) in thinned([(3, 2), (5, 3), (100, 7), (1000, 10), (1000, 32)], 2) {
        let format = Format::<u32>::new(width).unwrap();
        for bad in thinned([0, 1, 7, 8, 40, 77, 99], 2) {
            let mut indices: Vec<u32> = (0..100).map(|i| i % (entries as u32 - 1)).collect();
            let index = entries as u32;
            indices[bad] = index;
            // One packed run of 13 groups, after a header of one byte.
            let mut encoded = std::vec![13 << 1 | 1];
            indices.resize(104, 0);
            let packing = crate::bit_packing::Format::<u32>::new(width).unwrap();
            packing.encode_append(&indices, &mut encoded).unwrap();
            let error = misses_everywhere(entries, width, &encoded, 100);
            let at = 1 + bad * width as usize / 8;
            assert_eq!(error, Error::at(at, ErrorKind::Index { index, entries }));
            // Values after the wanted ones do not count.
            let dictionary = Dictionary::new(&std::vec![0u64; entries]);
            assert!(
                dictionary
                    .decode(format, &encoded, &mut std::vec![0; bad])
                    .is_ok()
            );
        }
        let repeated = format.encode_to_vec(&[entries as u32; 50]).unwrap();
        let error = misses_everywhere(entries, width, &repeated, 50);
        assert_eq!(error.offset(), Some(1));
    }
    // Greatest index, and any index without entries.
    let greatest = [3, 0xff, 0xff, 0xff, 0xff];
    let index = u32::MAX;
    let error = misses_everywhere(1, 32, &greatest, 1);
    assert_eq!(error, Error::at(1, ErrorKind::Index { index, entries: 1 }));
    let error = misses_everywhere(0, 1, &[3, 0], 1);
    assert_eq!(
        error.kind(),
        ErrorKind::Index {
            index: 0,
            entries: 0
        }
    );
    assert!(Dictionary::<f32>::new(&[]).is_empty());
}

#[test]
fn malformed_runs_give_the_same_error_as_without_a_dictionary() {
    let dictionary = Dictionary::new(&[0u64; 512]);
    let format = Format::<u32>::new(9).unwrap();
    let list: Vec<u32> = values(200, 9, 20, 4);
    let encoded = format.encode_to_vec(&list).unwrap();
    for length in thinned(0..encoded.len(), 4) {
        for backend in backends() {
            let cut = &encoded[..length];
            let mut read = [0; 200];
            let read = dictionary.decode_with(backend, format, cut, &mut read[..]);
            assert_eq!(read.map(|(_, end)| end), format.validate(cut, 200));
        }
    }
}
