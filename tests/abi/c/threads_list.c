// num_threads(a, b, c): each level of nesting takes its number from the list, whatever the environment says; the list ends with the region.
// env: OMP_NUM_THREADS=2,2,3 OMP_MAX_ACTIVE_LEVELS=4 OMP_DYNAMIC=false
// threads: 1
// peer-fails: libgomp it has no such calls
// peer-fails: libomp version 19 has no such calls
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>

// What newer compilers call; the runtime is asked, because this one's may not know them.
struct location { int reserved, flags, more[2]; const char *source; };
static struct location here = {0, 2, {0, 0}, ";list.c;main;7;1;;"};
typedef void outlined(int *, int *, ...);
static void (*fork_call)(struct location *, int, outlined *, ...);
static void (*push_list)(struct location *, int, unsigned, const int *);
static void (*push_one)(struct location *, int, int);
static int (*number)(struct location *);

enum { LEVELS = 3 };
// Threads that were counted at each level, and what the next level would get.
static int reached[LEVELS + 1], next[LEVELS + 1];

static void *find(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) FAIL("no %s", name);
    return found;
}

static void body(int *gtid, int *bound, ...) {
    (void)gtid, (void)bound;
    int level = omp_get_level();
    add_int(&reached[level], 1);
    store_int(&next[level], omp_get_max_threads());
    if (level < LEVELS) fork_call(&here, 0, body);
}

static void region(unsigned length, const int *list) {
    memset(reached, 0, sizeof reached);
    if (length) push_list(&here, number(&here), length, list);
    fork_call(&here, 0, body);
}

static void expect(const int *sizes) {
    for (int level = 1, threads = 1; level <= LEVELS; level++) {
        threads *= sizes[level - 1];
        EQUAL(reached[level], threads);
        if (level < LEVELS) EQUAL(next[level], sizes[level]);
    }
}

static void inner_clause(int *gtid, int *bound, ...) {
    (void)bound;
    EQUAL(omp_get_max_threads(), 2);
    push_one(&here, *gtid, 3);
    fork_call(&here, 0, body);
}

// Each thread of a region gives its own inner region a list; the next inner region knows nothing of it.
static void inner_list(int *gtid, int *bound, ...) {
    (void)bound;
    const int list[] = {3, 1};
    push_list(&here, *gtid, 2, list);
    fork_call(&here, 0, body);
    fork_call(&here, 0, body);
}

int main(void) {
    *(void **)&fork_call = find("__kmpc_fork_call");
    *(void **)&push_list = find("__kmpc_push_num_threads_list");
    *(void **)&push_one = find("__kmpc_push_num_threads");
    *(void **)&number = find("__kmpc_global_thread_num");
    omp_set_num_threads(2);
    for (int round = 0; round < 3; round++) {
        region(3, (const int[]){3, 1, 2});
        expect((const int[]){3, 1, 2});
        EQUAL(omp_get_max_threads(), 2);
        // The last of the list counts for all levels below.
        region(2, (const int[]){3, 1});
        expect((const int[]){3, 1, 1});
        EQUAL(omp_get_max_threads(), 2);
        region(1, (const int[]){3});
        expect((const int[]){3, 2, 3});
        region(0, NULL);
        expect((const int[]){2, 2, 3});
        EQUAL(omp_get_max_threads(), 2);
    }
    // A clause without a list stands for one region, and leaves the rest of the list.
    memset(reached, 0, sizeof reached);
    const int list[] = {1, 2, 4};
    push_list(&here, number(&here), 3, list);
    fork_call(&here, 0, inner_clause);
    EQUAL(reached[2], 3);
    EQUAL(reached[3], 3 * 4);
    // Two threads, each with 3 * 1 and then with 2 * 3 inner ones.
    memset(reached, 0, sizeof reached);
    fork_call(&here, 0, inner_list);
    EQUAL(reached[2], 2 * (3 + 2));
    EQUAL(reached[3], 2 * (3 * 1 + 2 * 3));
    const int outer[] = {3, 2};
    memset(reached, 0, sizeof reached);
    push_list(&here, number(&here), 2, outer);
    fork_call(&here, 0, inner_list);
    EQUAL(reached[2], 3 * (3 + 2));
    EQUAL(reached[3], 3 * (3 * 1 + 2 * 2));
    return 0;
}
