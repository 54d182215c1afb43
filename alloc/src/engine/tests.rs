//! Tests of the allocator engine: every trait, the fallback rules, and resizing between kinds.

use super::*;
use crate::handle::{destroy, init};
use crate::os::mappings::lines_of;
use crate::traits::RawTrait;

const ALIGNMENT: i32 = 2;
const POOL_SIZE: i32 = 4;
const FALLBACK: i32 = 5;
const FALLBACK_DATA: i32 = 6;
const PINNED: i32 = 7;
const NULL_FB: usize = 12;
const ABORT_FB: usize = 13;
const ALLOCATOR_FB: usize = 14;

fn make(traits: &[(i32, usize)]) -> Handle {
    let raw: Vec<_> = traits.iter().map(|&(key, value)| RawTrait { key, value }).collect();
    // SAFETY: tests name live allocators only.
    let handle = unsafe { init(0, &raw) };
    assert_ne!(handle, Handle::NULL);
    handle
}

fn get(from: Handle, size: usize) -> Outcome {
    // SAFETY: tests name live allocators only.
    unsafe { allocate(from, Request::new(size)) }
}

fn used(handle: Handle) -> usize {
    // SAFETY: tests name live allocators only.
    unsafe { handle.resolve() }.unwrap().pool.used()
}

/// Fills a block with a pattern, or checks that it is there.
fn pattern(block: NonNull<u8>, size: usize, write: bool) {
    for i in 0..size {
        // SAFETY: the block has `size` bytes.
        unsafe {
            if write {
                block.add(i).write(i as u8);
            } else {
                assert_eq!(block.add(i).read(), i as u8);
            }
        }
    }
}

#[test]
fn predefined_allocators_give_plain_memory() {
    for handle in (0..=8).chain([100, 101, 102]).map(Handle) {
        let block = get(handle, 100).unwrap();
        assert!(TABLE.remove(address(block)).is_none());
        // SAFETY: the block is freed once.
        unsafe { free(block).unwrap() };
        assert_eq!(get(handle, 0), Err(Failure::Null));
        assert_eq!(get(handle, usize::MAX - 100), Err(Failure::Null));
    }
}

/// What the kernel was told of the memory at an address (`VmFlags`), where it says.
fn flags(address: usize) -> Option<String> {
    let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
    let mut lines = lines_of(&text, address);
    lines.find(|line| line.starts_with("VmFlags:")).map(String::from)
}

#[test]
fn large_plain_blocks_ask_for_huge_pages_on_one_location() {
    const SIZE: usize = 16 << 20;
    let block = get(Handle(1), SIZE).unwrap();
    let flags = flags(address(block) + SIZE / 2);
    // A kernel without huge pages knows no such flag.
    if let Some(flags) = flags.filter(|_| memory::huge_page_bytes().is_some()) {
        assert_eq!(flags.contains(" hg"), placed::engine().is_none(), "{flags}");
    }
    // SAFETY: it was just made.
    unsafe { free(block).unwrap() };
}

#[test]
fn a_quiet_allocator_is_plain_too() {
    let handle = make(&[(ALIGNMENT, 16), (FALLBACK, NULL_FB), (PINNED, 0)]);
    let block = get(handle, 10).unwrap();
    assert!(TABLE.remove(address(block)).is_none());
    // SAFETY: block and handle are used for the last time.
    unsafe {
        free(block).unwrap();
        destroy(handle);
    }
}

#[test]
fn alignment_of_request_and_allocator_add_up() {
    let handle = make(&[(ALIGNMENT, 256)]);
    for asked in [1, 64, 1024] {
        let request = Request::zeroed(10, 30).unwrap().aligned(asked).unwrap();
        // SAFETY: the allocator lives; the block is freed once.
        unsafe {
            let block = allocate(handle, request).unwrap();
            assert_eq!(address(block) % asked.max(256), 0);
            assert!((0..300).all(|i| block.add(i).read() == 0));
            free(block).unwrap();
        }
    }
    assert!(Request::new(1).aligned(0).is_none());
    assert!(Request::new(1).aligned(48).is_none());
    assert!(Request::zeroed(usize::MAX / 2, 3).is_none());
    // SAFETY: used for the last time.
    unsafe { destroy(handle) };
}

