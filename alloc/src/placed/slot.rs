//! One granule's entry in the side table: its place word, and the detail of what begins in it.
//!
//! Protocol: memory is *published* before its address is given to the program: the detail first, then the
//! place words. Readers look at the place word first, then the detail; both may belong to different blocks
//! if the program frees one meanwhile, so a detail says by itself what it is and never points anywhere.
//! Freeing begins with *claiming* the detail: of several threads that free the same block, one gets it.
//!
//! Invariants: 1. A reader that sees a place word sees the detail that was stored before it, or a later one.
//! 2. A detail is claimed once. 3. Nothing is ever deallocated, so readers need no guard.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

use super::classes::Class;
use super::word::Word;

/// What begins in a granule. Packed: 0 is nothing; else the lowest bit is 0 for a run, with its size in the
/// bits above, and 1 for a span, with class 7, shard 16 and number 32 bits above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Nothing,
    /// A run's size in bytes, as the program asked for it; at least 1.
    Run {
        size_bytes: usize,
    },
    Span(SpanId),
}

/// Which span: number `number` of shard `shard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanId {
    pub class: Class,
    pub shard: u16,
    pub number: u32,
}

impl Detail {
    fn pack(self) -> u64 {
        match self {
            Detail::Nothing => 0,
            Detail::Run { size_bytes } => (size_bytes as u64) << 1,
            Detail::Span(SpanId { class, shard, number }) => {
                1 | u64::from(class.0) << 1 | u64::from(shard) << 8 | u64::from(number) << 24
            }
        }
    }

    fn unpack(packed: u64) -> Detail {
        match packed {
            0 => Detail::Nothing,
            _ if packed & 1 == 0 => Detail::Run { size_bytes: (packed >> 1) as usize },
            _ => Detail::Span(SpanId {
                class: Class((packed >> 1) as u8 & 0x7f),
                shard: (packed >> 8) as u16,
                number: (packed >> 24) as u32,
            }),
        }
    }
}

#[derive(Debug)]
pub struct Slot {
    word: AtomicU64,
    detail: AtomicU64,
}

impl Slot {
    #[inline]
    pub fn word(&self) -> Word {
        // Acquire: pairs with the Release in `set_word`.
        Word(self.word.load(Ordering::Acquire))
    }

    pub fn set_word(&self, word: Word) {
        // Release: pairs with the Acquire in `word`; the detail is there first.
        self.word.store(word.0, Ordering::Release);
    }

    pub fn detail(&self) -> Detail {
        // Acquire: pairs with the Release in `set_detail`.
        Detail::unpack(self.detail.load(Ordering::Acquire))
    }

    pub fn set_detail(&self, detail: Detail) {
        // Release: pairs with the Acquires in `detail` and `claim`.
        self.detail.store(detail.pack(), Ordering::Release);
    }

    /// Takes the detail of a run away: `false` if somebody else did, or if it is another one by now.
    pub fn claim(&self, detail: Detail) -> bool {
        // Acquire: pairs with the Release in `set_detail`. Release: whoever reuses the granules and meets
        // our claim in `set_detail`'s place comes after it by the lock of the region.
        let claim =
            self.detail.compare_exchange(detail.pack(), 0, Ordering::AcqRel, Ordering::Relaxed);
        claim.is_ok()
    }

    #[cfg(any(test, loom))]
    #[allow(dead_code, reason = "each kind of test uses a part of this")]
    fn new() -> Slot {
        Slot { word: AtomicU64::new(0), detail: AtomicU64::new(0) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn details_are_packed() {
        let span = SpanId { class: Class(39), shard: u16::MAX, number: u32::MAX };
        let all = [
            Detail::Nothing,
            Detail::Run { size_bytes: 1 },
            Detail::Run { size_bytes: usize::MAX >> 1 },
            Detail::Span(span),
            Detail::Span(SpanId { class: Class(0), shard: 0, number: 0 }),
        ];
        for detail in all {
            assert_eq!(Detail::unpack(detail.pack()), detail);
        }
    }

    #[test]
    fn one_claim_wins() {
        let slot = Slot::new();
        let run = Detail::Run { size_bytes: 7 };
        slot.set_detail(run);
        assert!(!slot.claim(Detail::Run { size_bytes: 8 }));
        assert!(slot.claim(run));
        assert!(!slot.claim(run));
        assert_eq!(slot.detail(), Detail::Nothing);
    }
}

/// Every interleaving of a few threads.
#[cfg(all(test, loom))]
mod model {
    use super::super::word::{Form, Placement};
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    const RUN: Detail = Detail::Run { size_bytes: 100 };

    fn word() -> Word {
        Word::new(Placement::At(3), Form::Run, 0, 1)
    }

    #[test]
    fn readers_see_a_published_run_whole() {
        loom::model(|| {
            let slot = Arc::new(Slot::new());
            let writer = {
                let slot = Arc::clone(&slot);
                thread::spawn(move || {
                    slot.set_detail(RUN);
                    slot.set_word(word());
                })
            };
            if slot.word().is_taken() {
                assert_eq!((slot.word(), slot.detail()), (word(), RUN));
            }
            writer.join().unwrap();
        });
    }

    #[test]
    fn two_frees_of_one_run_have_one_winner() {
        loom::model(|| {
            let slot = Arc::new(Slot::new());
            slot.set_detail(RUN);
            slot.set_word(word());
            let free = |slot: &Slot| {
                let seen = slot.detail();
                let won = seen != Detail::Nothing && slot.claim(seen);
                if won {
                    slot.set_word(Word::IDLE);
                }
                won
            };
            let other = {
                let slot = Arc::clone(&slot);
                thread::spawn(move || free(&slot))
            };
            let mine = free(&slot);
            assert!(mine ^ other.join().unwrap());
            assert_eq!((slot.word(), slot.detail()), (Word::IDLE, Detail::Nothing));
        });
    }

    /// A reader beside a free and a reuse of the granule as a span: whatever it pairs up, it is one of the
    /// details that were stored, never a mixture.
    #[test]
    fn readers_beside_reuse_see_one_of_both() {
        loom::model(|| {
            let span = Detail::Span(SpanId { class: Class(5), shard: 1, number: 2 });
            let slot = Arc::new(Slot::new());
            slot.set_detail(RUN);
            slot.set_word(word());
            let owner = {
                let slot = Arc::clone(&slot);
                thread::spawn(move || {
                    assert!(slot.claim(RUN));
                    slot.set_word(Word::IDLE);
                    slot.set_detail(span);
                    slot.set_word(Word::new(Placement::At(1), Form::Span, 0, 1));
                })
            };
            let word = slot.word();
            let detail = slot.detail();
            assert!([RUN, span, Detail::Nothing].contains(&detail));
            if word.is_taken() && word.form() == Form::Span {
                assert_eq!(detail, span);
            }
            owner.join().unwrap();
        });
    }
}
