//! What a trace tells of memory: large blocks, who allocated them where, where their pages are, and who was about to touch them.
//!
//! Terms: a block is *told* once the file knows it; its *origin* is the list of return addresses of the call that allocated it; a
//! *site* is an origin that several blocks have.
//!
//! Blocks are told when a region begins while they are there: then the kernel also says which of their pages somebody has touched
//! before, and that was the thread that begins the region, or one that it waited for. Pages are looked at again as samples come in.
//! A site whose blocks come and go in numbers is told of its first ones; later ones pass for the last of those.
//!
//! Smaller blocks that one line allocates in numbers are told of together (`rows`).
//!
//! Files that are mapped are blocks, too. If the preloaded library did not see the call, they are found once threads are seen in
//! memory that is nobody's.
//!
//! Protocol: `BLOCKS` is taken with no other lock of this library held but that of `locality::watch`, and the sink's inside it.
//! Small blocks may be allocated by the C library on behalf of this one, whatever that holds: whoever tells of one does not wait.
//! Lines for the file: `lines`; docs/trace.md has their form.

mod lines;
mod rows;

use super::{sink, watch};
use crate::locality::watch::is_in_region;
use crate::process_lock::ProcessLock;
use crate::settings::Vicinity;
use crate::thread::Thread;
use crate::thread::clock::ticks;
use lines::Lines;
use rows::{Pace, Rows};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;
use vicinity_alloc::os::modules::{self, Module};
use vicinity_alloc::os::{mappings, memory, stack};
use vicinity_alloc::placed;
use vicinity_alloc::touches::Touch;

/// Smaller blocks are not told of.
const LARGE_BYTES: usize = 1 << 20;
/// Blocks of a site that are told of by themselves.
const MOST_OF_SITE: u32 = 64;
/// Pages of a block whose place is asked for.
const PAGES_ASKED: usize = 256;
/// Samples of a block before its pages are looked at again; twice as many each time.
const FIRST_LOOK: u32 = 64;
/// Addresses in no block before files are looked for; twice as many each time.
const FIRST_STRAYS: u32 = 16;
/// Blocks that are gone, and may have samples that nobody has looked at.
const MOST_GONE: usize = 4096;

/// Whose memory a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Heap,
    Variables,
    File,
    Rows,
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    number: u64,
    start: usize,
    bytes: usize,
    kind: Kind,
    /// The path, of a file.
    path: String,
    origin: Vec<usize>,
    /// In ticks; the end is `u64::MAX` as long as it is there.
    since: u64,
    until: u64,
    told: bool,
    samples: u32,
    next_look: u32,
}

#[derive(Default)]
pub(crate) struct Blocks {
    /// By first address.
    live: BTreeMap<usize, Block>,
    gone: Vec<Block>,
    last_number: u64,
    /// How many blocks of a site were told of, and the number of the last.
    sites: HashMap<Vec<usize>, (u32, u64)>,
    /// Files whose place is told.
    modules: HashSet<String>,
    /// Addresses that threads were about to touch and that are in no block; when there are so many, files are looked for.
    strays: u32,
    next_search: u32,
    rows: Rows,
    pace: Pace,
    /// When the first row was told of.
    began: Option<Instant>,
}

pub(crate) static BLOCKS: ProcessLock<Option<Blocks>> = ProcessLock::new(None);
/// Relaxed: set once, before any other thread exists.
static ON: AtomicBool = AtomicBool::new(false);
/// Bytes that rows stood for which were not told of, because the list was in use. Relaxed: a number.
static MISSED: AtomicUsize = AtomicUsize::new(0);
/// Some blocks are not told. Relaxed: a hint; the list itself has a lock.
static NEW: AtomicBool = AtomicBool::new(false);

/// What the settings ask for.
pub fn configure(settings: &Vicinity) {
    ON.store(settings.trace_memory && settings.trace.is_some(), Ordering::Relaxed);
}

/// Whether anybody wants to know of blocks.
#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The trace begins: variables are there from now on.
pub fn start() {
    crate::locality::watch::start_trace();
    let mut blocks = BLOCKS.lock();
    let blocks = blocks.get_or_insert_default();
    let own = start as *const () as usize;
    for module in modules::all().into_iter().filter(|it| !it.addresses.contains(&own)) {
        if module.data.len() >= LARGE_BYTES {
            let page = memory::page_size();
            let start = module.data.start / page * page;
            blocks.add(start, module.data.end - start, Kind::Variables, Vec::new());
        }
    }
}

