//! Short names for long texts: the 64-bit FNV-1a hash (Fowler, Noll and Vo), the same in every build.

pub fn digest(text: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    text.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_the_published_one() {
        assert_eq!(super::digest(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::digest("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
