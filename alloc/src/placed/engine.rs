//! The engine: one machine's sites, its regions, its small blocks, and what is known of its memory.
//!
//! Everything it hands out is in the side table ([`super::index`]); the engine itself has no list of blocks.
#![allow(unsafe_code)]

mod locate;

use super::classes::Class;
use super::index::INDEX;
use super::others;
use super::own::{self, Mapping};
use super::pages::Pages;
use super::plan::{MOVED_PIECES, Machine, Plan, Request, Wish, is_part};
use super::region::{self, Ground, Rule};
use super::shard::{Given, Shard, Small};
use super::sites::Sites;
use super::slot::{Detail, SpanId};
use super::watch::{Report, Watch};
use super::word::{FARTHEST, Form, GRANULE, Placement, Word};
use crate::os::mappings::{self, Grain};
use crate::os::{memory, numa};
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why memory was not freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// It was not allocated here.
    Foreign,
    /// It was freed before.
    Twice,
    /// It lies in a block, not at its beginning.
    Inside,
}

/// A block, and whether it is certain to read as zeroes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub start: NonNull<u8>,
    pub is_zero: bool,
}

/// Which site the calling thread is at.
pub type Here = Box<dyn Fn() -> u16 + Send + Sync>;

pub struct Engine {
    sites: Sites,
    machine: Machine,
    here: Here,
    watch: Watch,
    pages: Pages,
    /// Two a rule: small pages, huge pages.
    grounds: Vec<Ground>,
    shards: Box<[Shard]>,
}

/// Nobody allocates or frees while this is there.
pub struct Quiet<'a> {
    _shards: Vec<MutexGuard<'a, Small>>,
    _grounds: Vec<region::Quiet<'a>>,
}

/// More threads than this share shards.
const MOST_SHARDS: usize = 64;

impl Engine {
    /// There is at least one site. `processors` is how many threads may run at a time.
    pub fn new(sites: Sites, processors: usize, here: Here, report: Report) -> Engine {
        let count = sites.count();
        let machine = Machine {
            sites: sites.spread(),
            page_bytes: memory::page_size(),
            huge_page_bytes: memory::huge_page_bytes().filter(|&bytes| bytes >= GRANULE),
        };
        let rules = (0..count).map(|site| Rule::At(site as u16));
        let grounds = rules
            .chain([Rule::Fine, Rule::Unbound])
            .flat_map(|rule| [Ground::new(rule, false), Ground::new(rule, true)])
            .collect();
        let shards = (0..processors.clamp(1, MOST_SHARDS)).map(Shard::new).collect();
        let watch = Watch::new(&sites, report);
        Engine { sites, machine, here, watch, pages: Pages::default(), grounds, shards }
    }

    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// Where a whole allocation goes whose turn it is.
    pub fn next_turn(&self) -> Wish {
        Wish::At(self.shards[self.my_shard()].turn(self.sites.spread()))
    }

    /// The calling thread's site.
    pub fn here(&self) -> Wish {
        Wish::At((self.here)())
    }

    /// Memory as the program wishes; `None` if there is none, or nothing was asked for.
    pub fn allocate(&self, request: Request, wish: Wish) -> Option<Block> {
        match request.plan(wish, &self.machine)? {
            Plan::Slot { rule, class } => {
                Some(Block { start: self.small(rule, class)?, is_zero: false })
            }
            Plan::Run { rule, huge, granules } => {
                let ground = &self.grounds[self.ground(rule, huge)];
                let start = ground.take(granules, request.alignment, &self.sites, &self.watch)?;
                INDEX.set_detail(start, Detail::Run { size_bytes: request.size_bytes });
                let word =
                    |n| Word::new(placement(rule, &self.machine), Form::Run, n, granules - n);
                INDEX.set_words(start, granules, word);
                Some(Block { start: pointer(start), is_zero: true })
            }
            Plan::Own { layout, huge, granules, alignment } => {
                let size_bytes = request.size_bytes;
                let mapping = Mapping { layout, huge, granules, alignment, size_bytes };
                let start = mapping.make(&self.sites, &self.watch)?;
                Some(Block { start, is_zero: true })
            }
        }
    }

