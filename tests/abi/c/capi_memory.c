// omp_malloc and vicinity_locate, what happens to pointers that cannot be freed, sizes that cannot be met,
// threads that free each other's blocks, and fork beside them; on the machine and on one of several locations.
// threads: 4
// peer-fails: libgomp it has no such functions
// peer-fails: libomp it has no such functions
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <vicinity.h>

#define MANY 64
#define MIB ((size_t)1 << 20)

static const int kinds[] = {OMP_MALLOC_STANDARD, OMP_MALLOC_FINE, OMP_MALLOC_COARSE};

static size_t located(const void *block, size_t size, size_t bytes[MANY]) {
    EQUAL(vicinity_locate(block, size, bytes, MANY), VICINITY_SUCCESS);
    size_t sum = 0;
    for (int i = 0; i < MANY; i++) sum += bytes[i];
    return sum;
}

static void every_kind_and_size(void) {
    static const size_t sizes[] = {1, 16, 1000, 4096, 40000, 100000, 3000000, 40000000};
    for (int k = 0; k < 3; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t bytes[MANY], size = sizes[s];
            char *block = omp_malloc_specific(size, kinds[k]);
            CHECK(block != NULL && (uintptr_t)block % 16 == 0);
            memset(block, 0x5a, size);
            size_t sum = located(block, size, bytes);
            CHECK(sum <= size);
            if (kinds[k] != OMP_MALLOC_STANDARD) EQUAL(sum, size);
            if (kinds[k] == OMP_MALLOC_COARSE) {
                int full = 0;
                for (int i = 0; i < MANY; i++) full += bytes[i] == size;
                EQUAL(full, 1);
            }
            block = omp_realloc(block, 2 * size, omp_null_allocator, omp_null_allocator);
            CHECK(block != NULL && block[0] == 0x5a && block[size - 1] == 0x5a);
            if (s % 2) omp_free(block, omp_null_allocator);
            else vicinity_free(block);
        }
    for (int location = 0; location < vicinity_num_locations() && location < MANY; location++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t bytes[MANY];
            char *block = vicinity_malloc_at(sizes[s], location);
            CHECK(block != NULL);
            EQUAL(located(block, sizes[s], bytes), sizes[s]);
            EQUAL(bytes[location], sizes[s]);
            vicinity_free(block);
        }
    vicinity_free(NULL);
}

static void turns(void) {
    int locations = vicinity_num_locations(), count[MANY] = {0};
    void *block[4 * MANY];
    for (int i = 0; i < 4 * locations; i++) {
        size_t bytes[MANY];
        block[i] = omp_malloc_specific(100, OMP_MALLOC_COARSE);
        EQUAL(located(block[i], 100, bytes), 100);
        for (int at = 0; at < locations; at++) count[at] += bytes[at] != 0;
    }
    for (int at = 1; at < locations; at++) EQUAL(count[at], count[0]);
    for (int i = 0; i < 4 * locations; i++) vicinity_free(block[i]);
}

