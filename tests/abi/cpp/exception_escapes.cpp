// An exception that leaves a region or a task ends the program by std::terminate, not by a hang.
// threads: 1 2 8
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <exception>
#include <initializer_list>

static void stop() {
    fputs("terminated\n", stdout);
    fflush(stdout);
    _exit(5);
}

static int child(const char *what) {
    std::set_terminate(stop);
    if (strcmp(what, "region") == 0) {
#pragma omp parallel
        {
            if (omp_get_thread_num() == omp_get_num_threads() - 1) throw 1;
#pragma omp barrier
        }
    } else {
#pragma omp parallel
        {
#pragma omp single
            for (int i = 0; i < 10; i++) {
#pragma omp task
                if (i == 5) throw 2;
            }
        }
    }
    return 9;
}

int main(int argc, char **argv) {
    static char text[4000];
    if (argc > 1) return child(argv[1]);
    for (const char *what : {"region", "task"}) {
        int status = run_self("timeout --signal=KILL 20", what, text, sizeof text);
        if (status != 5) FAIL("%s: status %d: %s", what, status, text);
        CHECK(strstr(text, "terminated") != nullptr);
    }
    return 0;
}
