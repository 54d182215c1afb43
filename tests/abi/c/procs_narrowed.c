// omp_get_num_procs counts the processors that the thread may run on when it asks: programs narrow that (Python's workers by
// os.sched_setaffinity) after their first call.
// peer-fails: libomp it counts once
#define _GNU_SOURCE
#include "check.h"
#include <sched.h>

int main(void) {
    cpu_set_t all, one;
    int before = omp_get_num_procs();
    CHECK(before >= 1);
    EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
    EQUAL(omp_get_num_procs(), 1);
    EQUAL(sched_setaffinity(0, sizeof all, &all), 0);
    EQUAL(omp_get_num_procs(), before);
    return 0;
}
