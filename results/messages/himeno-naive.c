/* One thing after the other: compute, read, exchange, write. */
#include "himeno.h"

static float sent[2][ROWS * COLUMNS], received[2][ROWS * COLUMNS];

static void steps(void)
{
    for (int at = 0; at < STEPS; at++) {
        cl_mem next = p[(at + 1) % 2];
        compute(queue_a, at, 1, planes, 0, NULL, NULL);
        OK(clEnqueueReadBuffer(queue_a, next, CL_TRUE, PLANE_BYTES, PLANE_BYTES, sent[0], 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue_a, next, CL_TRUE, (size_t)planes * PLANE_BYTES, PLANE_BYTES, sent[1], 0, NULL, NULL));
        MPI_Sendrecv(sent[0], PLANE_BYTES, MPI_BYTE, below, 0, received[1], PLANE_BYTES, MPI_BYTE, above, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(sent[1], PLANE_BYTES, MPI_BYTE, above, 1, received[0], PLANE_BYTES, MPI_BYTE, below, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (below != MPI_PROC_NULL)
            OK(clEnqueueWriteBuffer(queue_a, next, CL_TRUE, 0, PLANE_BYTES, received[0], 0, NULL, NULL));
        if (above != MPI_PROC_NULL)
            OK(clEnqueueWriteBuffer(queue_a, next, CL_TRUE, (size_t)(planes + 1) * PLANE_BYTES, PLANE_BYTES, received[1], 0, NULL, NULL));
    }
}
