/* Two tasks that run at the same time, on two threads, and add to one sum: without CLEAN in a race. */
#include <stdio.h>

int main(void) {
    int sum = 0, running = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task shared(sum, running)
        {
            __atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
            while (__atomic_load_n(&running, __ATOMIC_RELAXED) < 2);
#ifdef CLEAN
#pragma omp critical
#endif
            sum++;
        }
    }
    printf("%d\n", sum);
}
