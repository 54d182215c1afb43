/* The workloads of the suite `opencl`, and the texts of their kernels. */
#include "incbin.h"
#include "workloads.h"

TEXT(dense)
TEXT(stencil)
TEXT(walk)
TEXT(body)
TEXT(graph)
TEXT(collective)
TEXT(formula)

const struct workload *const workload_tables[] = {dense_workloads, stencil_workloads,    walk_workloads,    body_workloads,
                                                  graph_workloads, collective_workloads, formula_workloads, NULL};