/// The call that returns to `caller` got this block.
pub fn allocated_for(start: usize, bytes: usize, caller: usize) {
    if is_on() && bytes >= LARGE_BYTES {
        let origin = stack::addresses_from(caller);
        BLOCKS.lock().get_or_insert_default().add(start, bytes, Kind::Heap, origin);
    }
}

/// The call that returns to `caller` mapped a file.
pub fn mapped_for(start: usize, bytes: usize, caller: usize) {
    if !is_on() || bytes < LARGE_BYTES {
        return;
    }
    let found = mappings::files().into_iter().find(|(range, _)| range.contains(&start));
    if let Some((_, path)) = found {
        let origin = stack::addresses_from(caller);
        BLOCKS.lock().get_or_insert_default().add_file(start, bytes, path, origin);
    }
}

/// The call that returns to `caller` got this small block; since the last one that was told of, its thread allocated so many bytes,
/// this block among them. How many it may allocate before it tells of another.
pub fn row_for(start: usize, bytes: usize, stands_for: usize, caller: usize) -> usize {
    if !is_on() {
        return usize::MAX;
    }
    let from = Instant::now();
    let origin = stack::addresses_from(caller);
    let Some(mut blocks) = BLOCKS.try_lock() else {
        MISSED.fetch_add(stands_for, Ordering::Relaxed);
        return 0;
    };
    let blocks = blocks.get_or_insert_default();
    let stands_for = stands_for + MISSED.swap(0, Ordering::Relaxed);
    if blocks.rows.add(start, bytes, stands_for, is_in_region(), origin) {
        NEW.store(true, Ordering::Relaxed);
    }
    let began = *blocks.began.get_or_insert(from);
    let ns = |since: Instant| since.elapsed().as_nanos() as u64;
    blocks.pace.next(ns(from), ns(began))
}

/// A small block that was told of is given back.
pub fn row_released(start: usize) {
    if is_on()
        && let Some(mut blocks) = BLOCKS.try_lock()
        && let Some(blocks) = &mut *blocks
    {
        blocks.rows.end(start);
    }
}

/// The program got this block from a routine of this library.
pub fn allocated(start: usize, bytes: usize) {
    if is_on() && bytes >= LARGE_BYTES {
        let origin = stack::addresses_outside();
        BLOCKS.lock().get_or_insert_default().add(start, bytes, Kind::Heap, origin);
    }
}

/// The block that begins there is given back.
pub fn released(start: usize) {
    if is_on() && start != 0 {
        BLOCKS.lock().get_or_insert_default().end(start);
    }
}

/// A thread begins a region: new blocks are told, and which of their pages have been touched before.
pub fn region_begins(thread: &Thread) {
    if is_on() && NEW.swap(false, Ordering::Relaxed) {
        let mut lines = Lines::begin();
        if let Some(blocks) = &mut *BLOCKS.lock() {
            blocks.tell_new(Some(thread.gtid as u32), &mut lines);
            write(lines);
        }
    }
}

/// Adds what was sampled of threads, each once in `every_ns`.
pub fn add(touches: &[Touch], every_ns: u64) {
    if !is_on() {
        return;
    }
    let mut blocks = BLOCKS.lock();
    let Some(blocks) = &mut *blocks else { return };
    let mut lines = Lines::begin();
    blocks.tell_new(None, &mut lines);
    lines.samples(touches, every_ns, |touch| blocks.touched(touch));
    blocks.search();
    for block in blocks.told() {
        if block.samples >= block.next_look {
            block.next_look = 2 * block.samples;
            lines.homes(block, None, &homes(block));
        }
    }
    blocks.gone.clear();
    blocks.rows.forget_gone();
    write(lines);
}

/// The program ends by itself: what was sampled last, and where pages are now.
pub fn finish() {
    if !is_on() || !watch::is(watch::TRACE) {
        return;
    }
    crate::locality::watch::look(1);
    let mut blocks = BLOCKS.lock();
    let Some(blocks) = &mut *blocks else { return };
    let mut lines = Lines::begin();
    for block in blocks.told().filter(|block| block.samples > 0) {
        lines.homes(block, None, &homes(block));
    }
    write(lines);
}

/// In a forked child, whose trace is another file, if it has one.
pub fn in_child() {
    let mut blocks = BLOCKS.lock();
    let Some(blocks) = &mut *blocks else { return };
    blocks.modules.clear();
    blocks.sites.clear();
    blocks.live.values_mut().for_each(|block| block.told = false);
    blocks.rows.start_anew();
    NEW.store(true, Ordering::Relaxed);
}

