// libvicinity-place.so: has large blocks of a program that knows nothing of Vicinity placed by Vicinity.
//
//   LD_PRELOAD=PREFIX/lib/libvicinity-place.so OMP_DATA_DISTRIBUTION=fine program      (`vicinity run --distribution fine`)
//
// It also tells who traces the program (`vicinity run --trace`) of large blocks, whosever they are, and of some of the small ones from
// ROW bytes on: as many as cost little.
//
// Terms. A block is *large* from LARGE bytes on. The *next* allocator is the one that the program would have without this
// library: glibc's, or jemalloc or mimalloc where the program links or preloads it. The *placer* is libvicinity.so.1: when it is
// loaded it gives itself to `vicinity_place_adopt`, if there are several locations or the program is traced.
//
// What is done. Large blocks of malloc, calloc, realloc, aligned_alloc, memalign and posix_memalign are the placer's; C++'s `new`
// and Fortran's `allocate` end there. All others, and all blocks before there is a placer, are the next allocator's. Mappings
// that the program makes for itself (mmap of large, private, anonymous memory to be read and written, at no address of its own)
// stay the kernel's, and the placer says where their pages go, by one rule for each: so munmap, mremap and madvise need no attention. Of files
// that it maps to read them whoever traces hears. Memory that nobody has committed (MAP_NORESERVE) is an allocator's, and is left alone. So is what the placer itself asks for.
//
// Invariants.
// 1. A small block costs one comparison and one jump more, its free one test: blocks of the placer begin at multiples of 64 KiB.
//    Which of those are the placer's, a table says that is read without locks. In a traced program blocks from ROW on cost a sum
//    more, and the end of each a look into a table of bytes.
// 2. Where the placer has no memory, the next allocator is asked.
// 3. A thread that is inside the placer, or between the handlers of a fork, gets the next allocator's blocks: it holds locks.
//    What it frees of the placer's between those handlers stays until the process ends.
// 4. Without a placer, or where a program has a malloc or free of its own in front of these, nothing is changed.
//
// Source: "Replacing malloc" in the manual of glibc; rtld(8). Units: bytes.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "place.h"

enum { LARGE = 1 << 20, ROW = 1 << 10, MARKS = 1 << 16, GRANULE = 1 << 16, BOOTSTRAP = 16 << 10, ALIGNED = 16 };

#define SHOWN __attribute__((visibility("default")))

// What the next allocator has.
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
    size_t (*malloc_usable_size)(void *);
    void *(*mmap)(void *, size_t, int, int, int, off_t);
} next;

// Set once. Acquire: pairs with the Release in `vicinity_place_adopt`.
static const struct vicinity_placer *placer;
static _Thread_local bool busy __attribute__((tls_model("initial-exec")));

// What the thread has allocated since it told of a row, and how much it may until the next.
static _Thread_local size_t passed __attribute__((tls_model("initial-exec")));
static _Thread_local size_t until_next __attribute__((tls_model("initial-exec")));
// Whether a block at an address of this number was told of as a row. Relaxed: what is wrong here costs the trace a row.
static unsigned char marks[MARKS];

// Bootstrap: the loader may ask for memory while it looks for the next allocator. Each block has its size in front.

static char bootstrap[BOOTSTRAP] __attribute__((aligned(ALIGNED)));
static size_t bootstrap_used;
static bool looking;

static bool is_bootstrap(const void *block)
{
    return (uintptr_t)block - (uintptr_t)bootstrap < BOOTSTRAP;
}

static void *bootstrap_block(size_t size, size_t alignment)
{
    if (size > BOOTSTRAP) return NULL;
    size_t start = (bootstrap_used + ALIGNED + alignment - 1) & ~(alignment - 1);
    if (start + size > BOOTSTRAP) return NULL;
    bootstrap_used = (start + size + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
    memcpy(bootstrap + start - sizeof size, &size, sizeof size);
    return bootstrap + start;
}

static size_t bootstrap_size(const void *block)
{
    size_t size;
    memcpy(&size, (const char *)block - sizeof size, sizeof size);
    return size;
}

// Finds the next allocator; false while that goes on. It happens in the first call of the process, which has one thread.
static bool found(void)
{
    if (next.free) return true;
    if (looking) return false;
    looking = true;
    next.malloc = dlsym(RTLD_NEXT, "malloc");
    next.calloc = dlsym(RTLD_NEXT, "calloc");
    next.realloc = dlsym(RTLD_NEXT, "realloc");
    next.memalign = dlsym(RTLD_NEXT, "memalign");
    next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    next.malloc_usable_size = dlsym(RTLD_NEXT, "malloc_usable_size");
    next.mmap = dlsym(RTLD_NEXT, "mmap");
    next.free = dlsym(RTLD_NEXT, "free");
    looking = false;
    return next.free != NULL;
}

__attribute__((constructor)) static void start(void)
{
    found();
}

// The placer --------------------------------------------------------------------------------------------------------------------

static void before_fork(void) { busy = true; }
static void after_fork(void) { busy = false; }

static bool leads_here(const char *name, void *function)
{
    return dlsym(RTLD_DEFAULT, name) == function;
}

// The program's variables that begin as zeroes, without the pages that they share with others.
static int place_variables(struct dl_phdr_info *object, size_t size, void *with)
{
    (void)size;
    const struct vicinity_placer *ours = with;
    uintptr_t page = ours->page_bytes;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W)) continue;
        uintptr_t start = (object->dlpi_addr + part->p_vaddr + part->p_filesz + page - 1) & -page;
        uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_memsz) & -page;
        if (end > start && end - start >= LARGE) ours->place_variables((void *)start, end - start);
    }
    return 1; // The first object is the program.
}

