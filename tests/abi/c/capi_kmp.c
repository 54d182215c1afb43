// libomp's own routines: masks, stack size, block time, library mode, defaults, warnings.
// compilers: clang
// threads: 4
#define _GNU_SOURCE
#include "check.h"

static void masks(void) {
    kmp_affinity_mask_t mask = NULL, before = NULL;
    kmp_create_affinity_mask(&mask);
    kmp_create_affinity_mask(&before);
    CHECK(mask != NULL);
    int most = kmp_get_affinity_max_proc(), first = -1, count = 0;
    CHECK(most >= 1);
    EQUAL(kmp_get_affinity(&before), 0);
    for (int cpu = 0; cpu < most; cpu++)
        if (kmp_get_affinity_mask_proc(cpu, &before)) {
            if (first < 0) first = cpu;
            count++;
        }
    CHECK(count >= 1);
    EQUAL(kmp_get_affinity_mask_proc(first, &mask), 0);
    EQUAL(kmp_set_affinity_mask_proc(first, &mask), 0);
    EQUAL(kmp_get_affinity_mask_proc(first, &mask), 1);
    EQUAL(kmp_set_affinity_mask_proc(-1, &mask), -1);
    EQUAL(kmp_set_affinity_mask_proc(most, &mask), -1);
    EQUAL(kmp_set_affinity(&mask), 0);
    EQUAL(sched_getcpu(), first);
    EQUAL(kmp_unset_affinity_mask_proc(first, &mask), 0);
    EQUAL(kmp_get_affinity(&mask), 0);
    EQUAL(kmp_get_affinity_mask_proc(first, &mask), 1);
    EQUAL(kmp_set_affinity(&before), 0);
    kmp_destroy_affinity_mask(&mask);
    kmp_destroy_affinity_mask(&before);
    EQUAL(mask == NULL, 1);
}

static int team(void) {
    int n = 0;
#pragma omp parallel reduction(+ : n)
    n++;
    return n;
}

int main(void) {
    EQUAL(omp_get_thread_num(), 0);
    kmp_set_warnings_off();
    kmp_set_warnings_on();
    kmp_set_stacksize_s(3 << 20);
    EQUAL(kmp_get_stacksize_s(), 3 << 20);
    EQUAL(kmp_get_stacksize(), 3 << 20);
    masks();
    EQUAL(team(), 4);
    CHECK(kmp_get_blocktime() >= 0);
    kmp_set_blocktime(7);
    EQUAL(kmp_get_blocktime(), 7);
    EQUAL(team(), 4);
    kmp_set_defaults("OMP_NUM_THREADS=3|KMP_BLOCKTIME=0");
    EQUAL(omp_get_max_threads(), 3);
    EQUAL(team(), 3);
    kmp_set_library_turnaround();
    EQUAL(kmp_get_library(), 2);
    kmp_set_library_throughput();
    EQUAL(kmp_get_library(), 3);
    EQUAL(team(), omp_get_max_threads());
    return 0;
}
