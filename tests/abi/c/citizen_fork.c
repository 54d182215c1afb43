// fork: before any region, between regions, then OpenMP in parent and child, grandchild too.
// peer-fails: libgomp hangs in the child of a process that has run a region
#include "check.h"
#include <sys/wait.h>

static void use(int n) {
    int count = 0, tasks = 0;
#pragma omp parallel num_threads(n) shared(tasks)
    {
        add_int(&count, 1);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 40; i++) add_int(&count, 1);
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task
            add_int(&tasks, 1);
        }
    }
    EQUAL(count, 40 + n);
    EQUAL(tasks, 20);
}

static void in_child(int depth) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(30);
        use(omp_get_max_threads());
        use(3);
        if (depth > 1) in_child(depth - 1);
        exit(0);
    }
    use(2);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    if (status != 0) FAIL("the child ended with status 0x%x", status);
    use(omp_get_max_threads());
}

int main(void) {
    omp_set_dynamic(0);
    in_child(1);
    use(omp_get_max_threads());
    in_child(2);
    in_child(1);
    return 0;
}
