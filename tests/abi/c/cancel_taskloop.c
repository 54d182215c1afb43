// cancel taskgroup inside a taskloop drops the iterations not begun.
// env: OMP_CANCELLATION=true
// peer-fails: libomp hangs at two threads
#include "check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 10; round++) {
        int runs = 0, after = 0, wrong = 0;
#pragma omp taskloop grainsize(1) shared(runs, wrong)
        for (int i = 0; i < 200; i++) {
            add_int(&runs, 1);
#pragma omp cancel taskgroup
            add_int(&wrong, 1);
        }
        EQUAL(wrong, 0);
        CHECK(runs >= 1 && runs <= 200);
#pragma omp taskloop grainsize(3) shared(after)
        for (int i = 0; i < 200; i++) add_int(&after, 1);
        EQUAL(after, 200);
    }
    return 0;
}
