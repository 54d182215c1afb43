//! Bitcode as we leave it for later runs: in LLVM's wrapper, with a checksum behind it.
//!
//! LLVM's reader believes what it reads, and a damaged file may crash it. So what is read again is only what was written
//! here. LLVM's own tools read it too: the wrapper (magic number, version, offset, size, processor; each a little-endian
//! word of 32 bits) tells them where the bitcode is.
//! Sources: LLVM, "Bitcode file format", section "Bitcode wrapper format"; Fowler, Noll, Vo for the checksum.

const MAGIC: u32 = 0x0b17_c0de;
const HEADER_BYTES: usize = 20;

/// `bitcode` with header and checksum.
pub fn seal(bitcode: &[u8]) -> Vec<u8> {
    let words = [MAGIC, 0, HEADER_BYTES as u32, bitcode.len() as u32, 0];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(bitcode);
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// The bitcode in `bytes`, if they are just as [`seal`] made them.
pub fn open(bytes: &[u8]) -> Option<&[u8]> {
    let (content, sum) = bytes.split_last_chunk::<8>()?;
    let whole = checksum(content) == u64::from_le_bytes(*sum);
    let (header, bitcode) = content.split_at_checked(HEADER_BYTES)?;
    (whole && header.starts_with(&MAGIC.to_le_bytes())).then_some(bitcode)
}

/// FNV-1a over words of eight bytes; the last one is filled up with zeros.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    let start = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    bytes.chunks(8).map(word).fold(start, |sum, word| {
        let mixed = (sum ^ word).wrapping_mul(PRIME);
        mixed ^ mixed >> 32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_is_opened() {
        let bitcode: Vec<u8> = (0..100).collect();
        let sealed = seal(&bitcode);
        assert_eq!(open(&sealed), Some(bitcode.as_slice()));
        for at in 0..sealed.len() {
            assert_eq!(open(&sealed[..at]), None, "cut at {at}");
            let mut altered = sealed.clone();
            altered[at] ^= 0x10;
            assert_eq!(open(&altered), None, "altered at {at}");
        }
        assert_eq!(open(&[]), None);
        assert_eq!(open(&bitcode), None);
    }
}
