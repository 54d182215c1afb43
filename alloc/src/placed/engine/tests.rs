//! Tests of the engine on machines that are not here, and what several threads do to it.

use super::super::plan::{Request, Wish};
use super::*;
use std::collections::HashMap;
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::LocationId;

const MIB: usize = 1 << 20;

fn engine(locations: u16) -> Engine {
    let sites = Sites::remembered((0..locations).map(LocationId));
    Engine::new(sites, 2, Box::new(|| 1), |_| ())
}

fn get(engine: &Engine, size: usize, wish: Wish) -> usize {
    let block = engine.allocate(Request::new(size, 16), wish).unwrap();
    block.start.as_ptr() as usize
}

fn located(engine: &Engine, address: usize, bytes: usize) -> Vec<u64> {
    let mut data = NodeBytes::new(engine.sites().count());
    engine.locate(address, bytes, &mut data);
    data.as_slice().to_vec()
}

#[test]
fn coarse_blocks_take_turns() {
    let engine = engine(3);
    for size in [1, 1000, 40_000, 100_000, 3 * MIB, 40 * MIB] {
        let blocks: Vec<usize> = (0..6).map(|_| get(&engine, size, engine.next_turn())).collect();
        let mut count = [0; 3];
        for &block in &blocks {
            let bytes = located(&engine, block, size);
            let site = bytes.iter().position(|&bytes| bytes == size as u64).unwrap();
            count[site] += 1;
            let (start, length) = engine.block_of(block + size - 1).unwrap();
            assert_eq!(start, block);
            assert!(length >= size && length <= size.max(64) * 5 / 4);
        }
        assert_eq!(count, [2; 3]);
        blocks.into_iter().for_each(|block| engine.free(block).unwrap());
    }
}

#[test]
fn fine_blocks_go_round_page_by_page() {
    let engine = engine(4);
    let page = memory::page_size();
    for size in [9 * page, 100 * page, 40 * MIB, 70 * MIB] {
        let block = get(&engine, size, Wish::Fine);
        let whole = located(&engine, block, size);
        assert_eq!(whole.iter().sum::<u64>(), size as u64);
        let unit = if size >= 32 * MIB { memory::huge_page_bytes().unwrap_or(page) } else { page };
        let spread = whole.iter().max().unwrap() - whole.iter().min().unwrap();
        assert!(spread <= unit as u64, "{whole:?}");
        let mut sum = vec![0; 4];
        for at in (0..size).step_by(unit) {
            let bytes = unit.min(size - at);
            for (sum, bytes) in sum.iter_mut().zip(located(&engine, block + at, bytes)) {
                *sum += bytes;
            }
            let site = (block + at) / unit % 4;
            assert_eq!(located(&engine, block + at, 1)[site], 1);
        }
        assert_eq!(sum, whole);
        let odd = located(&engine, block + 100, size - 300);
        assert_eq!(odd.iter().sum::<u64>(), size as u64 - 300);
        engine.free(block).unwrap();
    }
}

#[test]
fn blocked_and_standard_memory() {
    let engine = engine(4);
    let block = get(&engine, 8 * MIB, Wish::Blocked);
    assert_eq!(located(&engine, block, 8 * MIB), [2 * MIB as u64; 4]);
    assert_eq!(located(&engine, block + 3 * MIB, 2 * MIB), [0, MIB as u64, MIB as u64, 0]);
    assert_eq!(engine.block_of(block + 7 * MIB), Some((block, 8 * MIB)));
    assert_eq!(located(&engine, block + 8 * MIB - 9, 9), [0, 0, 0, 9]);
    engine.free(block).unwrap();
    assert_eq!(engine.block_of(block), None);
    let block = get(&engine, MIB, Wish::Standard);
    assert_eq!(located(&engine, block, MIB), [0; 4]);
    assert_eq!(engine.block_of(block + 5), Some((block, MIB)));
    engine.free(block).unwrap();
}

#[test]
fn foreign_memory_is_nowhere_and_cannot_be_freed() {
    let engine = engine(2);
    let on_stack = [0u64; 100];
    let address = on_stack.as_ptr() as usize;
    assert_eq!(located(&engine, address, 800), [0, 0]);
    assert_eq!(located(&engine, usize::MAX - 5, 100), [0, 0]);
    assert_eq!(engine.block_of(address), None);
    for address in [address, 0, 1, usize::MAX, GRANULE] {
        assert_eq!(engine.free(address), Err(Misuse::Foreign));
    }
}

#[test]
fn freeing_twice_or_in_the_middle_changes_nothing() {
    let engine = engine(2);
    for (size, wish) in
        [(100, Wish::At(1)), (30_000, Wish::Fine), (MIB, Wish::At(0)), (40 * MIB, Wish::Fine)]
    {
        let block = get(&engine, size, wish);
        // Keeps the region and the span in use.
        let other = get(&engine, size, wish);
        assert_eq!(engine.free(block + 1), Err(Misuse::Inside));
        assert_eq!(engine.free(block + size / 2 + 1), Err(Misuse::Inside));
        engine.free(block).unwrap();
        let second = engine.free(block).unwrap_err();
        assert!([Misuse::Twice, Misuse::Foreign].contains(&second));
        engine.free(other).unwrap();
    }
}