fn write(lines: Lines) {
    if watch::is(watch::TRACE) {
        sink::add_lines(lines.text());
    }
}

impl Blocks {
    /// The same for a file of this path.
    fn add_file(&mut self, start: usize, bytes: usize, path: String, origin: Vec<usize>) {
        self.add(start, bytes, Kind::File, origin);
        if let Some(block) = self.live.get_mut(&start) {
            block.path = path;
        }
    }

    /// Looks for files that nobody told of, if threads were seen in memory that is nobody's.
    fn search(&mut self) {
        if self.strays >= self.next_search.max(FIRST_STRAYS) {
            self.next_search = self.strays.saturating_mul(2);
            self.add_unknown(mappings::files(), &modules::all());
        }
    }

    /// Adds the large ones of these that are nobody's so far, and no code.
    fn add_unknown(&mut self, files: Vec<(Range<usize>, String)>, modules: &[Module]) {
        let overlap = |one: &Range<usize>, other: &Range<usize>| {
            one.start < other.end && other.start < one.end
        };
        for (range, path) in files {
            let is_known = self.live.range(..range.end).next_back();
            let is_known = is_known.is_some_and(|(_, it)| it.start + it.bytes > range.start);
            let is_code = modules.iter().any(|module| overlap(&module.addresses, &range));
            if range.len() >= LARGE_BYTES && !is_known && !is_code {
                self.add_file(range.start, range.len(), path, Vec::new());
            }
        }
    }

    fn add(&mut self, start: usize, bytes: usize, kind: Kind, origin: Vec<usize>) {
        // Whoever gave back what was here told nobody.
        let end = start + bytes;
        let before = self.live.range(..start).next_back().map(|(&at, _)| at);
        let inside = self.live.range(start..end).map(|(&at, _)| at);
        let over: Vec<usize> = before.into_iter().chain(inside).collect();
        for at in over {
            if self.live.get(&at).is_some_and(|old| old.start + old.bytes > start) {
                self.end(at);
            }
        }
        self.last_number += 1;
        let (number, since, until) = (self.last_number, ticks(), u64::MAX);
        let (told, samples, next_look) = (false, 0, FIRST_LOOK);
        let path = String::new();
        self.live.insert(
            start,
            Block {
                number,
                start,
                bytes,
                kind,
                path,
                origin,
                since,
                until,
                told,
                samples,
                next_look,
            },
        );
        NEW.store(true, Ordering::Relaxed);
    }

    fn end(&mut self, start: usize) {
        if let Some(mut block) = self.live.remove(&start)
            && block.told
            && self.gone.len() < MOST_GONE
        {
            block.until = ticks();
            self.gone.push(block);
        }
    }

    /// Whether so many blocks of this site were told of that this one passes for the last of them.
    fn passes_for_another(&mut self, block: &mut Block) -> bool {
        let (count, last) = self.sites.entry(block.origin.clone()).or_insert((0, block.number));
        if *count >= MOST_OF_SITE && !block.origin.is_empty() {
            block.number = *last;
            return true;
        }
        (*count, *last) = (*count + 1, block.number);
        false
    }

    /// Tells of blocks that are new; `beginner` begins a region.
    fn tell_new(&mut self, beginner: Option<u32>, lines: &mut Lines) {
        self.tell_modules(lines);
        let mut live = std::mem::take(&mut self.live);
        for block in live.values_mut().filter(|block| !block.told) {
            block.told = true;
            if !self.passes_for_another(block) {
                lines.block(block, placed_how(block));
                lines.homes(block, beginner, &homes(block));
            }
        }
        self.live = live;
        for at in self.rows.make_batches(&mut self.last_number) {
            let batch = &self.rows.batches[at];
            lines.rows(batch);
            let beginner = beginner.filter(|_| !batch.in_regions);
            lines.homes(&batch.block, beginner, &homes(&batch.block));
        }
    }

    /// Blocks that the file knows and that are there.
    fn told(&mut self) -> impl Iterator<Item = &mut Block> {
        let batches = self.rows.batches.iter_mut().map(|batch| &mut batch.block);
        self.live.values_mut().filter(|block| block.told).chain(batches)
    }

    fn tell_modules(&mut self, lines: &mut Lines) {
        for module in modules::all() {
            if self.modules.insert(module.file.clone()) {
                lines.module(&module);
            }
        }
    }

