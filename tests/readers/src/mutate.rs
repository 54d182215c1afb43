//! Bad input from good: a few random changes, the same for the same seed.
//!
//! Terms: a *change* is one of: bytes altered, removed, repeated, put elsewhere, cut off; a number made extreme; a piece
//! of another sample put in.

/// Numbers at which arithmetic breaks.
const EXTREMES: &[&str] = &[
    "0",
    "-1",
    "1",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "1e308",
    "-0",
    "0x10",
    "NaN",
];

/// Bytes that mean something to one reader or another.
const MARKS: &[u8] = b"{}[]()<>:;,.=!*%-+/\\\"' \t\n\r\0#xekMG\xff\xc3";

/// Random numbers: splitmix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// One of the samples, changed one to six times.
pub fn mutated(samples: &[&str], random: &mut Random) -> Vec<u8> {
    let mut input = random.of(samples).as_bytes().to_vec();
    for _ in 0..=random.below(6) {
        change(&mut input, samples, random);
    }
    input
}

fn change(input: &mut Vec<u8>, samples: &[&str], random: &mut Random) {
    if input.is_empty() {
        input.push(*random.of(MARKS));
        return;
    }
    let at = random.below(input.len());
    let end = at + 1 + random.below((input.len() - at).min(24));
    match random.below(9) {
        0 => input[at] = random.word() as u8,
        1 => input[at] = *random.of(MARKS),
        2 => input.insert(at, *random.of(MARKS)),
        3 => drop(input.drain(at..end)),
        4 => input.truncate(at),
        5 => {
            let piece = input[at..end].repeat(1 + random.below(40));
            input.splice(at..at, piece);
        }
        6 => {
            let piece: Vec<u8> = input.drain(at..end).collect();
            let to = random.below(input.len() + 1);
            input.splice(to..to, piece);
        }
        7 => {
            let other = random.of(samples).as_bytes();
            let from = random.below(other.len());
            let to = from + random.below(other.len() - from) + 1;
            input.splice(at..end, other[from..to].iter().copied());
        }
        _ => extreme(input, at, random),
    }
}

/// Replaces the number at or after `at`.
fn extreme(input: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(start) = (at..input.len()).find(|&place| input[place].is_ascii_digit()) else {
        return;
    };
    let digits = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    input.splice(start..start + digits, random.of(EXTREMES).bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_input() {
        let samples = ["A=1\nB={0:4:2}", "C=x"];
        let some = |seed| {
            let mut random = Random::new(seed);
            (0..200).map(|_| mutated(&samples, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(some(7), some(7));
        assert_ne!(some(7), some(8));
    }
}
