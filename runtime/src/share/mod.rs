//! Processors that are shared with other processes of the same user, where the user asks for that (`VICINITY_SHARE`).
//!
//! Terms: a *record* is what one process says of its regions (`record`); the records of all processes that may run on the same
//! processors are in one file, which each has mapped. A *place* is a record's number, from 1; its lock in the file tells that the process
//! lives. A *claim* is what a region adds to its process's record. A region is *counted* if it has a claim, or is inside
//! of one that has.
//!
//! Protocol: `enter`, when a region begins, claims its threads and says how many they are; `Part::end` gives them back.
//! Between the two a thread that sleeps is not counted (`part`). How many a region gets is `policy::share`'s to say.
//! Whoever gets fewer threads than it wanted looks, once in 10 milliseconds, whether the others still live, and clears the
//! records of those that do not.
//!
//! Nothing here is a right: two processes that both take a processor lose time for one region, and nothing else. So whatever is
//! wrong with the file, a region has at least its primary thread, and no thread waits for another process.
//!
//! Why it is so: docs/decisions/063-processes-that-share.md.
#![allow(unsafe_code)]

#[cfg(all(test, loom))]
mod models;
pub mod natives;
mod part;
mod record;
mod tcm;

use crate::report;
use crate::sync::{AtomicU32, AtomicU64, Ordering, fence};
use crate::team::Member;
use crate::thread::clock;
pub use part::Part;
use record::{Counts, MOST_THREADS, Record, at_work, running};
use std::path::PathBuf;
use std::sync::atomic::AtomicPtr;
use tcm::Permit;
use vicinity_alloc::digest::digest;
use vicinity_alloc::os::CpuSet;
use vicinity_alloc::os::common_file::{self, CommonFile};
use vicinity_policy::share::{self, Claims};

/// Of the file's layout; it is part of the name.
const VERSION: u32 = 2;
const MAGIC: u64 = u64::from_ne_bytes(*b"vicshare");
/// With the head, as many as four pages hold.
const PLACES: u32 = 255;
const BYTES: usize = 64 * (PLACES as usize + 1);
/// How often others are looked at that may have ended: 10 milliseconds at 3 GHz.
const LOOK_EVERY_TICKS: u64 = 30_000_000;

/// The first line of the file.
#[repr(C, align(64))]
struct Head {
    magic: AtomicU64,
    /// No place above this one is taken. Relaxed: who comes is seen a moment later.
    used: AtomicU32,
}

struct Sharing {
    file: CommonFile,
    processors: u32,
    place: AtomicU32,
    /// By place: how many regions it had begun when this process looked last.
    seen: Box<[AtomicU32]>,
    looked_at: AtomicU64,
}

/// The part around the regions of the first thread, the first one of a program's own threads that starts one; null before. Relaxed: only
/// that thread finds its own there. It has the part for itself, and whoever comes after it there was handed it.
static FIRST: AtomicPtr<Part> = AtomicPtr::new(std::ptr::null_mut());

/// Null where nothing is shared. Set once, and again in a forked child.
static SHARING: AtomicPtr<Sharing> = AtomicPtr::new(std::ptr::null_mut());

#[inline]
fn get() -> Option<&'static Sharing> {
    // Acquire: pairs with the Release in `start`.
    let sharing = SHARING.load(Ordering::Acquire);
    // SAFETY: null, or leaked by `start`.
    unsafe { sharing.as_ref() }
}

/// Joins the other processes of this user that may run on these processors, as many of them as that.
pub fn start(allowed: &CpuSet, processors: u32) {
    match CommonFile::open(path(allowed, processors), BYTES, take_place) {
        Ok((file, place)) => {
            let seen = (0..=PLACES).map(|_| AtomicU32::new(0)).collect();
            let (place, looked_at) = (AtomicU32::new(place), AtomicU64::new(0));
            let sharing = Sharing { file, processors, place, seen, looked_at };
            // Release: pairs with the Acquire in `get`.
            SHARING.store(Box::into_raw(Box::new(sharing)), Ordering::Release);
            tcm::start();
        }
        Err(why) => report::warn(&format!("no processors are shared with other processes: {why}")),
    }
}

/// Those that may run on other processors, or on fewer of them, have another file.
fn path(allowed: &CpuSet, processors: u32) -> PathBuf {
    let (user, digest) = (common_file::user(), digest(&format!("{allowed} {processors}")));
    common_file::folder().join(format!("vicinity-share-{VERSION}-{user}-{digest:016x}"))
}

