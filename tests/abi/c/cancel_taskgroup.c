// cancel taskgroup: tasks not begun are dropped, those begun end, tasks outside the group all run.
// env: OMP_CANCELLATION=true
#include "check.h"

static void grow(int *began, int *ended, int depth, int *hit);

static void spawn(int *began, int *ended, int depth, int *hit) {
#pragma omp task firstprivate(began, ended, depth, hit)
    {
        add_int(began, 1);
#pragma omp cancellation point taskgroup
        if (depth > 0) {
            grow(began, ended, depth - 1, hit);
        } else if (add_int(hit, 1) == 3) {
#pragma omp cancel taskgroup
            FAIL("the cancelling task went on");
        }
        add_int(ended, 1);
    }
}

static void grow(int *began, int *ended, int depth, int *hit) {
    for (int i = 0; i < 4; i++) spawn(began, ended, depth, hit);
#pragma omp taskwait
}

static void tree(void) {
    int began = 0, ended = 0, hit = 0;
#pragma omp taskgroup
    spawn(&began, &ended, 5, &hit);
    CHECK(hit >= 4);
    CHECK(began > ended);
}

static void outside(void) {
    int out = 0, in = 0;
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(out)
        add_int(&out, 1);
    }
#pragma omp taskgroup
    {
        for (int i = 0; i < 50; i++) {
#pragma omp task shared(in)
            {
                add_int(&in, 1);
#pragma omp cancel taskgroup
                FAIL("the cancelling task went on");
            }
        }
    }
#pragma omp taskwait
    EQUAL(out, 50);
    CHECK(in >= 1 && in <= 50);
}

static void dependent(void) {
    // Tasks whose predecessors were dropped are dropped too, and the group still ends.
    int runs = 0;
    char x;
#pragma omp taskgroup
    {
        for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : x) shared(runs)
            {
                if (add_int(&runs, 1) == 4) {
#pragma omp cancel taskgroup
                }
            }
        }
    }
    CHECK(runs >= 5 && runs <= 30);
    int later = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < 30; i++) {
#pragma omp task shared(later) depend(inout : x)
            later++;
        }
    }
    EQUAL(later, 30);
}

static void inner_only(void) {
    int outer = 0, inner = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(outer, inner)
            {
#pragma omp taskgroup
                {
#pragma omp task shared(inner)
                    {
                        add_int(&inner, 1);
#pragma omp cancel taskgroup
                    }
                }
#pragma omp cancellation point taskgroup
                add_int(&outer, 1);
            }
        }
    }
    EQUAL(inner, 10);
    EQUAL(outer, 10);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 5; round++) {
        tree();
        outside();
        dependent();
        inner_only();
    }
    return 0;
}
