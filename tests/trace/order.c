/* Recursion and dependences: tasks whose order on one thread says how they were scheduled. */
#include <stdio.h>

static int fib(int n) {
    int a, b;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a) firstprivate(n)
    a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    int result = 0;
    int chain[3] = {0, 0, 0};
#pragma omp parallel
#pragma omp single
    {
        result = fib(8);
        for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : chain[i % 3])
            chain[i % 3]++;
        }
    }
    printf("%d %d\n", result, chain[0] + chain[1] + chain[2]);
    return result != 21 || chain[0] != 4;
}