/// Takes the lowest free place; nobody else does so meanwhile.
fn take_place(file: &CommonFile) -> Result<u32, String> {
    let head = head_of(file);
    match head.magic.load(Ordering::Relaxed) {
        0 => head.magic.store(MAGIC, Ordering::Relaxed),
        MAGIC => (),
        _ => {
            return Err("it is damaged; it can be removed when no program uses it".to_owned());
        }
    }
    let free = (1..=PLACES).find(|&place| file.take(place));
    let place = free.ok_or_else(|| format!("{PLACES} processes use it already"))?;
    record_of(file, place).clear();
    let others = (place + 1..=head.used.load(Ordering::Relaxed).min(PLACES)).rev();
    let last = others.into_iter().find(|&other| file.may_be_taken(other));
    head.used.store(last.unwrap_or(place), Ordering::Relaxed);
    Ok(place)
}

#[inline]
fn head_of(file: &CommonFile) -> &Head {
    // SAFETY: the mapping has `BYTES` bytes, begins at a page, and is never unmapped; all its fields are atomic.
    unsafe { &*file.memory().as_ptr().cast() }
}

#[inline]
fn record_of(file: &CommonFile, place: u32) -> &Record {
    debug_assert!((1..=PLACES).contains(&place));
    // SAFETY: as above; records have the size of the head, and there are `PLACES` of them behind it.
    unsafe { &*file.memory().as_ptr().cast::<Record>().add(place as usize) }
}

impl Sharing {
    #[inline]
    fn record(&self) -> &Record {
        record_of(&self.file, self.place.load(Ordering::Relaxed))
    }

    #[inline]
    fn used(&self) -> u32 {
        head_of(&self.file).used.load(Ordering::Relaxed).min(PLACES)
    }

    /// The places of other processes, living or not.
    fn others(&self) -> impl Iterator<Item = u32> + Clone {
        let own = self.place.load(Ordering::Relaxed);
        (1..=self.used()).filter(move |&place| place != own)
    }

    /// Threads of other processes that run.
    fn running_elsewhere(&self) -> u32 {
        let running = |place| record_of(&self.file, place).read().claims().running;
        self.others().map(running).fold(0, u32::saturating_add)
    }

    /// The threads that are left to a region that wants so many, and has been counted as one.
    fn region_size(&self, wanted: u32) -> u32 {
        // Pairs with the same one of another process: see `record`.
        fence(Ordering::SeqCst);
        let own = Claims { claimants: 1, wanted, running: 1 };
        let beside = self.record().read().without(Counts::new(own)).claims();
        let wants = |place| record_of(&self.file, place).wants(&self.seen[place as usize]);
        let others: Vec<Claims> = self.others().map(wants).chain([beside]).collect();
        let size = share::region_size(wanted, self.processors, others.iter().copied());
        if size < wanted {
            self.clear_the_dead();
        }
        size
    }

    /// Clears the records of processes that have ended in a region, now and then.
    fn clear_the_dead(&self) {
        let (now, before) = (clock::ticks(), self.looked_at.load(Ordering::Relaxed));
        if now.wrapping_sub(before) < LOOK_EVERY_TICKS {
            return;
        }
        self.looked_at.store(now, Ordering::Relaxed);
        let is_set = |&place: &u32| record_of(&self.file, place).read() != Counts::default();
        for place in self.others().filter(is_set) {
            // With the lock nobody else can begin to live there.
            if !self.file.may_be_taken(place) && self.file.take(place) {
                record_of(&self.file, place).clear();
                self.file.give_back(place);
            }
        }
    }

    /// Claims threads for a region that has no other around it.
    #[inline]
    fn claim(&self, wanted: u32, is_demanded: bool, is_first: bool) -> Counts {
        let record = self.record();
        let counted = wanted.min(MOST_THREADS);
        let most = if is_demanded { counted } else { counted.min(self.processors) };
        let claims = Claims { claimants: 1, wanted: counted, running: most };
        let is_alone = self.used() == 1;
        // Nobody is there who would look whether it has begun one.
        if !is_alone {
            record.begins(counted);
        }
        let has_rivals = || match is_first {
            true => record.has_others(),
            false => record.read().has_claimants(),
        };
        if is_demanded || (is_alone && !has_rivals()) {
            record.put(Counts::new(claims), is_first);
            return Counts::new(claims);
        }
        self.claim_part(claims, is_first)
    }

    /// Claims what is left of the processors.
    #[cold]
    fn claim_part(&self, claims: Claims, is_first: bool) -> Counts {
        let record = self.record();
        record.put(Counts::new(Claims { running: 1, ..claims }), is_first);
        let size = self.region_size(claims.wanted);
        let claim = Counts::new(Claims { running: size, ..claims });
        match is_first {
            true => record.say(claim),
            false => record.add(running(size - 1)),
        }
        claim
    }

