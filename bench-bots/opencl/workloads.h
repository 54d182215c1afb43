/* The tables of workloads, each ended by an entry without a name, and the texts of their kernels. */
#ifndef VICINITY_WORKLOADS_H
#define VICINITY_WORKLOADS_H

#include "clbench.h"

extern const struct workload dense_workloads[], stencil_workloads[], walk_workloads[], body_workloads[],
    graph_workloads[], collective_workloads[], formula_workloads[];

CLBENCH_SOURCE(dense)
CLBENCH_SOURCE(stencil)
CLBENCH_SOURCE(walk)
CLBENCH_SOURCE(body)
CLBENCH_SOURCE(graph)
CLBENCH_SOURCE(collective)
CLBENCH_SOURCE(formula)

/* One entry of a table: its functions are NAME_prepare, NAME_once and NAME_check. */
#define WORKLOAD(file, name, test, small, medium, large)                                           \
    {#name, file##_cl, file##_cl_end, {test, small, medium, large}, name##_prepare, name##_once, name##_check}
#define END_OF_WORKLOADS {NULL, NULL, NULL, {0, 0, 0, 0}, NULL, NULL, NULL}

#endif
