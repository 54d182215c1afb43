/* A region of three threads. */
#include <stdio.h>

int main(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
    printf("%d threads\n", count);
    return count != 3;
}
