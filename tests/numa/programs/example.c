/* example: the program of docs/locality.md. Blocks that are allocations of their own, and sweeps of tasks over them. */
#include "vicinity.h"
#include <stdio.h>

enum { BLOCKS = 64, LENGTH = 1 << 17, SWEEPS = 4 }; /* 1 MiB a block */

int main(void) {
    double *block[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        block[b] = omp_malloc(LENGTH * sizeof(double));
        if (block[b] == NULL) return 1;
        for (int i = 0; i < LENGTH; i++) block[b][i] = b;
    }
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int b = 0; b < BLOCKS; b++) {
            double *x = block[b];
            (void)x; /* gcc does not see that the clause uses it */
#pragma omp task depend(inout : x[0 : LENGTH])
            for (int i = 0; i < LENGTH; i++) x[i] = 0.5 * x[i] + 1;
        }
    printf("%g\n", block[BLOCKS - 1][LENGTH - 1]);
    for (int b = 0; b < BLOCKS; b++) vicinity_free(block[b]);
    return 0;
}