SHOWN void vicinity_place_adopt(const struct vicinity_placer *ours)
{
    if (!found() || placer) return;
    bool whole = leads_here("malloc", (void *)malloc) && leads_here("calloc", (void *)calloc) &&
                 leads_here("realloc", (void *)realloc) && leads_here("free", (void *)free) &&
                 leads_here("malloc_usable_size", (void *)malloc_usable_size);
    // The runtime's handlers are there already: before a fork these run first, after it last.
    if (!whole || pthread_atfork(before_fork, after_fork, after_fork) != 0) return;
    // Release: pairs with the Acquire in `placer_of`.
    __atomic_store_n(&placer, ours, __ATOMIC_RELEASE);
    busy = true;
    dl_iterate_phdr(place_variables, (void *)ours);
    busy = false;
}

// The placer, for a caller at this address; null where there is none, or the caller is the placer himself.
static inline const struct vicinity_placer *placer_of(void *caller)
{
    // Acquire: pairs with the Release in `vicinity_place_adopt`.
    const struct vicinity_placer *ours = __atomic_load_n(&placer, __ATOMIC_ACQUIRE);
    if (!ours || busy || (uintptr_t)caller - ours->own_start < ours->own_bytes) return NULL;
    return ours;
}

// The same for a caller that wants a block of this size; null where it is none of the placer's business.
static inline const struct vicinity_placer *placer_for(size_t size, void *caller)
{
    return __builtin_expect(size < LARGE, 1) ? NULL : placer_of(caller);
}

static void *placed(const struct vicinity_placer *ours, size_t size, size_t alignment, void *caller)
{
    busy = true;
    void *block = ours->allocate(size, alignment, caller);
    busy = false;
    return block;
}

// Who hears of blocks and is not the caller himself.
static inline const struct vicinity_placer *hearer(void *caller)
{
    const struct vicinity_placer *ours = placer_of(caller);
    return ours && ours->allocated ? ours : NULL;
}

static unsigned char *mark_of(const void *block)
{
    return &marks[((uint64_t)(uintptr_t)block >> 4) * 0x9E3779B97F4A7C15 >> 48];
}

static void tell_of_row(const struct vicinity_placer *ours, void *block, size_t size, void *caller)
{
    int before = errno;
    busy = true;
    until_next = ours->row(block, size, passed, caller);
    busy = false;
    passed = 0;
    __atomic_store_n(mark_of(block), 1, __ATOMIC_RELAXED);
    errno = before;
}

// A block of the next allocator's, which whoever traces hears of if it is large, or one of many.
static inline void *told(void *block, size_t size, void *caller)
{
    if (__builtin_expect(size < ROW || !block, 1)) return block;
    const struct vicinity_placer *ours = hearer(caller);
    if (!ours) return block;
    if (size < LARGE) {
        passed += size;
        if (__builtin_expect(passed >= until_next, 0)) tell_of_row(ours, block, size, caller);
        return block;
    }
    busy = true;
    ours->allocated(block, size, caller);
    busy = false;
    return block;
}

// The next allocator gets its block back. What the placer itself frees it may free with locks held.
static void untold(void *block, void *caller)
{
    const struct vicinity_placer *ours = block ? hearer(caller) : NULL;
    if (__builtin_expect(!ours, 1)) return;
    size_t size = next.malloc_usable_size(block);
    if (size < ROW) return;
    unsigned char *mark = mark_of(block);
    if (size < LARGE && !__atomic_load_n(mark, __ATOMIC_RELAXED)) return;
    int before = errno;
    busy = true;
    if (size < LARGE) {
        __atomic_store_n(mark, 0, __ATOMIC_RELAXED);
        ours->row_released(block);
    } else {
        ours->released(block);
    }
    busy = false;
    errno = before;
}

// How large a block of the placer is; 0 for any other address.
static inline size_t placed_size(const void *block)
{
    if (__builtin_expect(((uintptr_t)block & (GRANULE - 1)) != 0, 1)) return 0;
    const struct vicinity_placer *ours = __atomic_load_n(&placer, __ATOMIC_ACQUIRE);
    return ours && block ? ours->size_of(block) : 0;
}

static void release(void *block)
{
    if (busy) return;
    busy = true;
    placer->release(block);
    busy = false;
}

// The allocator -----------------------------------------------------------------------------------------------------------------

#define CALLER __builtin_return_address(0)

