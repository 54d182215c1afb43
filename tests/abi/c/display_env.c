// OMP_DISPLAY_ENV and omp_display_env: the block, its version, the values in force; silence otherwise.
// threads: 2
#define CHECK_CHILD_PROCESSES
#include "check.h"

static char text[60000];

static void shows(const char *part) {
    if (strstr(text, part) == NULL) FAIL("no '%s' in:\n%s", part, text);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        if (strcmp(argv[1], "call") == 0) omp_display_env(0);
        if (strcmp(argv[1], "verbose") == 0) omp_display_env(1);
        int n = 0;
#pragma omp parallel
        add_int(&n, 1);
        return n == omp_get_max_threads() ? 0 : 3;
    }
    EQUAL(run_self("OMP_NUM_THREADS=4,3 OMP_SCHEDULE=dynamic,7 OMP_DISPLAY_ENV=true", "region", text, sizeof text), 0);
    shows("OPENMP DISPLAY ENVIRONMENT BEGIN");
    shows("_OPENMP");
    shows("OMP_NUM_THREADS");
    shows("4,3");
    shows("OMP_DYNAMIC");
    shows("OMP_SCHEDULE");
    shows("OMP_CANCELLATION");
    shows("OMP_WAIT_POLICY");
    shows("OMP_THREAD_LIMIT");
    shows("OMP_MAX_ACTIVE_LEVELS");
    shows("OMP_PROC_BIND");
    shows("OMP_PLACES");
    shows("OMP_STACKSIZE");
    shows("OPENMP DISPLAY ENVIRONMENT END");
    EQUAL(run_self("OMP_DISPLAY_ENV=verbose", "region", text, sizeof text), 0);
    shows("OPENMP DISPLAY ENVIRONMENT BEGIN");
    EQUAL(run_self("", "call", text, sizeof text), 0);
    shows("OPENMP DISPLAY ENVIRONMENT END");
    EQUAL(run_self("", "verbose", text, sizeof text), 0);
    shows("OMP_NUM_THREADS");
    EQUAL(run_self("", "region", text, sizeof text), 0);
    if (text[0]) FAIL("not silent: %s", text);
    return 0;
}
