// The C API's pauses: tasks that wait for each other in orders in which no stack of calls could wait, on any number of
// threads; each goes on on its own thread.
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity -pthread
// peer-fails: libgomp it does not run Vicinity's tasks
// peer-fails: libomp it does not run Vicinity's tasks
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <stdatomic.h>
#include <vicinity.h>

#define OK(call) CHECK((call) == VICINITY_SUCCESS)

enum { TASKS = 1500, AWAITED = 400 };

static vicinity_pause pauses[TASKS];
static _Thread_local int own;

static void clear(void) {
    for (int i = 0; i < TASKS; i++) pauses[i] = (vicinity_pause){{0, 0}};
}

/* Waits as a task that keeps its thread, its number and its errno. */
static void wait_for(vicinity_pause *pause, int number) {
    int before = omp_get_thread_num();
    int *mine = &own;
    errno = number;
    CHECK(vicinity_pause_helps() == 1);
    OK(vicinity_pause_wait(pause));
    CHECK(errno == number);
    CHECK(omp_get_thread_num() == before);
    CHECK(mine == &own);
}

/* Each waits for the one created after it. */
static void chain(void) {
    static int order[TASKS];
    atomic_int ended = 0;
    clear();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i) shared(ended)
        {
            if (i < TASKS - 1) wait_for(&pauses[i], i);
            order[i] = atomic_fetch_add(&ended, 1);
            if (i > 0) OK(vicinity_pause_end(&pauses[i - 1]));
        }
    }
    CHECK(ended == TASKS);
    for (int i = 0; i < TASKS; i++) CHECK(order[i] == TASKS - 1 - i);
}

/* What is polled for: entry i is ended when it was asked for i times. */
static struct {
    _Atomic(vicinity_pause *) pause;
    int left;
} awaited[AWAITED];
static atomic_int asking;

static int poll(void *argument) {
    CHECK(argument == &asking);
    CHECK(atomic_fetch_add(&asking, 1) == 0);
    errno = EAGAIN;
    int pending = 0;
    for (int i = 0; i < AWAITED; i++) {
        vicinity_pause *pause = atomic_load(&awaited[i].pause);
        if (pause == NULL) continue;
        if (awaited[i].left-- > 0) {
            pending++;
            continue;
        }
        atomic_store(&awaited[i].pause, NULL);
        OK(vicinity_pause_end(pause));
    }
    atomic_fetch_sub(&asking, 1);
    return pending;
}

/* Parents wait for children that wait for what is polled for; there are more of both than threads. */
static void polled(void) {
    atomic_int ended = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < AWAITED; i++) {
#pragma omp task firstprivate(i) shared(ended)
        {
#pragma omp task firstprivate(i) shared(ended)
            {
                vicinity_pause pause = {{0, 0}};
                awaited[i].left = i % 50;
                atomic_store(&awaited[i].pause, &pause);
                wait_for(&pause, i);
                atomic_fetch_add(&ended, 1);
            }
#pragma omp taskwait
            CHECK(atomic_load(&ended) > 0);
        }
    }
    CHECK(ended == AWAITED);
}

/* A task waits inside a critical section that those which end its wait must pass, on however few threads, before or after. */
static void locked(void) {
    int entered = 0;
    clear();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(entered)
        {
#pragma omp critical
            {
                entered++;
                wait_for(&pauses[0], 0);
            }
        }
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(entered) firstprivate(i)
            {
#pragma omp critical
                entered++;
                if (i == 99) CHECK(entered > 0);
            }
        }
#pragma omp task
        OK(vicinity_pause_end(&pauses[0]));
    }
    CHECK(entered == 101);
}

/* Tasks with dependences after ones that wait; yields in between; a task of a task that is not deferred. */
static void ordered(void) {
    int value = 0;
    clear();
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 300; i++) {
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
            {
                CHECK(value == i);
#pragma omp task if (0) firstprivate(i)
                wait_for(&pauses[i], i);
                CHECK(value == i);
                value++;
            }
        }
        for (int i = 0; i < 300; i++) {
#pragma omp task firstprivate(i)
            {
#pragma omp taskyield
                OK(vicinity_pause_end(&pauses[i]));
            }
        }
#pragma omp taskwait
        CHECK(value == 300);
    }
}

/* Tasks of one function spin with yields for one of them. */
static void yields(int tasks, int setter) {
    atomic_int done = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < tasks; i++) {
#pragma omp task shared(done) firstprivate(i)
        {
            if (i == setter) atomic_store(&done, 1);
            while (atomic_load(&done) == 0) {
#pragma omp taskyield
            }
        }
    }
}

/* Tasks spin with yields for one of another function, which comes last. */
static void yields_to_another(void) {
    atomic_int done = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
            while (atomic_load(&done) == 0) {
#pragma omp taskyield
            }
        }
#pragma omp task shared(done)
        atomic_store(&done, 1);
    }
}

/* A tree of tasks that compute, each of which waits for its children. */
static int tree(int levels) {
    int left, right;
    if (levels < 2) return levels;
#pragma omp task shared(left)
    left = tree(levels - 1);
#pragma omp task shared(right)
    right = tree(levels - 2);
#pragma omp taskwait
    return left + right;
}

/* A chain of tasks, each of which waits for its children: deeper than a thread sets tasks aside. Some children wait for a pause that
 * the last task ends. */
static void deep(int levels) {
    if (levels == 0) {
        for (int i = 0; i < 10; i++) OK(vicinity_pause_end(&pauses[i]));
        return;
    }
#pragma omp task
    deep(levels - 1);
    if (levels % 400 == 0) {
#pragma omp task firstprivate(levels)
        wait_for(&pauses[levels / 400 - 1], levels);
    }
#pragma omp taskwait
}

static void trees(void) {
    int sum = 0;
    clear();
#pragma omp parallel
#pragma omp single
    {
        sum = tree(22);
        deep(4000);
    }
    CHECK(sum == 17711);
}

int main(void) {
    CHECK(vicinity_poll(NULL, NULL) == VICINITY_ERROR_ARGUMENT);
    OK(vicinity_poll(poll, &asking));
    OK(vicinity_poll(poll, &asking));
    CHECK(vicinity_poll((vicinity_poll_function)main, NULL) == VICINITY_ERROR_UNSUPPORTED);
    CHECK(vicinity_pause_wait(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_pause_helps() == 0);
    vicinity_pause ended = {{0, 0}};
    OK(vicinity_pause_end(&ended));
    OK(vicinity_pause_wait(&ended));
    for (int round = 0; round < 3; round++) {
        polled();
        locked();
        ordered();
        yields(50, round);
        yields_to_another();
    }
    /* More than a thread sets aside without hesitating. */
    yields(2000, 1000);
    yields(1700, 1699);
    chain();
    trees();
    puts("PASS");
    return 0;
}
