// taskyield in tied and untied tasks, outside of tasks, with locks tried in between; no deadlock, nothing lost.
#include "check.h"

int main(void) {
    int done = 0, total = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp taskyield
#pragma omp parallel
    {
#pragma omp taskyield
        for (int i = 0; i < 20; i++) {
#pragma omp task shared(done, total, lock)
            {
                // The classic use: do something else while the lock is taken.
                while (!omp_test_lock(&lock)) {
#pragma omp taskyield
                }
                total++;
                omp_unset_lock(&lock);
                add_int(&done, 1);
            }
#pragma omp task untied shared(done)
            {
#pragma omp taskyield
                busy(10);
#pragma omp taskyield
                add_int(&done, 1);
            }
        }
        for (int i = 0; i < 5; i++) {
#pragma omp taskyield
        }
#pragma omp taskwait
    }
    EQUAL(done, 40 * omp_get_max_threads());
    EQUAL(total, 20 * omp_get_max_threads());
    omp_destroy_lock(&lock);
    return 0;
}
