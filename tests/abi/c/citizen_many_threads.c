// Teams much larger than the machine: 250 threads, then small ones, then 250 again, with all the constructs.
// threads: 250
#include "check.h"

static void everything(int n) {
    int count = 0, iterations = 0, tasks = 0, singles = 0;
    long sum = 0;
#pragma omp parallel num_threads(n) reduction(+ : sum) shared(tasks)
    {
        EQUAL(omp_get_num_threads(), n);
        add_int(&count, 1);
        sum += omp_get_thread_num();
#pragma omp barrier
        EQUAL(load_int(&count), n);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 1000; i++) add_int(&iterations, 1);
#pragma omp single
        add_int(&singles, 1);
#pragma omp task
        add_int(&tasks, 1);
#pragma omp taskwait
    }
    EQUAL(sum, (long)n * (n - 1) / 2);
    EQUAL(iterations, 1000);
    EQUAL(tasks, n);
    EQUAL(singles, 1);
}

int main(void) {
    omp_set_dynamic(0);
    EQUAL(omp_get_max_threads(), 250);
    everything(250);
    everything(2);
    everything(250);
    everything(1);
    everything(120);
    return 0;
}
