// Part of main.c: a shared library with parallel regions of its own, from the other compiler.

#include <omp.h>

int library_sum(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(3)
    sum += omp_get_num_threads();
    return sum;
}

int library_thread_num(void) { return omp_get_thread_num(); }
int library_level(void) { return omp_get_level(); }
