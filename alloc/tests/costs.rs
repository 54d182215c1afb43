//! What placed memory costs: looking addresses up, small blocks, large blocks. Prints a table; nothing is checked
//! but that the answers are right.
//!
//! `cargo test --release -p vicinity-alloc --test costs -- --ignored --nocapture --test-threads 1`

use std::fs;
use std::hint::black_box;
use std::time::Instant;
use vicinity_alloc::engine::{self, Request as Plain};
use vicinity_alloc::handle::Handle;
use vicinity_alloc::placed::engine::Engine;
use vicinity_alloc::placed::sites::Sites;
use vicinity_alloc::placed::{Request, Wish};
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::LocationId;

const LOCATIONS: u16 = 8;
const TABLE: usize = 100_000;
const LOOKS: usize = 4_000_000;
const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// The best of so many runs counts: the machine may have others on it.
const RUNS: usize = 5;

fn remembered() -> Engine {
    let sites = Sites::remembered((0..LOCATIONS).map(LocationId));
    Engine::new(sites, 2, Box::new(|| 0), |_| ())
}

/// This machine as one node, so that the kernel can be asked.
fn enforced() -> Engine {
    Engine::new(Sites::enforced([(LocationId(0), 0)]), 2, Box::new(|| 0), |_| ())
}

fn get(engine: &Engine, size: usize, wish: Wish) -> usize {
    let block = engine.allocate(Request::new(size, 16), wish).expect("there is memory");
    block.start.as_ptr() as usize
}

/// Nanoseconds for each of `count` calls.
fn each_ns(count: usize, mut work: impl FnMut()) -> f64 {
    let run = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64 / count as f64
    };
    (0..RUNS).map(|_| run(&mut work)).fold(f64::INFINITY, f64::min)
}

fn row(what: &str, ns: f64) {
    println!("{what:<68} {ns:>10.1}");
}

/// Numbers below `below` without a pattern that a prefetcher could follow.
fn scattered(below: usize) -> Vec<u32> {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below
    };
    (0..1 << 20).map(|_| next() as u32).collect()
}

fn look_up(engine: &Engine, blocks: &[usize], bytes: usize) -> f64 {
    let order = scattered(blocks.len());
    let mut data = NodeBytes::new(engine.sites().locations().len());
    let ns = each_ns(LOOKS, || {
        for look in 0..LOOKS {
            let block = blocks[order[look % order.len()] as usize];
            engine.locate(black_box(block), bytes, &mut data);
        }
    });
    assert_eq!(data.total(), (RUNS * LOOKS * bytes) as u64);
    ns
}

#[test]
#[ignore = "a measurement"]
fn looking_up() {
    println!(
        "\nns, one interval among {TABLE} allocations over {LOCATIONS} locations, in random order"
    );
    for (what, size, fine) in [
        ("coarse, 1 KiB", KIB, false),
        ("coarse, 64 KiB", 64 * KIB, false),
        ("coarse, 1 MiB", MIB, false),
        ("fine, 64 KiB", 64 * KIB, true),
    ] {
        let engine = remembered();
        let wish = |engine: &Engine| if fine { Wish::Fine } else { engine.next_turn() };
        let blocks: Vec<usize> = (0..TABLE).map(|_| get(&engine, size, wish(&engine))).collect();
        row(&format!("locate, {what}"), look_up(&engine, &blocks, size));
        let order = scattered(blocks.len());
        let ns = each_ns(LOOKS, || {
            for look in 0..LOOKS {
                let inside = blocks[order[look % order.len()] as usize] + 100;
                black_box(engine.block_of(black_box(inside)));
            }
        });
        row(&format!("block_of, {what}"), ns);
        blocks.into_iter().for_each(|block| engine.free(block).expect("it is a block"));
    }
}

