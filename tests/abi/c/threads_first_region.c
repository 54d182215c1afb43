// Where threads outnumber processors, a new one sleeps until its region begins: it takes little time from the thread that
// creates the others. What is counted is how often anybody gives way while the first regions run.
// flags: -rdynamic
// threads: 400
// env: OMP_STACKSIZE=256K
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>

static int yields;

// Stands before the C library's.
int sched_yield(void) {
    typedef int (*yield_function)(void);
    static yield_function yield;
    if (!yield) yield = (yield_function)dlsym(RTLD_NEXT, "sched_yield");
    add_int(&yields, 1);
    return yield();
}

int main(void) {
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    }
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    omp_set_dynamic(0);
    for (int region = 0; region < 2; region++) {
        int count = 0, size = 0;
#pragma omp parallel
        {
            add_int(&count, 1);
            if (omp_get_thread_num() == 0) size = omp_get_num_threads();
        }
        EQUAL(count, size);
        // Two times each, before they sleep; spinning, hundreds of times.
        if (yields > 130 * (region + 1) * size) FAIL("%d times in region %d of %d threads", yields, region, size);
    }
    return 0;
}
