//! Where memory comes from: the C heap, and pages of one's own.
//!
//! Heap memory is what `malloc` gives, so `free` takes every block of it, however it is aligned.
//! Pinned memory has whole pages for itself: pinning does not nest, and unpinning a page must not
//! unpin a neighbour.
//!
//! Source: malloc(3), posix_memalign(3), mmap(2), mlock(2), madvise(2), Documentation/admin-guide/mm/transhuge.rst. Units: bytes.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

/// Alignment of every heap block.
pub const HEAP_ALIGNMENT: usize = 16;

/// A heap block; its contents are zero if `zeroed`. `alignment` is a power of two.
pub fn heap(size: usize, alignment: usize, zeroed: bool) -> Option<NonNull<u8>> {
    debug_assert!(alignment.is_power_of_two());
    if alignment <= HEAP_ALIGNMENT {
        // SAFETY: plain calls of the C heap.
        let block = unsafe { if zeroed { libc::calloc(1, size) } else { libc::malloc(size) } };
        return NonNull::new(block.cast());
    }
    let mut block = null_mut();
    // SAFETY: `alignment` is a power of two of at least the size of a pointer.
    if unsafe { libc::posix_memalign(&mut block, alignment, size) } != 0 {
        return None;
    }
    let block: NonNull<u8> = NonNull::new(block)?.cast();
    if zeroed {
        // SAFETY: the block has `size` bytes.
        unsafe { block.write_bytes(0, size) };
    }
    Some(block)
}

/// A heap block of a new size with the old contents, as far as they fit.
///
/// # Safety
/// `block` came from [`heap`] or this function and is not used afterwards, unless the answer is
/// `None`.
pub unsafe fn resize_heap(block: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
    // SAFETY: the caller's promise.
    NonNull::new(unsafe { libc::realloc(block.as_ptr().cast(), size) }.cast())
}

/// # Safety
/// `block` came from [`heap`] or [`resize_heap`] and is not used afterwards.
pub unsafe fn free_heap(block: NonNull<u8>) {
    // SAFETY: the caller's promise.
    unsafe { libc::free(block.as_ptr().cast()) };
}

/// How many bytes a heap block really has: at least what was asked for.
///
/// # Safety
/// `block` is a live heap block.
pub unsafe fn heap_block_size(block: NonNull<u8>) -> usize {
    // SAFETY: the caller's promise.
    unsafe { libc::malloc_usable_size(block.as_ptr().cast()) }
}

/// Pages that are never paged out, zeroed, and how many bytes they are. `None` if there is too little
/// memory or the process may not pin so much (`ulimit -l`).
pub fn pinned(size: usize, alignment: usize) -> Option<(NonNull<u8>, usize)> {
    let length = size.checked_next_multiple_of(page_size())?;
    let block = map_aligned(length, alignment)?;
    if !pin(block, length) {
        // SAFETY: the pages were just mapped, and nobody else knows of them.
        unsafe { unmap(block, length) };
        return None;
    }
    Some((block, length))
}

/// Keeps mapped pages in memory until they are given back; `false` if the process may not.
pub fn pin(block: NonNull<u8>, length: usize) -> bool {
    // SAFETY: the call changes nothing but whether pages may be paged out.
    unsafe { libc::mlock(block.as_ptr().cast(), length) == 0 }
}

/// Whether there is memory at all of these addresses.
pub fn is_mapped(address: usize, length: usize) -> bool {
    let page = page_size();
    let start = address - address % page;
    let Some(end) = address.checked_add(length) else { return false };
    let mut resident = [0u8; 2];
    debug_assert!(end - start <= 2 * page);
    // SAFETY: the call writes a byte for each page, two at most, and changes nothing else.
    unsafe { libc::mincore(start as *mut c_void, end - start, resident.as_mut_ptr()) == 0 }
}

