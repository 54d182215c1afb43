// Simple locks, with and without hints: mutual exclusion, test, many at a time, set again after destroy.
#include "check.h"

enum { ROUNDS = 300 };
#ifdef __clang__
static const omp_sync_hint_t hints[] = {
    omp_sync_hint_none, omp_sync_hint_uncontended, omp_sync_hint_contended,
    omp_sync_hint_nonspeculative, omp_sync_hint_speculative,
    (omp_sync_hint_t)(omp_sync_hint_contended | omp_sync_hint_nonspeculative)};
#endif

static void excludes(omp_lock_t *lock) {
    long count = 0;
    int inside = 0, team = 0;
#pragma omp parallel
    {
#pragma omp single
        team = omp_get_num_threads();
        for (int i = 0; i < ROUNDS; i++) {
            omp_set_lock(lock);
            EQUAL(add_int(&inside, 1), 0);
            count++;
            add_int(&inside, -1);
            omp_unset_lock(lock);
        }
    }
    EQUAL(count, (long)ROUNDS * team);
}

static void tested(omp_lock_t *lock) {
    CHECK(omp_test_lock(lock));
    EQUAL(omp_test_lock(lock), 0);
    int others = 0;
#pragma omp parallel
    if (omp_test_lock(lock)) add_int(&others, 1);
    EQUAL(others, 0);
    omp_unset_lock(lock);
    long count = 0;
    int team = 0;
#pragma omp parallel
    {
#pragma omp single
        team = omp_get_num_threads();
        for (int i = 0; i < ROUNDS / 3; i++) {
            SPIN_UNTIL(omp_test_lock(lock));
            count++;
            omp_unset_lock(lock);
        }
    }
    EQUAL(count, (long)(ROUNDS / 3) * team);
}

static void handed_over(void) {
    // A lock belongs to a task, not a thread: here it is set and unset by two tasks' threads in turn.
    omp_lock_t ping;
    omp_init_lock(&ping);
    for (int round = 0; round < 20; round++) {
        omp_set_lock(&ping);
        EQUAL(omp_test_lock(&ping), 0);
        omp_unset_lock(&ping);
    }
    omp_destroy_lock(&ping);
}

int main(void) {
    omp_lock_t lock, many[100];
    omp_init_lock(&lock);
    excludes(&lock);
    tested(&lock);
    omp_destroy_lock(&lock);
#ifdef __clang__
    // libgomp 12 declares this function but does not export it.
    for (size_t h = 0; h < sizeof hints / sizeof *hints; h++) {
        omp_init_lock_with_hint(&lock, hints[h]);
        excludes(&lock);
        tested(&lock);
        omp_destroy_lock(&lock);
    }
#endif
    for (int i = 0; i < 100; i++) omp_init_lock(&many[i]);
    long counts[100] = {0};
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 3000; i++) {
        omp_set_lock(&many[i % 100]);
        counts[i % 100]++;
        omp_unset_lock(&many[i % 100]);
    }
    for (int i = 0; i < 100; i++) {
        EQUAL(counts[i], 30);
        omp_destroy_lock(&many[i]);
    }
    handed_over();
    return 0;
}
