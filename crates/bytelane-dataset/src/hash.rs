//! Provides a hash that is the same on every machine and in every version: names of outputs depend
//! on it.

/// Returns the hash of strings: 128-bit FNV-1a. It does not protect against deliberate collisions.
pub(crate) fn hash<'a>(texts: impl IntoIterator<Item = &'a str>) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let add = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    texts.into_iter().fold(BASIS, |hash, text| {
        // UTF-8 never contains this byte, so the boundaries of strings affect the hash.
        text.bytes().chain([0xff]).fold(hash, add)
    })
}

/// Returns the digits of a hash.
pub(crate) fn digits(hash: u128) -> String {
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fnv_and_borders_count() {
        // 128-bit FNV-1a of "a\xff", calculated by hand from the published basis and prime.
        let step = |hash: u128, byte: u8| {
            (hash ^ u128::from(byte)).wrapping_mul((1 << 88) + (1 << 8) + 0x3b)
        };
        let basis = 144_066_263_297_769_815_596_495_629_667_062_367_629;
        assert_eq!(hash(["a"]), step(step(basis, b'a'), 0xff));
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
        assert_eq!(digits(hash([""])).len(), 32);
    }
}
