// taskwait waits for children only, taskgroup for all descendants, barriers for every task of the team.
#include "check.h"

static void descend(int depth, int *leaves) {
    if (depth == 0) {
        add_int(leaves, 1);
        return;
    }
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(depth, leaves)
        descend(depth - 1, leaves);
    }
    // No taskwait here: the children outlive their parent.
}

static void grouped(void) {
    int leaves = 0;
#pragma omp taskgroup
    descend(6, &leaves);
    EQUAL(leaves, 729);
    int outer = 0, inner = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(outer, inner)
        {
#pragma omp taskgroup
            descend(4, &inner);
            EQUAL(load_int(&inner), 81);
            descend(3, &outer);
        }
    }
    EQUAL(outer, 27);
}

static void children_only(void) {
    int child = 0;
    static int grandchild;
    grandchild = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task shared(child)
            {
#pragma omp task
                add_int(&grandchild, 1);
                add_int(&child, 1);
            }
        }
#pragma omp taskwait
        EQUAL(load_int(&child), 20);
    }
    EQUAL(grandchild, 20);
}

static void several_waits(void) {
    int x = 0;
    for (int round = 1; round <= 50; round++) {
#pragma omp task shared(x)
        add_int(&x, 1);
#pragma omp task shared(x)
        add_int(&x, 1);
#pragma omp taskwait
        EQUAL(load_int(&x), 2 * round);
    }
#pragma omp taskwait
}

int main(void) {
    int team = omp_get_max_threads(), leaves = 0, after = 0;
#pragma omp parallel shared(leaves)
    {
        grouped();
#pragma omp single nowait
        children_only();
        several_waits();
        descend(4, &leaves);
#pragma omp barrier
        EQUAL(load_int(&leaves), 81 * omp_get_num_threads());
#pragma omp barrier
        descend(2, &leaves);
#pragma omp single
        descend(1, &leaves);
        // The barrier of single has finished it all.
        EQUAL(load_int(&leaves), 90 * omp_get_num_threads() + 3);
#pragma omp barrier
#pragma omp single nowait
        for (int i = 0; i < 500; i++) {
#pragma omp task
            add_int(&after, 1);
        }
    }
    EQUAL(leaves, 90 * team + 3);
    EQUAL(after, 500);
    return 0;
}
