//! Finds runs that claim more bytes than there are. Readers may ignore them if the values before suffice, or refuse the
//! page.

/// Returns the number of bytes after the runs of `count` values; `None` unless the runs have all bytes that they claim.
pub fn left_of_runs(mut bytes: &[u8], width: u32, count: usize) -> Option<usize> {
    let mut left = count as u64;
    while left > 0 {
        let (header, rest) = varint(bytes)?;
        let (values, length) = match header & 1 {
            0 => (header >> 1, u64::from(width.div_ceil(8))),
            _ => {
                let groups = header >> 1;
                (
                    groups.saturating_mul(8),
                    groups.saturating_mul(width.into()),
                )
            }
        };
        bytes = rest.get(usize::try_from(length).ok()?..)?;
        left = left.saturating_sub(values);
    }
    Some(bytes.len())
}

/// Splits off a variable-length integer of up to 5 bytes.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_claims_too_many_bytes_is_found() {
        for (bytes, left) in [
            (&[3, 0xff][..], Some(0)),
            (&[16, 1], Some(0)),
            (&[4, 1, 3, 0xff, 7], Some(1)),
            // The last of 2 groups is missing, or the value of a repetition.
            (&[5, 0xff], None),
            (&[16], None),
            (&[4, 1], None),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 1], None),
        ] {
            assert_eq!(left_of_runs(bytes, 1, 8), left, "{bytes:?}");
        }
        assert_eq!(left_of_runs(&[], 1, 0), Some(0));
    }
}
