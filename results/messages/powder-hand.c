/* By hand: one step is sent while the next is computed, from and to the mapped buffers themselves. The program's thread has to be there
 * at each turn. */
#include "powder.h"

static MPI_Request requests[2][64];
static MPI_Status statuses[64];
static char *mapped[2];

static void wait_for(int step)
{
    MPI_Waitall(rank == 0 ? ranks - 1 : 1, requests[step % 2], statuses);
}

static void begin_to_receive(int step)
{
    MPI_Irecv(mapped[step % 2], (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[step % 2][0]);
}

static void begin_to_send(int step)
{
    for (int to = 1; to < ranks; to++)
        MPI_Isend(mapped[step % 2] + to * bytes, (int)bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[step % 2][to - 1]);
}

static void steps(void)
{
    cl_event made, used[2] = {NULL, NULL};
    size_t all = rank == 0 ? bytes * ranks : bytes;
    for (int at = 0; at < 2; at++) {
        mapped[at] = clEnqueueMapBuffer(queue, c[at], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, all, 0, NULL, NULL, NULL);
        for (int to = 0; to < 64; to++)
            requests[at][to] = MPI_REQUEST_NULL;
    }
    if (rank != 0)
        begin_to_receive(0);
    for (int at = 0; at < STEPS; at++) {
        if (rank == 0) {
            wait_for(at);
            make(queue, at, &made);
            use(queue, at, NULL);
            OK(clFlush(queue));
            OK(clWaitForEvents(1, &made));
            OK(clReleaseEvent(made));
            begin_to_send(at);
            continue;
        }
        if (at + 1 < STEPS) {
            if (used[(at + 1) % 2] != NULL) {
                OK(clWaitForEvents(1, &used[(at + 1) % 2]));
                OK(clReleaseEvent(used[(at + 1) % 2]));
                used[(at + 1) % 2] = NULL;
            }
            begin_to_receive(at + 1);
        }
        wait_for(at);
        use(queue, at, &used[at % 2]);
        OK(clFlush(queue));
    }
    OK(clFinish(queue));
    for (int at = 0; at < 2; at++) {
        wait_for(at);
        if (used[at] != NULL)
            OK(clReleaseEvent(used[at]));
        OK(clEnqueueUnmapMemObject(queue, c[at], mapped[at], 0, NULL, NULL));
    }
    OK(clFinish(queue));
}
