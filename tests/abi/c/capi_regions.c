// The C API inside OpenMP: in parallel regions and tasks, from several threads, with priorities, and from
// threads that OpenMP does not know.
// peer-fails: libgomp the regions would be another runtime's
// peer-fails: libomp the regions would be another runtime's
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <vicinity.h>

#define OK(call) EQUAL((call), VICINITY_SUCCESS)

static atomic_int ran;

static void count_one(void *argument) {
    (void)argument;
    atomic_fetch_add(&ran, 1);
}

static void add_range(size_t begin, size_t end, void *argument) {
    atomic_fetch_add((atomic_long *)argument, (long)(end - begin));
}

static vicinity_task *shared;
static atomic_int go;

static void wait_for_go(void *argument) {
    (void)argument;
    SPIN_UNTIL(atomic_load(&go));
    atomic_fetch_add(&ran, 1);
}

static void in_regions(int n) {
    atomic_store(&ran, 0);
#pragma omp parallel
    {
        vicinity_task *task;
        for (int i = 0; i < 100; i++) {
            OK(vicinity_task_create(count_one, NULL, NULL, &task));
            if (i % 2) OK(vicinity_wait(task));
            else OK(vicinity_release(task));
        }
        OK(vicinity_wait_all());
#pragma omp barrier
        EQUAL(atomic_load(&ran), 100 * omp_get_num_threads());
#pragma omp barrier
        // What nobody waits for is finished at the end of the region.
        OK(vicinity_task_create(count_one, NULL, NULL, NULL));
    }
    EQUAL(atomic_load(&ran), 101 * n);
}

// One thread waits for a task that another one created.
static void for_another(void) {
    if (omp_get_max_threads() < 2) return;
    atomic_store(&ran, 0);
    atomic_store(&go, 0);
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        OK(vicinity_task_create(wait_for_go, NULL, NULL, &shared));
        if (omp_get_thread_num() == 0) atomic_store(&go, 1);
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            OK(vicinity_wait(shared));
            EQUAL(atomic_load(&ran), 1);
        }
    }
}

static void mixed(void) {
    atomic_long sum = 0;
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
        vicinity_task *task;
        vicinity_options options = VICINITY_OPTIONS;
        vicinity_dependence on = {&x, sizeof x, VICINITY_INOUT};
        options.dependences = &on;
        options.dependence_count = 1;
        options.priority = 5;
        // Dependences of both kinds of tasks are the same.
#pragma omp task depend(out : x) shared(x, sum)
        sum += 1000;
        OK(vicinity_task_range(add_range, &sum, 1000, 10, &options, NULL));
#pragma omp task depend(in : x) shared(x, sum)
        EQUAL(sum, 2000);
#pragma omp taskwait
        EQUAL(sum, 2000);
#pragma omp task final(1) shared(sum)
        {
            vicinity_task *inner;
            OK(vicinity_task_range(add_range, &sum, 100, 1, NULL, &inner));
            EQUAL(vicinity_is_finished(inner), 1);
            OK(vicinity_release(inner));
        }
#pragma omp taskgroup
        OK(vicinity_task_create(count_one, NULL, NULL, &task));
        EQUAL(vicinity_is_finished(task), 1);
        OK(vicinity_wait(task));
    }
    EQUAL(sum, 2100);
}

static void *stranger(void *argument) {
    atomic_long sum = 0;
    (void)argument;
    for (int i = 0; i < 20; i++) {
        vicinity_task *task;
        OK(vicinity_task_range(add_range, &sum, 500, 7, NULL, &task));
        OK(vicinity_wait(task));
        EQUAL(sum, 500 * (i + 1));
    }
    // Never waited for: given up with the thread.
    OK(vicinity_task_create(count_one, NULL, NULL, NULL));
    return NULL;
}

int main(void) {
    in_regions(omp_get_max_threads());
    for_another();
    mixed();
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, stranger, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    in_regions(omp_get_max_threads());
    return 0;
}
