// Memory spaces of OpenMP 6.0, by which a program says "the memory of this location", and the traits that came with them.
// flags: -Wl,--no-as-needed
// threads: 1
#define _GNU_SOURCE
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <dlfcn.h>
#include <stdint.h>

// As clang 22's omp.h declares them; older headers have none of it.
typedef uintptr_t space, allocator;
enum { DEFAULT_SPACE = 99, ALL = 19, MEMSPACE = 22, INTERLEAVED = 18, NEAREST = 16, ACCESS = 3, PARTITION = 8, PART_SIZE = 14 };
typedef struct { int key; uintptr_t value; } trait;

static void *symbol(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL) FAIL("no %s", name);
    return found;
}
#define ROUTINE(type, name, ...) type (*name)(__VA_ARGS__) = (type (*)(__VA_ARGS__))symbol(#name)

static int run(void) {
    ROUTINE(int, omp_get_memspace_num_resources, space);
    ROUTINE(space, omp_get_submemspace, space, int, const int *);
    ROUTINE(space, omp_get_device_memspace, int, space);
    ROUTINE(space, omp_get_devices_and_host_memspace, int, const int *, space);
    ROUTINE(allocator, omp_get_devices_all_allocator, space);
    ROUTINE(allocator, omp_get_device_allocator, int, space);
    ROUTINE(int, vicinity_num_locations, void);
    ROUTINE(int, vicinity_locate, const void *, size_t, size_t *, size_t);
    allocator (*init)(space, int, const trait *) = (allocator(*)(space, int, const trait *))symbol("omp_init_allocator");
    void *(*alloc)(size_t, allocator) = (void *(*)(size_t, allocator))symbol("omp_alloc");
    void (*release)(void *, allocator) = (void (*)(void *, allocator))symbol("omp_free");
    int is_free_agent = ((int (*)(void))symbol("omp_is_free_agent"))();
    EQUAL(is_free_agent, 0);

    int count = omp_get_memspace_num_resources(DEFAULT_SPACE);
    EQUAL(count, 4);
    EQUAL(count, vicinity_num_locations());
    enum { SIZE = 1 << 20 };
    for (int at = 0; at < count; at++) {
        space part = omp_get_submemspace(DEFAULT_SPACE, 1, &at);
        CHECK(part != 0 && part != DEFAULT_SPACE);
        EQUAL(omp_get_memspace_num_resources(part), 1);
        allocator from = init(part, 0, NULL);
        CHECK(from != 0);
        char *block = alloc(SIZE, from);
        CHECK(block != NULL);
        size_t bytes[4] = {0};
        EQUAL(vicinity_locate(block, SIZE, bytes, 4), 0);
        EQUAL(bytes[at], SIZE);
        release(block, from);
        // A part of a part is the whole of it.
        int first = 0;
        EQUAL(omp_get_submemspace(part, 1, &first), part);
    }
    // Blocks of a space of two locations take turns.
    int two[] = {1, 3};
    space pair = omp_get_submemspace(DEFAULT_SPACE, 2, two);
    EQUAL(omp_get_memspace_num_resources(pair), 2);
    allocator from = init(pair, 0, NULL);
    size_t seen[4] = {0};
    for (int i = 0; i < 8; i++) {
        void *block = alloc(SIZE, from);
        EQUAL(vicinity_locate(block, SIZE, seen, 4), 0);
        CHECK(seen[0] == 0 && seen[2] == 0 && seen[1] + seen[3] == SIZE);
        EQUAL(seen[i % 2 ? 3 : 1], SIZE);
        release(block, from);
    }
    int all[] = {3, 2, 1, 0}, wrong = 4;
    EQUAL(omp_get_submemspace(DEFAULT_SPACE, 4, all), DEFAULT_SPACE);
    EQUAL(omp_get_submemspace(DEFAULT_SPACE, 1, &wrong), 0);
    EQUAL(omp_get_submemspace(DEFAULT_SPACE, 0, NULL), 0);

    // Parts of a size: 4 of 512 KiB each, at four locations.
    trait traits[] = {{PARTITION, INTERLEAVED}, {PART_SIZE, 512 << 10}, {ACCESS, ALL}};
    from = init(DEFAULT_SPACE, 3, traits);
    CHECK(from != 0);
    char *block = alloc(2 << 20, from);
    int before = -1;
    for (int part = 0; part < 4; part++) {
        size_t bytes[4] = {0};
        EQUAL(vicinity_locate(block + part * (512 << 10), 512 << 10, bytes, 4), 0);
        int where = bytes[0] ? 0 : bytes[1] ? 1 : bytes[2] ? 2 : 3;
        EQUAL(bytes[where], 512 << 10);
        CHECK(where != before);
        before = where;
    }
    release(block, from);
    trait later[] = {{ACCESS, MEMSPACE}, {9, 0}, {10, 0}, {11, 20}, {12, 21}, {13, 7}};
    CHECK(init(DEFAULT_SPACE, 6, later) != 0);
    trait odd[] = {{15, 1}};
    EQUAL(init(DEFAULT_SPACE, 1, odd), 0);

    // Devices: the host alone.
    EQUAL(omp_get_device_memspace(0, DEFAULT_SPACE), DEFAULT_SPACE);
    EQUAL(omp_get_device_memspace(3, DEFAULT_SPACE), 0);
    EQUAL(omp_get_devices_and_host_memspace(0, NULL, 1), 1);
    EQUAL(omp_get_devices_all_allocator(DEFAULT_SPACE), 1);
    EQUAL(omp_get_device_allocator(3, DEFAULT_SPACE), 0);
    return 0;
}

// The machine's description has spaces in it, so the program sets it itself.
int main(int argc, char **argv) {
    if (argc > 1) return run();
    char text[2000];
    int status = run_self("HWLOC_SYNTHETIC='numa:4 core:2 pu:1'", "child", text, sizeof text);
    if (status != 0) FAIL("%s", text);
    return 0;
}
