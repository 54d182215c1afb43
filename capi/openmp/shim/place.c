// Gives this library to libvicinity-place.so, where that is preloaded, and there is a choice of where memory goes or a trace
// that is to tell of it.

#include <unistd.h>

#include "../../preload/place.h"

// Written in Rust, linked into the same object.
int vicinity_place_is_wanted(void);
int vicinity_place_is_heard(void);
void *vicinity_place_allocate(size_t size, size_t alignment, void *caller);
size_t vicinity_place_size_of(const void *block);
void vicinity_place_release(void *block);
int vicinity_place_resize(void *block, size_t size);
void vicinity_place_mapping(void *start, size_t bytes, void *caller);
void vicinity_place_variables(void *start, size_t bytes);
void vicinity_place_allocated(void *block, size_t size, void *caller);
void vicinity_place_released(void *block);
size_t vicinity_place_row(void *block, size_t size, size_t stands_for, void *caller);
void vicinity_place_row_released(void *block);
void vicinity_place_mapped(void *start, size_t bytes, void *caller);

// The linker's: where this object begins, and where its code ends.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

#pragma weak vicinity_place_adopt

__attribute__((constructor)) static void offer(void)
{
    if (!vicinity_place_adopt) return;
    int is_wanted = vicinity_place_is_wanted(), is_heard = vicinity_place_is_heard();
    if (!is_wanted && !is_heard) return;
    static struct vicinity_placer placer = {
        .size_of = vicinity_place_size_of,
        .release = vicinity_place_release,
        .resize = vicinity_place_resize,
        .place = vicinity_place_mapping,
        .place_variables = vicinity_place_variables,
    };
    if (is_wanted) placer.allocate = vicinity_place_allocate;
    if (is_heard) {
        placer.allocated = vicinity_place_allocated;
        placer.released = vicinity_place_released;
        placer.row = vicinity_place_row;
        placer.row_released = vicinity_place_row_released;
        placer.mapped = vicinity_place_mapped;
    }
    placer.own_start = (uintptr_t)__ehdr_start;
    placer.own_bytes = (uintptr_t)etext - placer.own_start;
    placer.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    vicinity_place_adopt(&placer);
}