    /// The blocks that a sample is about, with offsets into them; each once.
    fn touched(&mut self, touch: &Touch) -> Vec<(u64, usize)> {
        let mut found: Vec<(u64, usize)> = Vec::new();
        for &address in &touch.addresses {
            let Some(block) = self.at(address, touch.sample.ticks) else {
                self.strays = self.strays.saturating_add(1);
                continue;
            };
            if block.told && found.iter().all(|&(number, _)| number != block.number) {
                block.samples += 1;
                found.push((block.number, address - block.start));
            }
        }
        found
    }

    fn at(&mut self, address: usize, when: u64) -> Option<&mut Block> {
        let was_there = |block: &Block| {
            (block.since..block.until).contains(&when)
                && (block.start..block.start + block.bytes).contains(&address)
        };
        let live = self.live.range_mut(..=address).next_back().map(|(_, block)| block);
        let live = live.filter(|block| was_there(block));
        let live = live.or_else(|| self.gone.iter_mut().find(|block| was_there(block)));
        live.or_else(|| self.rows.at(address))
    }
}

/// What a block's placement is called.
fn placed_how(block: &Block) -> &'static str {
    placed::engine_so_far().map_or("standard", |engine| engine.word_for(block.start))
}

/// Where some pages of a block are: addresses from each to the next, and for each its location, -1 where there is no page yet, -2
/// where nobody knows. Nothing where the kernel does not say.
fn homes(block: &Block) -> Option<(usize, Vec<i32>)> {
    let step = block.bytes.div_ceil(PAGES_ASKED).next_multiple_of(memory::page_size());
    let addresses: Vec<usize> = (block.start..block.start + block.bytes).step_by(step).collect();
    let mut nodes = vec![-1; addresses.len()];
    vicinity_alloc::os::numa::nodes_of(&addresses, &mut nodes).ok()?;
    let home = |(address, node): (usize, i32)| match node {
        ..0 => -1,
        _ => placed::location_now(address, node).map_or(-2, |location| i32::from(location.0)),
    };
    Some((step, addresses.into_iter().zip(nodes).map(home).collect()))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_known_while_they_are_there() {
        let mut blocks = Blocks::default();
        blocks.add(0x10_0000, 0x10_0000, Kind::Heap, vec![7]);
        let early = ticks();
        assert_eq!(blocks.at(0x1f_ffff, early).map(|block| block.number), Some(1));
        assert!(blocks.at(0x20_0000, early).is_none() && blocks.at(0xf_ffff, early).is_none());
        blocks.live.values_mut().for_each(|block| block.told = true);
        // Another one over its second half.
        blocks.add(0x18_0000, 0x10_0000, Kind::Heap, vec![8]);
        assert_eq!(blocks.at(0x1f_ffff, early).map(|block| block.number), Some(1), "it was there");
        assert_eq!(blocks.at(0x1f_ffff, ticks()).map(|block| block.number), Some(2));
        blocks.end(0x18_0000);
        assert_eq!((blocks.live.len(), blocks.gone.len()), (0, 1), "nobody knows the second");
    }

    #[test]
    fn files_that_nobody_told_of_are_found() {
        let mut blocks = Blocks::default();
        blocks.add(0x100_0000, 0x10_0000, Kind::Heap, vec![7]);
        let mib = |at: usize| at << 20..(at + 1) << 20;
        let file = |range: &Range<usize>, name: &str| (range.clone(), name.to_owned());
        let files = vec![
            file(&mib(0x10), "/where/a/block/is"),
            file(&mib(0x20), "/lib/code"),
            file(&(0x300_0000..0x308_0000), "/small"),
            file(&mib(0x40), "/data/weights"),
        ];
        let (data, addresses) = (0..0, mib(0x20));
        let code = Module { file: "/lib/code".to_owned(), bias: 0, addresses, data };
        blocks.add_unknown(files, &[code]);
        let found: Vec<&Block> =
            blocks.live.values().filter(|block| block.kind == Kind::File).collect();
        let [block] = &found[..] else { panic!("{found:?}") };
        assert_eq!((block.start, block.bytes), (0x400_0000, 1 << 20));
        assert_eq!(block.path, "/data/weights");
    }

    #[test]
    fn blocks_that_come_and_go_pass_for_one() {
        let mut blocks = Blocks::default();
        let mut number_of = |at: usize| {
            blocks.add(at << 20, 1 << 20, Kind::Heap, vec![7]);
            let mut block = blocks.live.remove(&(at << 20)).unwrap();
            (blocks.passes_for_another(&mut block), block.number)
        };
        for at in 1..=64 {
            assert_eq!(number_of(at), (false, at as u64));
        }
        assert_eq!((number_of(65), number_of(66)), ((true, 64), (true, 64)));
    }
}
