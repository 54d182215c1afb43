/* Sweeps over blocks of a grid, a task for each block. With `together` the blocks are parts of one allocation, with `apart` each
 * block is one of its own. docs/tutorial.md tells what that changes. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vicinity.h>

enum { BLOCKS = 64, LENGTH = 1 << 17, SWEEPS = 4 }; /* 1 MiB a block */

static double *block[BLOCKS];

static void allocate(int together)
{
    double *all = together ? omp_malloc((size_t)BLOCKS * LENGTH * sizeof(double)) : NULL;
    for (int b = 0; b < BLOCKS; b++)
        block[b] = together ? all + (size_t)b * LENGTH : omp_malloc(LENGTH * sizeof(double));
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < LENGTH; i++) block[b][i] = b;
}

static void sweep(void)
{
    for (int b = 0; b < BLOCKS; b++) {
        double *x = block[b];
#pragma omp task depend(inout : x[0 : LENGTH])
        for (int i = 0; i < LENGTH; i++) x[i] = 0.5 * x[i] + 1;
    }
}

int main(int count, char **arguments)
{
    if (count != 2 || (strcmp(arguments[1], "together") != 0 && strcmp(arguments[1], "apart") != 0)) {
        fprintf(stderr, "usage: placement together|apart\n");
        return 2;
    }
    allocate(strcmp(arguments[1], "together") == 0);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < SWEEPS; i++) sweep();
    double sum = 0;
    for (int b = 0; b < BLOCKS; b++) sum += block[b][LENGTH - 1];
    printf("sum %g\n", sum);
    return 0;
}
