/* cost: static loops over memory that their users touch first, so that there is nothing to repair. Prints the processor time of all
 * threads, least of some runs: what `--distribution auto` takes to watch them (results/auto-overhead). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 1 << 18, SWEEPS = 300, RUNS = 5 };

static double *from, *to;

static double *array(void) {
    double *block = malloc(COUNT * sizeof *block);
    if (!block) exit(1);
#pragma omp parallel for schedule(static)
    for (long i = 0; i < COUNT; i++) block[i] = 1;
    return block;
}

static double run(void) {
    clock_t start = clock();
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < COUNT; i++) to[i] = 0.5 * to[i] + from[i];
    }
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

int main(void) {
    double least = 1e9;
    from = array();
    to = array();
    for (int i = 0; i < RUNS; i++) {
        double seconds = run();
        least = seconds < least ? seconds : least;
    }
    printf("cost: %.3f s\n", least);
    /* It converges to twice `from`. */
    return !(to[0] > 1.9 && to[COUNT - 1] < 2.1);
}
