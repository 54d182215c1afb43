// Deep recursion: a line of 1,000 nested tasks, each waiting for its child, and a wide one with helpers in between.
#include "check.h"

enum { DEPTH = 1000 };

static int down(int depth) {
    int below = 0;
    if (depth == 0) return 0;
#pragma omp task shared(below) firstprivate(depth)
    below = down(depth - 1);
#pragma omp taskwait
    return below + 1;
}

static int down_with_others(int depth, int *others) {
    int below = 0;
    if (depth == 0) return 0;
#pragma omp task shared(below) firstprivate(depth, others)
    below = down_with_others(depth - 1, others);
#pragma omp task firstprivate(others)
    add_int(others, 1);
#pragma omp taskwait
    return below + 1;
}

static void no_wait_at_all(int depth, int *count) {
    add_int(count, 1);
    if (depth > 0) {
#pragma omp task firstprivate(depth, count)
        no_wait_at_all(depth - 1, count);
    }
}

int main(void) {
    int others = 0, count = 0;
#pragma omp parallel
#pragma omp single
    {
        EQUAL(down(DEPTH), DEPTH);
        EQUAL(down_with_others(DEPTH, &others), DEPTH);
        EQUAL(others, DEPTH);
#pragma omp taskgroup
        no_wait_at_all(20000, &count);
        EQUAL(count, 20001);
    }
    return 0;
}
