//! `Random`: numbers that a seed fixes.
//!
//! Source: splitmix64 (Steele, Lea, Flood 2014).

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() >> 33) as u32 % bound
    }

    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    /// A generator of its own for a part of the work.
    pub fn split(&mut self) -> Random {
        Random(self.next())
    }
}
