/* policies: omp_malloc and omp_malloc_specific put pages where the distribution says.
 * Argument: what OMP_DATA_DISTRIBUTION is set to; then only whether omp_malloc follows it is checked. */
#include "placement.h"

/* All, and those that memory goes round: the first. */
static int locations, around;

static void *some(size_t size, int distribution) {
    void *block = omp_malloc_specific(size, distribution);
    CHECK(block != NULL);
    return block;
}

static void print_spread(const char *what, const char *block, size_t size) {
    size_t bytes[MAX_NODES];
    spread_of(block, size, bytes);
    printf("%s, KiB at each location:", what);
    for (int location = 0; location < locations; location++) printf(" %zu", bytes[location] / KIB);
    putchar('\n');
}

/* Units of the system's pages, or of huge pages where they are used, at one location after the other. Small blocks may
 * begin within a page. */
static void check_fine(char *start, size_t length) {
    size_t before = (uintptr_t)start % PAGE;
    CHECK(before == 0 || length <= 32 * KIB);
    touch(start, length);
    char *block = start - before;
    size_t size = length + before, unit = PAGE;
    int first = where(block);
    while (unit < size && where(block + unit) == first) unit += PAGE;
    if (unit != PAGE && unit != 2 * MIB) FAIL("a unit of %zu bytes in %zu", unit, size);
    for (size_t at = 0; at < size; at += PAGE) {
        int expected = (first + (int)(at / unit)) % around;
        if (where(block + at) != expected)
            FAIL("page %zu of %zu is at %d, not %d", at / PAGE, size / PAGE, where(block + at), expected);
    }
}

static int check_together(char *block, size_t size) {
    touch(block, size);
    int location = where(block);
    CHECK(location >= 0);
    for (size_t at = 0; at < size; at += PAGE) EQUAL(where(block + at), location);
    EQUAL(where(block + size - 1), location);
    return location;
}

static void fine(void) {
    const size_t sizes[] = {2 * PAGE, 5 * PAGE, 64 * PAGE + 100, 3 * MIB, 40 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *block = some(sizes[i], OMP_MALLOC_FINE);
        check_fine(block, sizes[i]);
        if (i > 1) print_spread("fine", block, sizes[i]);
        vicinity_free(block);
    }
}

/* One location after the other, whatever the sizes. */
static void coarse(void) {
    const size_t sizes[] = {1 * MIB, 100 * KIB, 3 * MIB, 64 * KIB};
    char *block[64];
    int first = -1;
    for (int i = 0; i < 4 * around; i++) {
        size_t size = sizes[i / around];
        block[i] = some(size, OMP_MALLOC_COARSE);
        int at = check_together(block[i], size);
        if (i == 0) first = at;
        EQUAL(at, (first + i) % around);
    }
    for (int i = 0; i < 4 * around; i++) vicinity_free(block[i]);
}

/* Where the program says. */
static void at_one(void) {
    const size_t sizes[] = {1 * KIB, 100 * KIB, 3 * MIB};
    for (int i = 0; i < 3 * locations; i++) {
        char *block = vicinity_malloc_at(sizes[i / locations], i % locations);
        CHECK(block != NULL);
        EQUAL(check_together(block, sizes[i / locations]), i % locations);
        vicinity_free(block);
    }
}

static void coarse_from_all_threads(void) {
    int count[MAX_NODES] = {0}, threads = 1;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < 4 * around; i++) {
            char *block = some(256 * KIB, OMP_MALLOC_COARSE);
            int location = check_together(block, 256 * KIB);
            __atomic_fetch_add(&count[location], 1, __ATOMIC_RELAXED);
            vicinity_free(block);
        }
    }
    printf("coarse from %d threads, blocks at each location:", threads);
    for (int location = 0; location < locations; location++) printf(" %d", count[location]);
    putchar('\n');
    for (int location = 0; location < locations; location++)
        CHECK(abs(count[location] - (location < around ? 4 * threads : 0)) <= (location < around ? threads : 0));
}

