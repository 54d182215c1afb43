//! `Deque`: a queue that its owner uses at one end, last in, first out, and thieves at the other, oldest first.
//!
//! Source: Chase and Lev, Dynamic circular work-stealing deque (SPAA 2005); memory orders as Lê, Pop, Cohen and Zappa Nardelli
//! have them (PPoPP 2013). The one of crossbeam shows nothing before it is taken. Here a thief looks at the oldest item and then
//! takes it or leaves it: most thieves that wait inside a tied task may run few tasks, and what they took they would have to put
//! elsewhere.
//!
//! Terms: a *glimpse* is an item that is still in the queue, or was a moment ago.
//!
//! Protocol. `bottom` is the owner's, `top` only grows. Items are at `top..bottom` of the ring. A thief reads `top`, then
//! `bottom`, then the item, and has it if `top` is still the same when it adds one to it: so nobody took the item in between,
//! and all that the thief saw of it while it decided was true. The owner takes the newest without that unless it is the last.
//! A ring that is too small is copied into one of twice the size. Thieves may still read the old one, so it stays until the
//! deque is dropped; all old ones together are as long as the new one.
#![allow(unsafe_code)]

use crate::private::Private;
use crate::sync::{AtomicPtr, AtomicUsize, Ordering, fence};
use crossbeam_utils::CachePadded;
use std::ptr::{NonNull, null_mut};

/// Models need one that grows.
const FIRST_LEN: usize = if cfg!(loom) { 2 } else { 64 };

pub struct Deque<T> {
    ends: CachePadded<Ends<T>>,
    /// Owner: rings that became too small.
    #[allow(clippy::vec_box, reason = "thieves may still read them, so they must not move")]
    outgrown: Private<Vec<Box<Ring<T>>>>,
}

struct Ends<T> {
    top: AtomicUsize,
    /// Owner: writes it.
    bottom: AtomicUsize,
    /// Owner: writes it. Comes from a box.
    ring: AtomicPtr<Ring<T>>,
}

/// Its length is a power of two.
struct Ring<T>(Box<[AtomicPtr<T>]>);

/// What a thief got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steal<T> {
    /// There is nothing.
    Empty,
    /// The oldest item is not what it wants.
    Refused,
    /// Another one was faster: it may try again.
    Lost,
    Taken(T),
}

impl<T> Steal<T> {
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Steal<U> {
        match self {
            Steal::Empty => Steal::Empty,
            Steal::Refused => Steal::Refused,
            Steal::Lost => Steal::Lost,
            Steal::Taken(item) => Steal::Taken(of(item)),
        }
    }
}

impl<T> Ring<T> {
    fn new(len: usize) -> Box<Ring<T>> {
        Box::new(Ring((0..len).map(|_| AtomicPtr::new(null_mut())).collect()))
    }

    // Relaxed, here and below: whoever reads an item that it may use read `bottom` before (Acquire), or wrote it itself.
    fn get(&self, index: usize) -> *mut T {
        self.0[index & (self.0.len() - 1)].load(Ordering::Relaxed)
    }

    fn set(&self, index: usize, item: *mut T) {
        self.0[index & (self.0.len() - 1)].store(item, Ordering::Relaxed);
    }
}

impl<T> Default for Deque<T> {
    fn default() -> Deque<T> {
        let ends = Ends {
            top: AtomicUsize::new(0),
            bottom: AtomicUsize::new(0),
            ring: AtomicPtr::new(Box::into_raw(Ring::new(FIRST_LEN))),
        };
        Deque { ends: CachePadded::new(ends), outgrown: Private::default() }
    }
}

impl<T> Drop for Deque<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nobody uses the deque any more.
        drop(unsafe { Box::from_raw(self.ends.ring.load(Ordering::Relaxed)) });
    }
}

/// For its owner alone.
impl<T> Deque<T> {
    #[inline(always)]
    pub fn push(&self, item: NonNull<T>) {
        let bottom = self.ends.bottom.load(Ordering::Relaxed);
        // Acquire: pairs with the compare-exchange of thieves, who have read the item whose place is used again.
        let top = self.ends.top.load(Ordering::Acquire);
        let mut ring = self.ring();
        if bottom - top >= ring.0.len() {
            ring = self.grow(top, bottom);
        }
        ring.set(bottom, item.as_ptr());
        // Release: pairs with the Acquire loads of thieves.
        self.ends.bottom.store(bottom + 1, Ordering::Release);
    }

    #[cold]
    #[inline(never)]
    fn grow(&self, top: usize, bottom: usize) -> &Ring<T> {
        let old = self.ring();
        let new = Ring::new(old.0.len() * 2);
        (top..bottom).for_each(|index| new.set(index, old.get(index)));
        // Release: pairs with the Acquire in `ring`.
        let old = self.ends.ring.swap(Box::into_raw(new), Ordering::Release);
        // SAFETY: it came from a box, which only the owner replaces.
        self.outgrown.with(|outgrown| outgrown.push(unsafe { Box::from_raw(old) }));
        self.ring()
    }