static void *allocated(size_t size, size_t alignment, void *caller)
{
    const struct vicinity_placer *ours = placer_for(size, caller);
    return ours && ours->allocate ? placed(ours, size, alignment, caller) : NULL;
}

SHOWN void *malloc(size_t size)
{
    void *block = allocated(size, ALIGNED, CALLER);
    if (block) return block;
    return found() ? told(next.malloc(size), size, CALLER) : bootstrap_block(size, ALIGNED);
}

// Blocks of the placer, and of the bootstrap, read as zeroes.
SHOWN void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes)) {
        void *block = allocated(bytes, ALIGNED, CALLER);
        if (block) return block;
        if (!found()) return bootstrap_block(bytes, ALIGNED);
        return told(next.calloc(count, size), bytes, CALLER);
    }
    return next.calloc(count, size);
}

SHOWN void free(void *block)
{
    if (placed_size(block)) {
        release(block);
    } else if (!is_bootstrap(block) && found()) {
        untold(block, CALLER);
        next.free(block);
    }
}

static void *allocated_anywhere(size_t size, void *caller)
{
    void *block = allocated(size, ALIGNED, caller);
    return block ? block : told(next.malloc(size), size, caller);
}

// The new block with the contents of one whose size `old` is known, and which is given back.
static void *moved(void *new, void *block, size_t old, size_t size)
{
    if (!new) return NULL;
    memcpy(new, block, old < size ? old : size);
    free(block);
    return new;
}

SHOWN void *realloc(void *block, size_t size)
{
    size_t old = placed_size(block);
    if (old && size == 0) {
        release(block);
        return NULL;
    }
    if (old) {
        if (size >= LARGE && !busy && placer->resize(block, size)) return block;
        return moved(allocated_anywhere(size, CALLER), block, old, size);
    }
    if (!found()) return block ? NULL : bootstrap_block(size, ALIGNED);
    if (is_bootstrap(block)) return moved(allocated_anywhere(size, CALLER), block, bootstrap_size(block), size);
    void *new = allocated(size, ALIGNED, CALLER);
    if (new) return block ? moved(new, block, next.malloc_usable_size(block), size) : new;
    untold(block, CALLER);
    return told(next.realloc(block, size), size, CALLER);
}

static bool is_alignment(size_t alignment)
{
    return alignment && !(alignment & (alignment - 1));
}

SHOWN void *memalign(size_t alignment, size_t size)
{
    void *block = is_alignment(alignment) ? allocated(size, alignment, CALLER) : NULL;
    if (block) return block;
    return found() ? told(next.memalign(alignment, size), size, CALLER) : bootstrap_block(size, alignment);
}

SHOWN void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = is_alignment(alignment) ? allocated(size, alignment, CALLER) : NULL;
    if (block) return block;
    return found() ? told(next.aligned_alloc(alignment, size), size, CALLER) : bootstrap_block(size, alignment);
}

SHOWN int posix_memalign(void **block, size_t alignment, size_t size)
{
    bool may = is_alignment(alignment) && alignment % sizeof(void *) == 0;
    void *new = may ? allocated(size, alignment, CALLER) : NULL;
    if (!new && found()) {
        int status = next.posix_memalign(block, alignment, size);
        if (status == 0) told(*block, size, CALLER);
        return status;
    }
    if (!new && !may) return EINVAL;
    if (!new) new = bootstrap_block(size, alignment);
    if (!new) return ENOMEM;
    *block = new;
    return 0;
}

SHOWN size_t malloc_usable_size(void *block)
{
    size_t size = placed_size(block);
    if (size) return size;
    if (is_bootstrap(block)) return bootstrap_size(block);
    return found() ? next.malloc_usable_size(block) : 0;
}

// C23's; where the C library has them, they know its own blocks alone.
SHOWN void free_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}

SHOWN void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    free(block);
}

// Mappings ----------------------------------------------------------------------------------------------------------------------

static void *mapped(void *address, size_t size, int protection, int flags, int file, off_t offset, void *caller)
{
    if (!found()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *start = next.mmap(address, size, protection, flags, file, offset);
    bool plain = !address && protection == (PROT_READ | PROT_WRITE) &&
                 (flags & ~MAP_STACK) == (MAP_PRIVATE | MAP_ANONYMOUS) && !(flags & MAP_STACK);
    bool file_data = !(flags & (MAP_ANONYMOUS | MAP_FIXED)) && (protection & PROT_READ) && !(protection & PROT_EXEC);
    if (!plain && !file_data) return start;
    const struct vicinity_placer *ours = start != MAP_FAILED ? placer_for(size, caller) : NULL;
    void (*hear)(void *, size_t, void *) = !ours ? NULL : plain ? ours->place : ours->mapped;
    if (hear) {
        int before = errno;
        busy = true;
        hear(start, size, caller);
        busy = false;
        errno = before;
    }
    return start;
}

SHOWN void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    return mapped(address, size, protection, flags, file, offset, CALLER);
}

SHOWN void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    return mapped(address, size, protection, flags, file, offset, CALLER);
}
