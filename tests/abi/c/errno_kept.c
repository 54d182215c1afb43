// Constructs at which threads wait leave errno alone: it is what the program's last call said.
// env: OMP_WAIT_POLICY=passive
#include "check.h"
#include <errno.h>

static int changed;

static void expect(int expected) {
    if (errno != expected) {
#pragma omp atomic
        changed++;
    }
}

int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    errno = EACCES;
#pragma omp parallel num_threads(8)
    ;
    expect(EACCES);
#pragma omp parallel num_threads(8)
    {
        int number = EACCES + omp_get_thread_num();
        for (int round = 0; round < 100; round++) {
            errno = number;
#pragma omp critical
            for (volatile int i = 0; i < 2000; i++) expect(number);
            expect(number);
            omp_set_lock(&lock);
            for (volatile int i = 0; i < 2000; i++) expect(number);
            omp_unset_lock(&lock);
            expect(number);
#pragma omp barrier
            expect(number);
#pragma omp single
            errno = number;
            expect(number);
#pragma omp for ordered schedule(dynamic)
            for (int i = 0; i < 16; i++) {
#pragma omp ordered
                expect(number);
            }
            expect(number);
        }
    }
    EQUAL(changed, 0);
    omp_destroy_lock(&lock);
    return 0;
}
