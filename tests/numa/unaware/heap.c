/* heap: large memory of a C program lies as `vicinity run --distribution HOW` says, whatever routine it asks; small memory is the C
 * library's. Argument: HOW. */
#define _GNU_SOURCE
#include "pages.h"
#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(truth)                                                                              \
    do {                                                                                          \
        if (!(truth)) {                                                                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, #truth);                                  \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

enum { LARGE = 5 << 20, ROUNDS = 200 };

static char variables[6 << 20];

static int is_zero(const char *block, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (block[i]) return 0;
    return 1;
}

/* All touched by this thread, checked, and filled with a pattern. */
static void check(const char *what, const char *how, char *block, size_t size) {
    CHECK(block != NULL);
    for (size_t i = 0; i < size; i++) block[i] = (char)(i >> 8);
    check_pages(what, how, block, size);
}

static int has_pattern(const char *block, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (block[i] != (char)(i >> 8)) return 0;
    return 1;
}

static void routines(const char *how) {
    char *block = malloc(LARGE);
    check("malloc", how, block, LARGE);
    CHECK(malloc_usable_size(block) >= LARGE);
    block = realloc(block, 2 * LARGE);
    CHECK(has_pattern(block, LARGE));
    check("realloc", how, block, 2 * LARGE);
    block = realloc(block, 1000);
    CHECK(has_pattern(block, 1000));
    block = realloc(block, LARGE);
    CHECK(has_pattern(block, 1000));
    check("realloc of a small block", how, block, LARGE);
    CHECK(realloc(block, 0) == NULL);

    block = calloc(LARGE / 8, 8);
    CHECK(is_zero(block, LARGE));
    check("calloc", how, block, LARGE);
    free(block);
    CHECK(is_zero(block = calloc(LARGE / 8, 8), LARGE));
    free(block);
    /* Compilers take it that memory nobody uses is there. */
    void *(*volatile ask)(size_t, size_t) = calloc;
    CHECK(ask(SIZE_MAX / 4, 8) == NULL && ask(SIZE_MAX / 4, 3) == NULL);

    void *aligned = NULL;
    CHECK(posix_memalign(&aligned, 1 << 21, LARGE) == 0 && (uintptr_t)aligned % (1 << 21) == 0);
    check("posix_memalign", how, aligned, LARGE);
    free(aligned);
    CHECK(posix_memalign(&aligned, 24, LARGE) != 0);
    aligned = aligned_alloc(4096, 8 << 20);
    CHECK((uintptr_t)aligned % 4096 == 0);
    check("aligned_alloc", how, aligned, 8 << 20);
    free(aligned);
    aligned = memalign(64, LARGE);
    check("memalign", how, aligned, LARGE);
    free(aligned);
}

static void mappings(const char *how) {
    char *block = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(block != MAP_FAILED);
    /* A mapping stays one for the kernel, so that mremap takes it. */
    check("mmap", strcmp(how, "blocked") == 0 ? "fine" : how, block, LARGE);
    CHECK(munmap(block, 4096) == 0);
    block = mremap(block + 4096, LARGE - 4096, 2 * LARGE, MREMAP_MAYMOVE);
    CHECK(block != MAP_FAILED && munmap(block, 2 * LARGE) == 0);
    /* What others are told. */
    block = mmap(NULL, LARGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(block != MAP_FAILED && munmap(block, LARGE) == 0);
    CHECK(mmap(NULL, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    if (strcmp(how, "fine") == 0) check("variables", how, variables, sizeof variables);
}

/* Blocks of all sizes, in all threads, freed by others than allocated them; and children. */
static void threads(void) {
    static char *blocks[64];
    int count = 0;
#pragma omp parallel num_threads(8) reduction(+ : count)
    for (int round = 0; round < ROUNDS; round++) {
        int at = (round * 7 + omp_get_thread_num() * 11) % 64;
        size_t size = (size_t)64 << (round % 16);
        char *mine = malloc(size);
        if (!mine) exit(1);
        mine[0] = mine[size - 1] = 1;
        char *old = __atomic_exchange_n(&blocks[at], mine, __ATOMIC_ACQ_REL);
        if (old) count += old[0];
        free(old);
    }
    CHECK(count > 0);
    for (int i = 0; i < 64; i++) free(blocks[i]);
    for (int i = 0; i < 4; i++) {
        char *before = malloc(LARGE);
        pid_t child = fork();
        if (child == 0) {
            char *own = calloc(1, LARGE);
            free(before);
            int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
            sum += own != NULL && own[LARGE - 1] == 0;
            free(own);
            _exit(sum == 2 ? 0 : 1);
        }
        int status = 1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        free(before);
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    char *small = malloc(100000);
    CHECK(small != NULL && malloc_usable_size(small) < 200000);
    free(small);
    routines(argv[1]);
    mappings(argv[1]);
    threads();
    return 0;
}
