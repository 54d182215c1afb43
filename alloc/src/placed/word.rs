//! A place word: what the side table holds for one granule of the address space.
//!
//! Terms: a *granule* is 64 KiB of addresses at a multiple of 64 KiB; a *site* is a position in the list of
//! locations that have memory; a *run* is what one granule-sized request got, a *span* what small blocks
//! share.
//!
//! Layout, from the least significant bit: kind 3, form 2, number 15, back 22, ahead 22. `back` is how many
//! granules lie between the run's first one and this one, `ahead` how many it is to the run's end, this one
//! included. Both saturate: whoever walks takes another step from there.
//! All zeroes is memory that is not ours.

use vicinity_policy::distribution::Spread;

/// Bytes of a granule.
pub const GRANULE: usize = 1 << GRANULE_SHIFT;
pub const GRANULE_SHIFT: u32 = 16;

/// The largest number of a site.
pub const MOST_SITES: usize = (1 << NUMBER_BITS) - 1;

const KIND_BITS: u32 = 3;
const FORM_BITS: u32 = 2;
const NUMBER_BITS: u32 = 15;
const WAY_BITS: u32 = 22;
/// The farthest that `back` and `ahead` reach.
pub const FARTHEST: usize = (1 << WAY_BITS) - 1;

/// How a granule is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Not our memory.
    Foreign,
    /// Ours, and no block is there.
    Idle,
    /// All of it at this site.
    At(u16),
    /// Units of two to this power of bytes go round the sites, by address.
    Fine { unit_shift: u8 },
    /// Units of two to this power of bytes in as many contiguous blocks as there are sites, from the run's start on.
    Blocked { unit_shift: u8 },
    /// Wherever the system puts it, at the first touch.
    Unbound,
}

/// What a granule is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A run in a region.
    Run,
    /// A span in a region.
    Span,
    /// A mapping of its own.
    Own,
    /// A mapping of its own whose units were bound one by one.
    Pieces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u64);

impl Word {
    pub const FOREIGN: Word = Word(0);
    pub const IDLE: Word = Word(1);

    pub fn new(placement: Placement, form: Form, back: usize, ahead: usize) -> Word {
        let (kind, number) = match placement {
            Placement::Foreign => return Word::FOREIGN,
            Placement::Idle => return Word::IDLE,
            Placement::At(site) => (2, u64::from(site)),
            Placement::Fine { unit_shift } => (3, u64::from(unit_shift)),
            Placement::Blocked { unit_shift } => (4, u64::from(unit_shift)),
            Placement::Unbound => (5, 0),
        };
        debug_assert!(number < 1 << NUMBER_BITS);
        let form = match form {
            Form::Run => 0,
            Form::Span => 1,
            Form::Own => 2,
            Form::Pieces => 3,
        };
        let ways = (back.min(FARTHEST) as u64) | (ahead.min(FARTHEST) as u64) << WAY_BITS;
        let form_and_number = form | number << FORM_BITS;
        let low = KIND_BITS + FORM_BITS + NUMBER_BITS;
        Word(kind | form_and_number << KIND_BITS | ways << low)
    }

    #[inline]
    pub fn placement(self) -> Placement {
        match self.0 & 7 {
            0 => Placement::Foreign,
            1 => Placement::Idle,
            2 => Placement::At(self.number()),
            3 => Placement::Fine { unit_shift: self.number() as u8 },
            4 => Placement::Blocked { unit_shift: self.number() as u8 },
            _ => Placement::Unbound,
        }
    }

    pub fn form(self) -> Form {
        match (self.0 >> KIND_BITS) & 3 {
            0 => Form::Run,
            1 => Form::Span,
            2 => Form::Own,
            _ => Form::Pieces,
        }
    }

    /// Whether a block may be here.
    #[inline]
    pub fn is_taken(self) -> bool {
        self.0 & 7 > 1
    }

    /// Whether we have said where it is to be.
    #[inline]
    pub fn is_planned(self) -> bool {
        self.is_taken() && self.placement() != Placement::Unbound
    }

    #[inline]
    fn number(self) -> u16 {
        (self.0 >> (KIND_BITS + FORM_BITS)) as u16 & MOST_SITES as u16
    }

    #[inline]
    pub fn back(self) -> usize {
        (self.0 >> (KIND_BITS + FORM_BITS + NUMBER_BITS)) as usize & FARTHEST
    }

    #[inline]
    pub fn ahead(self) -> usize {
        (self.0 >> (KIND_BITS + FORM_BITS + NUMBER_BITS + WAY_BITS)) as usize
    }
}

/// Where the units of fine memory are: by address, as the kernel interleaves anonymous memory, so that its
/// rule and ours are one. (`mm/mempolicy.c`, `interleave_nid`: page number modulo the number of nodes.)
pub const BY_ADDRESS: Spread = Spread::RoundRobin { first: 0 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_and_unpacks() {
        let placements = [
            Placement::At(0),
            Placement::At(MOST_SITES as u16),
            Placement::Fine { unit_shift: 12 },
            Placement::Fine { unit_shift: 30 },
            Placement::Blocked { unit_shift: 12 },
            Placement::Unbound,
        ];
        for placement in placements {
            for form in [Form::Run, Form::Span, Form::Own, Form::Pieces] {
                for (back, ahead) in [(0, 1), (1023, 7), (FARTHEST, FARTHEST), (0, usize::MAX)] {
                    let word = Word::new(placement, form, back, ahead);
                    assert_eq!((word.placement(), word.form()), (placement, form));
                    assert_eq!((word.back(), word.ahead()), (back, ahead.min(FARTHEST)));
                    assert!(word.is_taken());
                }
            }
        }
        assert_eq!(Word::FOREIGN.placement(), Placement::Foreign);
        assert_eq!(Word::IDLE.placement(), Placement::Idle);
        assert!(!Word::FOREIGN.is_taken() && !Word::IDLE.is_taken());
    }
}