static void traits(void) {
    static const omp_alloctrait_value_t partitions[] = {omp_atv_environment, omp_atv_nearest, omp_atv_blocked,
                                                        omp_atv_interleaved};
    for (int p = 0; p < 4; p++)
        for (int more = 0; more < 2; more++) {
            omp_alloctrait_t list[] = {{omp_atk_partition, (omp_uintptr_t)partitions[p]},
                                       {omp_atk_access, (omp_uintptr_t)omp_atv_thread},
                                       {omp_atk_alignment, 256},
                                       {omp_atk_pool_size, 1 << 20},
                                       {omp_atk_fallback, (omp_uintptr_t)omp_atv_null_fb}};
            omp_allocator_handle_t with = omp_init_allocator(omp_default_mem_space, more ? 5 : 2, list);
            CHECK(with != omp_null_allocator);
            char *small = omp_calloc(10, 10, with), *large = omp_alloc(500000, with);
            CHECK(small != NULL && large != NULL && small[99] == 0);
            memset(large, 7, 500000);
            if (more) {
                CHECK((uintptr_t)small % 256 == 0 && (uintptr_t)large % 256 == 0);
                CHECK(omp_alloc(600000, with) == NULL);
            }
            large = omp_realloc(large, 700000, with, with);
            CHECK(large != NULL && large[0] == 7 && large[499999] == 7);
            if (!more && partitions[p] != omp_atv_environment && vicinity_num_locations() > 1) {
                size_t bytes[MANY];
                EQUAL(located(large, 700000, bytes), 700000);
                int at = vicinity_current_location();
                if (partitions[p] == omp_atv_blocked) CHECK(bytes[0] > 0 && bytes[vicinity_num_locations() - 1] > 0);
                if (partitions[p] == omp_atv_interleaved) CHECK(bytes[at] > 0 && bytes[at] < 700000);
            }
            omp_free(small, with);
            omp_free(large, with);
            omp_destroy_allocator(with);
        }
}

static void impossible(void) {
    for (int k = 0; k < 3; k++) {
        errno = 0;
        CHECK(omp_malloc_specific(SIZE_MAX, kinds[k]) == NULL && errno == ENOMEM);
        errno = 0;
        CHECK(omp_malloc_specific(SIZE_MAX / 2 - 5, kinds[k]) == NULL && errno == ENOMEM);
        CHECK(omp_malloc_specific(0, kinds[k]) == NULL);
    }
    errno = 0;
    volatile size_t half = SIZE_MAX / 2;
    CHECK(omp_calloc(half, 3, omp_default_mem_alloc) == NULL && errno == ENOMEM);
    CHECK(vicinity_malloc_at(1, -1) == NULL && vicinity_malloc_at(1, vicinity_num_locations()) == NULL);
    CHECK(vicinity_malloc_at(0, 0) == NULL && vicinity_malloc_at(SIZE_MAX, 0) == NULL);
    CHECK(omp_malloc_specific(1, 3) == NULL && omp_malloc_specific(1, -1) == NULL);
    size_t bytes[1];
    EQUAL(vicinity_locate(NULL, 1, bytes, 1), VICINITY_ERROR_ARGUMENT);
    EQUAL(vicinity_locate(bytes, 1, NULL, 1), VICINITY_ERROR_ARGUMENT);
    EQUAL(vicinity_locate(bytes, SIZE_MAX, NULL, 0), VICINITY_SUCCESS);
}

/* Blocks go from thread to thread through the slots. */
static void *slots[256];

static void exchange(unsigned seed, int rounds) {
    for (int i = 0; i < rounds; i++) {
        seed = seed * 1664525u + 1013904223u;
        size_t size = (seed >> 8) % ((seed >> 4) % 16 ? 2000 : 200000) + sizeof(size_t);
        size_t *block = omp_malloc_specific(size, kinds[seed % 3]);
        CHECK(block != NULL);
        block[0] = size;
        ((unsigned char *)block)[size - 1] = (unsigned char)(size >> 8 ^ size);
        if (size < 2 * sizeof(size_t)) block[0] = 0;
        size_t *old = __atomic_exchange_n(&slots[seed >> 24], block, __ATOMIC_ACQ_REL);
        if (old != NULL && old[0] != 0)
            CHECK(((unsigned char *)old)[old[0] - 1] == (unsigned char)(old[0] >> 8 ^ old[0]));
        vicinity_free(old);
    }
}

static int stop;

static void *churn(void *seed) {
    while (!load_int(&stop)) exchange((unsigned)(uintptr_t)seed, 100);
    return NULL;
}

/* A child is forked while others allocate: it finds memory whole and no lock held. */
static void forks(void) {
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, churn, (void *)(i + 9)) == 0);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(20);
            exchange(77, 200);
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    store_int(&stop, 1);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

