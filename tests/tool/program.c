/* Some of everything that a tool is told of, in known numbers: with 4 threads. */
#include <omp.h>
#include <stdlib.h>

enum { THREADS = 4, TASKS = 50 };

static int fib(int n) {
    if (n < 2) return n;
    int a, b;
#pragma omp task shared(a) if (n > 6)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    int sum = 0, data[4] = {0}, result = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_num_threads(THREADS);
    for (int round = 0; round < 3; round++) {
#pragma omp parallel
        {
#pragma omp critical(adding)
            sum++;
#pragma omp barrier
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
        }
    }
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
            {
#pragma omp atomic
                sum++;
            }
        }
#pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < 40; i++) {
#pragma omp atomic
            sum++;
        }
    }
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
            for (int i = 0; i < 12; i++) {
#pragma omp task depend(inout : data[i % 4])
                data[i % 4]++;
            }
        }
        result = fib(12);
#pragma omp taskwait depend(in : data[0])
    }
    omp_destroy_lock(&lock);
    return sum == 2 * 3 * THREADS + TASKS + 40 && result == 144 && data[0] == 3 ? 0 : 1;
}
