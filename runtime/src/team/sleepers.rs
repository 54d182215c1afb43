//! `Sleepers`: a bit for each member whose thread sleeps or is about to, so that whoever wakes one looks at few words in
//! place of every thread's.
//!
//! Protocol, together with that of `idle`: a thread adds itself before (s1) and removes itself when it is awake again. So
//! whoever reads the bits after (p2) finds every thread that (s4) left asleep; some of those that it finds are awake.

use crate::sync::{AtomicU64, Ordering};

const BITS: u32 = u64::BITS;

pub struct Sleepers(Box<[AtomicU64]>);

impl Sleepers {
    /// For members 0 to `capacity` - 1.
    pub fn new(capacity: u32) -> Sleepers {
        Sleepers((0..capacity.div_ceil(BITS)).map(|_| AtomicU64::new(0)).collect())
    }

    // Relaxed, here and below: ordered by the fences of `idle`, and the bits guard nothing.
    pub fn add(&self, num: u32) {
        self.word(num).fetch_or(bit(num), Ordering::Relaxed);
    }

    pub fn remove(&self, num: u32) {
        self.word(num).fetch_and(!bit(num), Ordering::Relaxed);
    }

    pub fn contains(&self, num: u32) -> bool {
        self.word(num).load(Ordering::Relaxed) & bit(num) != 0
    }

    /// Those among the first `size` members.
    pub fn among(&self, size: u32) -> impl Iterator<Item = u32> + Clone {
        let starts = (0..size).step_by(BITS as usize);
        starts.flat_map(move |start| {
            let all = if size - start < BITS { bit(size) - 1 } else { u64::MAX };
            let mut left = self.word(start).load(Ordering::Relaxed) & all;
            std::iter::from_fn(move || {
                let next = (left != 0).then(|| start + left.trailing_zeros());
                left &= left.wrapping_sub(1);
                next
            })
        })
    }

    fn word(&self, num: u32) -> &AtomicU64 {
        &self.0[(num / BITS) as usize]
    }
}

fn bit(num: u32) -> u64 {
    1 << (num % BITS)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn those_are_found_that_were_added() {
        let sleepers = Sleepers::new(200);
        let all = [0, 5, 63, 64, 127, 128, 199];
        all.iter().for_each(|&num| sleepers.add(num));
        assert!(sleepers.among(200).eq(all));
        assert!(sleepers.among(64).eq([0, 5, 63]) && sleepers.among(63).eq([0, 5]));
        assert!(sleepers.among(129).eq([0, 5, 63, 64, 127, 128]) && sleepers.among(1).eq([0]));
        [0, 64, 199].iter().for_each(|&num| sleepers.remove(num));
        assert!(sleepers.among(200).eq([5, 63, 127, 128]));
        assert!(sleepers.contains(63) && !sleepers.contains(64) && !sleepers.contains(66));
        assert_eq!(Sleepers::new(64).among(64).count(), 0);
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::park::{Appetite, Parker};
    use crate::team::idle::Idle;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// Whoever pushes a task looks for sleepers by their bits alone: no schedule leaves one parked beside the task.
    #[test]
    fn a_push_finds_who_sleeps() {
        struct Shared {
            idle: Idle,
            sleepers: Sleepers,
            parker: Parker,
            queued: AtomicUsize,
        }
        loom::model(|| {
            let shared = Arc::new(Shared {
                idle: Idle::default(),
                sleepers: Sleepers::new(1),
                parker: Parker::default(),
                queued: AtomicUsize::new(0),
            });
            let producer = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.queued.store(1, Ordering::Relaxed);
                    if shared.idle.anyone() {
                        _ = shared.idle.wake_free(shared.sleepers.among(1).map(|_| &shared.parker));
                    }
                })
            };
            let queued = || shared.queued.load(Ordering::Relaxed) != 0;
            while !queued() {
                shared.sleepers.add(0);
                shared.idle.sleep(&shared.parker, Appetite::Any, queued);
                shared.sleepers.remove(0);
            }
            producer.join().unwrap();
        });
    }
}