    /// A region has fewer threads than it claimed: what it claims now.
    #[cold]
    fn give_up(&self, claim: Claim, too_many: Counts) -> Counts {
        let rest = claim.counts.without(too_many);
        match claim.is_first {
            true => self.record().say(rest),
            false => self.record().take_away(too_many),
        }
        rest
    }

    /// Claims threads for a region inside another one of so many: those beside the thread that starts it.
    #[cold]
    fn claim_inside(&self, wanted: u32, is_demanded: bool, peers: u32) -> Counts {
        let threads = self.record().read().claims().running;
        let threads = threads.saturating_add(self.running_elsewhere());
        let extra = match is_demanded {
            true => wanted - 1,
            false => share::nested_extra(wanted, self.processors, threads, peers),
        };
        let claim = at_work(extra.min(MOST_THREADS));
        self.record().add(claim);
        claim
    }
}

/// What a region has claimed.
#[derive(Clone, Copy, Default)]
pub struct Claim {
    counts: Counts,
    is_first: bool,
    permit: Permit,
}

/// What a region gets.
pub struct Entry {
    pub size: u32,
    pub claim: Claim,
}

/// A region begins in `around` that wants so many threads, more than one. It gets all of them if it demands them, or nothing is
/// shared.
#[inline]
pub fn enter(around: &Part, peers: u32, wanted: u32, is_demanded: bool) -> Entry {
    let Some(sharing) = get() else { return Entry { size: wanted, claim: Claim::default() } };
    let inside = around.is_counted();
    let is_first = !inside && peers == 1 && is_first(around);
    let counts = match inside {
        true => sharing.claim_inside(wanted, is_demanded, peers),
        false => sharing.claim(wanted, is_demanded, is_first),
    };
    // The thread that starts a region inside of another one has its processor.
    let (threads, permit) = tcm::ask(u32::from(!inside), counts.running());
    let size = if is_demanded { wanted } else { threads + u32::from(inside) };
    Entry { size, claim: Claim { counts, is_first, permit } }
}

/// Whether regions in `around` are those of the first thread.
#[inline]
fn is_first(around: &Part) -> bool {
    let around = std::ptr::from_ref(around).cast_mut();
    let first = FIRST.load(Ordering::Relaxed);
    let become_first =
        || FIRST.compare_exchange(first, around, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    first == around || (first.is_null() && become_first())
}

/// Primary thread: the region begins inside `around`, with this claim. If it has fewer threads than it claimed, it gives the rest
/// back.
#[inline]
pub fn begin(part: &Part, around: &Part, claim: Claim, size: u32) {
    let Some(sharing) = get() else { return };
    let inside = around.is_counted();
    let too_many = claim.counts.running().saturating_sub(size - u32::from(inside));
    let counts = match too_many {
        0 => claim.counts,
        _ => sharing.give_up(claim, running(too_many)),
    };
    part.begin(counts, inside, claim.is_first);
    part.permit.set(claim.permit);
}

/// The primary thread of a region at its end.
#[inline]
pub fn leave(part: &Part) {
    if let Some(sharing) = get().filter(|_| part.is_counted()) {
        part.end(sharing.record());
        tcm::give_back(part.permit.replace(Permit::NONE));
    }
}

/// Has a thread sleep in a region: its processor is another's meanwhile.
pub fn lend<R>(part: &Part, sleep: impl FnOnce() -> R) -> R {
    let Some(sharing) = get().filter(|_| part.is_counted()) else { return sleep() };
    let lent = part.lend(sharing.record());
    let result = sleep();
    if lent {
        part.take_back(sharing.record());
    }
    result
}

/// Whether a thread that spins takes a processor from another process.
#[inline]
pub fn spinning_disturbs() -> bool {
    get().is_some_and(|sharing| sharing.used() > 1 && disturbs(sharing))
}

#[cold]
fn disturbs(sharing: &Sharing) -> bool {
    let own = sharing.record().read().claims().running;
    share::spinning_disturbs(own, sharing.running_elsewhere(), sharing.processors)
}

/// In a forked child: it needs a place of its own, and what was claimed around it is the parent's.
pub fn in_child<'a>(around: impl Iterator<Item = &'a Member>) {
    tcm::in_child();
    FIRST.store(std::ptr::null_mut(), Ordering::Relaxed);
    let Some(sharing) = get() else { return };
    around.for_each(|member| member.team().part.forget());
    match sharing.file.alone(take_place) {
        Ok(Ok(place)) => sharing.place.store(place, Ordering::Relaxed),
        _ => SHARING.store(std::ptr::null_mut(), Ordering::Relaxed),
    }
}