#[test]
#[ignore = "a measurement"]
fn looking_up_memory_of_others() {
    println!("\nns, memory that others placed (first touch)");
    for (what, size) in [("4 KiB", 4 * KIB), ("64 KiB", 64 * KIB), ("16 MiB", 16 * MIB)] {
        let engine = enforced();
        let memory = vec![1u8; size];
        let address = memory.as_ptr() as usize;
        let mut data = NodeBytes::new(1);
        let ns = each_ns(100_000, || {
            (0..100_000).for_each(|_| engine.locate(black_box(address), size, &mut data));
        });
        row(&format!("locate, {what}, answer known"), ns);
        // Answers are kept for a chunk of 16 KiB: a fresh engine knows none.
        let engines: Vec<Engine> = (0..200).map(|_| enforced()).collect();
        let start = Instant::now();
        engines.iter().for_each(|engine| engine.locate(address, size, &mut data));
        row(
            &format!("locate, {what}, kernel asked"),
            start.elapsed().as_nanos() as f64 / engines.len() as f64,
        );
    }
}

/// Minor page faults of this process so far, and kilobytes resident.
fn kernel_counts() -> (u64, u64) {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let faults = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(7));
    let status = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = resident.and_then(|rest| rest.split_whitespace().next());
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).unwrap_or(0);
    (number(faults), number(resident))
}

#[test]
#[ignore = "a measurement"]
fn small_blocks() {
    const BLOCKS: usize = 1_000_000;
    println!("\nns, a million blocks of 1 KiB allocated, touched, then freed");
    let engine = remembered();
    let mut blocks = Vec::with_capacity(BLOCKS);
    let before = kernel_counts();
    let start = Instant::now();
    for _ in 0..BLOCKS {
        blocks.push(get(&engine, KIB, engine.next_turn()));
    }
    row("coarse: allocate", start.elapsed().as_nanos() as f64 / BLOCKS as f64);
    let untouched = kernel_counts();
    println!("    page faults {}, resident {} KiB", untouched.0 - before.0, untouched.1 - before.1);
    let start = Instant::now();
    for block in blocks.drain(..) {
        engine.free(block).expect("it is a block");
    }
    row("coarse: free", start.elapsed().as_nanos() as f64 / BLOCKS as f64);
    let pairs = 1_000_000;
    let ns = each_ns(pairs, || {
        for _ in 0..pairs {
            engine.free(black_box(get(&engine, KIB, Wish::At(1)))).expect("it is a block");
        }
    });
    row("coarse: allocate and free again", ns);
    let ns = each_ns(pairs, || {
        for _ in 0..pairs {
            drop(black_box(Vec::<u8>::with_capacity(black_box(KIB))));
        }
    });
    row("C heap: malloc and free", ns);
    let ns = each_ns(pairs, || {
        for _ in 0..pairs {
            plain_pair();
        }
    });
    row("omp_alloc and omp_free of plain memory", ns);
}

#[allow(unsafe_code)]
fn plain_pair() {
    // SAFETY: the allocator is predefined, and the block is freed once.
    unsafe {
        let block = engine::allocate(Handle::DEFAULT_MEMORY, Plain::new(KIB));
        let block = block.expect("there is memory");
        engine::free(black_box(block)).expect("it is a block");
    }
}

#[test]
#[ignore = "a measurement"]
fn large_blocks() {
    println!("\nus, allocate and free without touching");
    let engine = remembered();
    for (what, size, wish) in [
        ("coarse, 64 KiB", 64 * KIB, Wish::At(1)),
        ("coarse, 4 MiB", 4 * MIB, Wish::At(1)),
        ("fine, 4 MiB", 4 * MIB, Wish::Fine),
        ("fine, 1 GiB", 1024 * MIB, Wish::Fine),
        ("blocked, 1 GiB", 1024 * MIB, Wish::Blocked),
    ] {
        let rounds = 200;
        let ns = each_ns(rounds, || {
            for _ in 0..rounds {
                engine.free(black_box(get(&engine, size, wish))).expect("it is a block");
            }
        });
        row(what, ns / 1000.0);
    }
}
