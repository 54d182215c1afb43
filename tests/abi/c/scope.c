// scope: private, firstprivate, reduction, nowait, with task reductions inside.
// compilers: gcc
#include "check.h"

int main(void) {
    int sum = 0, product = 0, value = 4, task_sum = 0, team = 0;
#pragma omp parallel
    {
#pragma omp single
        team = omp_get_num_threads();
#pragma omp scope reduction(+ : sum) private(value)
        {
            value = 2;
            sum += value;
        }
        EQUAL(sum, 2 * team);
#pragma omp scope reduction(max : product) nowait
        { product = omp_get_thread_num(); }
#pragma omp barrier
        EQUAL(product, team - 1);
#pragma omp scope reduction(task, + : task_sum)
        {
            task_sum++;
            for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : task_sum)
                task_sum += 2;
            }
        }
        EQUAL(task_sum, 21 * team);
    }
    EQUAL(value, 4);
    EQUAL(sum, 2 * team);
    EQUAL(task_sum, 21 * team);
    return 0;
}
