// A chain of tasks within tasks that uses up the stack, by steps of many sizes: where the creator begins to defer them, dependences
// hold as before.
// threads: 1
#include "check.h"
#include <alloca.h>

// Less than a default main thread's stack, and more than its half.
enum { STACK_BYTES = 5800000, FRAMES_BYTES = 700, PADDING_STEP = 16, MOST_PADDING = 1024 };

static int seen;

static void nest(int depth, int padding) {
    volatile char *room = alloca((size_t)padding + 1);
    int x = 0;
    room[padding] = 1;
#pragma omp task depend(out : x) shared(x) firstprivate(depth, padding)
    {
        if (depth) nest(depth - 1, padding);
        x = 1;
    }
#pragma omp task depend(in : x) shared(x)
    {
        EQUAL(x, 1);
        seen++;
    }
#pragma omp taskwait
}

int main(void) {
    int levels = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
    for (int padding = 0; padding < MOST_PADDING; padding += PADDING_STEP) {
        int depth = STACK_BYTES / (FRAMES_BYTES + padding);
        nest(depth, padding);
        levels += depth + 1;
    }
    EQUAL(seen, levels);
    return 0;
}