#[test]
fn runs_read_as_zeroes_again() {
    let engine = engine(2);
    let request = Request::new(MIB, 16);
    for _ in 0..3 {
        let block = engine.allocate(request, Wish::At(0)).unwrap();
        assert!(block.is_zero);
        // SAFETY: the block has a mebibyte.
        unsafe {
            assert!((0..MIB).step_by(512).all(|i| block.start.add(i).read() == 0));
            block.start.write_bytes(0xff, MIB);
        }
        engine.free(block.start.as_ptr() as usize).unwrap();
    }
}

#[test]
fn blocks_are_aligned() {
    let engine = engine(2);
    for shift in 0..=25 {
        for size in [1, 5000, 100_000] {
            let request = Request::new(size, 1 << shift);
            for wish in [Wish::Fine, Wish::At(1), Wish::Blocked, Wish::Standard] {
                let block = engine.allocate(request, wish).unwrap().start.as_ptr() as usize;
                assert!(block.is_multiple_of(1 << shift), "{size} {shift} {wish:?}");
                engine.free(block).unwrap();
            }
        }
    }
}

/// A thread's list of blocks, with the pattern that each is filled with.
type Owned = HashMap<usize, (usize, u8)>;

fn check_and_free(engine: &Engine, block: usize, (size, byte): (usize, u8)) {
    let pointer = block as *const u8;
    for at in [0, size / 2, size - 1] {
        // SAFETY: the block is live and has `size` bytes.
        assert_eq!(unsafe { pointer.add(at).read() }, byte);
    }
    engine.free(block).unwrap();
}

/// What one thread does: allocates, writes, checks, frees, hands over; the seed decides.
fn churn(engine: &Engine, seed: u64, exchange: &std::sync::Mutex<Owned>) {
    let mut state = seed;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut owned = Owned::new();
    for round in 0..4000 {
        if random(3) > 0 || owned.is_empty() {
            let size = [random(64) + 1, random(4000) + 1, random(60_000) + 1, random(400_000) + 1]
                [[0, 0, 0, 1, 1, 1, 2, 3][random(8)]];
            let wish = [engine.next_turn(), Wish::Fine, Wish::Standard, Wish::Blocked][random(4)];
            let block = get(engine, size, wish);
            let byte = round as u8;
            for at in [0, size / 2, size - 1] {
                // SAFETY: the block has `size` bytes and is ours alone.
                unsafe { (block as *mut u8).add(at).write(byte) };
            }
            assert!(owned.insert(block, (size, byte)).is_none());
            assert_eq!(engine.block_of(block).map(|(start, _)| start), Some(block));
        } else {
            let &block = owned.keys().nth(random(owned.len().min(8))).unwrap();
            let what = owned.remove(&block).unwrap();
            if random(4) > 0 {
                check_and_free(engine, block, what);
            } else {
                let given = exchange.lock().unwrap().insert(block, what);
                assert!(given.is_none(), "two threads had one block");
                let mut pool = exchange.lock().unwrap();
                let other = pool.keys().next().copied();
                let taken = other.and_then(|block| Some((block, pool.remove(&block)?)));
                drop(pool);
                if let Some((block, what)) = taken {
                    check_and_free(engine, block, what);
                }
            }
        }
    }
    owned.into_iter().for_each(|(block, what)| check_and_free(engine, block, what));
}

#[test]
fn threads_allocate_and_free_each_others_blocks() {
    let seed = std::env::var("VICINITY_TEST_SEED").ok().and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or(20_151_014);
    println!("VICINITY_TEST_SEED={seed}");
    let engine = engine(4);
    let exchange = std::sync::Mutex::new(Owned::new());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (engine, exchange) = (&engine, &exchange);
            scope.spawn(move || churn(engine, seed + thread, exchange));
        }
    });
    for (block, what) in exchange.into_inner().unwrap() {
        check_and_free(&engine, block, what);
    }
}

/// Readers run while others allocate and free: whatever they see is a location of the machine.
#[test]
fn locating_beside_churn_never_fails() {
    let engine = engine(4);
    let exchange = std::sync::Mutex::new(Owned::new());
    let done = std::sync::atomic::AtomicBool::new(false);
    let first = get(&engine, MIB, Wish::At(0));
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looked = 0u64;
            while !done.load(Ordering::Relaxed) {
                for granule in 0..200 {
                    let address = first.wrapping_add(granule * GRANULE + 17);
                    let bytes = located(&engine, address, 100_000);
                    assert!(bytes.iter().sum::<u64>() <= 100_000);
                    looked += u64::from(engine.block_of(address).is_some());
                }
            }
            looked
        });
        churn(&engine, 7, &exchange);
        // Relaxed: read by the loop above, which needs nothing else of ours.
        done.store(true, Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
    });
}
