//! Finds runs that claim more bytes than there are. Readers may ignore them if the values before suffice, or refuse the
//! page.

/// Returns whether the runs of `count` values have all bytes that they claim.
pub(crate) fn are_whole(mut bytes: &[u8], width: u32, count: usize) -> bool {
    let mut left = count as u64;
    while left > 0 {
        let Some((header, rest)) = varint(bytes) else {
            return false;
        };
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
        let length = usize::try_from(length).ok();
        let Some(rest) = length.and_then(|length| rest.get(length..)) else {
            return false;
        };
        bytes = rest;
        left = left.saturating_sub(values);
    }
    true
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
        for (bytes, is_whole) in [
            (&[3, 0xff][..], true),
            (&[16, 1], true),
            (&[4, 1, 3, 0xff], true),
            // The last of 2 groups is missing, or the value of a repetition.
            (&[5, 0xff], false),
            (&[16], false),
            (&[4, 1], false),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 1], false),
        ] {
            assert_eq!(are_whole(bytes, 1, 8), is_whole, "{bytes:?}");
        }
        assert!(are_whole(&[], 1, 0));
    }
}
