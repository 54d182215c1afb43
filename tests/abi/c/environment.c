// The standard variables, and what is done with values that make no sense: one line each, and the program runs.
// peer-fails: libomp asserts on OMP_NUM_THREADS=zero
// peer-fails: libgomp says nothing of most numbers that are too large
// threads: 2
#define CHECK_CHILD_PROCESSES
#include "check.h"

static char text[40000];

static int child(const char *what) {
    int n = 0, chunk;
    omp_sched_t kind;
    omp_get_schedule(&kind, &chunk);
#pragma omp parallel reduction(+ : n)
    n++;
    CHECK(n == omp_get_max_threads() || omp_get_dynamic());
    if (strcmp(what, "show") == 0)
        printf("threads=%d dynamic=%d levels=%d limit=%d kind=%d chunk=%d cancel=%d prio=%d\n", omp_get_max_threads(),
               omp_get_dynamic(), omp_get_max_active_levels(), omp_get_thread_limit(), (int)kind & 15, chunk,
               omp_get_cancellation(), omp_get_max_task_priority());
    return 0;
}

static void shows(const char *environment, const char *part) {
    int status = run_self(environment, "show", text, sizeof text);
    if (status != 0 || strstr(text, part) == NULL)
        FAIL("%s: status %d, expected '%s' in: %s", environment, status, part, text);
}

/* Exactly one line is said, which names the variable; the program runs as if it were not set. */
static void complains(const char *environment) {
    char name[100];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(environment, "="), environment);
    int status = run_self(environment, "quiet", text, sizeof text), lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    if (status != 0 || lines != 1 || !strstr(text, name)) FAIL("%s: status %d: %s", environment, status, text);
}

int main(int argc, char **argv) {
    if (argc > 1) return child(argv[1]);
    shows("OMP_NUM_THREADS=5", "threads=5 ");
    shows("OMP_NUM_THREADS=' 3 '", "threads=3 ");
    shows("OMP_NUM_THREADS=4,2", "threads=4 ");
    shows("OMP_DYNAMIC=TRUE", "dynamic=1");
    shows("OMP_DYNAMIC=false", "dynamic=0");
    shows("OMP_MAX_ACTIVE_LEVELS=7", "levels=7 ");
    shows("OMP_THREAD_LIMIT=12", "limit=12 ");
    shows("OMP_SCHEDULE=dynamic", "kind=2 chunk=1");
    shows("OMP_SCHEDULE=guided,4", "kind=3 chunk=4");
#ifndef __clang__
    // libomp does not take the space.
    shows("OMP_SCHEDULE='guided, 4'", "kind=3 chunk=4");
#endif
    shows("OMP_SCHEDULE=STATIC,8", "kind=1 chunk=8");
    shows("OMP_SCHEDULE=monotonic:dynamic,3", "kind=2 chunk=3");
    shows("OMP_SCHEDULE=nonmonotonic:guided,3", "kind=3 chunk=3");
    shows("OMP_CANCELLATION=true", "cancel=1");
    shows("OMP_MAX_TASK_PRIORITY=11", "prio=11");
    shows("OMP_WAIT_POLICY=passive", "threads=2");
    shows("OMP_WAIT_POLICY=ACTIVE OMP_NUM_THREADS=1", "threads=1");
    shows("OMP_PROC_BIND=close", "threads=2");
    shows("OMP_PROC_BIND=false", "threads=2");
    shows("OMP_PLACES=threads", "threads=2");
    shows("OMP_PLACES='{0}' OMP_PROC_BIND=true", "threads=2");
    shows("OMP_STACKSIZE=512K", "threads=2");
    shows("OMP_STACKSIZE='2 M'", "threads=2");
    // Not understood: a complaint, and a default.
    shows("OMP_SCHEDULE=sometimes", "threads=2");
    if (strstr(text, "SCHEDULE") == NULL) FAIL("no complaint about OMP_SCHEDULE: %s", text);
    shows("OMP_DYNAMIC=perhaps", "dynamic=0");
    shows("OMP_STACKSIZE=lots", "threads=2");
    shows("OMP_NUM_THREADS=zero", "threads=");
    shows("OMP_NUM_THREADS=-1", "threads=");
    shows("OMP_NUM_THREADS=", "threads=");
    complains("OMP_NUM_THREADS=99999999999999999999999");
    complains("OMP_NUM_THREADS=2147483648");
    complains("OMP_THREAD_LIMIT=99999999999");
    complains("OMP_MAX_ACTIVE_LEVELS=99999999999");
    complains("OMP_MAX_TASK_PRIORITY=4294967296");
    complains("OMP_SCHEDULE=dynamic,99999999999999999999");
    complains("OMP_STACKSIZE=99999999999999999999G");
    complains("OMP_NUM_TEAMS=-1");
    complains("OMP_DEFAULT_DEVICE=99999999999");
#ifndef __clang__
    complains("GOMP_SPINCOUNT=99999999999999999999999");
#else
    complains("KMP_LIBRARY=fast");
    complains("KMP_BLOCKTIME=99999999999");
    complains("KMP_WARNINGS=perhaps");
#endif
    return 0;
}
