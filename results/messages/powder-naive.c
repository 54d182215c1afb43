/* One thing after the other: compute, read, send; receive, write, compute. */
#include "powder.h"

static void steps(void)
{
    char *memory = malloc(rank == 0 ? bytes * ranks : bytes);
    for (int at = 0; at < STEPS; at++) {
        if (rank == 0) {
            make(queue, at, NULL);
            OK(clEnqueueReadBuffer(queue, c[at % 2], CL_TRUE, 0, bytes * ranks, memory, 0, NULL, NULL));
            for (int to = 1; to < ranks; to++)
                MPI_Send(memory + to * bytes, (int)bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(memory, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            OK(clEnqueueWriteBuffer(queue, c[at % 2], CL_TRUE, 0, bytes, memory, 0, NULL, NULL));
        }
        use(queue, at, NULL);
        OK(clFinish(queue));
    }
    free(memory);
}
