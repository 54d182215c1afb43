// Where memory and threads are, by the library that the driver has loaded. With VICINITY_TEST_TRUTH=kernel the kernel is asked where
// memory is, page by page (move_pages), and not the library.
#ifndef PLACE_H
#define PLACE_H
#include "check.h"
#include <dlfcn.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 64, PAGE = 4096 };

static inline void *library(const char *name) {
    void *found = dlsym(dlopen("libvicinity.so.1", RTLD_NOW | RTLD_NOLOAD), name);
    CHECK(found != NULL);
    return found;
}

static inline int truth_is_the_kernel(void) {
    const char *truth = getenv("VICINITY_TEST_TRUTH");
    return truth != NULL && strcmp(truth, "kernel") == 0;
}

// The node of a page.
static inline int page_node(const void *address) {
    void *page = (void *)((uintptr_t)address & ~(uintptr_t)(PAGE - 1));
    int node = -1;
    EQUAL(syscall(SYS_move_pages, 0, 1ul, &page, NULL, &node, 0), 0);
    return node;
}

static inline int node_of_place(int place) {
    int (*node_of)(int) = (int (*)(int))library("vicinity_location_node");
    return node_of(place);
}

// The one location of all of some memory that has been touched; MOST if it is at several.
static inline int place_of(const void *memory, size_t size) {
    int (*locate)(const void *, size_t, size_t *, size_t) = (int (*)(const void *, size_t, size_t *, size_t))library("vicinity_locate");
    size_t bytes[MOST] = {0};
    int place = 0;
    OK(locate(memory, size, bytes, MOST));
    while (place < MOST && bytes[place] != size) place++;
    for (size_t at = 0; place < MOST && truth_is_the_kernel() && at < size; at += PAGE)
        EQUAL(page_node((const char *)memory + at), node_of_place(place));
    return place;
}

#endif