    /// The newest item.
    #[inline(always)]
    pub fn pop(&self) -> Option<NonNull<T>> {
        let bottom = self.ends.bottom.load(Ordering::Relaxed);
        if self.ends.top.load(Ordering::Relaxed) == bottom {
            return None;
        }
        let newest = bottom - 1;
        // Release, here and below: as in `push`, since a thief that reads this reads nothing of those before.
        self.ends.bottom.store(newest, Ordering::Release);
        // The owner's store and then its load, and a thief's two loads, are in one order: not both miss the other's.
        fence(Ordering::SeqCst);
        let top = self.ends.top.load(Ordering::Relaxed);
        if top < newest {
            return NonNull::new(self.ring().get(newest));
        }
        // It is the last one, or a thief had that already.
        let is_mine = top == newest && self.take(top);
        self.ends.bottom.store(bottom, Ordering::Release);
        is_mine.then(|| NonNull::new(self.ring().get(newest))).flatten()
    }

    /// A glimpse of what `pop` would take.
    #[inline]
    pub fn newest(&self) -> Option<NonNull<T>> {
        let bottom = self.ends.bottom.load(Ordering::Relaxed);
        let is_empty = self.ends.top.load(Ordering::Relaxed) == bottom;
        if is_empty { None } else { NonNull::new(self.ring().get(bottom - 1)) }
    }
}

