/* Tasks, regions, barriers, loops and locks, each LAPS times: what one of them costs in instructions without a tool. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static long sum;

static void tasks(int laps) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < laps; i++) {
#pragma omp task
        sum++;
    }
}

static void waits(int laps) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < laps; i++) {
#pragma omp task
        sum++;
#pragma omp taskwait
    }
}

static void regions(int laps) {
    for (int i = 0; i < laps; i++) {
#pragma omp parallel
        sum++;
    }
}

static void barriers(int laps) {
#pragma omp parallel
    for (int i = 0; i < laps; i++) {
#pragma omp barrier
    }
}

static void loops(int laps) {
#pragma omp parallel
    for (int i = 0; i < laps; i++) {
#pragma omp for schedule(dynamic, 4) nowait
        for (int j = 0; j < 8; j++) sum++;
    }
}

static void statics(int laps) {
#pragma omp parallel
    for (int i = 0; i < laps; i++) {
#pragma omp for nowait
        for (int j = 0; j < 8; j++) sum++;
    }
}

static void criticals(int laps) {
#pragma omp parallel
    for (int i = 0; i < laps; i++) {
#pragma omp critical
        sum++;
    }
}

static void locks(int laps) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int i = 0; i < laps; i++) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
}

static void depends(int laps) {
    int data = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < laps; i++) {
#pragma omp task depend(inout : data)
        data++;
    }
}

int main(int count, char **words) {
    static const struct { const char *name; void (*run)(int); } all[] = {
        {"tasks", tasks}, {"taskwaits", waits}, {"regions", regions}, {"barriers", barriers}, {"dynamic-loops", loops},
        {"static-loops", statics}, {"criticals", criticals}, {"locks", locks}, {"dependences", depends}};
    for (unsigned at = 0; count == 3 && at < sizeof all / sizeof *all; at++)
        if (!strcmp(words[1], all[at].name)) return all[at].run(atoi(words[2])), 0;
    return 2;
}