    /// Frees a block of this engine. Whether it is one, the side table says: any address is allowed.
    pub fn free(&self, address: usize) -> Result<(), Misuse> {
        let word = INDEX.word(address);
        match word.placement() {
            Placement::Foreign => return Err(Misuse::Foreign),
            Placement::Idle => return Err(Misuse::Twice),
            _ => {}
        }
        if word.form() == Form::Span {
            return self.free_small(address);
        }
        let slot = INDEX.slot(address).ok_or(Misuse::Foreign)?;
        if word.back() != 0 || !address.is_multiple_of(GRANULE) {
            return Err(Misuse::Inside);
        }
        let detail = slot.detail();
        let Detail::Run { size_bytes } = detail else { return Err(Misuse::Twice) };
        if !slot.claim(detail) {
            return Err(Misuse::Twice);
        }
        if word.placement() == Placement::Unbound {
            self.pages.forget(address, address + size_bytes);
        }
        if word.form() == Form::Run {
            let granules = size_bytes.div_ceil(GRANULE);
            let rule = rule_of(word);
            let huge = Request::new(size_bytes, 1).has_huge_pages(rule, &self.machine);
            INDEX.set_words(address, granules, |_| Word::IDLE);
            self.grounds[self.ground(rule, huge)].give(address, granules);
        } else {
            own::unmap(address, size_bytes, word);
        }
        Ok(())
    }

    /// Has pages of memory of others go where this says when they are touched.
    pub fn bind_others(&self, start: usize, bytes: usize, wish: Wish) {
        if self.sites.kernel_knows() {
            let huge = Request::new(bytes, 1).has_huge_pages(Rule::Fine, &self.machine);
            let bound = others::bind(start, bytes, wish, huge, &self.sites);
            bound.unwrap_or_else(|numa::Refused| self.watch.refused());
        }
    }

    /// Memory of others, or unbound, has been moved: what was known of where it is counts no more.
    pub fn moved(&self, start: usize, bytes: usize) {
        self.pages.forget(start, start + bytes);
    }

    /// Memory that may be moved to where its users are: in huge pages, from the beginning of one on, if it is large enough to be in
    /// parts of them, else in small ones.
    pub fn allocate_movable(&self, size_bytes: usize, alignment: usize) -> Option<Block> {
        let huge = self.huge_bytes(size_bytes);
        let alignment = alignment.max(huge.unwrap_or(GRANULE));
        let request = Request { size_bytes, alignment, apart: true };
        let block = self.allocate(request, Wish::Standard)?;
        if huge.is_none() {
            let whole = size_bytes.next_multiple_of(GRANULE);
            memory::advise_huge(block.start, whole, false);
        }
        Some(block)
    }

    /// The huge pages of a block of so many bytes whose parts have homes of their own.
    fn huge_bytes(&self, size_bytes: usize) -> Option<usize> {
        let has = Request::new(size_bytes, 1).has_huge_pages(Rule::Fine, &self.machine);
        self.machine.huge_page_bytes.filter(|_| has)
    }

    /// What of a block or mapping should be moved together: its pages, huge ones where it has some, or what the kernel may have as
    /// one piece, if there are several of those for each site.
    pub fn unit_bytes(&self, start: usize, bytes: usize) -> usize {
        let unit = match mappings::grain_of(start) {
            Grain::Huge => self.machine.huge_page_bytes,
            Grain::Single => None,
            Grain::Any => memory::piece_bytes()
                .filter(|piece| bytes / piece >= MOVED_PIECES * self.machine.sites),
        };
        unit.unwrap_or(self.machine.page_bytes)
    }

    /// The block that an address is in, if it is one of this engine: first address and size.
    pub fn block_of(&self, address: usize) -> Option<(usize, usize)> {
        let start = run_start(address)?;
        match INDEX.detail(start) {
            Detail::Run { size_bytes } if address - start < size_bytes => Some((start, size_bytes)),
            Detail::Span(id) => {
                let slot = id.class.slot_bytes();
                Some((start + (address - start) / slot * slot, slot))
            }
            _ => None,
        }
    }

    /// Gives a block another size where it is, if the request would be met in the same way.
    pub fn resize(&self, address: usize, size: usize) -> bool {
        let Some((start, old)) = self.block_of(address).filter(|&(start, _)| start == address)
        else {
            return false;
        };
        let wish = self.wish_of(address);
        let plan = |size| Request::new(size, 1).plan(wish, &self.machine);
        if INDEX.word(address).form() == Form::Span {
            let fits = Class::for_block(size, 1).map(Class::slot_bytes) == Some(old);
            return fits && size > 0;
        }
        // Memory of its own may have been asked for though a region would do: then it stays as large.
        let same = size.div_ceil(GRANULE) == old.div_ceil(GRANULE) && plan(size) == plan(old);
        if same {
            INDEX.set_detail(start, Detail::Run { size_bytes: size });
        }
        same
    }