/// For everybody.
impl<T> Deque<T> {
    /// How many there are, or were a moment ago.
    #[inline(always)]
    pub fn len(&self) -> usize {
        let top = self.ends.top.load(Ordering::Relaxed);
        self.ends.bottom.load(Ordering::Relaxed).saturating_sub(top)
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the oldest, if `wants` says so of a glimpse of it.
    #[inline]
    pub fn steal(&self, wants: impl FnOnce(NonNull<T>) -> bool) -> Steal<NonNull<T>> {
        // Acquire: pairs with the compare-exchange in `take`: its ring is as new as what is read below.
        let top = self.ends.top.load(Ordering::Acquire);
        fence(Ordering::SeqCst);
        // Acquire: pairs with the Release in `push`.
        let bottom = self.ends.bottom.load(Ordering::Acquire);
        if top >= bottom {
            return Steal::Empty;
        }
        match NonNull::new(self.ring().get(top)) {
            Some(oldest) if !wants(oldest) => Steal::Refused,
            Some(oldest) if self.take(top) => Steal::Taken(oldest),
            _ => Steal::Lost,
        }
    }

    /// Takes the oldest, and moves more of the oldest to `to`, the calling thread's: half of all, up to `most`.
    pub fn steal_half(&self, to: &Deque<T>, most: usize) -> Steal<NonNull<T>> {
        let first = self.steal(|_| true);
        if let Steal::Taken(_) = first {
            let more = (self.len() / 2).min(most);
            let others = (0..more).map_while(|_| match self.steal(|_| true) {
                Steal::Taken(item) => Some(item),
                _ => None,
            });
            others.for_each(|item| to.push(item));
        }
        first
    }

    /// Whether `wants` says yes of a glimpse of any.
    pub fn has_any(&self, mut wants: impl FnMut(NonNull<T>) -> bool) -> bool {
        let top = self.ends.top.load(Ordering::Acquire);
        // Acquire: pairs with the Release in `push`.
        let bottom = self.ends.bottom.load(Ordering::Acquire);
        let ring = self.ring();
        // Those that the ring has lost since are gone from the queue.
        let count = bottom.saturating_sub(top).min(ring.0.len());
        (top..top + count).any(|index| NonNull::new(ring.get(index)).is_some_and(&mut wants))
    }

    /// Whether the oldest, which was at `top`, is the caller's now.
    #[inline(always)]
    fn take(&self, top: usize) -> bool {
        let (success, failure) = (Ordering::SeqCst, Ordering::Relaxed);
        self.ends.top.compare_exchange(top, top + 1, success, failure).is_ok()
    }

    #[inline(always)]
    fn ring(&self) -> &Ring<T> {
        // Acquire: pairs with the Release in `grow`.
        let ring = self.ends.ring.load(Ordering::Acquire);
        // SAFETY: it comes from a box, which stays until the deque is dropped.
        unsafe { &*ring }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize as Count;

    fn item(number: usize) -> NonNull<u64> {
        NonNull::new(std::ptr::without_provenance_mut(number)).unwrap()
    }

    #[test]
    fn the_newest_is_popped_and_the_oldest_stolen_if_wanted() {
        let deque = Deque::default();
        assert_eq!(
            (deque.pop(), deque.newest(), deque.steal(|_| true)),
            (None, None, Steal::Empty)
        );
        (1..=5).for_each(|number| deque.push(item(number)));
        assert_eq!((deque.len(), deque.newest()), (5, Some(item(5))));
        assert_eq!(deque.pop(), Some(item(5)));
        assert_eq!(deque.steal(|oldest| oldest != item(1)), Steal::Refused);
        assert_eq!(deque.steal(|oldest| oldest == item(1)), Steal::Taken(item(1)));
        assert!(deque.has_any(|any| any == item(3)) && !deque.has_any(|any| any == item(1)));
        assert_eq!(
            [deque.pop(), deque.pop(), deque.pop()],
            [Some(item(4)), Some(item(3)), Some(item(2))]
        );
        assert!(deque.pop().is_none() && deque.is_empty());
    }

    #[test]
    fn half_is_stolen_oldest_first_and_no_more_than_asked_for() {
        let (from, to) = (Deque::default(), Deque::default());
        (1..=9).for_each(|number| from.push(item(number)));
        assert_eq!(from.steal_half(&to, 100), Steal::Taken(item(1)));
        assert_eq!((from.len(), to.len(), to.newest()), (4, 4, Some(item(5))));
        assert_eq!(from.steal_half(&to, 1), Steal::Taken(item(6)));
        assert_eq!((from.len(), to.len()), (2, 5));
    }

    #[test]
    fn it_grows() {
        let deque = Deque::default();
        (1..=40).for_each(|number| deque.push(item(number)));
        (1..=30).for_each(|number| assert_eq!(deque.steal(|_| true), Steal::Taken(item(number))));
        (41..=1000).for_each(|number| deque.push(item(number)));
        assert_eq!(deque.steal(|_| true), Steal::Taken(item(31)));
        (32..=1000).rev().for_each(|number| assert_eq!(deque.pop(), Some(item(number))));
    }

    #[test]
    fn nothing_is_lost_or_taken_twice() {
        const ITEMS: usize = 200_000;
        let deque = Deque::default();
        let taken: Vec<Count> = (0..=ITEMS).map(|_| Count::new(0)).collect();
        let take = |item: NonNull<u64>| taken[item.addr().get()].fetch_add(1, Ordering::Relaxed);
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for odd in [false, true] {
                let (deque, done, take) = (&deque, &done, &take);
                scope.spawn(move || {
                    while !done.load(Ordering::Acquire) {
                        let stolen = deque.steal(|item| (item.addr().get() % 2 == 1) == odd);
                        if let Steal::Taken(item) = stolen {
                            assert_eq!(item.addr().get() % 2 == 1, odd);
                            take(item);
                        }
                    }
                });
            }
            for number in 1..=ITEMS {
                deque.push(item(number));
                if number % 3 == 0 {
                    deque.pop().map(take);
                }
            }
            while let Some(item) = deque.pop() {
                take(item);
            }
            done.store(true, Ordering::Release);
        });
        assert!(taken[1..].iter().all(|count| count.load(Ordering::Relaxed) == 1));
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;

    fn item(number: usize) -> NonNull<u64> {
        NonNull::new(std::ptr::without_provenance_mut(number)).unwrap()
    }

    type Numbers = Deque<u64>;

    fn number(item: NonNull<u64>) -> usize {
        item.addr().get()
    }

    fn all_left(deque: &Numbers) -> usize {
        std::iter::from_fn(|| deque.pop()).map(number).sum()
    }

    /// A thief that tries so often to steal, and what it got, added up.
    fn steals(deque: Arc<Numbers>, tries: usize) -> impl FnOnce() -> usize {
        move || {
            let loot = (0..tries).filter_map(|_| match deque.steal(|_| true) {
                Steal::Taken(item) => Some(number(item)),
                _ => None,
            });
            loot.sum()
        }
    }

    /// The owner pushes and pops while a thief steals: each item is taken once.
    #[test]
    fn each_item_is_taken_once() {
        loom::model(|| {
            let deque = Arc::new(Deque::default());
            let thief = loom::thread::spawn(steals(deque.clone(), 2));
            deque.push(item(1));
            deque.push(item(2));
            let own: usize = (0..2).filter_map(|_| deque.pop()).map(number).sum();
            assert_eq!(own + thief.join().unwrap() + all_left(&deque), 3);
        });
    }

    /// Two thieves, and an owner that takes the last item.
    #[test]
    fn the_last_item_is_taken_once() {
        loom::model(|| {
            let deque = Arc::new(Deque::default());
            deque.push(item(1));
            let thieves = [1, 1].map(|tries| loom::thread::spawn(steals(deque.clone(), tries)));
            let own = deque.pop().map_or(0, number);
            let loot: usize = thieves.into_iter().map(|thief| thief.join().unwrap()).sum();
            assert_eq!(own + loot + all_left(&deque), 1);
        });
    }

    /// The ring is replaced while a thief steals.
    #[test]
    fn nothing_is_lost_in_an_old_ring() {
        loom::model(|| {
            let deque = Arc::new(Deque::default());
            deque.push(item(1));
            deque.push(item(2));
            let thief = loom::thread::spawn(steals(deque.clone(), 2));
            deque.push(item(4));
            assert_eq!(thief.join().unwrap() + all_left(&deque), 7);
        });
    }
}
