// Threads that wait for their turn in a loop, for others to catch up, or for their part of a sum, while one of these waits for a
// task that they have set aside.
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity -pthread
// peer-fails: libgomp it does not run Vicinity's tasks
// peer-fails: libomp it does not run Vicinity's tasks
#include "check.h"
#include <stdatomic.h>
#include <vicinity.h>

#define OK(call) CHECK((call) == VICINITY_SUCCESS)

enum { LOOPS = 40 };
static vicinity_pause asked, answered;
static atomic_int has_begun;

static int poll(void *argument) { return argument != NULL; }

static void clear(void) {
    asked = answered = (vicinity_pause){{0, 0}};
    has_begun = 0;
}

/* Sets a task aside: it answers when it is asked, and nobody else runs it. */
static void set_aside(void) {
#pragma omp task
    {
        has_begun = 1;
        OK(vicinity_pause_wait(&asked));
        OK(vicinity_pause_end(&answered));
    }
    while (!has_begun) {
#pragma omp taskyield
    }
}

/* Waits for the answer; until the task has begun, not where it could run it. */
static void ask(void) {
    while (!has_begun) usleep(20);
    usleep(2000);
    OK(vicinity_pause_end(&asked));
    OK(vicinity_pause_wait(&answered));
}

static void in_order(void) {
    int order = 0;
    clear();
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 4; i++) {
        if (i == 1) set_aside();
#pragma omp ordered
        {
            if (i == 0) ask();
            CHECK(order++ == i);
        }
    }
}

static void across(void) {
    int order = 0;
    clear();
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (int i = 0; i < 4; i++) {
        if (i == 1) set_aside();
#pragma omp ordered depend(sink : i - 1)
        if (i == 0) ask();
        CHECK(order++ == i);
#pragma omp ordered depend(source)
    }
}

/* One thread is as many loops ahead of another as it may be. */
static void ahead(void) {
    atomic_int done = 0;
    clear();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) set_aside();
        if (omp_get_thread_num() == 1) ask();
        for (int loop = 0; loop < LOOPS; loop++) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 3; i++) atomic_fetch_add(&done, 1);
        }
    }
    CHECK(done == 3 * LOOPS);
}

/* A large team combines its sums in a tree. */
static void summed(void) {
    double sums[20] = {0};
    const int threads = omp_get_num_procs() > 4 ? omp_get_num_procs() : 2;
    clear();
#pragma omp parallel reduction(+ : sums) num_threads(threads)
    {
        if (omp_get_thread_num() == 0) set_aside();
        if (omp_get_thread_num() == 1) ask();
        for (int i = 0; i < 20; i++) sums[i] += i;
    }
    for (int i = 0; i < 20; i++) CHECK(sums[i] == threads * i);
}

int main(void) {
    OK(vicinity_poll(poll, NULL));
    for (int round = 0; round < 3; round++) {
        in_order();
        across();
        ahead();
        summed();
    }
    puts("PASS");
    return 0;
}
