/* What one launch of a sequence of short ones takes. */
#ifndef VICINITY_SEQUENCE_H
#define VICINITY_SEQUENCE_H

#include "clbench.h"

/* Seconds for each of SEQUENCE launches of `kernel` in the queue of `b`, the time until the last has ended among them: the median of some
 * runs, and likewise `*cpu_s` of all threads' processor time. Each launch has 4 work-groups of one item, which together keep one processor
 * busy for `work_us`. `is_awaited`: the program waits for each. The kernel is `busy` of costs.cl. */
double sequence_cost(struct clbench *b, cl_kernel kernel, double work_us, int is_awaited, double *cpu_s);

#endif
