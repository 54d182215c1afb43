// Tasks, groups, loops and dependences outside of any parallel region.
#include "check.h"

static int total;

static void tree(int depth) {
    add_int(&total, 1);
    if (depth == 0) return;
#pragma omp task
    tree(depth - 1);
#pragma omp task
    tree(depth - 1);
#pragma omp taskwait
}

int main(void) {
    int x = 0, y = 0, order = 0, sum = 0;
    tree(8);
    EQUAL(total, 511);
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : x) shared(x, order)
        {
            EQUAL(order, i);
            order++;
            x += i;
        }
    }
#pragma omp taskwait
    EQUAL(x, 4950);
#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
    }
    EQUAL(sum, 45);
#pragma omp taskloop num_tasks(7) shared(y)
    for (int i = 0; i < 70; i++) add_int(&y, 1);
    EQUAL(y, 70);
#pragma omp task untied priority(3) shared(y)
    add_int(&y, 1);
#pragma omp taskyield
#pragma omp taskwait
    EQUAL(y, 71);
    omp_event_handle_t event;
    int done = 0;
#pragma omp task detach(event) shared(done)
    done = 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    EQUAL(done, 1);
    // A task in a region of one thread, then a region inside a task outside of every region.
    int inner = 0;
#pragma omp task shared(inner)
    {
#pragma omp parallel
        add_int(&inner, 1);
    }
#pragma omp taskwait
    EQUAL(inner, omp_get_max_threads());
    return 0;
}