#[test]
fn a_full_pool_follows_its_fallback() {
    let second = make(&[(ALIGNMENT, 128), (POOL_SIZE, 1024), (FALLBACK, NULL_FB)]);
    let first = make(&[
        (POOL_SIZE, 512),
        (FALLBACK, ALLOCATOR_FB),
        (FALLBACK_DATA, second.0),
        (ALIGNMENT, 32),
    ]);
    let blocks = [420, 768].map(|size| get(first, size).unwrap());
    assert_eq!((used(first), used(second)), (448, 784));
    assert_eq!(address(blocks[0]) % 32, 0);
    assert_eq!(address(blocks[1]) % 128, 0);
    assert_eq!(get(first, 768), Err(Failure::Null));
    let loud = make(&[(POOL_SIZE, 1), (FALLBACK, ABORT_FB)]);
    assert_eq!(get(loud, 1), Err(Failure::Abort));
    let quiet = make(&[(POOL_SIZE, 1)]);
    let fallen = get(quiet, 1).unwrap();
    // SAFETY: everything is used for the last time.
    unsafe {
        free(fallen).unwrap();
        for block in blocks {
            free(block).unwrap();
        }
        assert_eq!((used(first), used(second)), (0, 0));
        for handle in [first, second, loud, quiet] {
            destroy(handle);
        }
    }
}

#[test]
fn resizing_counts_the_old_bytes_as_given_back() {
    let handle = make(&[(POOL_SIZE, 4096), (FALLBACK, NULL_FB), (ALIGNMENT, 64)]);
    let block = get(handle, 3000).unwrap();
    pattern(block, 3000, true);
    // SAFETY: each block is resized or freed once.
    unsafe {
        let larger = reallocate(block, 3500, Handle::NULL, Handle::NULL).unwrap();
        pattern(larger, 3000, false);
        assert_eq!(address(larger) % 64, 0);
        assert_eq!(used(handle), 3520);
        let refused = reallocate(larger, 5000, handle, handle);
        assert_eq!(refused, Err(Failure::Null));
        pattern(larger, 3000, false);
        assert_eq!(used(handle), 3520);
        let smaller = reallocate(larger, 10, handle, handle).unwrap();
        pattern(smaller, 10, false);
        assert_eq!(used(handle), 32);
        assert_eq!(reallocate(smaller, 0, handle, handle), Err(Failure::Null));
        assert_eq!(used(handle), 0);
        destroy(handle);
    }
}

#[test]
fn resizing_moves_between_plain_and_remembered() {
    let handle = make(&[(POOL_SIZE, 4096), (FALLBACK, NULL_FB)]);
    let plain_handle = Handle::DEFAULT_MEMORY;
    let block = get(plain_handle, 200).unwrap();
    pattern(block, 200, true);
    // SAFETY: each block is resized or freed once.
    unsafe {
        let block = reallocate(block, 300, Handle::NULL, Handle::NULL).unwrap();
        pattern(block, 200, false);
        let block = reallocate(block, 1000, handle, plain_handle).unwrap();
        pattern(block, 200, false);
        assert_eq!(used(handle), 1024);
        let block = reallocate(block, 100, plain_handle, handle).unwrap();
        pattern(block, 100, false);
        assert_eq!(used(handle), 0);
        // Plain memory that the program says came from `handle` goes back to it.
        let block = reallocate(block, 150, Handle::NULL, handle).unwrap();
        assert_eq!(used(handle), 176);
        destroy(handle);
        // The memory outlives the handle.
        pattern(block, 100, false);
        free(block).unwrap();
    }
}

#[test]
fn pinned_memory_is_whole_pages_or_the_fallback() {
    let handle = make(&[(PINNED, 1), (FALLBACK, NULL_FB), (ALIGNMENT, 8192)]);
    if let Ok(block) = get(handle, 5000) {
        assert_eq!(address(block) % 8192, 0);
        pattern(block, 5000, true);
        // SAFETY: each block is resized or freed once.
        unsafe {
            let block = reallocate(block, 100, Handle::NULL, Handle::NULL).unwrap();
            pattern(block, 100, false);
            free(block).unwrap();
        }
    }
    // SAFETY: used for the last time.
    unsafe { destroy(handle) };
}

#[test]
fn threads_share_the_table() {
    let handle = make(&[(POOL_SIZE, 1 << 20), (FALLBACK, NULL_FB)]);
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            scope.spawn(move || {
                let mut blocks = Vec::new();
                for round in 0..500 {
                    blocks.push(get(handle, 16 + (round * 7 + thread) % 300).unwrap());
                    if round % 3 == 0 {
                        // SAFETY: the block left the list, so it is freed once.
                        unsafe { free(blocks.swap_remove(round / 3 % blocks.len())).unwrap() };
                    }
                }
                for block in blocks {
                    // SAFETY: as above.
                    unsafe { free(block).unwrap() };
                }
            });
        }
    });
    assert_eq!(used(handle), 0);
    // SAFETY: used for the last time.
    unsafe { destroy(handle) };
}