static size_t resident(void) {
    unsigned long all = 0, held = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%lu %lu", &all, &held) == 2);
    fclose(file);
    return held * PAGE;
}

static int mappings(void) {
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    CHECK(file != NULL);
    for (int c; (c = fgetc(file)) != EOF;) count += c == '\n';
    fclose(file);
    return count;
}

/* Many small blocks cost neither a page nor a mapping each, and are still where they should be. */
static void small(int distribution) {
    enum { COUNT = 8000, SIZE = 1024 };
    static char *block[COUNT];
    for (int round = 0; round < 2; round++) {
        size_t resident_before = resident();
        int mappings_before = mappings(), count[MAX_NODES] = {0};
        for (int i = 0; i < COUNT; i++) {
            block[i] = some(SIZE, distribution);
            memset(block[i], i & 0x7f, SIZE);
            int location = where(block[i]);
            CHECK(location >= 0);
            size_t bytes[MAX_NODES] = {0};
            EQUAL(vicinity_locate(block[i], SIZE, bytes, MAX_NODES), VICINITY_SUCCESS);
            EQUAL(bytes[location] + bytes[where(block[i] + SIZE - 1)] * (where(block[i] + SIZE - 1) != location), SIZE);
            count[location]++;
        }
        size_t grown = resident() - resident_before;
        int mapped = mappings() - mappings_before;
        printf("%d blocks of 1 KiB: %zu KiB resident more, %d mappings more; at each location:", COUNT, grown / KIB,
               mapped);
        for (int location = 0; location < locations; location++) printf(" %d", count[location]);
        putchar('\n');
        CHECK(round > 0 || grown < 2 * COUNT * SIZE + locations * 2 * MIB);
        CHECK(mapped < COUNT / 16);
        if (distribution == OMP_MALLOC_COARSE)
            for (int location = 0; location < locations; location++)
                CHECK(abs(count[location] - (location < around ? COUNT / around : 0)) <= COUNT / 100);
        for (int i = 0; i < COUNT; i++) {
            CHECK(block[i][0] == (i & 0x7f) && block[i][SIZE - 1] == (i & 0x7f));
            vicinity_free(block[i]);
        }
    }
}

/* The first to touch a page has it near. */
static void standard(char *block, size_t size) {
    if (!truth_is_the_kernel()) return;
    int here_at = here_location();
    EQUAL(check_together(block, size), here_at);
}

static void standard_everywhere(void) {
    int node_at[MAX_NODES];
    int count = truth_is_the_kernel() ? location_nodes(node_at) : 0;
    cpu_set_t before;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    for (int location = 0; location < count; location++) {
        if (processors_at(location) == 0) continue;
        stay_on(node_at[location]);
        standard(some(1 * MIB, OMP_MALLOC_STANDARD), 1 * MIB);
    }
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
}

static void follows(const char *distribution) {
    char *one = omp_malloc(64 * PAGE), *two = omp_malloc(64 * PAGE);
    CHECK(one != NULL && two != NULL);
    if (strcmp(distribution, "fine") == 0) {
        check_fine(one, 64 * PAGE);
    } else if (strcmp(distribution, "coarse") == 0) {
        EQUAL(check_together(two, 64 * PAGE), (check_together(one, 64 * PAGE) + 1) % around);
    } else {
        standard(one, 64 * PAGE);
    }
    omp_free(one, omp_null_allocator);
    vicinity_free(two);
}

int main(int argc, char **argv) {
    locations = vicinity_num_locations();
    around = locations_around();
    CHECK(locations > 1);
    if (argc > 1) {
        follows(argv[1]);
        return 0;
    }
    follows("standard");
    standard_everywhere();
    fine();
    coarse();
    at_one();
    coarse_from_all_threads();
    small(OMP_MALLOC_COARSE);
    small(OMP_MALLOC_FINE);
    return 0;
}
