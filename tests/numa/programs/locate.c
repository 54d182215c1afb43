/* locate: vicinity_locate says what the kernel says, for the library's memory and for everybody else's. */
#include "placement.h"
#include <alloca.h>

static int locations;
static char in_data[64 * 4096] = {1};
static char in_bss[64 * 4096];

static void agree(const char *what, const char *start, size_t length, size_t tolerance) {
    size_t truth[MAX_NODES], said[MAX_NODES] = {0};
    spread_of(start, length, truth);
    EQUAL(vicinity_locate(start, length, said, MAX_NODES), VICINITY_SUCCESS);
    for (int location = 0; location < locations; location++) {
        size_t apart = said[location] > truth[location] ? said[location] - truth[location] : truth[location] - said[location];
        if (apart > tolerance)
            FAIL("%s, %zu bytes: %zu at location %d, but the kernel has %zu there", what, length, said[location], location,
                 truth[location]);
    }
}

/* All of it, and parts that begin and end within pages. */
static void agree_in_parts(const char *what, const char *start, size_t length) {
    agree(what, start, length, 0);
    agree(what, start + 1, length - 2, 0);
    for (size_t at = 0; at + 5000 < length; at += length / 7 + 1) agree(what, start + at, 5000, 0);
    agree(what, start + length / 2, 1, 0);
}

static void own(void) {
    for (int distribution = OMP_MALLOC_STANDARD; distribution <= OMP_MALLOC_COARSE; distribution++) {
        if (distribution == OMP_MALLOC_STANDARD && !truth_is_the_kernel()) continue;
        for (int i = 0; i < 2 * locations; i++) {
            char *block = omp_malloc_specific(37 * PAGE, distribution);
            CHECK(block != NULL);
            touch(block, 37 * PAGE);
            agree_in_parts("own", block, 37 * PAGE);
            vicinity_free(block);
        }
    }
}

static void placed_by_mbind(unsigned long all) {
    for (int node = 0; node < MAX_NODES; node++) {
        if ((all >> node & 1) == 0) continue;
        char *pages = map_pages(48 * PAGE);
        place(pages, 48 * PAGE, POLICY_BIND, 1UL << node);
        touch(pages, 48 * PAGE);
        agree_in_parts("mbind", pages, 48 * PAGE);
        munmap(pages, 48 * PAGE);
    }
    char *pages = map_pages(48 * PAGE);
    place(pages, 48 * PAGE, POLICY_INTERLEAVE, all);
    touch(pages, 48 * PAGE);
    agree_in_parts("interleaved by mbind", pages, 48 * PAGE);
    munmap(pages, 48 * PAGE);
}

/* As numactl does: a policy of the process, then ordinary malloc. */
static void placed_by_numactl(unsigned long all) {
    CHECK(syscall(SYS_set_mempolicy, POLICY_INTERLEAVE, &all, (unsigned long)MAX_NODES) == 0);
    char *block = malloc(400 * KIB);
    CHECK(block != NULL);
    touch(block, 400 * KIB);
    CHECK(syscall(SYS_set_mempolicy, POLICY_DEFAULT, NULL, 0UL) == 0);
    agree_in_parts("numactl", block, 400 * KIB);
    free(block);
}

static void first_touched(void) {
    int node_at[MAX_NODES];
    location_nodes(node_at);
    char *halves = malloc(2 * MIB);
    CHECK(halves != NULL);
    char local[64 * 1024];
    for (int location = 0, part = 0; location < locations; location++) {
        if (processors_at(location) == 0) continue;
        stay_on(node_at[location]);
        touch(halves + (part % 8) * 256 * KIB, 256 * KIB);
        touch(in_data + (part % 8) * 8 * PAGE, 8 * PAGE);
        touch(in_bss + (part % 8) * 8 * PAGE, 8 * PAGE);
        part++;
    }
    touch(local, sizeof local);
    agree_in_parts("malloc", halves, 2 * MIB);
    agree_in_parts("initialized array", in_data, sizeof in_data);
    agree_in_parts("zeroed array", in_bss, sizeof in_bss);
    agree_in_parts("stack", local, sizeof local);
    free(halves);
}

/* The range is as large as sampling may begin at; half of it is elsewhere. */
static void large(void) {
    const size_t size = 48 * MIB;
    char *pages = map_pages(size);
    place(pages, size / 2, POLICY_BIND, 1UL << 0);
    place(pages + size / 2, size / 2, POLICY_BIND, 1UL << 1);
    touch(pages, size);
    agree("large", pages, size, size / 50);
    munmap(pages, size);
}

/* Where nobody tells the library, its memory of an address may be old for a while, not for ever. */
static void placed_again(void) {
    char *pages = map_pages(32 * PAGE);
    place(pages, 32 * PAGE, POLICY_BIND, 1UL << 0);
    touch(pages, 32 * PAGE);
    agree("before", pages, 32 * PAGE, 0);
    munmap(pages, 32 * PAGE);
    char *again = mmap(pages, 32 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    CHECK(again == pages);
    place(again, 32 * PAGE, POLICY_BIND, 1UL << 1);
    touch(again, 32 * PAGE);
    int to = location_of_node(1);
    size_t bytes[MAX_NODES] = {0};
    double start = omp_get_wtime();
    SPIN_UNTIL(vicinity_locate(again, 32 * PAGE, bytes, MAX_NODES) == VICINITY_SUCCESS && bytes[to] == 32 * PAGE);
    printf("memory that was mapped anew is found after %.2f s\n", omp_get_wtime() - start);
    munmap(again, 32 * PAGE);
}

static void untouched(void) {
    char *pages = map_pages(8 * PAGE);
    touch(pages, PAGE);
    agree("one page of eight", pages, 8 * PAGE, 0);
    munmap(pages, 8 * PAGE);
}

static void refused(void) {
    size_t bytes[MAX_NODES] = {0};
    char block[10];
    EQUAL(vicinity_locate(block, 10, NULL, MAX_NODES), VICINITY_ERROR_ARGUMENT);
    EQUAL(vicinity_locate(NULL, 10, bytes, MAX_NODES), VICINITY_ERROR_ARGUMENT);
    EQUAL(vicinity_locate(block, 0, bytes, MAX_NODES), VICINITY_SUCCESS);
}

int main(void) {
    locations = vicinity_num_locations();
    CHECK(locations > 1);
    own();
    refused();
    if (truth_is_the_kernel()) {
        unsigned char memory[1024];
        unsigned long all = 0;
        nodes_with_memory(memory);
        for (int node = 0; node < MAX_NODES; node++) all |= (unsigned long)memory[node] << node;
        placed_by_mbind(all);
        placed_by_numactl(all);
        first_touched();
        untouched();
        large();
        placed_again();
    }
    return 0;
}