/// Pages at a multiple of `alignment`, a power of two. `length` is whole pages.
pub fn map_aligned(length: usize, alignment: usize) -> Option<NonNull<u8>> {
    let page = page_size();
    let slack = alignment.saturating_sub(page);
    let mapped = map_pages(length.checked_add(slack)?)?;
    let start = mapped.as_ptr() as usize;
    let before = start.next_multiple_of(alignment.max(page)) - start;
    // SAFETY: all three parts lie in the mapping just made, at page boundaries.
    unsafe {
        let block = mapped.add(before);
        unmap(mapped, before);
        unmap(block.add(length), slack - before);
        Some(block)
    }
}

/// Gives the memory behind pages back, not the pages: they read as zeroes, and are placed anew when they
/// are touched.
///
/// # Safety
/// `length` bytes at `block` are whole private pages whose contents nobody needs.
pub unsafe fn purge(block: NonNull<u8>, length: usize) {
    // SAFETY: the caller's promise. It cannot fail for pages that are mapped and not pinned.
    unsafe { libc::madvise(block.as_ptr().cast(), length, libc::MADV_DONTNEED) };
}

/// Asks for huge pages in a range of whole pages, or for none.
pub fn advise_huge(block: NonNull<u8>, length: usize, wanted: bool) {
    let advice = if wanted { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
    // SAFETY: the advice changes nothing that the program sees; a kernel without huge pages refuses it.
    unsafe { libc::madvise(block.as_ptr().cast(), length, advice) };
}

/// Asks for huge pages where a heap block of so many bytes has room for them.
pub fn advise_huge_inside(block: NonNull<u8>, size: usize) {
    let before = block.addr().get().next_multiple_of(page_size()) - block.addr().get();
    let length = size.saturating_sub(before) / page_size() * page_size();
    // SAFETY: within the block, or at its end where it holds no whole page.
    advise_huge(unsafe { block.add(before.min(size)) }, length, true);
}

/// The size of transparent huge pages, where they may be asked for.
pub fn huge_page_bytes() -> Option<usize> {
    let read = |name: &str| {
        std::fs::read_to_string(format!("/sys/kernel/mm/transparent_hugepage/{name}")).ok()
    };
    parse_huge_page(&read("enabled")?, &read("hpage_pmd_size")?)
}

/// `enabled` is `always [madvise] never`, with the choice in brackets.
fn parse_huge_page(enabled: &str, size: &str) -> Option<usize> {
    if enabled.contains("[never]") {
        return None;
    }
    size.trim().parse().ok().filter(|bytes: &usize| bytes.is_power_of_two())
}

/// The largest piece, smaller than a huge page, that the kernel takes private memory in unasked (a large folio, since Linux 6.8); `None`
/// where it takes single pages.
pub fn piece_bytes() -> Option<usize> {
    let folder = "/sys/kernel/mm/transparent_hugepage";
    let read = |path: String| std::fs::read_to_string(path).ok();
    let (enabled, huge) = (read(format!("{folder}/enabled"))?, huge_page_bytes());
    let sizes = std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let bytes = parse_piece(entry.file_name().to_str()?)?;
        let choice = read(format!("{}/enabled", entry.path().display()))?;
        let inherits = choice.contains("[inherit]") && enabled.contains("[always]");
        (choice.contains("[always]") || inherits).then_some(bytes)
    });
    sizes.filter(|&bytes| huge.is_none_or(|huge| bytes < huge)).max()
}

/// A folder is called `hugepages-64kB`.
fn parse_piece(name: &str) -> Option<usize> {
    let kib: usize = name.strip_prefix("hugepages-")?.strip_suffix("kB")?.parse().ok()?;
    kib.checked_mul(1024).filter(|bytes| bytes.is_power_of_two())
}

/// Gives pages back; that unpins them.
///
/// # Safety
/// `length` bytes at `block` are whole mapped pages that nobody uses afterwards.
pub unsafe fn unmap(block: NonNull<u8>, length: usize) {
    if length > 0 {
        // SAFETY: the caller's promise. It can only fail if the kernel has no memory to split a
        // mapping; the pages then stay until the process ends.
        unsafe { libc::munmap(block.as_ptr().cast(), length) };
    }
}

