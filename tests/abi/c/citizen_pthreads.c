// Foreign threads, each with regions and tasks of its own at the same time, ended by return and by pthread_exit.
// peer-fails: libomp crashes on tasks in the teams of several foreign threads
// threads: 1 2 8
#include "check.h"
#include <pthread.h>

enum { FOREIGN = 6 };
static int kept;
#pragma omp threadprivate(kept)

static void *work(void *arg) {
    int id = (int)(long)arg, n = omp_get_max_threads();
    EQUAL(omp_get_thread_num(), 0);
    EQUAL(omp_get_num_threads(), 1);
    for (int round = 0; round < 4; round++) {
        int count = 0, tasks = 0;
        long sum = 0;
        kept = id;
#pragma omp parallel reduction(+ : sum) shared(count, tasks) copyin(kept)
        {
            EQUAL(kept, id);
            EQUAL(omp_get_num_threads(), n);
            add_int(&count, 1);
#pragma omp for schedule(guided)
            for (int i = 0; i < 100; i++) sum += i * id;
#pragma omp single
            for (int i = 0; i < 10; i++) {
#pragma omp task
                add_int(&tasks, 1);
            }
#pragma omp critical
            sum += 1;
        }
        EQUAL(count, n);
        EQUAL(tasks, 10);
        EQUAL(sum, 4950L * id + n);
    }
    if (id % 2) pthread_exit(arg);
    return arg;
}

int main(void) {
    omp_set_dynamic(0);
    for (int wave = 0; wave < 4; wave++) {
        pthread_t threads[FOREIGN];
        for (long i = 0; i < FOREIGN; i++) CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
        work((void *)100L);
        for (long i = 0; i < FOREIGN; i++) {
            void *result = NULL;
            CHECK(pthread_join(threads[i], &result) == 0);
            EQUAL((long)result, i);
        }
    }
    // Tasks only, outside of regions, in a thread that never has one.
    work((void *)2L);
    return 0;
}
