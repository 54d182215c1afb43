/* Where memory and threads are: from the kernel, or from the library where placement is only recorded.
 *
 * Terms. *Node*: a NUMA node, by the kernel's number. *Location*: the library's number for it. *Truth*: what the
 * checks compare with. VICINITY_TEST_TRUTH=kernel asks the kernel page by page (move_pages), anything else asks
 * vicinity_locate, for topologies that are not this machine's. */
#ifndef PLACEMENT_H
#define PLACEMENT_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.h"
#include "vicinity.h"
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MAX_NODES 64
#define PAGE ((size_t)4096)
#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* numaif.h, which needs libnuma's headers, has the same numbers. */
enum { POLICY_DEFAULT = 0, POLICY_PREFERRED = 1, POLICY_BIND = 2, POLICY_INTERLEAVE = 3 };
enum { BY_NODE = 1, BY_ADDRESS = 2 };

static inline int truth_is_the_kernel(void) {
    const char *truth = getenv("VICINITY_TEST_TRUTH");
    return truth != NULL && strcmp(truth, "kernel") == 0;
}

/* Nodes ------------------------------------------------------------------------------------- */

/* The node of a page, or a negative errno if there is none yet. */
static inline int node_of(const void *address) {
    void *page = (void *)((uintptr_t)address & ~(PAGE - 1));
    int status = -EINVAL;
    if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0) != 0) return -errno;
    return status;
}

/* Asks for pages on these nodes before they are touched. */
static inline void place(void *start, size_t length, int policy, unsigned long nodes) {
    if (syscall(SYS_mbind, start, length, policy, &nodes, (unsigned long)MAX_NODES, 0) != 0)
        FAIL("mbind to %lx: %s", nodes, strerror(errno));
}

/* Pages that are not there yet. */
static inline char *map_pages(size_t length) {
    void *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    return pages;
}

static inline void touch(char *start, size_t length) {
    for (size_t at = 0; at < length; at += PAGE) *(volatile char *)(start + at) = 1;
    if (length > 0) *(volatile char *)(start + length - 1) = 1;
}

/* Fills `set` with a list such as 0-3,8 and gives how many there are. */
static inline int read_list(const char *path, unsigned char set[1024]) {
    memset(set, 0, 1024);
    FILE *file = fopen(path, "r");
    if (file == NULL) return -1;
    int from, count = 0;
    while (fscanf(file, "%d", &from) == 1) {
        int to = from;
        int next = fgetc(file);
        if (next == '-') {
            CHECK(fscanf(file, "%d", &to) == 1);
            next = fgetc(file);
        }
        for (int i = from; i <= to && i < 1024; i++, count++) set[i] = 1;
        if (next != ',') break;
    }
    fclose(file);
    return count;
}

static inline int processors_of_node(int node, unsigned char set[1024]) {
    char path[80];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
    return read_list(path, set);
}

static inline int nodes_with_memory(unsigned char set[1024]) {
    return read_list("/sys/devices/system/node/has_memory", set);
}

/* The node of the processor that runs this. */
static inline int here(void) {
    unsigned cpu, node;
    CHECK(syscall(SYS_getcpu, &cpu, &node, NULL) == 0);
    return (int)node;
}

/* Keeps the calling thread on the processors of a node. */
static inline void stay_on(int node) {
    unsigned char processors[1024];
    CHECK(processors_of_node(node, processors) > 0);
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < 1024; i++)
        if (processors[i]) CPU_SET(i, &set);
    CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

/* Locations --------------------------------------------------------------------------------- */

/* The node of each location: by its processors; locations without any are the nodes without any, in order. */
static inline int location_nodes(int node_at[MAX_NODES]) {
    int count = vicinity_num_locations();
    unsigned char memory[1024], processors[1024];
    CHECK(nodes_with_memory(memory) > 0);
    int bare = 0;
    for (int location = 0; location < count; location++) {
        int first = -1;
        size_t found = 0;
        EQUAL(vicinity_location_processors(location, &first, 1, &found), VICINITY_SUCCESS);
        node_at[location] = -1;
        for (int node = found > 0 ? 0 : bare; node < MAX_NODES && node_at[location] < 0; node++) {
            if (!memory[node]) continue;
            int held = processors_of_node(node, processors);
            if (found > 0 ? processors[first] : held == 0) node_at[location] = node;
        }
        if (found == 0) bare = node_at[location] + 1;
        CHECK(node_at[location] >= 0);
    }
    return count;
}

static inline int location_of_node(int node) {
    static int node_at[MAX_NODES], count;
    if (count == 0) count = location_nodes(node_at);
    for (int location = 0; location < count; location++)
        if (node_at[location] == node) return location;
    return -1;
}

/* The location of the page at an address by the truth, or -1 if nothing is known of it. */
static inline int where(const void *address) {
    if (truth_is_the_kernel()) {
        int node = node_of(address);
        return node < 0 ? -1 : location_of_node(node);
    }
    size_t bytes[MAX_NODES] = {0};
    int count = vicinity_num_locations();
    EQUAL(vicinity_locate(address, 1, bytes, MAX_NODES), VICINITY_SUCCESS);
    for (int location = 0; location < count; location++)
        if (bytes[location] != 0) return location;
    return -1;
}

/* Where the calling thread runs, by the truth. */
static inline int here_location(void) {
    return truth_is_the_kernel() ? location_of_node(here()) : vicinity_current_location();
}

/* How many processors a location has. */
static inline size_t processors_at(int location) {
    size_t count = 0;
    EQUAL(vicinity_location_processors(location, NULL, 0, &count), VICINITY_SUCCESS);
    return count;
}

/* How many locations distributed memory goes round: those with processors, which come first, or all. */
static inline int locations_around(void) {
    const char *spread = getenv("VICINITY_SPREAD");
    int count = vicinity_num_locations(), around = 0;
    while (around < count && processors_at(around) > 0) around++;
    for (int location = around; location < count; location++) EQUAL(processors_at(location), 0);
    return spread != NULL && strcmp(spread, "memory") == 0 ? count : around;
}

/* Where a range lies by the truth: bytes at each location. */
static inline void spread_of(const char *start, size_t length, size_t bytes[MAX_NODES]) {
    memset(bytes, 0, MAX_NODES * sizeof bytes[0]);
    for (size_t at = 0; at < length;) {
        size_t page_end = PAGE - ((uintptr_t)(start + at) & (PAGE - 1));
        size_t part = page_end < length - at ? page_end : length - at;
        int location = where(start + at);
        if (location >= 0) bytes[location] += part;
        at += part;
    }
}

#endif