/// Private pages that read as zeroes.
pub fn map_pages(length: usize) -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping wherever there is room harms nobody.
    let block: *mut c_void = unsafe { libc::mmap(null_mut(), length, protection, flags, -1, 0) };
    if block == libc::MAP_FAILED { None } else { NonNull::new(block.cast()) }
}

/// All memory of this machine, in bytes.
pub fn physical_bytes() -> u64 {
    // SAFETY: a plain query.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(page_size() as u64)
}

/// Bytes of the system's pages.
pub fn page_size() -> usize {
    // SAFETY: a plain query, which cannot fail for this name.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Touches every byte of pages that a test has mapped.
    pub(crate) fn fill(pages: NonNull<u8>, length: usize) {
        // SAFETY: tests pass pages of theirs.
        unsafe { pages.write_bytes(1, length) };
    }

    pub(crate) fn release(pages: NonNull<u8>, length: usize) {
        // SAFETY: tests pass pages of theirs, for the last time.
        unsafe { unmap(pages, length) };
    }

    #[test]
    fn heap_blocks_are_aligned_and_zeroed() {
        for alignment in [1, 8, 16, 32, 64, 4096, 1 << 16] {
            for size in [1, 17, 5000] {
                let block = heap(size, alignment, true).unwrap();
                assert_eq!(block.as_ptr() as usize % alignment.max(HEAP_ALIGNMENT), 0);
                // SAFETY: the block has `size` bytes, and is freed once.
                unsafe {
                    assert!(heap_block_size(block) >= size);
                    assert!((0..size).all(|i| block.add(i).read() == 0));
                    block.write_bytes(0xff, size);
                    free_heap(block);
                }
            }
        }
        assert_eq!(heap(usize::MAX - 64, 16, false), None);
        assert_eq!(heap(usize::MAX - 64, 64, true), None);
    }

    #[test]
    fn huge_pages_may_be_off() {
        assert_eq!(parse_huge_page("always [madvise] never\n", "2097152\n"), Some(2 << 20));
        assert_eq!(parse_huge_page("[always] madvise never\n", "2097152\n"), Some(2 << 20));
        assert_eq!(parse_huge_page("always madvise [never]\n", "2097152\n"), None);
        assert_eq!(parse_huge_page("[always]", "many"), None);
    }

    #[test]
    fn pieces_are_called_by_their_size() {
        assert_eq!(parse_piece("hugepages-64kB"), Some(64 << 10));
        assert_eq!(parse_piece("hugepages-48kB"), None);
        assert_eq!(parse_piece("khugepaged"), None);
    }

    #[test]
    fn purged_pages_read_as_zeroes() {
        let (length, alignment) = (1 << 16, 1 << 21);
        let pages = map_aligned(length, alignment).unwrap();
        assert_eq!(pages.as_ptr() as usize % alignment, 0);
        // SAFETY: the pages are ours, and given back once.
        unsafe {
            pages.write_bytes(7, length);
            purge(pages, length);
            assert!((0..length).all(|i| pages.add(i).read() == 0));
            unmap(pages, length);
        }
        assert_eq!(map_aligned(usize::MAX & !4095, 1 << 21), None);
    }

    #[test]
    fn pinned_pages_are_aligned() {
        // A process may be forbidden to pin anything.
        if let Some((block, length)) = pinned(100, 1 << 14) {
            assert_eq!(block.as_ptr() as usize % (1 << 14), 0);
            assert_eq!(length, page_size());
            // SAFETY: the pages are ours.
            unsafe {
                block.write_bytes(1, length);
                unmap(block, length);
            }
        }
        assert_eq!(pinned(usize::MAX - 10, 1), None);
        assert_eq!(pinned(usize::MAX - 5000, 1), None);
    }
}
