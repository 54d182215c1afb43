// Gives this library to libvicinity-place.so, where that is preloaded and there is a choice of where memory goes.

#include <unistd.h>

#include "../../preload/place.h"

// Written in Rust, linked into the same object.
int vicinity_place_is_wanted(void);
void *vicinity_place_allocate(size_t size, size_t alignment);
size_t vicinity_place_size_of(const void *block);
void vicinity_place_release(void *block);
int vicinity_place_resize(void *block, size_t size);
void vicinity_place_mapping(void *start, size_t bytes);
void vicinity_place_variables(void *start, size_t bytes);

// The linker's: where this object begins, and where its code ends.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

#pragma weak vicinity_place_adopt

__attribute__((constructor)) static void offer(void)
{
    if (!vicinity_place_adopt || !vicinity_place_is_wanted()) return;
    static struct vicinity_placer placer = {
        .allocate = vicinity_place_allocate,
        .size_of = vicinity_place_size_of,
        .release = vicinity_place_release,
        .resize = vicinity_place_resize,
        .place = vicinity_place_mapping,
        .place_variables = vicinity_place_variables,
    };
    placer.own_start = (uintptr_t)__ehdr_start;
    placer.own_bytes = (uintptr_t)etext - placer.own_start;
    placer.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    vicinity_place_adopt(&placer);
}
