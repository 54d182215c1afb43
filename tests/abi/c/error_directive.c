// The error directive at run time: a warning is said and passed, a fatal one ends the program.
// threads: 1 8
#define CHECK_CHILD_PROCESSES
#include "check.h"

static int child(const char *what) {
    if (strcmp(what, "warning") == 0) {
#pragma omp error at(execution) severity(warning) message("mind the step")
        puts("went on");
        return 0;
    }
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp error at(execution) severity(fatal) message("no further")
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    static char text[4000];
    if (argc > 1) return child(argv[1]);
    EQUAL(run_self("", "warning", text, sizeof text), 0);
    if (strstr(text, "mind the step") == NULL || strstr(text, "went on") == NULL) FAIL("said: %s", text);
    int status = run_self("timeout --signal=KILL 20", "fatal", text, sizeof text);
    if (status == 0 || status == 137) FAIL("fatal: status %d: %s", status, text);
    if (strstr(text, "no further") == NULL) FAIL("said: %s", text);
    return 0;
}
