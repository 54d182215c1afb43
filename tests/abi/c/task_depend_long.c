// A chain of 100,000 tasks and 100,000 readers of one address: no deep recursion, no quadratic cost.
// peer-fails: libgomp is quadratic in the readers at one thread
// threads: 1 2 8
// env: OMP_STACKSIZE=256K
#include "check.h"

enum { MANY = 100000 };

int main(void) {
    static long chain, readers, written;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < MANY; i++) {
#pragma omp task depend(inout : chain) firstprivate(i)
            {
                EQUAL(chain, i);
                chain++;
            }
        }
#pragma omp taskwait
        EQUAL(chain, MANY);
        for (int round = 1; round <= 2; round++) {
#pragma omp task depend(out : written) shared(written, readers) firstprivate(round)
            {
                EQUAL(readers, (long)(round - 1) * MANY);
                written = round;
            }
            for (int i = 0; i < MANY; i++) {
#pragma omp task depend(in : written) firstprivate(round)
                {
                    EQUAL(written, round);
                    __atomic_fetch_add(&readers, 1, __ATOMIC_RELAXED);
                }
            }
        }
#pragma omp task depend(inout : written)
        {
            EQUAL(readers, 2L * MANY);
            written = 10;
        }
#pragma omp taskwait
        EQUAL(written, 10);
    }
    return 0;
}
