// Nothing is printed unasked, whatever is used; standard streams belong to the program.
// threads: 2 8
#define CHECK_CHILD_PROCESSES
#include "check.h"

static int child(void) {
    int sum = 0;
    omp_set_dynamic(0);
    omp_set_max_active_levels(1000);
    omp_set_num_threads(4);
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : sum) priority(4) untied
            busy(10);
        }
#pragma omp parallel num_threads(2)
        busy(10);
        sum++;
    }
#pragma omp target map(tofrom : sum)
    sum++;
#pragma omp teams num_teams(2)
    busy(1);
    return sum == 5 ? 0 : 1;
}

int main(int argc, char **argv) {
    static char text[4000];
    if (argc > 1) return child();
    static const char *const environments[] = {"", "OMP_NUM_THREADS=300", "OMP_WAIT_POLICY=passive",
                                               "OMP_PROC_BIND=true OMP_PLACES=cores", "OMP_DYNAMIC=true",
                                               "OMP_STACKSIZE=1M OMP_THREAD_LIMIT=64"};
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
        int status = run_self(environments[i], "child", text, sizeof text);
        if (status != 0 || text[0]) FAIL("'%s': status %d, said: %s", environments[i], status, text);
    }
    return 0;
}
