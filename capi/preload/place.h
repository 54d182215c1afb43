// What libvicinity.so.1 and libvicinity-place.so know of each other. Both are of one release.

#ifndef VICINITY_PLACE_H
#define VICINITY_PLACE_H

#include <stddef.h>
#include <stdint.h>

struct vicinity_placer {
    // Where the placer's own code is: what it asks for is the next allocator's.
    uintptr_t own_start;
    size_t own_bytes;
    size_t page_bytes;
    // A block that reads as zeroes, where the distribution says, for the call that returns to `caller`; null if there is none, or if
    // it is the next allocator's. Null itself where nothing is placed.
    void *(*allocate)(size_t size, size_t alignment, void *caller);
    // How large the block is that begins here; 0 if none of the placer's does. Takes no lock.
    size_t (*size_of)(const void *block);
    void (*release)(void *block);
    // Whether the block has the new size now, where it is.
    int (*resize)(void *block, size_t size);
    // Has pages of a fresh mapping, and of the program's variables, go where the distribution says.
    void (*place)(void *start, size_t bytes, void *caller);
    void (*place_variables)(void *start, size_t bytes);
    // Hear of the next allocator's large blocks; null where nobody wants to know.
    void (*allocated)(void *block, size_t size, void *caller);
    void (*released)(void *block);
    // Hears of small blocks, of one now and then: since the one before, the calling thread allocated `stands_for` bytes in blocks of
    // ROW and more, this one among them. Gives how many it may allocate before the next. And of the end of those; null where
    // nobody wants to know. They do not wait for locks.
    size_t (*row)(void *block, size_t size, size_t stands_for, void *caller);
    void (*row_released)(void *block);
    // Hears of large files that the program maps; null where nobody wants to know.
    void (*mapped)(void *start, size_t bytes, void *caller);
};

void vicinity_place_adopt(const struct vicinity_placer *placer);

#endif
