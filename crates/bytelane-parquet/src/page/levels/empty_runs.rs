//! Tolerates empty runs, which the format does not have but some writers write.

use bytelane::rle_hybrid::{Error, ErrorKind, Format};

/// Reads runs of `count` values. After an error, retries without empty runs.
pub fn read<T>(
    bytes: &[u8],
    width: u32,
    count: usize,
    mut read: impl FnMut(&[u8]) -> Result<T, Error>,
) -> Result<T, Error> {
    match read(bytes) {
        Err(error) => match without_empty_runs(bytes, width, count) {
            Some(bytes) => read(&bytes),
            None => Err(error),
        },
        read => read,
    }
}

/// Returns the runs of `count` values without the empty ones, or `None` if there are no empty runs or
/// something else is wrong.
///
/// Most writers of an empty repetition include its value, as in other runs. Some omit it. This is assumed if
/// there would be too few bytes otherwise.
pub(crate) fn without_empty_runs(bytes: &[u8], width: u32, count: usize) -> Option<Vec<u8>> {
    let format = Format::<u32>::new(width)?;
    let value = width.div_ceil(8) as usize;
    let kept = match nonempty(bytes, format, count, value) {
        Err(ErrorKind::Truncated) => nonempty(bytes, format, count, 0),
        kept => kept,
    };
    kept.ok().flatten()
}

/// Removes empty runs, assuming that an empty repetition has a value of `value` bytes. Returns an error if
/// something else is wrong.
fn nonempty(
    mut bytes: &[u8],
    format: Format<u32>,
    mut count: usize,
    value: usize,
) -> Result<Option<Vec<u8>>, ErrorKind> {
    let before = bytes.len();
    let mut kept = Vec::new();
    while count > 0 {
        let mut runs = format.runs(bytes, count);
        let run = runs.next().transpose().map_err(|error| error.kind());
        let length = match (run, bytes.first()) {
            (Ok(run), _) => {
                count -= run.map_or(count, |run| run.count());
                kept.extend_from_slice(&bytes[..runs.read()]);
                runs.read()
            }
            (Err(ErrorKind::Length), Some(0)) => 1 + value,
            (Err(ErrorKind::Length), Some(1)) => 1,
            (Err(kind), _) => return Err(kind),
        };
        bytes = bytes.get(length..).ok_or(ErrorKind::Truncated)?;
    }
    Ok((kept.len() + bytes.len() < before).then_some(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes values of `width` bits.
    fn values(bytes: &[u8], width: u32, count: usize) -> Option<Vec<u32>> {
        let format = Format::<u32>::new(width).expect("a width");
        let values = read(bytes, width, count, |bytes| {
            format.decode_to_vec(bytes, count)
        });
        values.ok().map(|(values, _)| values)
    }

    #[test]
    fn runs_without_values_are_left_out() {
        let want = Some(vec![1, 1, 2, 2]);
        for bytes in [
            &[4, 1, 4, 2][..],
            // Packed runs.
            &[1, 4, 1, 1, 1, 4, 2],
            // Repetitions with a value, and without one.
            &[0, 3, 4, 1, 0, 0, 4, 2],
            &[0, 4, 1, 0, 0, 4, 2],
        ] {
            assert_eq!(values(bytes, 2, 4), want, "{bytes:?}");
        }
        assert_eq!(values(&[0, 7, 1, 4, 0, 1], 9, 2), Some(vec![256; 2]));
        // Bytes after the last value are ignored.
        assert_eq!(values(&[4, 1, 0], 2, 2), Some(vec![1; 2]));
    }

    #[test]
    fn everything_else_stays_an_error() {
        for bytes in [
            &[][..],
            &[0],
            &[1],
            &[0, 0, 0, 0],
            &[0, 1, 4],
            // With a value, that value does not fit.
            &[0, 2, 2, 4],
            &[0x80, 0, 4, 1],
            &[1, 2, 4],
            &[0xff; 12],
        ] {
            assert_eq!(values(bytes, 2, 2), None, "{bytes:?}");
        }
    }
}
