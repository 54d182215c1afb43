// One producer of 300,000 tasks: all run, memory stays bounded; and all threads producing at once.
#include "check.h"
#include <sys/resource.h>

enum { MANY = 300000 };

static long resident_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

int main(void) {
    static long ran;
    long before = resident_mb();
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < MANY; i++) {
#pragma omp task
            __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
        }
        EQUAL(ran, MANY);
    }
    CHECK(resident_mb() - before < 256);
    ran = 0;
#pragma omp parallel
    {
        int team = omp_get_num_threads();
        for (int i = 0; i < MANY / 3 / team; i++) {
#pragma omp task
            __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
        }
#pragma omp barrier
        EQUAL(__atomic_load_n(&ran, __ATOMIC_RELAXED), (long)(MANY / 3 / team) * team);
    }
    return 0;
}
