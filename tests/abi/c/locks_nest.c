// Nestable locks, with and without hints: depth counted by test, owned by the task that set them.
// peer-fails: libomp nestable locks belong to the thread
#include "check.h"

enum { ROUNDS = 150 };

static long shared_count;

static void recurse(omp_nest_lock_t *lock, int depth) {
    omp_set_nest_lock(lock);
    shared_count++;
    if (depth > 1) recurse(lock, depth - 1);
    omp_unset_nest_lock(lock);
}

static void use(omp_nest_lock_t *lock) {
    EQUAL(omp_test_nest_lock(lock), 1);
    EQUAL(omp_test_nest_lock(lock), 2);
    omp_set_nest_lock(lock);
    EQUAL(omp_test_nest_lock(lock), 4);
    int refused = 0, team = 0;
#pragma omp parallel reduction(+ : refused)
    {
#pragma omp single
        team = omp_get_num_threads();
        // The primary's implicit task is another task than the one that holds the lock.
        if (omp_get_thread_num() != 0) refused += omp_test_nest_lock(lock) == 0;
    }
    EQUAL(refused, team - 1);
    for (int i = 0; i < 4; i++) omp_unset_nest_lock(lock);
    shared_count = 0;
#pragma omp parallel
    for (int i = 0; i < ROUNDS; i++) recurse(lock, 4);
    EQUAL(shared_count, 4L * ROUNDS * team);
    shared_count = 0;
#pragma omp parallel
    for (int i = 0; i < ROUNDS / 3; i++) {
        SPIN_UNTIL(omp_test_nest_lock(lock) == 1);
        EQUAL(omp_test_nest_lock(lock), 2);
        shared_count++;
        omp_unset_nest_lock(lock);
        shared_count++;
        omp_unset_nest_lock(lock);
    }
    EQUAL(shared_count, 2L * (ROUNDS / 3) * team);
}

int main(void) {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    use(&lock);
    omp_destroy_nest_lock(&lock);
#ifdef __clang__
    // libgomp 12 declares this function but does not export it.
    static const omp_sync_hint_t hints[] = {omp_sync_hint_none, omp_sync_hint_contended,
                                            omp_sync_hint_uncontended, omp_sync_hint_speculative};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        omp_init_nest_lock_with_hint(&lock, hints[i]);
        use(&lock);
        omp_destroy_nest_lock(&lock);
    }
#endif
    // Locked by a task, refused to another task of the same thread.
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(1)
    {
        omp_set_nest_lock(&lock);
        int got = -1;
#pragma omp task shared(got) if (0)
        got = omp_test_nest_lock(&lock);
        EQUAL(got, 0);
        omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
    return 0;
}