/* No address space is left: null and ENOMEM, what there is can be used, and freed. */
static void fill_up(size_t size, int kind) {
    static char *blocks[1000000];
    struct rlimit limit = {160 * MIB, 160 * MIB};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    int count = 0;
    errno = 0;
    while (count < 1000000 && (blocks[count] = omp_malloc_specific(size, kind)) != NULL) blocks[count++][0] = 1;
    CHECK(count < 1000000 && errno == ENOMEM);
    if (size < 100 * MIB && count == 0) FAIL("no block of %zu of kind %d", size, kind);
    while (count > 0) vicinity_free(blocks[--count]);
}

/* Each in a process of its own: the C library keeps address space that it has had. */
static void exhausted(void) {
    static const size_t sizes[] = {1000, 70000, 3 * MIB, 300 * MIB};
    for (int k = 0; k < 3; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            pid_t child = fork();
            CHECK(child >= 0);
            if (child == 0) {
                fill_up(sizes[s], kinds[k]);
                _exit(0);
            }
            int status;
            CHECK(waitpid(child, &status, 0) == child);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
}

/* Kept from compilers, which see the mistakes. */
static void (*volatile release)(void *, omp_allocator_handle_t) = omp_free;

static void misuse(void) {
    static char fixed[100];
    char stack[100];
    for (int k = 0; k < 3; k++) {
        static const size_t sizes[] = {50, 100000, 50000000};
        for (int s = 0; s < 3; s++) {
            char *block = omp_malloc_specific(sizes[s], kinds[k]);
            CHECK(block != NULL);
            release(block + 1, omp_null_allocator);
            release(block + 16, omp_null_allocator);
            release(block, omp_null_allocator);
            vicinity_free(block);
        }
    }
    char *plain = omp_alloc(100, omp_default_mem_alloc);
    release(plain, omp_default_mem_alloc);
    release(plain, omp_default_mem_alloc);
    CHECK(omp_realloc(plain, 1000, omp_default_mem_alloc, omp_default_mem_alloc) == NULL);
    plain = malloc(100);
    release(plain, omp_null_allocator);
    plain[99] = 1;
    free(plain);
    release(fixed, omp_null_allocator);
    release(stack, omp_null_allocator);
    release((void *)1, omp_null_allocator);
    release((void *)~(uintptr_t)0, omp_null_allocator);
}

static void each_misuse_costs_a_line(const char *environment) {
    static char text[16384];
    EQUAL(run_self(environment, "misuse", text, sizeof text), 0);
    int lines = 0, good = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        lines++;
        good += strncmp(line, "vicinity: ", 10) == 0 && strstr(line, ": 0x") != NULL &&
                strstr(line, "; nothing was freed") != NULL;
    }
    EQUAL(lines, 3 * 9 + 7);
    EQUAL(good, lines);
}

static void all(void) {
    every_kind_and_size();
    turns();
    traits();
    impossible();
#pragma omp parallel num_threads(4)
    exchange((unsigned)omp_get_thread_num() + 1, 1000);
    forks();
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "misuse") == 0) return misuse(), 0;
    if (strcmp(what, "exhausted") == 0) return exhausted(), 0;
    all();
    if (strcmp(what, "all") == 0) return 0;
    static const char *const environments[] = {
        "VICINITY_LOCATIONS=numa_domains", "VICINITY_LOCATIONS=cores OMP_DATA_DISTRIBUTION=coarse",
        "VICINITY_LOCATIONS=cores OMP_DATA_DISTRIBUTION=fine"};
    for (int i = 0; i < 3; i++) {
        static char text[16384];
        if (i > 0 && run_self(environments[i], "all", text, sizeof text) != 0) FAIL("%s: %s", environments[i], text);
        if (run_self(environments[i], "exhausted", text, sizeof text) != 0) FAIL("%s: %s", environments[i], text);
        each_misuse_costs_a_line(environments[i]);
    }
    return 0;
}
