/* The workloads of the suite `local-memory`, and the texts of their kernels. */
#include "incbin.h"
#include "workloads.h"

TEXT(local_dense)
TEXT(local_grid)
TEXT(local_body)

const struct workload *const workload_tables[] = {local_dense_workloads, local_grid_workloads, local_body_workloads, NULL};
