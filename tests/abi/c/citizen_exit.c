// exit, _exit and return from main while a region, its tasks or other threads' regions are at work: no hang.
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <pthread.h>

static void at_end(void) { fputs("handlers ran\n", stdout); }

static void *endless(void *unused) {
    for (;;) {
        int sum = 0;
#pragma omp parallel reduction(+ : sum)
        sum++;
    }
    return unused;
}

static int child(const char *what) {
    pthread_t thread;
    atexit(at_end);
    if (strcmp(what, "region") == 0) {
#pragma omp parallel
        {
            if (omp_get_thread_num() == 0) exit(3);
            for (;;) sched_yield();
        }
    } else if (strcmp(what, "last") == 0) {
#pragma omp parallel
        {
            if (omp_get_thread_num() == omp_get_num_threads() - 1) exit(3);
#pragma omp barrier
        }
    } else if (strcmp(what, "task") == 0) {
#pragma omp parallel
        {
#pragma omp single
            for (int i = 0; i < 100; i++) {
#pragma omp task
                if (i == 50) exit(3);
            }
        }
    } else if (strcmp(what, "critical") == 0) {
#pragma omp parallel
        {
#pragma omp critical
            exit(3);
        }
    } else if (strcmp(what, "thread") == 0) {
        // Another thread is forking and joining all the while.
        CHECK(pthread_create(&thread, NULL, endless, NULL) == 0);
        struct timespec nap = {0, 5000000};
        nanosleep(&nap, NULL);
        exit(3);
    } else if (strcmp(what, "returned") == 0) {
#pragma omp parallel
        busy(10);
        return 3;
    }
    return 77;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"region", "last", "task", "critical", "thread", "returned"};
    static char text[4000];
    if (argc > 1) return child(argv[1]);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            int status = run_self("timeout --signal=KILL 20", ways[i], text, sizeof text);
            if (status != 3) FAIL("%s: status %d: %s", ways[i], status, text);
            if (strcmp(text, "handlers ran\n") != 0) FAIL("%s said: %s", ways[i], text);
        }
    }
    return 0;
}
