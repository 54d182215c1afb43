/* Sequences of short launches; see sequence.h. */
#include "sequence.h"

enum { SEQUENCE = 1000, GROUPS = 4, RUNS = 25, PRIMING = 5 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a step of `busy` takes here, which no compiler makes shorter: each needs the one before. */
static double step_us(void) {
    enum { STEPS = 200000 };
    static volatile uint64_t seed = 1;
    double least_s = 1.0;
    for (int run = 0; run < RUNS; run++) {
        uint64_t word = seed;
        double start = now_s();
        for (int step = 0; step < STEPS; step++) {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
        }
        double spent = now_s() - start;
        seed = word;
        least_s = spent < least_s ? spent : least_s;
    }
    return least_s * 1e6 / STEPS;
}

static void run_all(struct clbench *b, cl_kernel kernel, int is_awaited) {
    const size_t global = GROUPS, local = 1;
    for (int at = 0; at < SEQUENCE; at++) {
        cl_need(clEnqueueNDRangeKernel(b->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                "clEnqueueNDRangeKernel");
        if (is_awaited) {
            cl_need(clFinish(b->queue), "clFinish");
        }
    }
    cl_need(clFinish(b->queue), "clFinish");
}

double sequence_cost(struct clbench *b, cl_kernel kernel, double work_us, int is_awaited, double *cpu_s) {
    double times[RUNS], cpu_times[RUNS];
    uint64_t *words = make(b, 0, GROUPS * sizeof *words);
    cl_int steps = (cl_int)(work_us / GROUPS / step_us());
    for (uint64_t at = 0; at < GROUPS; at++) {
        words[at] = at + 1;
    }
    up(b, 0);
    cl_need(clSetKernelArg(kernel, 0, sizeof(cl_mem), &b->buffer[0].device), "clSetKernelArg");
    cl_need(clSetKernelArg(kernel, 1, sizeof steps, &steps), "clSetKernelArg");
    for (int run = -PRIMING; run < RUNS; run++) {
        double cpu_start = cpu_now_s(), start = now_s();
        run_all(b, kernel, is_awaited);
        int at = run < 0 ? 0 : run;
        times[at] = (now_s() - start) / SEQUENCE;
        cpu_times[at] = (cpu_now_s() - cpu_start) / SEQUENCE;
    }
    qsort(times, RUNS, sizeof *times, by_size);
    qsort(cpu_times, RUNS, sizeof *cpu_times, by_size);
    *cpu_s = cpu_times[RUNS / 2];
    return times[RUNS / 2];
}
