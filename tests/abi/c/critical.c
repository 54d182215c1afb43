// critical: unnamed, named apart from one another, hinted, with a thrown-in nest of different names.
#include "check.h"

enum { ROUNDS = 300 };
static long plain, named, hinted, uncontended;
static int in_plain, in_named;

static void from_another_function(void) {
#pragma omp critical(named)
    named++;
}

int main(void) {
    int team = 0, outer = 0;
#pragma omp parallel
    {
#pragma omp single
        team = omp_get_num_threads();
        for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
            {
                EQUAL(add_int(&in_plain, 1), 0);
                plain++;
                add_int(&in_plain, -1);
            }
#pragma omp critical(named)
            {
                EQUAL(add_int(&in_named, 1), 0);
                named++;
                add_int(&in_named, -1);
            }
            from_another_function();
#pragma omp critical(hot) hint(omp_sync_hint_contended)
            hinted++;
#pragma omp critical(cold) hint(omp_sync_hint_uncontended | omp_sync_hint_speculative)
            uncontended++;
            // A critical of another name inside: no deadlock.
#pragma omp critical(first)
            {
#pragma omp critical(second)
                outer++;
            }
        }
    }
    EQUAL(plain, (long)ROUNDS * team);
    EQUAL(named, 2L * ROUNDS * team);
    EQUAL(hinted, (long)ROUNDS * team);
    EQUAL(uncontended, (long)ROUNDS * team);
    EQUAL(outer, (long)ROUNDS * team);
#pragma omp critical
    plain = 0;
    EQUAL(plain, 0);
    return 0;
}
