// Thread creation that fails shrinks the team: the program goes on, with at most one line said about it.
// peer-fails: libgomp ends the process
// peer-fails: libomp ends the process
// flags: -rdynamic
#define _GNU_SOURCE
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

static int allowed = -1;

// Stands before the C library's: the first `allowed` threads come to be, the others do not.
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create_function create = (create_function)dlsym(RTLD_NEXT, "pthread_create");
    if (allowed == 0) return EAGAIN;
    if (allowed > 0) allowed--;
    return create(thread, attributes, start, argument);
}

static int child(int threads) {
    allowed = threads;
    omp_set_dynamic(0);
    for (int round = 0; round < 5; round++) {
        int count = 0, team = 0, tasks = 0, iterations = 0;
#pragma omp parallel num_threads(6) shared(team, tasks)
        {
            add_int(&count, 1);
#pragma omp single
            team = omp_get_num_threads();
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 30; i++) add_int(&iterations, 1);
#pragma omp task
            add_int(&tasks, 1);
#pragma omp barrier
        }
        EQUAL(count, team);
        EQUAL(tasks, team);
        EQUAL(iterations, 30);
        CHECK(team >= 1 && team <= threads + 1);
    }
    return 0;
}

int main(int argc, char **argv) {
    static char text[4000];
    if (argc > 1) return child(atoi(argv[1]));
    for (int threads = 0; threads < 5; threads++) {
        char argument[8];
        snprintf(argument, sizeof argument, "%d", threads);
        int status = run_self("timeout --signal=KILL 20", argument, text, sizeof text), lines = 0;
        if (status != 0) FAIL("%d threads: status %d: %s", threads, status, text);
        for (const char *c = text; *c; c++) lines += *c == '\n';
        EQUAL(lines, 1);
        CHECK(strncmp(text, "vicinity: ", 10) == 0);
    }
    return 0;
}
