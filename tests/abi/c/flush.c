// flush in all its forms: data published before a flag is seen after it.
// threads: 2 8
#include "check.h"

enum { ROUNDS = 60 };
static int data, flag, back;

int main(void) {
#pragma omp parallel num_threads(2)
    {
        for (int r = 1; r <= ROUNDS; r++) {
            if (omp_get_thread_num() == 0) {
                data = r * 3;
#pragma omp flush
#pragma omp atomic write
                flag = r;
                int seen;
                do {
                    sched_yield();
#pragma omp atomic read
                    seen = back;
                } while (seen != r);
            } else {
                int seen;
                do {
                    sched_yield();
#pragma omp atomic read acquire
                    seen = flag;
                } while (seen != r);
#pragma omp flush(data)
                EQUAL(data, r * 3);
#pragma omp flush acq_rel
#pragma omp atomic write release
                back = r;
#pragma omp flush release
#pragma omp flush acquire
            }
        }
    }
    EQUAL(back, ROUNDS);
    return 0;
}