    /// How a block of this engine was wished for, as far as its placement tells.
    pub fn wish_of(&self, address: usize) -> Wish {
        let Machine { page_bytes, huge_page_bytes, .. } = self.machine;
        match INDEX.word(address).placement() {
            Placement::At(site) => Wish::At(site),
            Placement::Fine { unit_shift } if is_part(unit_shift, page_bytes, huge_page_bytes) => {
                Wish::Parts { unit_shift }
            }
            Placement::Fine { .. } => Wish::Fine,
            Placement::Blocked { .. } => Wish::Blocked,
            _ => Wish::Standard,
        }
    }

    /// The distribution of a block of this engine, as OMP_DATA_DISTRIBUTION has it; of other memory it is the system's.
    pub fn word_for(&self, address: usize) -> &'static str {
        match self.wish_of(address) {
            Wish::Standard => "standard",
            Wish::Fine | Wish::Parts { .. } => "fine",
            Wish::At(_) => "coarse",
            Wish::Blocked => "blocked",
        }
    }

    fn small(&self, rule: Rule, class: Class) -> Option<NonNull<u8>> {
        let number = self.my_shard();
        let rule_number = self.rule_number(rule);
        let mut small = self.shards[number].lock();
        if let Some(slot) = small.take(rule_number, class) {
            return Some(pointer(slot));
        }
        let granules = class.granules();
        let ground = &self.grounds[self.ground(rule, false)];
        let start = ground.take(granules, GRANULE, &self.sites, &self.watch)?;
        let span = small.add(start, rule_number, class);
        INDEX.set_detail(start, Detail::Span(SpanId { class, shard: number as u16, number: span }));
        let word = |n| Word::new(placement(rule, &self.machine), Form::Span, n, granules - n);
        INDEX.set_words(start, granules, word);
        small.take(rule_number, class).map(pointer)
    }

    fn free_small(&self, address: usize) -> Result<(), Misuse> {
        let start = run_start(address).ok_or(Misuse::Twice)?;
        let Detail::Span(id) = INDEX.detail(start) else { return Err(Misuse::Twice) };
        let shard = self.shards.get(usize::from(id.shard)).ok_or(Misuse::Foreign)?;
        let given = shard.lock().give(id, address);
        match given {
            Given::Kept => Ok(()),
            Given::Twice => Err(Misuse::Twice),
            Given::Inside => Err(Misuse::Inside),
            Given::Retired { start, granules, rule } => {
                INDEX.set_detail(start, Detail::Nothing);
                INDEX.set_words(start, granules, |_| Word::IDLE);
                self.grounds[2 * rule].give(start, granules);
                Ok(())
            }
        }
    }

    /// All locks, in their order: for a fork, so that what they guard is whole in the child.
    pub fn quiesced(&self) -> Quiet<'_> {
        let _shards = self.shards.iter().map(Shard::lock).collect();
        let _grounds = self.grounds.iter().map(Ground::quiesced).collect();
        Quiet { _shards, _grounds }
    }

    fn rule_number(&self, rule: Rule) -> usize {
        match rule {
            Rule::At(site) => usize::from(site),
            Rule::Fine => self.sites.count(),
            Rule::Unbound => self.sites.count() + 1,
        }
    }

    fn ground(&self, rule: Rule, huge: bool) -> usize {
        2 * self.rule_number(rule) + usize::from(huge)
    }

    /// Threads take shards in the order of their first allocation.
    fn my_shard(&self) -> usize {
        thread_local!(static NUMBER: Cell<usize> = const { Cell::new(usize::MAX) });
        /// Relaxed: a number that publishes nothing.
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.with(|cell| {
            if cell.get() == usize::MAX {
                cell.set(THREADS.fetch_add(1, Ordering::Relaxed));
            }
            cell.get()
        });
        number % self.shards.len()
    }
}

fn placement(rule: Rule, machine: &Machine) -> Placement {
    match rule {
        Rule::At(site) => Placement::At(site),
        Rule::Fine => Placement::Fine { unit_shift: machine.page_bytes.ilog2() as u8 },
        Rule::Unbound => Placement::Unbound,
    }
}

fn rule_of(word: Word) -> Rule {
    match word.placement() {
        Placement::At(site) => Rule::At(site),
        Placement::Fine { .. } => Rule::Fine,
        _ => Rule::Unbound,
    }
}

/// The first address of the run that an address is in.
fn run_start(address: usize) -> Option<usize> {
    let mut at = address & !(GRANULE - 1);
    loop {
        let word = INDEX.word(at);
        if !word.is_taken() {
            return None;
        }
        at = at.checked_sub(word.back() * GRANULE)?;
        if word.back() < FARTHEST {
            return Some(at);
        }
    }
}

fn pointer(address: usize) -> NonNull<u8> {
    NonNull::new(address as *mut u8).expect("nothing of ours is at address 0")
}

#[cfg(test)]
mod tests;
